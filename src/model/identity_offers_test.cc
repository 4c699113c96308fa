#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <tuple>

#include "codec/json_lines.h"
#include "model/hook.h"
#include "model/identity_book.h"
#include "model/test_records.h"

namespace belay {
namespace {

// As it stands in a journal.
std::string Line(const Json& record) {
  Json::Object members = {{"seq", 7}};
  for (const JsonMember& member : *record.AsObject()) members.push_back(member);
  std::string line;
  EXPECT_TRUE(AppendJsonLine(Json(members), line).ok());
  line.pop_back();
  return line;
}

template <class Book>
void Take(const Json& record, Book& book) {
  if (!book.Offer(Line(record))) book.Apply(record);
}

Json Whole(std::string_view agent, AgentStatus status, std::string_view why = "") {
  Identity identity = NewIdentity(agent);
  identity.status = status;
  return IdentityRecord(Second(0), "test", why, identity);
}

// One of all kinds of records; some are malformed.
Json Record(int kind, int who, int incarnation, int second) {
  const AgentId agent(*IdentityName::Make("worker", fmt::format("a{}", who)),
                      static_cast<std::uint32_t>(incarnation));
  const WallTime at = Second(second);
  if (kind == 0) return SeenRecord(at, agent, std::nullopt);
  if (kind == 1) return SeenRecord(at, agent, at);
  if (kind == 2) return NotedRecord(at, agent, "\"identity\":{");
  if (kind == 3) return MakeObject({{"kind", "seen"}, {"agent_id", agent.text()}});
  if (kind == 4) return MakeObject({{"kind", "strange"}, {"agent_id", agent.text()}});
  Identity identity = NewIdentity(agent.text());
  identity.last_seen = at;
  Json record = IdentityRecord(at, "test", "a \"quoted\" why, {with} all\\ of it", identity);
  if (kind == 5) record.Find("identity")->Set("schema_version", 2);
  return record;
}

bool Same(const IdentityBook& one, const IdentityBook& other) {
  if (one.unreadable() != other.unreadable()) return false;
  return std::equal(one.entries().begin(), one.entries().end(), other.entries().begin(),
                    other.entries().end(), [](const auto& a, const auto& b) {
                      return a.first == b.first && a.second.present == b.second.present &&
                             a.second.history == b.second.history;
                    });
}

TEST(IdentityOffersTest, AddUpToTheSameAsRecordsOneByOne) {
  EXPECT_TRUE(rc::check([] {
    const auto number = [](int end) { return rc::gen::inRange(0, end); };
    const auto steps = *rc::gen::container<std::vector<std::tuple<int, int, int, int>>>(
        rc::gen::tuple(number(10), number(3), number(30), number(50)));
    IdentityBook applied;
    IdentityBook offered;
    std::set<IdentityName> changed;
    for (const auto& [kind, who, incarnation, second] : steps) {
      const Json record = Record(kind, who, incarnation + 1, second);
      applied.Apply(record);
      Take(record, offered);
      if (second == 0) RC_ASSERT(offered.ParseOffered());
    }
    RC_ASSERT(offered.ParseOffered());
    RC_ASSERT(Same(applied, offered));
    RC_ASSERT(applied.TakeChanged() == offered.TakeChanged());
  }));
}

TEST(IdentityOffersTest, ReportAnUnreadableRecord) {
  IdentityBook book;
  Take(Whole("worker-a#1", AgentStatus::kAlive), book);
  Json strange = Whole("worker-a#1", AgentStatus::kAlive);
  strange.Find("identity")->Set("status", "levitating");
  Take(strange, book);
  EXPECT_FALSE(book.ParseOffered());
  book.Forget();
  Take(Whole("worker-a#1", AgentStatus::kAlive), book);
  EXPECT_TRUE(book.ParseOffered());
  Take(MakeObject({{"at", "never"}, {"kind", "seen"}, {"agent_id", "worker-a#1"}}), book);
  EXPECT_FALSE(book.ParseOffered());
}

TEST(IdentityOffersTest, ChangeNothingBeforeTheyAreSettled) {
  IdentityBook book;
  EXPECT_TRUE(book.Offer(Line(Whole("worker-a#1", AgentStatus::kAlive))));
  EXPECT_TRUE(book.entries().empty());
  EXPECT_TRUE(book.ParseOffered());
  EXPECT_EQ(book.entries().size(), 1u);
}

Json HookStep(int who, int incarnation, int note) {
  Hook hook = NewHook(fmt::format("worker-a{}", who));
  hook.incarnation = static_cast<std::uint32_t>(incarnation);
  AddNote(hook, {fmt::format("\"hook\":{{ {}", note), Second(note), hook.incarnation, "person"});
  return HookRecord(Second(note), "note", "because \"of\" it", hook);
}

TEST(HookOffersTest, AddUpToTheSameAsRecordsOneByOne) {
  EXPECT_TRUE(rc::check([] {
    const auto number = [](int end) { return rc::gen::inRange(0, end); };
    const auto steps = *rc::gen::container<std::vector<std::tuple<int, int, int>>>(
        rc::gen::tuple(number(3), number(4), number(50)));
    HookBook applied;
    HookBook offered;
    for (const auto& [who, incarnation, note] : steps) {
      const Json record = HookStep(who, incarnation + 1, note);
      applied.Apply(record);
      Take(record, offered);
      if (note == 0) RC_ASSERT(offered.ParseOffered());
    }
    RC_ASSERT(offered.ParseOffered());
    RC_ASSERT(applied.hooks() == offered.hooks());
    RC_ASSERT(applied.TakeChanged() == offered.TakeChanged());
  }));
}

TEST(HookOffersTest, CanBeGlancedAtBeforeTheyAreSettled) {
  HookBook book;
  const IdentityName name = *IdentityName::Parse("worker-a");
  EXPECT_EQ(book.Summary(name), std::nullopt);
  Hook hook = NewHook("worker-a");
  for (const std::optional<double> fill : {std::optional<double>(), std::optional(41.5)}) {
    hook.work_phase = WorkPhase::kTesting;
    hook.context_fill = fill;
    ASSERT_TRUE(book.Offer(Line(HookRecord(Second(0), "test", "", hook))));
    EXPECT_EQ(book.Summary(name), (HookSummary{WorkPhase::kTesting, fill}));
  }
  EXPECT_EQ(book.Find(name), nullptr);
  EXPECT_TRUE(book.ParseOffered());
  EXPECT_EQ(book.Summary(name), SummarizeHook(hook));
}

TEST(HookOffersTest, ReportAnUnreadableRecord) {
  HookBook book;
  Take(HookStep(1, 1, 1), book);
  Json strange = HookStep(1, 1, 2);
  strange.Find("hook")->Set("work_phase", "levitation");
  Take(strange, book);
  EXPECT_FALSE(book.ParseOffered());
}

}  // namespace
}  // namespace belay
