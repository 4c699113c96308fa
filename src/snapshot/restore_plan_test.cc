#include "snapshot/restore_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

GitEntry Entry(char digit, std::uint32_t mode = kFileMode) {
  return {mode, *ObjectId::Parse(std::string(40, digit))};
}

const GitEntry kNone = {};
const GitEntry kBaseEntry = Entry('1');
const GitEntry kTargetEntry = Entry('2');
const GitEntry kOtherEntry = Entry('3');

IndexState Staged(const GitEntry& entry) { return {.entry = entry}; }

// A path with a change only in the file.
PathToRestore PathOf(const GitEntry& base, const GitEntry& target, FileNow now) {
  return {.path = "a",
          .base = base,
          .target = target,
          .target_index = Staged(base),
          .now = now,
          .now_regular = true,
          .index_now = Staged(base)};
}

// A path with a change only in the index.
PathToRestore Index(const GitEntry& base, const IndexState& target, const IndexState& now) {
  return {.path = "a",
          .base = base,
          .target = base,
          .target_index = target,
          .now = FileNow::kBase,
          .index_now = now};
}

RestorePlan Plan(const std::vector<PathToRestore>& paths,
                 const std::vector<std::string>& index_paths = {}) {
  return PlanRestore(paths, index_paths);
}

std::vector<std::string> Conflicts(const RestorePlan& plan) {
  std::vector<std::string> paths;
  for (const PlannedConflict& conflict : plan.conflicts) paths.push_back(conflict.path);
  return paths;
}

bool DoesNothing(const RestorePlan& plan) {
  return plan.writes.empty() && plan.removals.empty() && plan.checkouts.empty() &&
         plan.index.empty();
}

TEST(RestorePlanTest, DoesNothingWhereTheSnapshotsContentIs) {
  const RestorePlan plan = Plan({PathOf(kBaseEntry, kTargetEntry, FileNow::kTarget)});
  EXPECT_TRUE(DoesNothing(plan));
  EXPECT_FALSE(plan.TakesAway());
}

TEST(RestorePlanTest, WritesWhereNothingIs) {
  for (const GitEntry& base : {kNone, kBaseEntry}) {
    const RestorePlan plan = Plan({PathOf(base, kTargetEntry, FileNow::kNothing)});
    EXPECT_THAT(plan.writes, ElementsAre(PlannedWrite{"a", kTargetEntry, false}));
    EXPECT_FALSE(plan.TakesAway());
  }
}

TEST(RestorePlanTest, ReplacesWhatTheBaseHas) {
  const RestorePlan plan = Plan({PathOf(kBaseEntry, kTargetEntry, FileNow::kBase)});
  EXPECT_THAT(plan.writes, ElementsAre(PlannedWrite{"a", kTargetEntry, true}));
  EXPECT_TRUE(plan.TakesAway());
}

TEST(RestorePlanTest, ReplacesWhatHasOtherPermissions) {
  const RestorePlan plan = Plan({PathOf(kNone, kTargetEntry, FileNow::kOtherRights)});
  EXPECT_THAT(plan.writes, ElementsAre(PlannedWrite{"a", kTargetEntry, true}));
}

TEST(RestorePlanTest, RemovesWhatTheSnapshotHadDeleted) {
  const RestorePlan plan = Plan({PathOf(kBaseEntry, kNone, FileNow::kBase)});
  EXPECT_THAT(plan.removals, ElementsAre("a"));
  EXPECT_TRUE(plan.TakesAway());
}

TEST(RestorePlanTest, LeavesDeletedWhatIsDeleted) {
  EXPECT_TRUE(DoesNothing(Plan({PathOf(kBaseEntry, kNone, FileNow::kNothing)})));
  EXPECT_TRUE(DoesNothing(Plan({PathOf(kBaseEntry, kNone, FileNow::kFolder)})));
}

TEST(RestorePlanTest, DoesNotDecideAboutWhatChangedSince) {
  for (const GitEntry& target : {kTargetEntry, kNone}) {
    const RestorePlan plan = Plan({PathOf(kBaseEntry, target, FileNow::kOther)});
    EXPECT_TRUE(DoesNothing(plan));
    EXPECT_THAT(Conflicts(plan), ElementsAre("a"));
    EXPECT_TRUE(plan.conflicts[0].in_file);
    EXPECT_EQ(plan.conflicts[0].can_merge, target.IsThere());
  }
}

TEST(RestorePlanTest, MergesOnlyRegularFiles) {
  PathToRestore path = PathOf(kBaseEntry, kTargetEntry, FileNow::kOther);
  path.now_regular = false;
  EXPECT_FALSE(Plan({path}).conflicts[0].can_merge);
  path = PathOf(Entry('1', kLinkMode), kTargetEntry, FileNow::kOther);
  EXPECT_FALSE(Plan({path}).conflicts[0].can_merge);
  path = PathOf(kBaseEntry, Entry('2', kLinkMode), FileNow::kOther);
  EXPECT_FALSE(Plan({path}).conflicts[0].can_merge);
  path = PathOf(kNone, kTargetEntry, FileNow::kOther);
  EXPECT_FALSE(Plan({path}).conflicts[0].can_merge);
}

TEST(RestorePlanTest, LeavesAloneWhatTheSnapshotDidNotChange) {
  for (const FileNow now : {FileNow::kNothing, FileNow::kBase, FileNow::kFolder, FileNow::kOther}) {
    const RestorePlan plan = Plan({PathOf(kBaseEntry, kBaseEntry, now)});
    EXPECT_TRUE(DoesNothing(plan));
    EXPECT_THAT(plan.conflicts, IsEmpty());
  }
}

TEST(RestorePlanTest, ChecksOutWhatWentMissing) {
  PathToRestore path = PathOf(kBaseEntry, kBaseEntry, FileNow::kNothing);
  path.missing = true;
  RestorePlan plan = Plan({path});
  EXPECT_THAT(plan.checkouts, ElementsAre("a"));
  EXPECT_THAT(plan.index, IsEmpty());
  EXPECT_FALSE(plan.TakesAway());
  path.target_index = Staged(kTargetEntry);
  path.index_now = {};  // as after `git rm`, but the snapshot has an index entry
  plan = Plan({path});
  EXPECT_THAT(plan.checkouts, ElementsAre("a"));
  EXPECT_THAT(plan.index, ElementsAre(PlannedIndex{"a", Staged(kTargetEntry), {}}));
}

TEST(RestorePlanTest, LeavesADeletionThatIsStagedSince) {
  PathToRestore path = PathOf(kBaseEntry, kBaseEntry, FileNow::kNothing);
  path.missing = true;
  path.index_now = {};
  EXPECT_TRUE(DoesNothing(Plan({path})));
  path.raw = true;
  EXPECT_TRUE(DoesNothing(Plan({path})));
}

TEST(RestorePlanTest, LeavesMissingWhatHasNoPlaceAnyMore) {
  PathToRestore path = PathOf(kBaseEntry, kBaseEntry, FileNow::kNothing);
  path.path = "d/a";
  path.missing = true;
  path.blockers = {"d"};
  EXPECT_TRUE(DoesNothing(Plan({path})));
  path.blockers = {};
  path.index_now = {};
  const RestorePlan plan = Plan({path}, {"d"});
  EXPECT_TRUE(DoesNothing(plan));
  EXPECT_THAT(plan.conflicts, IsEmpty());
}

TEST(RestorePlanTest, ChecksOutWhatTheIndexOfTheSnapshotHadAsAFolder) {
  PathToRestore path = PathOf(kBaseEntry, kBaseEntry, FileNow::kNothing);
  path.missing = true;
  path.target_index = path.index_now = {};
  const RestorePlan plan = Plan({path}, {"a/b"});
  EXPECT_THAT(plan.checkouts, ElementsAre("a"));
  EXPECT_THAT(plan.conflicts, IsEmpty());
}

TEST(RestorePlanTest, ChecksNothingOutWhereTheSnapshotHasALinkInThePlaceOfTheFolder) {
  PathToRestore below = PathOf(kBaseEntry, kBaseEntry, FileNow::kNothing);
  below.path = "a/d";
  below.missing = true;
  const GitEntry link = Entry('2', kLinkMode);
  const RestorePlan plan = Plan({PathOf(kNone, link, FileNow::kNothing), below});
  EXPECT_THAT(plan.writes, ElementsAre(PlannedWrite{"a", link, false}));
  EXPECT_THAT(plan.checkouts, IsEmpty());
}

TEST(RestorePlanTest, NeverChecksOutASubmodule) {
  const GitEntry module = Entry('4', kSubmoduleMode);
  PathToRestore path = PathOf(module, module, FileNow::kNothing);
  path.missing = true;
  EXPECT_TRUE(DoesNothing(Plan({path})));
}

TEST(RestorePlanTest, ReportsThatTheFolderOfARemovedSubmoduleStays) {
  PathToRestore path = PathOf(Entry('1', kSubmoduleMode), kNone, FileNow::kFolder);
  const RestorePlan plan = Plan({path});
  ASSERT_THAT(plan.skipped, testing::SizeIs(1));
  EXPECT_EQ(plan.skipped[0].why, "a submodule that was removed: its folder stays");
  path.now = FileNow::kNothing;
  EXPECT_THAT(Plan({path}).skipped, IsEmpty());
}

TEST(RestorePlanTest, NamesTheCommitOfASubmodule) {
  PathToRestore path =
      PathOf(Entry('1', kSubmoduleMode), Entry('2', kSubmoduleMode), FileNow::kFolder);
  path.target_index = Staged(path.target);
  const RestorePlan plan = Plan({path});
  ASSERT_EQ(plan.skipped.size(), 1U);
  EXPECT_EQ(plan.skipped[0].why, "a submodule: it had 2222222222 checked out");
  EXPECT_EQ(plan.index.size(), 1U);
}

TEST(RestorePlanTest, AFolderGivesWayOnlyWhenAllInItIsRemoved) {
  PathToRestore file = PathOf(kNone, kTargetEntry, FileNow::kFolder);
  file.blockers = {"a/b"};
  PathToRestore inside = PathOf(kBaseEntry, kNone, FileNow::kBase);
  inside.path = "a/b";
  const RestorePlan plan = Plan({file, inside});
  EXPECT_THAT(plan.writes, ElementsAre(PlannedWrite{"a", kTargetEntry, false}));
  EXPECT_THAT(plan.removals, ElementsAre("a/b"));
  file.blockers = {"a/b", "a/c"};
  EXPECT_THAT(Conflicts(Plan({file, inside})), ElementsAre("a"));
}

TEST(RestorePlanTest, AFileGivesWayToAFolderOnlyWhenItIsRemoved) {
  PathToRestore inside = PathOf(kNone, kTargetEntry, FileNow::kNothing);
  inside.path = "a/b";
  inside.blockers = {"a"};
  const RestorePlan plan = Plan({PathOf(kBaseEntry, kNone, FileNow::kBase), inside});
  EXPECT_THAT(plan.removals, ElementsAre("a"));
  EXPECT_THAT(plan.writes, ElementsAre(PlannedWrite{"a/b", kTargetEntry, false}));
  const RestorePlan blocked = Plan({inside});
  EXPECT_THAT(Conflicts(blocked), ElementsAre("a/b"));
  EXPECT_EQ(blocked.conflicts[0].why, "a is in the way now");
  EXPECT_FALSE(blocked.conflicts[0].can_merge);
}

TEST(RestorePlanTest, SetsTheIndexWhereItMatchesTheBase) {
  const IndexState unmerged{.stages = {kBaseEntry, kTargetEntry, kOtherEntry}};
  for (const IndexState& target : {Staged(kTargetEntry), Staged(kNone), unmerged}) {
    const RestorePlan plan = Plan({Index(kBaseEntry, target, Staged(kBaseEntry))});
    EXPECT_THAT(plan.index, ElementsAre(PlannedIndex{"a", target, Staged(kBaseEntry)}));
    EXPECT_TRUE(plan.TakesAway());
  }
}

TEST(RestorePlanTest, SetsTheIndexWhereItHasNoEntry) {
  const RestorePlan plan = Plan({Index(kBaseEntry, Staged(kTargetEntry), {})});
  EXPECT_THAT(plan.index, ElementsAre(PlannedIndex{"a", Staged(kTargetEntry), {}}));
  EXPECT_FALSE(plan.TakesAway());
}

TEST(RestorePlanTest, LeavesTheIndexWhereItIsTheSnapshots) {
  EXPECT_TRUE(DoesNothing(Plan({Index(kBaseEntry, Staged(kTargetEntry), Staged(kTargetEntry))})));
}

TEST(RestorePlanTest, LeavesTheIndexThatTheSnapshotDidNotChange) {
  const RestorePlan plan = Plan({Index(kBaseEntry, Staged(kBaseEntry), Staged(kOtherEntry))});
  EXPECT_TRUE(DoesNothing(plan));
  EXPECT_THAT(plan.conflicts, IsEmpty());
}

TEST(RestorePlanTest, DoesNotDecideAboutWhatWasStagedSince) {
  const RestorePlan plan = Plan({Index(kBaseEntry, Staged(kTargetEntry), Staged(kOtherEntry))});
  EXPECT_THAT(Conflicts(plan), ElementsAre("a"));
  EXPECT_FALSE(plan.conflicts[0].in_file);
}

TEST(RestorePlanTest, KeepsBothConflictsOfAPath) {
  PathToRestore path = PathOf(kBaseEntry, kTargetEntry, FileNow::kOther);
  path.target_index = Staged(kTargetEntry);
  path.index_now = Staged(kOtherEntry);
  const RestorePlan plan = Plan({path});
  EXPECT_THAT(Conflicts(plan), ElementsAre("a", "a"));
  EXPECT_TRUE(plan.conflicts[0].in_file);
  EXPECT_FALSE(plan.conflicts[1].in_file);
}

TEST(RestorePlanTest, DropsNoEntryThatIsStagedNowToMakeRoom) {
  EXPECT_THAT(Conflicts(Plan({Index(kNone, Staged(kTargetEntry), {})}, {"a/new"})),
              ElementsAre("a"));
  PathToRestore inside = Index(kNone, Staged(kTargetEntry), {});
  inside.path = "d/e/f";
  EXPECT_THAT(Conflicts(Plan({inside}, {"d"})), ElementsAre("d/e/f"));
  EXPECT_THAT(Conflicts(Plan({inside}, {"d/e/g", "d/e-f", "c"})), IsEmpty());
}

TEST(RestorePlanTest, AnEntryGivesWayWhenThePlanRemovesIt) {
  PathToRestore inside = Index(kNone, Staged(kTargetEntry), {});
  inside.path = "a/b";
  const RestorePlan plan =
      Plan({Index(kBaseEntry, Staged(kNone), Staged(kBaseEntry)), inside}, {"a"});
  EXPECT_THAT(plan.conflicts, IsEmpty());
  EXPECT_EQ(plan.index.size(), 2U);
}

TEST(RestorePlanTest, IntentToAddNeedsItsFile) {
  PathToRestore path = PathOf(kNone, kTargetEntry, FileNow::kNothing);
  path.target_index = {.intent_to_add = true};
  EXPECT_EQ(Plan({path}).index.size(), 1U);
  path.target = kNone;
  const RestorePlan plan = Plan({path});
  EXPECT_THAT(plan.index, IsEmpty());
  EXPECT_EQ(plan.skipped.size(), 1U);
}

}  // namespace
}  // namespace belay
