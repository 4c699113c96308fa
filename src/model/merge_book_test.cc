#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/merge_entry.h"

namespace belay {
namespace {

constexpr WallTime kNow{std::chrono::microseconds(1'700'000'000'123'456)};

MergeEntry Full() {
  MergeEntry entry{
      .number = 7, .identity_name = "orchestrator-login", .branch = "login", .target = "main"};
  entry.worktree_path = "/w";
  entry.pr_number = "12";
  entry.bead_id = "b-1";
  entry.node_id = "n-1";
  entry.requested_at = entry.changed_at = kNow;
  entry.status = MergeStatus::kConflict;
  entry.head = "aaaa";
  entry.base = "bbbb";
  entry.candidate = "cccc";
  entry.attempts = 2;
  entry.priority = -3;
  entry.depends_on = {1, 2};
  entry.no_gates = true;
  entry.settings_allowed = "aaaa";
  entry.last_error = "conflict";
  entry.conflict = {"dddd", {"eeee"}, {{"a b.cc", "content", {{{3, 2}, {4, 0}}}}}};
  entry.gate_results = {{"test", GateOutcome::kFailed, 2, 3, std::chrono::seconds(5), "cccc",
                         "/log", "exit code 2", "abcd"}};
  entry.delete_pending = true;
  entry.follow_pending = true;
  entry.reported = true;
  return entry;
}

TEST(MergeEntryTest, SurvivesARoundTrip) {
  EXPECT_EQ(*MergeEntryFromJson(ToJson(Full())), Full());
  const MergeEntry little{.number = 1, .identity_name = {}, .branch = "b", .target = "t"};
  EXPECT_EQ(*MergeEntryFromJson(ToJson(little)), little);
}

TEST(MergeEntryTest, KeepsWhatANewerBelayAddedAndRefusesWhatMakesNoSense) {
  Json record = ToJson(Full());
  record.Set("new_member", 1);
  EXPECT_EQ(*ToJson(*MergeEntryFromJson(record)).Find("new_member"), Json(1));
  for (const auto& [key, value] : std::vector<std::pair<std::string, Json>>{
           {"status", "flying"}, {"entry_id", "x"}, {"depends_on", Json::Array{"m"}}}) {
    Json wrong = ToJson(Full());
    wrong.Set(key, value);
    EXPECT_FALSE(MergeEntryFromJson(wrong).ok()) << key;
  }
}

TEST(MergeEntryTest, IsNamedByItsNumber) {
  EXPECT_EQ(Full().id(), "m7");
  EXPECT_EQ(ParseMergeEntryId("m7"), 7U);
  EXPECT_EQ(ParseMergeEntryId("7"), 7U);
  for (const char* wrong : {"", "m", "m0", "7x", "mm7", "-7", "m99999999999999999999"}) {
    EXPECT_EQ(ParseMergeEntryId(wrong), std::nullopt) << wrong;
  }
}

TEST(MergeTargetTest, KnowsWhatEachGateSaidOfWhichCommitAskedInWhichWay) {
  MergeTarget target{.branch = "main", .commit = "aaaa"};
  GateResult red{.name = "test", .outcome = GateOutcome::kFailed, .commit = "aaaa", .rule = "r1"};
  target.Remember(red);
  EXPECT_EQ(target.green, false);
  EXPECT_EQ(target.Answer("test", "r1", "aaaa"), false);
  EXPECT_EQ(target.Answer("test", "r2", "aaaa"), std::nullopt);
  EXPECT_EQ(target.Answer("test", "r1", "bbbb"), std::nullopt);
  EXPECT_EQ(target.Answer("lint", "r1", "aaaa"), std::nullopt);
  EXPECT_EQ(*MergeTargetFromJson(ToJson(target)), target);
  red.outcome = GateOutcome::kUnrunnable;
  target.Remember(red);
  EXPECT_EQ(target.Answer("test", "r1", "aaaa"), false) << "nothing was learnt";
  red.outcome = GateOutcome::kPassed;
  target.Remember(red);
  EXPECT_EQ(target.Answer("test", "r1", "aaaa"), true);
  EXPECT_EQ(target.green, std::nullopt);
}

TEST(MergeBookTest, TheLastRecordOfAThingCounts) {
  MergeBook book;
  MergeEntry entry = Full();
  book.Apply(EntryRecord(kNow, "", entry));
  entry.status = MergeStatus::kMerged;
  book.Apply(EntryRecord(kNow, "", entry));
  EXPECT_EQ(book.Find(7)->status, MergeStatus::kMerged);
  EXPECT_EQ(book.FindOpen("login", "main"), nullptr);
  EXPECT_EQ(book.NextNumber(), 8U);
  book.Apply(TargetRecord(kNow, "", {.branch = "main", .commit = "x", .green = false}));
  EXPECT_EQ(book.Target("main").green, false);
  EXPECT_EQ(book.Target("other").green, std::nullopt);
  book.Apply(GateRecord(kNow, "test", {5, 1}));
  EXPECT_EQ(book.Gate("test"), (GateHistory{5, 1}));
  book.Apply(MakeObject({{"kind", "entry"}}));
  book.Apply(MakeObject({{"kind", "something"}}));
  EXPECT_EQ(book.unreadable(), 2U);
}

TEST(MergeBookTest, ASnapshotHasTheSameContent) {
  MergeBook book;
  for (std::uint64_t number = 1; number <= MergeBook::kKeptFinished + 10; ++number) {
    MergeEntry entry = Full();
    entry.number = number;
    entry.delete_pending = entry.follow_pending = false;
    entry.reported = number != 2;
    entry.depends_on.clear();
    if (number == 1) entry.depends_on = {3};
    entry.status = number == 1 ? MergeStatus::kConflict : MergeStatus::kMerged;
    book.Apply(EntryRecord(kNow, "", entry));
  }
  book.Apply(TargetRecord(kNow, "", {.branch = "main", .move = TargetMove{"a", "b"}}));
  book.Apply(GateRecord(kNow, "test", {5, 1}));
  MergeBook again;
  for (const Json& record : book.Snapshot(kNow)) again.Apply(record);
  EXPECT_EQ(again.entries().size(), MergeBook::kKeptFinished + 3) << "the oldest finished go";
  EXPECT_NE(again.Find(1), nullptr) << "what is open never does";
  EXPECT_NE(again.Find(2), nullptr) << "nor an entry that was not reported";
  EXPECT_NE(again.Find(3), nullptr) << "nor what somebody comes after";
  EXPECT_EQ(again.NextNumber(), book.NextNumber());
  EXPECT_EQ(again.Target("main"), book.Target("main"));
  EXPECT_EQ(again.Gate("test"), book.Gate("test"));
}

}  // namespace
}  // namespace belay
