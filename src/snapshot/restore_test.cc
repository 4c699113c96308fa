// Restoring without later changes: everything comes back.

#include "snapshot/restore.h"

#include <gmock/gmock.h>

#include "snapshot/test_place.h"

namespace belay {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RestoreTest : public RestoreTestBase {};

TEST_F(RestoreTest, BringsEverythingBack) {
  for (const char* name : {"both", "deleted", "deleted-staged", "mode", "staged", "to-link"}) {
    repository_.Write(name, "base\n");
  }
  repository_.CommitAll("base");
  repository_.Write("tracked.txt", "changed\n");
  repository_.Write("staged", "staged\n");
  repository_.Write("both", "staged\n");
  repository_.Write("added", "staged\n");
  repository_.Git({"add", "staged", "both", "added"});
  repository_.Write("both", "changed\n");
  repository_.Remove("deleted");
  repository_.Git({"rm", "-q", "deleted-staged"});
  repository_.SetMode("mode", 0755);
  repository_.Remove("to-link");
  repository_.MakeLink("nowhere", "to-link");
  repository_.MakeLink("folder", "link-to-folder");
  repository_.Write("folder/binary", std::string("\0\r\n\xff", 4));
  repository_.Write("folder/empty", "");
  const Restored restored = GoThere();
  EXPECT_EQ(restored.files.size(), 11U);
  EXPECT_TRUE(restored.rescue) << "something was replaced";
  EXPECT_THAT(restored.skipped, IsEmpty());
  EXPECT_THAT(restored.kept, IsEmpty());
}

TEST_F(RestoreTest, TakesNoSnapshotWhenItOnlyAdds) {
  repository_.Write("new", "untracked\n");
  EXPECT_FALSE(GoThere().rescue);
}

TEST_F(RestoreTest, BringsBackNamesOfAnyBytes) {
  for (const char* name :
       {"new\nline", "sp ace", "\xff\xfe", "-dash", "*", ":(glob)", "q\"uote\\"}) {
    repository_.Write(name, name);
    repository_.Write(std::string("staged/") + name, name);
  }
  repository_.Git({"add", "staged"});
  repository_.Git({"rm", "-q", "--cached", "staged/new\nline", "staged/\xff\xfe"});
  repository_.Git({"add", "-N", "staged/new\nline"});
  GoThere();
}

TEST_F(RestoreTest, BringsBackPermissions) {
  repository_.Write("private", "secret\n");
  repository_.SetMode("private", 0600);
  repository_.Write("tracked.txt", "changed\n");
  repository_.SetMode("tracked.txt", 0640);
  repository_.Write("run", "#!/bin/sh\n");
  repository_.SetMode("run", 0700);
  GoThere();
}

TEST_F(RestoreTest, CorrectsPermissionsOfWhatIsThereAlready) {
  repository_.Write("private", "secret\n");
  repository_.SetMode("private", 0600);
  const SavedSnapshot snapshot = Take();
  repository_.SetMode("private", 0644);
  EXPECT_THAT(Restore(snapshot).files, ElementsAre("private"));
  EXPECT_EQ(repository_.Files().at("private").mode & 0777U, 0600U);
}

TEST_F(RestoreTest, TurnsFilesIntoFoldersAndBack) {
  repository_.Write("file", "base\n");
  repository_.Write("folder/a/b", "base\n");
  repository_.Write("folder/c", "base\n");
  repository_.Write("link/x", "base\n");
  repository_.MakeLink("folder", "link2");
  repository_.CommitAll("base");
  repository_.Remove("file");
  repository_.Write("file/inside", "new\n");
  repository_.Remove("folder");
  repository_.Write("folder", "new\n");
  repository_.Remove("link");
  repository_.MakeLink("..", "link");
  repository_.Remove("link2");
  repository_.Write("link2/deep/inside", "new\n");
  GoThere();
}

TEST_F(RestoreTest, TurnsFilesIntoFoldersInTheIndexToo) {
  repository_.Write("file", "base\n");
  repository_.Write("folder/a", "base\n");
  repository_.CommitAll("base");
  repository_.Remove("file");
  repository_.Write("file/inside", "new\n");
  repository_.Remove("folder");
  repository_.Write("folder", "new\n");
  repository_.Git({"add", "-A"});
  GoThere();
}

TEST_F(RestoreTest, RemovesFoldersThatItEmptiesAndNoOthers) {
  repository_.Write("a/b/c", "base\n");
  repository_.Write("d/e", "base\n");
  repository_.CommitAll("base");
  repository_.Remove("a");
  repository_.Remove("d");
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Write("d/other", "new\n");
  Restore(snapshot);
  EXPECT_FALSE(place_.files().Inspect(repository_ / "a").ok());
  EXPECT_EQ(repository_.Read("d/other"), "new\n");
}

TEST_F(RestoreTest, BringsBackIntentToAdd) {
  repository_.Write("new", "content\n");
  repository_.Write("empty", "");
  repository_.Git({"add", "-N", "new", "empty"});
  repository_.Git({"rm", "-q", "--cached", "tracked.txt"});
  repository_.Git({"add", "-N", "tracked.txt"});
  GoThere();
}

TEST_F(RestoreTest, BringsBackIntentToAddOfAnIgnoredFile) {
  repository_.Write(".gitignore", "*.log\n");
  repository_.CommitAll("ignore");
  repository_.Write("a.log", "content\n");
  repository_.Git({"add", "-N", "-f", "a.log"});
  GoThere();
}

TEST_F(RestoreTest, BringsBackTheFileOfIntentToAdd) {
  repository_.Write("new", "content\n");
  repository_.Git({"add", "-N", "new"});
  const auto files = repository_.Files();
  const std::string index = repository_.Index();
  const SavedSnapshot snapshot = Take();
  repository_.Remove("new");
  Restore(snapshot);
  EXPECT_EQ(repository_.Files(), files);
  EXPECT_EQ(repository_.Index(), index);
}

TEST_F(RestoreTest, IsNotConfusedByIntentToAddWithoutAFile) {
  repository_.Write("empty", "");
  repository_.CommitAll("empty");
  repository_.Write("tracked.txt", "changed\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Write("new", "content\n");
  repository_.Git({"add", "-N", "new"});
  repository_.Remove("new");
  repository_.Remove("empty");
  EXPECT_THAT(Restore(snapshot).files, ElementsAre("empty", "tracked.txt"));
}

TEST_F(RestoreTest, BringsBackAMergeThatIsNotDone) {
  repository_.Write("gone", "base\n");
  repository_.CommitAll("base");
  repository_.Git({"checkout", "-q", "-b", "other"});
  repository_.Write("tracked.txt", "theirs\n");
  repository_.Write("gone", "theirs\n");
  repository_.Write("new", "theirs\n");
  repository_.CommitAll("theirs");
  repository_.Git({"checkout", "-q", "main"});
  repository_.Write("tracked.txt", "ours\n");
  repository_.Remove("gone");
  repository_.Write("new", "ours\n");
  repository_.CommitAll("ours");
  ASSERT_NE(repository_.TryGit({"merge", "-q", "other"}), 0);
  GoThere();
}

TEST_F(RestoreTest, TheBytesAreThoseThatWereThere) {
  repository_.Write(".gitattributes", "* text=auto\n*.lf text eol=lf\n*.crlf text eol=crlf\n");
  repository_.Write("a.lf", "base\n");
  repository_.Write("b.crlf", "base\n");
  repository_.CommitAll("base");
  repository_.Write("tracked.txt", "mixed\r\nline\nends\r\n");
  repository_.Write("a.lf", "one\r\ntwo\n");
  repository_.Write("b.crlf", "one\r\ntwo\n");
  repository_.Write("new", "one\r\ntwo\n");
  repository_.Git({"add", "new"});
  GoThere();
}

TEST_F(RestoreTest, TheBytesAreThoseThatWereThereWhateverAFilterDoes) {
  repository_.Git({"config", "filter.rot.clean", "tr a-z n-za-m"});
  repository_.Git({"config", "filter.rot.smudge", "tr a-z n-za-m"});
  repository_.Write(".gitattributes", "*.rot filter=rot\n");
  repository_.Write("a.rot", "hello\n");
  repository_.Write("b.rot", "unchanged\n");
  repository_.CommitAll("base");
  repository_.Write("a.rot", "changed\n");
  GoThere();
  EXPECT_EQ(repository_.Read("a.rot"), "changed\n");
  EXPECT_EQ(repository_.Read("b.rot"), "unchanged\n");
}

TEST_F(RestoreTest, KeepsTheBytesThatAFilterWouldNotBringBack) {
  repository_.Git({"config", "filter.upper.clean", "tr a-z A-Z"});
  repository_.Write(".gitattributes", "*.up filter=upper\n");
  repository_.Write("a.up", "Mixed\n");
  repository_.CommitAll("base");  // as MIXED, while the file stays unchanged
  repository_.Write("a.up", "changed\n");
  const SavedSnapshot snapshot = Take();
  repository_.Write("a.up", "miXed\n");
  ASSERT_EQ(repository_.Git({"status", "--porcelain"}), "");
  const Restored restored = Restore(snapshot);
  EXPECT_EQ(repository_.Read("a.up"), "changed\n");
  ASSERT_TRUE(restored.rescue);
  EXPECT_EQ(repository_.Git({"cat-file", "blob", restored.rescue->commit.text() + ":a.up"}),
            "miXed\n");
}

TEST_F(RestoreTest, ChecksOutMissingFilesThatTheSnapshotHadUnchanged) {
  repository_.Git({"config", "filter.rot.clean", "tr a-z n-za-m"});
  repository_.Git({"config", "filter.rot.smudge", "tr a-z n-za-m"});
  repository_.Write(".gitattributes", "*.rot filter=rot\n");
  repository_.Write("dir/a.rot", "hello\n");
  repository_.Write("dir/staged", "base\n");
  repository_.Write("removed", "base\n");
  repository_.CommitAll("base");
  repository_.Write("dir/staged", "staged\n");
  repository_.Git({"add", "dir/staged"});
  repository_.Write("dir/staged", "base\n");
  repository_.Write("new", "untracked\n");
  const auto files = repository_.Files();
  const std::string index = repository_.Index();
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Remove("dir");
  repository_.Remove("removed");
  EXPECT_THAT(Restore(snapshot).files, ElementsAre("dir/a.rot", "dir/staged", "new", "removed"));
  EXPECT_EQ(repository_.Files(), files);
  EXPECT_EQ(repository_.Index(), index);
}

TEST_F(RestoreTest, LeavesADeletionAloneThatIsStaged) {
  repository_.Write("moved", "base\n");
  repository_.CommitAll("base");
  repository_.Write("tracked.txt", "changed\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Git({"mv", "moved", "elsewhere"});
  EXPECT_THAT(Restore(snapshot).files, ElementsAre("tracked.txt"));
  EXPECT_EQ(repository_.Read("moved"), "(missing)");
  EXPECT_EQ(repository_.Read("elsewhere"), "base\n");
}

TEST_F(RestoreTest, LeavesOtherChangesAlone) {
  repository_.Write("other", "base\n");
  repository_.Write("third", "base\n");
  repository_.CommitAll("base");
  repository_.Write("tracked.txt", "changed\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Write("other", "later\n");
  repository_.Write("third", "later\n");
  repository_.Git({"add", "third"});
  repository_.Write("new", "later\n");
  const Restored restored = Restore(snapshot);
  EXPECT_THAT(restored.files, ElementsAre("tracked.txt"));
  EXPECT_THAT(restored.kept, ElementsAre("new", "other", "third"));
  EXPECT_EQ(repository_.Read("other"), "later\n");
  EXPECT_EQ(repository_.Read("new"), "later\n");
}

TEST_F(RestoreTest, WorksAfterTheHeadMoved) {
  repository_.Write("a", "base\n");
  repository_.CommitAll("base");
  repository_.Write("a", "changed\n");
  repository_.Write("staged", "staged\n");
  repository_.Git({"add", "staged"});
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Write("tracked.txt", "another commit\n");
  repository_.Remove("a");
  repository_.CommitAll("second");
  Restore(snapshot);
  EXPECT_EQ(repository_.Read("a"), "changed\n");
  EXPECT_EQ(repository_.Read("tracked.txt"), "another commit\n");
  EXPECT_EQ(repository_.Git({"diff", "--cached", "--name-status"}), "A\tstaged\n");
}

TEST_F(RestoreTest, LeavesWhatWasCommittedSince) {
  repository_.Write("tracked.txt", "changed\n");
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.CommitAll("all of it");
  EXPECT_THAT(Restore(snapshot).files, IsEmpty());
}

TEST_F(RestoreTest, RestoresALinkedWorktree) {
  const std::string linked = repository_.outside() / "linked";
  repository_.Git({"worktree", "add", "-q", linked, "-b", "side"});
  TestPlace place(linked);
  repository_.outside().Write("linked/tracked.txt", "changed\n");
  repository_.outside().Write("linked/new", "untracked\n");
  repository_.GitIn(linked, {"add", "new"});
  const auto files = GitRepository::FilesOf(linked);
  const std::string index = repository_.IndexOf(linked);
  const SavedSnapshot snapshot = place.Take()->snapshot;
  repository_.GitIn(linked, {"reset", "-q", "--hard"});
  ASSERT_TRUE(RestoreSnapshot(place.worktree(), {.snapshot = snapshot, .keep = place.keep()}).ok());
  EXPECT_EQ(GitRepository::FilesOf(linked), files);
  EXPECT_EQ(repository_.IndexOf(linked), index);
  EXPECT_EQ(repository_.Read("tracked.txt"), "first\n");
}

// A file with the bytes of the base, which git checks out with others; the record marks it.
class RestoreRawTest : public RestoreTestBase {
 protected:
  SavedSnapshot TakeRaw() {
    repository_.Write(".gitattributes", "lines text eol=crlf\n");
    repository_.Write("lines", "1\n2\n");
    repository_.CommitAll("lines");
    repository_.Write("tracked.txt", "changed\n");
    SavedSnapshot snapshot = Take();
    EXPECT_THAT(snapshot.record.raw, testing::ElementsAre("lines"));
    Wipe();
    return snapshot;
  }
  void CheckOut() {
    repository_.Remove("lines");
    repository_.Git({"checkout", "-q", "lines"});
    ASSERT_EQ(repository_.Read("lines"), "1\r\n2\r\n");
  }
};

TEST_F(RestoreRawTest, LeavesWhatHasTheBytes) {
  const SavedSnapshot snapshot = TakeRaw();
  EXPECT_THAT(Restore(snapshot).files, testing::ElementsAre("tracked.txt"));
  EXPECT_EQ(repository_.Read("lines"), "1\n2\n");
}

TEST_F(RestoreRawTest, WritesWhatIsMissingByteByByteUnlessItsDeletionIsStaged) {
  const SavedSnapshot snapshot = TakeRaw();
  repository_.Remove("lines");
  EXPECT_THAT(Restore(snapshot).files, testing::ElementsAre("lines", "tracked.txt"));
  EXPECT_EQ(repository_.Read("lines"), "1\n2\n");
  repository_.Git({"rm", "-q", "lines"});
  const Restored restored = Restore(snapshot);
  EXPECT_THAT(restored.files, testing::IsEmpty());
  EXPECT_THAT(restored.kept, testing::ElementsAre("lines"));
  EXPECT_EQ(repository_.Read("lines"), "(missing)");
}

TEST_F(RestoreRawTest, ReplacesWhatGitCheckedOutAndKeepsThatFirst) {
  const SavedSnapshot snapshot = TakeRaw();
  CheckOut();
  const Restored restored = Restore(snapshot);
  EXPECT_THAT(restored.files, testing::ElementsAre("lines", "tracked.txt"));
  EXPECT_EQ(repository_.Read("lines"), "1\n2\n");
  ASSERT_TRUE(restored.rescue);
  EXPECT_EQ(repository_.Git({"cat-file", "blob", restored.rescue->commit.text() + ":lines"}),
            "1\r\n2\r\n");
}

TEST_F(RestoreRawTest, OverwritesNothingThatChangedSince) {
  const SavedSnapshot snapshot = TakeRaw();
  repository_.Write("lines", "one\n2\n");
  ExpectConflicts(snapshot, {"lines"});
}

TEST_F(RestoreRawTest, ComesIntoANewFolderByteByByte) {
  const SavedSnapshot snapshot = TakeRaw();
  CheckOut();
  const std::string folder = repository_.outside() / "into";
  const Result<Restored> restored = RestoreInto(place_.worktree(), snapshot, folder);
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_EQ(repository_.outside().Read("into/lines"), "1\n2\n");
}

TEST_F(RestoreTest, BringsBackWhatIsMissingUnlessTheDeletionIsStaged) {
  repository_.Write("missing", "base\n");
  repository_.Write("removed", "base\n");
  repository_.CommitAll("base");
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("missing");
  repository_.Git({"rm", "-q", "removed"});
  const std::string index = repository_.Git({"ls-files", "-s"});
  const Restored restored = Restore(snapshot);
  EXPECT_THAT(restored.files, ElementsAre("missing"));
  EXPECT_THAT(restored.kept, ElementsAre("removed"));
  EXPECT_EQ(repository_.Read("missing"), "base\n");
  EXPECT_EQ(repository_.Read("removed"), "(missing)");
  EXPECT_EQ(repository_.Git({"ls-files", "-s"}), index);
}

TEST_F(RestoreTest, ChecksOutNothingThatASparseCheckoutLeavesOut) {
  repository_.Write("in/a", "base\n");
  repository_.Write("out/b", "base\n");
  repository_.CommitAll("base");
  repository_.Git({"sparse-checkout", "set", "in"});
  repository_.Write("in/a", "changed\n");
  const SavedSnapshot snapshot = Take();
  repository_.Git({"checkout", "-q", "in/a"});
  EXPECT_THAT(Restore(snapshot).files, testing::ElementsAre("in/a"));
  EXPECT_EQ(repository_.Read("out/b"), "(missing)");
  EXPECT_EQ(repository_.Git({"ls-files", "-t", "out"}), "S out/b\n");
}

TEST_F(RestoreTest, ChecksOutNothingThatWentByASparseCheckout) {
  repository_.Write("in/a", "base\n");
  repository_.Write("out/b", "base\n");
  repository_.CommitAll("base");
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("new");
  repository_.Git({"sparse-checkout", "set", "in"});
  EXPECT_THAT(Restore(snapshot).files, testing::ElementsAre("new"));
  EXPECT_EQ(repository_.Read("out/b"), "(missing)");
}

TEST_F(RestoreTest, RestoresTheCommitOfASubmoduleButNotItsFiles) {
  const GitRepository inner;
  repository_.Git(
      {"-c", "protocol.file.allow=always", "submodule", "-q", "add", inner.path(), "sub"});
  repository_.CommitAll("with submodule");
  repository_.GitIn(repository_ / "sub", {"commit", "-q", "--allow-empty", "-m", "more"});
  const std::string commit = repository_.GitIn(repository_ / "sub", {"rev-parse", "HEAD"});
  repository_.Git({"add", "sub"});
  const std::string index = repository_.Index();
  const SavedSnapshot snapshot = Take();
  repository_.Git({"reset", "-q", "--hard"});
  const Restored restored = Restore(snapshot);
  EXPECT_EQ(WhySkipped(restored, "sub"),
            "a submodule: it had " + commit.substr(0, 10) + " checked out");
  EXPECT_EQ(repository_.Index(), index);
}

TEST_F(RestoreTest, RestoresTheFilesOfAnInnerRepositoryIfTheyWereCaptured) {
  repository_.Git({"init", "-q", "inner"});
  repository_.Write("inner/a", "content\n");
  Result<Taken> taken = place_.Take({.keep = place_.keep(), .rules = {.nested = true}});
  ASSERT_TRUE(taken.ok());
  repository_.Remove("inner/a");
  Restore(taken->snapshot);
  EXPECT_EQ(repository_.Read("inner/a"), "content\n");
  repository_.Remove("inner");
  Restore(taken->snapshot);
  EXPECT_EQ(repository_.Read("inner/a"), "content\n");
}

TEST_F(RestoreTest, NamesWhatTheSnapshotLeftOut) {
  repository_.Write(".env", "SECRET\n");
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("new");
  const Restored restored = Restore(snapshot);
  EXPECT_EQ(WhySkipped(restored, ".env"), "it looks like a secret");
  EXPECT_THAT(restored.kept, IsEmpty());
}

TEST_F(RestoreTest, ADryRunOnlyPrintsWhatItWouldDo) {
  repository_.Write("tracked.txt", "changed\n");
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  const auto files = repository_.Files();
  const Result<Restored> restored = Try(snapshot, false, true);
  ASSERT_TRUE(restored.ok());
  EXPECT_THAT(restored->files, ElementsAre("new", "tracked.txt"));
  EXPECT_FALSE(restored->rescue);
  EXPECT_EQ(repository_.Files(), files);
}

TEST_F(RestoreTest, LeavesNothingBehind) {
  repository_.Write("tracked.txt", "changed\n");
  GoThere();
  EXPECT_THAT(repository_.Files(), testing::SizeIs(1));
  EXPECT_THAT(*place_.files().List(repository_.path()), ElementsAre(".git", "tracked.txt"));
  const auto names = place_.files().List(repository_ / ".git");
  EXPECT_THAT(*names, testing::Not(Contains(testing::StartsWith("belay-restore-"))));
}

class RestoreUnbornTest : public RestoreTestBase {
 protected:
  RestoreUnbornTest() : RestoreTestBase(GitRepository::Start::kNoCommit) {}
};

TEST_F(RestoreUnbornTest, WorksInARepositoryWithoutCommits) {
  repository_.Write("staged", "staged\n");
  repository_.Git({"add", "staged"});
  repository_.Write("staged", "changed\n");
  repository_.Write("new", "untracked\n");
  const auto files = repository_.Files();
  const std::string index = repository_.Index();
  const SavedSnapshot snapshot = Take();
  repository_.Git({"rm", "-q", "-f", "staged"});
  repository_.Remove("new");
  Restore(snapshot);
  EXPECT_EQ(repository_.Files(), files);
  EXPECT_EQ(repository_.Index(), index);
}

TEST_F(RestoreUnbornTest, WorksAfterTheFirstCommit) {
  repository_.Write("staged", "staged\n");
  repository_.Git({"add", "staged"});
  const SavedSnapshot snapshot = Take();
  repository_.Git({"rm", "-q", "-f", "staged"});
  repository_.Write("other", "other\n");
  repository_.CommitAll("first");
  Restore(snapshot);
  EXPECT_EQ(repository_.Read("staged"), "staged\n");
  EXPECT_EQ(repository_.Git({"diff", "--cached", "--name-status"}), "A\tstaged\n");
}

}  // namespace
}  // namespace belay
