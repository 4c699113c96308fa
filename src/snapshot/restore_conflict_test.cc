// Restoring after changes: nothing is overwritten.

#include <gmock/gmock.h>

#include "snapshot/restore.h"
#include "snapshot/test_place.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

using ::testing::ElementsAre;

constexpr const char* kTenLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
constexpr const char* kFirstChanged = "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";
constexpr const char* kLastChanged = "1\n2\n3\n4\n5\n6\n7\n8\n9\nten\n";
constexpr const char* kBothChanged = "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n";

class RestoreConflictTest : public RestoreTestBase {
 protected:
  // The snapshot has the last line of `lines` changed; the first one is changed now.
  SavedSnapshot ChangeBoth() {
    repository_.Write("lines", kTenLines);
    repository_.CommitAll("lines");
    repository_.Write("lines", kLastChanged);
    const SavedSnapshot snapshot = Take();
    repository_.Write("lines", kFirstChanged);
    return snapshot;
  }
};

TEST_F(RestoreConflictTest, OverwritesNoChangedFile) {
  repository_.Write("tracked.txt", "changed\n");
  repository_.Write("other", "untracked\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Write("tracked.txt", "changed since\n");
  ExpectConflicts(snapshot, {"tracked.txt"});
}

TEST_F(RestoreConflictTest, OverwritesNoUntrackedFile) {
  repository_.Write("new", "untracked\n");
  repository_.MakeLink("a", "link");
  const SavedSnapshot snapshot = Take();
  repository_.Write("new", "changed since\n");
  repository_.Remove("link");
  repository_.MakeLink("b", "link");
  ExpectConflicts(snapshot, {"link", "new"});
}

TEST_F(RestoreConflictTest, OverwritesNoIgnoredFile) {
  repository_.Write("a.log", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("a.log");
  repository_.Write(".gitignore", "*.log\n");
  repository_.CommitAll("ignore");
  repository_.Write("a.log", "ignored\n");
  ExpectConflicts(snapshot, {"a.log"});
}

TEST_F(RestoreConflictTest, RemovesNoChangedFile) {
  repository_.Remove("tracked.txt");
  const SavedSnapshot snapshot = Take();
  repository_.Write("tracked.txt", "changed since\n");
  ExpectConflicts(snapshot, {"tracked.txt"});
}

TEST_F(RestoreConflictTest, OverwritesNoOtherCommitsFile) {
  repository_.Write("tracked.txt", "changed\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Write("tracked.txt", "committed\n");
  repository_.CommitAll("second");
  ExpectConflicts(snapshot, {"tracked.txt"});
}

TEST_F(RestoreConflictTest, OverwritesNothingThatWasStaged) {
  repository_.Write("tracked.txt", "staged\n");
  repository_.Git({"add", "tracked.txt"});
  const SavedSnapshot snapshot = Take();
  repository_.Write("tracked.txt", "staged since\n");
  repository_.Git({"add", "tracked.txt"});
  repository_.Write("tracked.txt", "first\n");
  ExpectConflicts(snapshot, {"tracked.txt"}, true);
}

TEST_F(RestoreConflictTest, DropsNoStagedFileToMakeRoom) {
  repository_.Write("a", "staged\n");
  repository_.Git({"add", "a"});
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Write("a/b", "staged since\n");
  repository_.Git({"add", "a/b"});
  repository_.Remove("a");
  ExpectConflicts(snapshot, {"a"}, true);
}

TEST_F(RestoreConflictTest, ReplacesNoFolder) {
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("new");
  repository_.Write("new/inside", "later\n");
  ExpectConflicts(snapshot, {"new"});
}

TEST_F(RestoreConflictTest, AnEmptyFolderIsNothing) {
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("new");
  ASSERT_TRUE(place_.files().CreateFolder(repository_ / "new", 0755).ok());
  ASSERT_TRUE(place_.files().CreateFolder(repository_ / "new/empty", 0755).ok());
  Restore(snapshot);
  EXPECT_EQ(repository_.Read("new"), "untracked\n");
}

TEST_F(RestoreConflictTest, ReplacesNoFileWithAFolder) {
  repository_.Write("new/inside", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("new");
  repository_.Write("new", "later\n");
  ExpectConflicts(snapshot, {"new/inside"});
}

TEST_F(RestoreConflictTest, WritesThroughNoLink) {
  repository_.Write("new/inside", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("new");
  repository_.outside().Write("elsewhere/here", "x");
  repository_.MakeLink("../elsewhere", "new");
  ExpectConflicts(snapshot, {"new/inside"});
  EXPECT_EQ(repository_.outside().Read("elsewhere/inside"), "(missing)");
}

TEST_F(RestoreConflictTest, LeavesAMissingFileWhereALinkLeadsElsewhere) {
  repository_.Write("d/unchanged", "base\n");
  repository_.CommitAll("base");
  repository_.Write("tracked.txt", "changed\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Remove("d");
  repository_.outside().MakeFolder("elsewhere");
  repository_.MakeLink("../elsewhere", "d");
  const Restored restored = Restore(snapshot);
  EXPECT_THAT(restored.files, ElementsAre("tracked.txt"));
  EXPECT_EQ(repository_.outside().Read("elsewhere/unchanged"), "(missing)");
}

TEST_F(RestoreConflictTest, OffersAMergeAndMergesOnlyWhenAsked) {
  const SavedSnapshot snapshot = ChangeBoth();
  ExpectConflicts(snapshot, {"lines"}, true);
  const Restored restored = Restore(snapshot, true);
  EXPECT_THAT(restored.files, ElementsAre("lines"));
  EXPECT_EQ(repository_.Read("lines"), kBothChanged);
  ASSERT_TRUE(restored.rescue);
  EXPECT_EQ(restored.rescue->record.message, "before restoring main/1");
  EXPECT_EQ(repository_.Git({"cat-file", "blob", restored.rescue->commit.text() + ":lines"}),
            kFirstChanged);
  Restore(snapshot, true);
  EXPECT_EQ(repository_.Read("lines"), kBothChanged);
}

TEST_F(RestoreConflictTest, ADryRunOfAMergeChangesNothing) {
  const SavedSnapshot snapshot = ChangeBoth();
  const Result<Restored> restored = Try(snapshot, true, true);
  ASSERT_TRUE(restored.ok());
  EXPECT_THAT(restored->files, ElementsAre("lines"));
  EXPECT_EQ(repository_.Read("lines"), kFirstChanged);
}

TEST_F(RestoreConflictTest, MergesAllOrNothing) {
  repository_.Write("a", kTenLines);
  repository_.Write("b", kTenLines);
  repository_.CommitAll("base");
  repository_.Write("a", kFirstChanged);
  repository_.Write("b", kFirstChanged);
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Write("a", kLastChanged);
  repository_.Write("b", "1st\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
  repository_.Remove("new");
  ExpectConflicts(snapshot, {"a", "b"}, false, true);
  EXPECT_EQ(repository_.Read("new"), "(missing)");
}

TEST_F(RestoreConflictTest, MergesNoBinaryFile) {
  const std::string zero(1, '\0');
  repository_.Write("binary", zero + kTenLines);
  repository_.CommitAll("base");
  repository_.Write("binary", zero + kFirstChanged);
  const SavedSnapshot snapshot = Take();
  repository_.Write("binary", zero + kLastChanged);
  ExpectConflicts(snapshot, {"binary"}, false, true);
}

TEST_F(RestoreConflictTest, AMergeKeepsPermissionsAndThoseToRun) {
  repository_.Write("lines", kTenLines);
  repository_.CommitAll("lines");
  repository_.Write("lines", kLastChanged);
  repository_.SetMode("lines", 0755);
  const SavedSnapshot snapshot = Take();
  repository_.Write("lines", kFirstChanged);
  repository_.SetMode("lines", 0640);
  Restore(snapshot, true);
  EXPECT_EQ(repository_.Files().at("lines").mode & 0777U, 0750U);
}

TEST_F(RestoreConflictTest, AMergeIsInTheBytesOfTheWorktree) {
  repository_.Write(".gitattributes", "lines text eol=crlf\n");
  repository_.Write("lines", "1\r\n2\r\n3\r\n4\r\n5\r\n");
  repository_.CommitAll("lines");
  repository_.Write("lines", "1\r\n2\r\n3\r\n4\r\nfive\r\n");
  const SavedSnapshot snapshot = Take();
  repository_.Write("lines", "one\r\n2\r\n3\r\n4\r\n5\r\n");
  Restore(snapshot, true);
  EXPECT_EQ(repository_.Read("lines"), "one\r\n2\r\n3\r\n4\r\nfive\r\n");
}

TEST_F(RestoreConflictTest, AMergeLeavesWhatIsStagedNow) {
  repository_.Write("tracked.txt", "staged\n");
  repository_.Git({"add", "tracked.txt"});
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Write("tracked.txt", "staged since\n");
  repository_.Git({"add", "tracked.txt"});
  repository_.Write("tracked.txt", "staged\n");
  const Restored restored = Restore(snapshot, true);
  EXPECT_THAT(restored.files, ElementsAre("new"));
  EXPECT_EQ(WhySkipped(restored, "tracked.txt"), "the staged content has changed since");
  EXPECT_EQ(repository_.Git({"cat-file", "blob", ":tracked.txt"}), "staged since\n");
}

TEST_F(RestoreConflictTest, ReportsOnePathWhoseFileAndIndexBothChanged) {
  repository_.Write("lines", kTenLines);
  repository_.CommitAll("lines");
  repository_.Write("lines", kLastChanged);
  repository_.Git({"add", "lines"});
  const SavedSnapshot snapshot = Take();
  repository_.Write("lines", kFirstChanged);
  repository_.Git({"add", "lines"});
  ExpectConflicts(snapshot, {"lines"}, true);
  EXPECT_EQ(Try(snapshot)->conflicts[0].why,
            "it has changed since; the staged content has changed since");
  const Restored restored = Restore(snapshot, true);
  EXPECT_THAT(restored.files, ElementsAre("lines"));
  EXPECT_EQ(WhySkipped(restored, "lines"), "the staged content has changed since");
  EXPECT_EQ(repository_.Read("lines"), kBothChanged);
  EXPECT_EQ(repository_.Git({"cat-file", "blob", ":lines"}), kFirstChanged);
}

TEST_F(RestoreConflictTest, ReplacesNothingThatNoSnapshotMayKeep) {
  repository_.Write(".env.example", kTenLines);
  repository_.CommitAll("base");
  repository_.Write(".env.example", kFirstChanged);
  Result<Taken> taken = place_.Take({.keep = place_.keep(), .rules = {.secrets = {}}});
  ASSERT_TRUE(taken.ok());
  repository_.Write(".env.example", kLastChanged);
  ExpectConflicts(taken->snapshot, {".env.example"}, false, true);
}

TEST_F(RestoreConflictTest, ReplacesNothingThatIsTooLargeToBeKept) {
  const SavedSnapshot snapshot = ChangeBoth();
  const Result<Restored> restored = RestoreSnapshot(
      place_.worktree(),
      {.snapshot = snapshot, .keep = place_.keep(), .rules = {.most_bytes = 5}, .merge = true});
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, ErrorCode::kRefused);
  EXPECT_EQ(repository_.Read("lines"), kFirstChanged);
}

TEST_F(RestoreConflictTest, AMergeKeepsTheIgnoredFileThatItReplaces) {
  repository_.Write("lines", kTenLines);
  repository_.CommitAll("lines");
  repository_.Write("lines", kLastChanged);
  const SavedSnapshot snapshot = Take();
  repository_.Git({"checkout", "-q", "lines"});
  repository_.Git({"rm", "-q", "--cached", "lines"});
  repository_.Write(".gitignore", "lines\n");
  repository_.Write("lines", kFirstChanged);
  const Restored restored = Restore(snapshot, true);
  EXPECT_EQ(repository_.Read("lines"), kBothChanged);
  ASSERT_TRUE(restored.rescue);
  EXPECT_EQ(repository_.Git({"cat-file", "blob", restored.rescue->commit.text() + "^3:lines"}),
            kFirstChanged);
}

TEST_F(RestoreConflictTest, ReplacesNothingThatIsNotInTheSnapshotOfThePresentState) {
  const SavedSnapshot snapshot = ChangeBoth();
  PosixPrograms real;
  int merges = 0;
  WatchedPrograms programs(real, [&](const ProgramRequest& request) {
    // The second one is the restore's; the present file isn't checked before it is saved.
    if (request.command[1] != "merge-file" || ++merges != 2) return;
    repository_.Write("lines", "1st\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
  });
  TestPlace place(repository_.path(), nullptr, &programs);
  const Result<Restored> restored = RestoreSnapshot(
      place.worktree(), {.snapshot = snapshot, .keep = place.keep(), .merge = true});
  ASSERT_EQ(merges, 2);
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, ErrorCode::kRefused);
  EXPECT_THAT(restored.error().message, testing::HasSubstr("would replace lines"));
  EXPECT_EQ(repository_.Read("lines"), "1st\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
}

TEST_F(RestoreConflictTest, KeepsWhatItReplacesInASnapshot) {
  repository_.Write("tracked.txt", "changed\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Write("later", "untracked\n");
  const Restored restored = Restore(snapshot);
  ASSERT_TRUE(restored.rescue);
  EXPECT_EQ(restored.rescue->id.text(), "main/2");
  EXPECT_EQ(repository_.Git({"cat-file", "blob", restored.rescue->commit.text() + "^3:later"}),
            "untracked\n");
  EXPECT_EQ(repository_.Git({"cat-file", "blob", restored.rescue->commit.text() + ":tracked.txt"}),
            "first\n");
}

TEST_F(RestoreConflictTest, DoesNotWaitForAHeldIndex) {
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("new");
  repository_.Write(".git/index.lock", "");
  const Result<Restored> restored = Try(snapshot);
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, ErrorCode::kBusy);
  EXPECT_THAT(restored.error().message, testing::HasSubstr("index.lock exists, for "));
  EXPECT_EQ(repository_.Read("new"), "(missing)");
}

}  // namespace
}  // namespace belay
