#include "model/identity_book.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "model/test_records.h"

namespace belay {
namespace {

IdentityName Name(std::string_view text) { return *IdentityName::Parse(text); }
AgentId Agent(std::string_view text) { return *AgentId::Parse(text); }

Json Whole(std::string_view agent, AgentStatus status = AgentStatus::kAlive) {
  Identity identity = NewIdentity(agent);
  identity.status = status;
  return IdentityRecord(Second(0), "test", "", identity);
}

TEST(IdentityBookTest, TheLastRecordDecides) {
  IdentityBook book;
  book.Apply(Whole("worker-a#1", AgentStatus::kSpawning));
  book.Apply(Whole("worker-a#1"));
  EXPECT_EQ(book.Find(Name("worker-a"))->status, AgentStatus::kAlive);
  EXPECT_EQ(book.Find(Name("worker-b")), nullptr);
  EXPECT_TRUE(book.FindEntry(Name("worker-a"))->history.empty());
}

TEST(IdentityBookTest, ARecordLeavesOutWhatIsNullAndReadsBackWhole) {
  const Json empty = Whole("worker-a#1");
  for (const JsonMember& member : *empty.Find("identity")->AsObject()) {
    EXPECT_FALSE(member.value.is_null()) << member.key;
  }
  Identity later = FullIdentity();
  later.unknown.Set("of a later belay", nullptr);
  for (const Identity& identity : {FullIdentity(), Identity{.id = Agent("worker-a#1")}, later}) {
    IdentityBook book;
    book.Apply(IdentityRecord(Second(0), "test", "", identity));
    EXPECT_EQ(*book.Find(identity.id.identity()), identity);
  }
}

TEST(IdentityBookTest, ASuccessorTakesThePlaceAndTheOldOneGoesIntoHistory) {
  IdentityBook book;
  for (int i = 1; i <= 23; ++i) book.Apply(Whole(fmt::format("worker-a#{}", i)));
  const IdentityEntry& entry = *book.FindEntry(Name("worker-a"));
  EXPECT_EQ(entry.present.id.incarnation(), 23u);
  ASSERT_EQ(entry.history.size(), kMostHistory);
  EXPECT_EQ(entry.history.front().id.incarnation(), 3u);
  EXPECT_EQ(entry.history.back().id.incarnation(), 22u);
}

TEST(IdentityBookTest, AnEarlierIncarnationChangesNothing) {
  IdentityBook book;
  book.Apply(Whole("worker-a#2"));
  EXPECT_EQ(book.TakeChanged().size(), 1u);
  book.Apply(Whole("worker-a#1", AgentStatus::kCrashed));
  book.Apply(SeenRecord(Second(9), Agent("worker-a#1"), Second(9)));
  EXPECT_EQ(book.Find(Name("worker-a"))->status, AgentStatus::kAlive);
  EXPECT_EQ(book.Find(Name("worker-a"))->last_seen, WallTime());
  EXPECT_TRUE(book.TakeChanged().empty());
  EXPECT_EQ(book.unreadable(), 0u);
}

TEST(IdentityBookTest, SeenRenewsOnlyTheValuesItHas) {
  IdentityBook book;
  book.Apply(Whole("worker-a#1"));
  book.Apply(SeenRecord(Second(5), Agent("worker-a#1"), Second(4)));
  book.Apply(SeenRecord(Second(9), Agent("worker-a#1"), std::nullopt));
  EXPECT_EQ(book.Find(Name("worker-a"))->last_seen, Second(9));
  EXPECT_EQ(book.Find(Name("worker-a"))->last_activity, Second(4));
}

TEST(IdentityBookTest, WhatMakesNoSenseIsCountedAndChangesNothing) {
  IdentityBook book;
  book.Apply(Whole("worker-a#1"));
  (void)book.TakeChanged();
  Json newer = Whole("worker-a#1", AgentStatus::kCrashed);
  newer.Find("identity")->Set("schema_version", 2);
  const Json seen = MakeObject({{"at", 7}, {"kind", "seen"}, {"agent_id", "worker-a#1"}});
  const std::vector<Json> records = {newer,
                                     seen,
                                     SeenRecord(Second(1), Agent("worker-b#1"), {}),
                                     SeenRecord(Second(1), Agent("worker-a#2"), {}),
                                     MakeObject({{"kind", "sung"}}),
                                     MakeObject({{"identity", nullptr}}),
                                     Json::EmptyObject(),
                                     Json(3)};
  for (const Json& record : records) book.Apply(record);
  EXPECT_EQ(book.unreadable(), records.size());
  EXPECT_EQ(book.Find(Name("worker-a"))->status, AgentStatus::kAlive);
  EXPECT_TRUE(book.TakeChanged().empty());
  book.Apply(NotedRecord(Second(1), Agent("worker-z#1"), "late"));
  EXPECT_EQ(book.unreadable(), records.size());
}

TEST(IdentityBookTest, HistoryIsDroppedByAge) {
  IdentityBook book;
  for (int i = 1; i <= 3; ++i) {
    Identity identity = NewIdentity(fmt::format("worker-a#{}", i));
    if (i == 1) identity.exit = AgentExit{.code = 0, .cause = ExitCause::kClean, .at = Second(10)};
    if (i == 2) identity.last_seen = Second(20);
    book.Apply(IdentityRecord(Second(0), "test", "", identity));
  }
  EXPECT_EQ(book.Snapshot(Second(99), Second(10)).size(), 3u);
  EXPECT_EQ(book.Snapshot(Second(99), Second(11)).size(), 2u);
  EXPECT_EQ(book.Snapshot(Second(99), Second(99)).size(), 1u);
  (void)book.TakeChanged();
  book.DropHistory(Second(10));
  EXPECT_TRUE(book.TakeChanged().empty());
  book.DropHistory(Second(11));
  EXPECT_EQ(book.FindEntry(Name("worker-a"))->history.size(), 1u);
  EXPECT_EQ(book.TakeChanged(), std::set{Name("worker-a")});
}

TEST(IdentityBookTest, AnAgentIsFoundByAnUnambiguousShortName) {
  IdentityBook book;
  for (const char* agent : {"worker-fix-login#1", "worker-docs#1", "reviewer-docs#2"}) {
    book.Apply(Whole(agent));
  }
  EXPECT_EQ(*ResolveAgent(book, "worker-fix-login"), Name("worker-fix-login"));
  EXPECT_EQ(*ResolveAgent(book, "fix-login"), Name("worker-fix-login"));
  EXPECT_EQ(*ResolveAgent(book, "reviewer-docs"), Name("reviewer-docs"));
  const Error several = ResolveAgent(book, "docs").error();
  EXPECT_EQ(several.code, ErrorCode::kUsage);
  EXPECT_NE(several.message.find("reviewer-docs, worker-docs"), std::string::npos);
  const Error none = ResolveAgent(book, "fix-logn").error();
  EXPECT_EQ(none.code, ErrorCode::kNotFound);
  EXPECT_NE(none.hint.find("fix-login"), std::string::npos);
  EXPECT_EQ(ResolveAgent(book, "../x").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ResolveAgent(IdentityBook(), "").error().code, ErrorCode::kNotFound);
}

// The model: what was recorded of each name, in order, ignoring what the fence drops.
using Entry = std::tuple<std::uint32_t, AgentStatus, int>;  // incarnation, status, last seen
using Model = std::map<std::string, std::vector<Entry>>;

struct Step {
  bool seen;
  int who;
  std::uint32_t incarnation;
  int number;
};

void Take(const Step& step, IdentityBook& book, Model& model) {
  const std::string name = fmt::format("worker-{}", step.who);
  const std::string agent = fmt::format("{}#{}", name, step.incarnation);
  std::vector<Entry>& known = model[name];
  if (step.seen) {
    book.Apply(SeenRecord(Second(step.number), Agent(agent), {}));
    const bool present = !known.empty() && std::get<0>(known.back()) == step.incarnation;
    if (present) std::get<2>(known.back()) = step.number;
    return;
  }
  const auto status = static_cast<AgentStatus>(step.number % 8);
  Identity identity = NewIdentity(agent);
  identity.status = status;
  identity.last_seen = Second(step.number);
  book.Apply(IdentityRecord(Second(0), "test", "", identity));
  const std::uint32_t last = known.empty() ? 0 : std::get<0>(known.back());
  if (step.incarnation < last) return;
  if (step.incarnation == last) known.pop_back();
  known.emplace_back(step.incarnation, status, step.number);
}

Model ModelOf(const IdentityBook& book) {
  const auto entry_of = [](const Identity& one) {
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(one.last_seen - Second(0));
    return Entry(one.id.incarnation(), one.status, static_cast<int>(seconds.count()));
  };
  Model model;
  for (const auto& [name, entry] : book.entries()) {
    for (const Identity& old : entry.history) model[name.text()].push_back(entry_of(old));
    model[name.text()].push_back(entry_of(entry.present));
  }
  return model;
}

TEST(IdentityBookModel, AnyRecordsAddUpToWhatTheModelSaysAndSoDoesTheirSnapshot) {
  EXPECT_TRUE(rc::check([] {
    IdentityBook book;
    Model model;
    const auto numbers = *rc::gen::container<std::vector<std::tuple<bool, int, int, int>>>(
        rc::gen::tuple(rc::gen::arbitrary<bool>(), rc::gen::inRange(0, 3), rc::gen::inRange(1, 9),
                       rc::gen::inRange(0, 100)));
    for (const auto& [seen, who, incarnation, number] : numbers) {
      Take({seen, who, static_cast<std::uint32_t>(incarnation), number}, book, model);
    }
    std::erase_if(model, [](const auto& one) { return one.second.empty(); });
    RC_ASSERT(ModelOf(book) == model);
    IdentityBook again;
    for (const Json& record : book.Snapshot(Second(0), WallTime())) again.Apply(record);
    RC_ASSERT(ModelOf(again) == model);
    RC_ASSERT(again.unreadable() == 0u);
  }));
}

TEST(IdentityBookModel, RecordsOfDifferentIdentitiesMayComeInAnyOrder) {
  EXPECT_TRUE(rc::check([] {
    const auto steps = *rc::gen::container<std::vector<std::tuple<int, int, int>>>(
        rc::gen::tuple(rc::gen::inRange(0, 4), rc::gen::inRange(1, 5), rc::gen::inRange(0, 50)));
    IdentityBook in_turn;
    IdentityBook one_by_one;
    Model unused;
    for (const auto& [who, incarnation, number] : steps) {
      Take({false, who, static_cast<std::uint32_t>(incarnation), number}, in_turn, unused);
    }
    for (int i = 0; i < 4; ++i) {
      for (const auto& [who, incarnation, number] : steps) {
        if (who != i) continue;
        Take({false, who, static_cast<std::uint32_t>(incarnation), number}, one_by_one, unused);
      }
    }
    RC_ASSERT(ModelOf(in_turn) == ModelOf(one_by_one));
  }));
}

TEST(IdentityBookTest, HoldsAHundredThousand) {
  IdentityBook book;
  const Json pattern = ToJson(FullIdentity());
  for (int i = 0; i < 100'000; ++i) {
    Json identity = pattern;
    const std::string name = fmt::format("n{}", i);
    identity.Set("name", name);
    identity.Set("agent_id", fmt::format("orchestrator-{}#3", name));
    book.Apply(MakeObject({{"identity", std::move(identity)}}));
  }
  EXPECT_EQ(book.entries().size(), 100'000u);
  EXPECT_EQ(book.unreadable(), 0u);
}

}  // namespace
}  // namespace belay
