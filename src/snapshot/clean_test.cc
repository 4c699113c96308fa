// Cleaning is the inverse of a snapshot: the tree goes back to HEAD exactly where it is still as
// captured, restoring brings everything back, and a kill at any change leaves each file old or new.

#include "snapshot/clean.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "snapshot/test_edits.h"
#include "snapshot/test_place.h"
#include "testing/killing_calls.h"
#include "testing/real_process.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using CleanFiles = std::map<std::string, SeenFile>;

class CleanTest : public RestoreTestBase {
 protected:
  Cleaned Clean(const SavedSnapshot& snapshot) {
    Result<Cleaned> cleaned = CleanWorktree(place_.worktree(), snapshot);
    EXPECT_TRUE(cleaned.ok()) << cleaned.error().message;
    return cleaned ? *std::move(cleaned) : Cleaned();
  }
  std::string Status() { return repository_.Git({"status", "--porcelain"}); }
  static std::vector<std::string> Left(const Cleaned& cleaned) {
    std::vector<std::string> paths;
    for (const NotRestored& left : cleaned.left) paths.push_back(left.path);
    return paths;
  }
  // Takes a snapshot, cleans, compares with HEAD, restores: all must be as before.
  void GoAndComeBack() {
    const CleanFiles files = repository_.Files();
    const std::string index = repository_.Index();
    const SavedSnapshot snapshot = Take();
    EXPECT_THAT(Left(Clean(snapshot)), IsEmpty());
    EXPECT_EQ(Status(), "");
    EXPECT_THAT(Clean(snapshot).files, IsEmpty()) << "once more, there is nothing to do";
    Restore(snapshot);
    EXPECT_EQ(repository_.Files(), files);
    EXPECT_EQ(repository_.Index(), index);
  }
  // One of everything that a snapshot can hold.
  void EditEverything() {
    for (const char* name : {"deleted", "to-folder", "folder/inside", "staged", "both", "run.sh"}) {
      repository_.Write(name, "base\n");
    }
    repository_.CommitAll("base");
    repository_.Write("tracked.txt", "changed\n");
    repository_.Write("staged", "staged\n");
    repository_.Git({"add", "staged"});
    repository_.Write("both", "staged\n");
    repository_.Git({"add", "both"});
    repository_.Write("both", "changed after\n");
    repository_.Remove("deleted");
    repository_.Remove("to-folder");
    repository_.Write("to-folder/new", "untracked\n");
    repository_.Remove("folder");
    repository_.MakeLink("nowhere", "folder");
    repository_.Write("intent", "content\n");
    repository_.Git({"add", "-N", "intent"});
    repository_.SetMode("run.sh", 0755);
    repository_.Write("new/deep/file", std::string("\0binary\xff", 8));
  }
};

TEST_F(CleanTest, ReturnsEverythingToHeadAndRestoringBringsItBack) {
  EditEverything();
  GoAndComeBack();
  EXPECT_EQ(repository_.Read("new/deep/file").size(), 8U);
}

TEST_F(CleanTest, LeavesIgnoredFilesAndWhatWasNotCaptured) {
  repository_.Write(".gitignore", "*.log\n");
  repository_.CommitAll("ignore");
  repository_.Write("build.log", "output\n");
  repository_.Write(".env", "secret\n");
  repository_.Write("tmp/work/20261118-120000/context/standalone/t1.md", "belay's own\n");
  repository_.Write("new", "work\n");
  const SavedSnapshot snapshot = Take();
  EXPECT_THAT(Clean(snapshot).files, ElementsAre("new"));
  EXPECT_EQ(repository_.Read("build.log"), "output\n");
  EXPECT_EQ(repository_.Read(".env"), "secret\n");
  EXPECT_EQ(repository_.Read("tmp/work/20261118-120000/context/standalone/t1.md"), "belay's own\n");
}

TEST_F(CleanTest, LeavesSettingsThatWereNeverCommitted) {
  repository_.Write(".claude/belay.yml", "ui:\n  color: never\n");
  repository_.Write("new", "work\n");
  EXPECT_THAT(Clean(Take()).files, ElementsAre("new"));
  EXPECT_EQ(repository_.Read(".claude/belay.yml"), "ui:\n  color: never\n");
}

TEST_F(CleanTest, LeavesAndNamesWhatChangedSinceTheSnapshot) {
  repository_.Write("new", "work\n");
  repository_.Write("other", "work\n");
  repository_.Write("tracked.txt", "changed\n");
  const SavedSnapshot snapshot = Take();
  repository_.Write("new", "by a person\n");
  repository_.Write("later", "not in the snapshot\n");
  repository_.Git({"add", "tracked.txt"});
  const Cleaned cleaned = Clean(snapshot);
  EXPECT_THAT(Left(cleaned), ElementsAre("new", "tracked.txt"));
  EXPECT_THAT(cleaned.files, ElementsAre("other"));
  EXPECT_EQ(repository_.Read("new"), "by a person\n");
  EXPECT_EQ(repository_.Read("later"), "not in the snapshot\n");
  EXPECT_EQ(repository_.Read("tracked.txt"), "changed\n");
}

TEST_F(CleanTest, LeavesAFolderThatGotMoreFiles) {
  repository_.Write("x", "base\n");
  repository_.CommitAll("base");
  repository_.Remove("x");
  repository_.Write("x/new", "work\n");
  const SavedSnapshot snapshot = Take();
  repository_.Write("x/later", "by a person\n");
  EXPECT_THAT(Left(Clean(snapshot)), ElementsAre("x"));
  EXPECT_EQ(repository_.Read("x/later"), "by a person\n");
}

TEST_F(CleanTest, TouchesNothingAfterHeadMovedOrDuringAMerge) {
  repository_.Write("new", "work\n");
  const SavedSnapshot snapshot = Take();
  repository_.Git({"commit", "-q", "--allow-empty", "-m", "moved"});
  EXPECT_THAT(Left(Clean(snapshot)), ElementsAre("new"));
  EXPECT_EQ(repository_.Read("new"), "work\n");
  repository_.Git({"reset", "-q", "--soft", "HEAD~1"});
  repository_.Write(".git/MERGE_HEAD", repository_.Git({"rev-parse", "HEAD"}));
  EXPECT_THAT(Left(Clean(snapshot)), ElementsAre("new"));
  repository_.Remove(".git/MERGE_HEAD");
  EXPECT_THAT(Clean(snapshot).files, ElementsAre("new"));
}

TEST_F(CleanTest, IsRefusedWhileGitHoldsTheIndex) {
  repository_.Write("new", "work\n");
  const SavedSnapshot snapshot = Take();
  repository_.Write(".git/index.lock", "");
  EXPECT_EQ(CleanWorktree(place_.worktree(), snapshot).error().code, ErrorCode::kBusy);
  EXPECT_EQ(repository_.Read("new"), "work\n");
}

TEST_F(CleanTest, ConvertedFilesGoBackAsGitChecksThemOut) {
  repository_.Write(".gitattributes", "*.bat text eol=crlf\n");
  repository_.Write("a.bat", "one\r\n");
  repository_.CommitAll("base");
  repository_.Write("a.bat", "two\r\n");
  repository_.Git({"add", "a.bat"});
  const SavedSnapshot snapshot = Take();
  Clean(snapshot);
  EXPECT_EQ(repository_.Read("a.bat"), "one\r\n");
  EXPECT_EQ(Status(), "");
  // As a kill between the files and the index leaves it.
  Restore(snapshot);
  repository_.Write("a.bat", "one\r\n");
  EXPECT_THAT(Left(Clean(snapshot)), IsEmpty());
  EXPECT_EQ(Status(), "");
}

TEST_F(CleanTest, HeadsAttributesDecideAlsoWhenTheyWereChanged) {
  repository_.Write(".gitattributes", "*.bat text eol=crlf\n");
  repository_.Write("a.bat", "one\r\n");
  repository_.CommitAll("base");
  repository_.Write(".gitattributes", "*.bat text eol=lf\n");
  repository_.Write("a.bat", "two\n");
  const SavedSnapshot snapshot = Take();
  Clean(snapshot);
  EXPECT_EQ(repository_.Read("a.bat"), "one\r\n");
  EXPECT_EQ(Status(), "");
}

TEST(CleanFirstTest, WorksBeforeTheFirstCommit) {
  GitRepository repository(GitRepository::Start::kNoCommit);
  TestPlace place(repository.path());
  repository.Write("a", "staged\n");
  repository.Git({"add", "a"});
  repository.Write("b", "untracked\n");
  const auto files = repository.Files();
  const std::string index = repository.Index();
  const SavedSnapshot snapshot = place.Take()->snapshot;
  const Result<Cleaned> cleaned = CleanWorktree(place.worktree(), snapshot);
  ASSERT_TRUE(cleaned.ok()) << cleaned.error().message;
  EXPECT_TRUE(repository.Files().empty());
  EXPECT_EQ(repository.Git({"ls-files"}), "");
  ASSERT_TRUE(RestoreSnapshot(place.worktree(), {.snapshot = snapshot, .keep = place.keep()}).ok());
  EXPECT_EQ(repository.Files(), files);
  EXPECT_EQ(repository.Index(), index);
}

// Random work: cleaned, nothing is left of it; restored, all of it is back.
void CheckAnyWork() {
  GitRepository repository;
  TestPlace place(repository.path());
  const Editor editor(repository);
  editor.Apply(*rc::gen::container<std::vector<Edit>>(AnyEdit()).as("before the commit"));
  repository.CommitAll("base");
  editor.UsualModes();
  editor.Apply(*rc::gen::container<std::vector<Edit>>(AnyEdit()).as("work"));
  editor.DropLostIntents();
  const CleanFiles files = repository.Files();
  const std::string index = repository.Index();
  const Result<Taken> taken = place.Take();
  if (!taken) RC_FAIL(taken.error().message);
  const Result<Cleaned> cleaned = CleanWorktree(place.worktree(), taken->snapshot);
  if (!cleaned) RC_FAIL(cleaned.error().message);
  for (const NotRestored& left : cleaned->left) RC_FAIL(left.path + ": " + left.why);
  RC_ASSERT(repository.Git({"status", "--porcelain"}) == "");
  const Result<Restored> restored =
      RestoreSnapshot(place.worktree(), {.snapshot = taken->snapshot, .keep = place.keep()});
  if (!restored) RC_FAIL(restored.error().message);
  RC_ASSERT(repository.Files() == files);
  RC_ASSERT(repository.Index() == index);
}

TEST(CleanPropertyTest, AnyWorkIsGoneAndComesBack) {
  rc::detail::TestParams params = rc::detail::configuration().testParams;
  params.maxSuccess = std::max(1, params.maxSuccess / 4);  // each takes a dozen calls of git
  const auto result = rc::detail::checkTestable(CheckAnyWork, rc::detail::TestMetadata(), params);
  rc::detail::printResultMessage(result, std::cerr);
  std::cerr << std::endl;
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>());
}

class CleanKillTest : public CleanTest {
 protected:
  std::string Copy(const std::string& name) {
    const std::string to = repository_.outside() / name;
    (void)RunReal({"rm", "-rf", to});
    EXPECT_EQ(RunReal({"cp", "-a", repository_.path(), to}).exit_code, 0);
    return to;
  }
  static bool CleanIn(const std::string& folder, const SavedSnapshot& snapshot,
                      FileCalls* calls = nullptr, Programs* programs = nullptr) {
    UnsyncedCalls unsynced;
    TestPlace place(folder, calls != nullptr ? calls : &unsynced, programs);
    const Result<Cleaned> cleaned = CleanWorktree(place.worktree(), snapshot);
    return cleaned.ok() && cleaned->left.empty();
  }
};

TEST_F(CleanKillTest, EveryFileIsAsCapturedOrAsInHeadAndCleaningAgainContinues) {
  EditEverything();
  repository_.Write(".gitattributes", "*.bat text eol=crlf\n");
  const SavedSnapshot snapshot = Take();
  const CleanFiles before = repository_.Files();
  const std::string whole = Copy("whole");
  ASSERT_TRUE(CleanIn(whole, snapshot));
  const CleanFiles after = GitRepository::FilesOf(whole);
  const std::string index = repository_.IndexOf(whole);
  std::size_t n = 1;
  for (;; ++n) {
    SCOPED_TRACE("killed at change " + std::to_string(n));
    const std::string folder = Copy("killed");
    const KilledRun run = RunKilledAtChange(n, [&](FileCalls& calls, Programs& programs) {
      return CleanIn(folder, snapshot, &calls, &programs);
    });
    ASSERT_NE(run, KilledRun::kFailed);
    for (const auto& [path, file] : GitRepository::FilesOf(folder)) {
      if (path.starts_with(".belay-restore-")) continue;
      const auto old = before.find(path);
      const auto fresh = after.find(path);
      EXPECT_TRUE((old != before.end() && old->second == file) ||
                  (fresh != after.end() && fresh->second == file))
          << path;
    }
    ASSERT_TRUE(CleanIn(folder, snapshot));
    EXPECT_EQ(GitRepository::FilesOf(folder), after);
    EXPECT_EQ(repository_.IndexOf(folder), index);
    if (run == KilledRun::kEnded || HasFailure()) break;
  }
  EXPECT_GT(n, 30U);
}

}  // namespace
}  // namespace belay
