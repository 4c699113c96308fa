#include "adapters/git/scratch_worktree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "adapters/git/test_git.h"
#include "testing/killing_calls.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using std::string_literals::operator""s;

class ScratchWorktreeTest : public MergeTest {
 protected:
  ScratchWorktreeTest() {
    repo_.Write(".gitignore", "*.o\n");
    repo_.Write("dir/a", Lines(3));
    first_ = Commit("first");
    repo_.Write("dir/a", Lines(4));
    repo_.Write("other/b", "b\n");
    repo_.Remove("tracked.txt");
    second_ = Commit("second");
    Prepare(first_);
  }

  PreparedScratch Prepare(const ObjectId& commit) {
    const auto prepared = PrepareScratch(git_, files_, place_, commit);
    EXPECT_TRUE(prepared.ok()) << (prepared ? "" : prepared.error().message);
    if (!prepared) return {};
    ExpectHolds(commit);
    return *prepared;
  }
  // Exactly what a new git worktree would hold, as git and belay see it.
  void ExpectHolds(const ObjectId& commit) {
    const std::string fresh = repo_.outside() / "fresh";
    repo_.Git({"worktree", "add", "-q", "--detach", fresh, commit.text()});
    EXPECT_EQ(GitRepository::FilesOf(place_.folder), GitRepository::FilesOf(fresh));
    EXPECT_EQ(repo_.IndexOf(place_.folder), repo_.IndexOf(fresh));
    EXPECT_EQ(repo_.GitIn(place_.folder, {"status", "--porcelain", "--ignored"}), "");
    EXPECT_EQ(repo_.GitIn(place_.folder, {"rev-parse", "HEAD"}), commit.text() + "\n");
    EXPECT_EQ(repo_.GitIn(place_.folder, {"rev-parse", "--abbrev-ref", "HEAD"}), "HEAD\n");
    repo_.Git({"worktree", "remove", "--force", fresh});
  }
  void Write(const std::string& name, const std::string& bytes) const {
    repo_.outside().Write("scratch/" + name, bytes);
  }
  std::string InScratch(std::vector<std::string> words) const {
    return repo_.GitIn(place_.folder, std::move(words));
  }
  void Chmod(const std::string& name, unsigned mode) const {
    EXPECT_EQ(chmod((place_.folder + "/" + name).c_str(), mode), 0);
  }

  const ScratchPlace place_{CommonFolder(), repo_.outside() / "scratch"};
  ObjectId first_, second_;
};

TEST_F(ScratchWorktreeTest, IsMadeOnceAndThenMoved) {
  const std::string git_folder = Prepare(second_).git_folder;
  EXPECT_THAT(git_folder, StartsWith(CommonFolder() + "/worktrees/"));
  for (const ObjectId& commit : {first_, first_, second_}) {
    const PreparedScratch prepared = Prepare(commit);
    EXPECT_FALSE(prepared.made);
    EXPECT_EQ(prepared.git_folder, git_folder);
  }
  EXPECT_EQ(repo_.Git({"status", "--porcelain"}), "");
}

TEST_F(ScratchWorktreeTest, LosesEverythingThatWasLeftInIt) {
  Write("new", "x");
  Write("dir/new.o", "x");
  Write("build/x/y.o", "x");
  Write("dir/a", "changed\n");
  repo_.outside().MakeFolder("scratch/empty/deep");
  repo_.Remove("../scratch/tracked.txt");
  repo_.GitIn(repo_.outside().path(), {"init", "-q", place_.folder + "/nested"});
  Write("nested/f", "x");
  repo_.GitIn(repo_.outside().path(), {"init", "-q", place_.folder + "/ignored.o"});
  EXPECT_FALSE(Prepare(first_).made);
  for (const char* gone : {"empty", "nested", "build"}) {
    EXPECT_FALSE(files_.Inspect(place_.folder + "/" + gone)) << gone;
  }
}

TEST_F(ScratchWorktreeTest, MakesReadOnlyFoldersWritableAgain) {
  Write("dir/x/y/z", "x");
  Chmod("dir/x/y", 0555);
  Chmod("dir/x", 0);
  Chmod("dir", 0555);
  Chmod("dir/a", 0400);
  EXPECT_FALSE(Prepare(second_).made);
  struct stat info {};
  ASSERT_EQ(stat((place_.folder + "/dir").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0700U, 0700u);
}

TEST_F(ScratchWorktreeTest, DoesntBelieveTheIndex) {
  InScratch({"update-index", "--assume-unchanged", "dir/a"});
  InScratch({"update-index", "--skip-worktree", "tracked.txt"});
  Write("dir/a", "changed\n");
  Write("tracked.txt", "changed\n");
  EXPECT_FALSE(Prepare(first_).made);
  Write("../repo/.git/worktrees/scratch/index", "garbage");
  EXPECT_FALSE(Prepare(first_).made);
}

TEST_F(ScratchWorktreeTest, IsRepairedOrRecreatedAfterDamage) {
  const std::string git_folder = Prepare(first_).git_folder;
  for (const char* name : {"HEAD", "belay-index", "commondir", "gitdir", "index", "index.lock",
                           "belay-index.lock", "HEAD.lock", "config.worktree", "belay-names"}) {
    SCOPED_TRACE(name);
    repo_.outside().Write(git_folder.substr(repo_.outside().path().size() + 1) + "/" + name,
                          "garbage");
    Prepare(first_);
    Prepare(second_);
  }
  repo_.outside().Write("scratch/.git", "gitdir: /nonexistent\n");
  EXPECT_FALSE(Prepare(first_).made);
  repo_.Remove("../scratch/.git");
  repo_.Git({"init", "-q", place_.folder + "/.git"});
  EXPECT_FALSE(Prepare(second_).made);
  repo_.Remove("../scratch");
  EXPECT_TRUE(Prepare(second_).made);
  repo_.outside().Write("hidden", "");
  repo_.Remove("../scratch");
  repo_.outside().Write("scratch", "a file");
  EXPECT_TRUE(Prepare(second_).made);
}

TEST_F(ScratchWorktreeTest, NamesThatArentKnownAreCleaned) {
  for (const char* const digest : {"", "garbage"}) {
    repo_.Write(".git/worktrees/scratch/belay-names", digest);
    Write("left", "by a gate\n");
    EXPECT_FALSE(Prepare(second_).made);
    EXPECT_EQ(repo_.outside().Read("scratch/left"), "(missing)");
  }
}

TEST_F(ScratchWorktreeTest, TakesNothingAlongFromOperationsInIt) {
  InScratch({"checkout", "-q", "-b", "mine"});
  Write("dir/a", "mine\n");
  InScratch({"commit", "-q", "-a", "-m", "mine"});
  EXPECT_EQ(repo_.TryGit({"-C", place_.folder, "rebase", "-q", second_.text()}), 1);
  const ObjectId mine = Resolve("mine");
  EXPECT_FALSE(Prepare(second_).made);
  EXPECT_EQ(Resolve("mine"), mine);
  EXPECT_THAT(InScratch({"status"}), ::testing::Not(HasSubstr("rebas")));
}

TEST_F(ScratchWorktreeTest, RunsNeitherHooksNorFiltersOfTheRepository) {
  const std::string mark = repo_.outside() / "mark";
  repo_.Write(".gitattributes", "*.f filter=evil\n");
  repo_.Write("x.f", "content\n");
  const ObjectId commit = Commit("filtered");
  const std::string touch = "touch '" + mark + "'; cat";
  for (const char* kind : {"smudge", "clean"}) {
    repo_.Git({"config", "filter.evil."s + kind, touch});
  }
  repo_.Git({"config", "filter.evil.required", "true"});
  repo_.Write(".git/hooks/post-checkout", "#!/bin/sh\n" + touch + "\n");
  repo_.SetMode(".git/hooks/post-checkout", 0755);
  const auto prepared = PrepareScratch(git_, files_, place_, commit);
  ASSERT_TRUE(prepared) << prepared.error().message;
  EXPECT_EQ(repo_.outside().Read("mark"), "(missing)");
  EXPECT_EQ(repo_.outside().Read("scratch/x.f"), "content\n");
  repo_.Remove("../scratch");
  EXPECT_TRUE(PrepareScratch(git_, files_, place_, commit).ok());
  EXPECT_EQ(repo_.outside().Read("mark"), "(missing)");
}

TEST_F(ScratchWorktreeTest, GoesByLineEndingAttributes) {
  repo_.Write(".gitattributes", "*.win text eol=crlf\n");
  repo_.Write("a.win", "1\n2\n");
  const ObjectId commit = Commit("endings");
  Prepare(commit);
  EXPECT_EQ(repo_.outside().Read("scratch/a.win"), "1\r\n2\r\n");
  EXPECT_FALSE(Prepare(first_).made);
  EXPECT_FALSE(Prepare(commit).made);
}

// Git reports such a file as changed as soon as it checks it.
TEST_F(ScratchWorktreeTest, TakesFilesWhoseEndingsAreWrongInTheStore) {
  repo_.Write("odd.txt", "1\r\n2\n");
  Commit("before");
  repo_.Write(".gitattributes", "*.txt text\n");
  repo_.Git({"add", ".gitattributes"});
  repo_.Git({"commit", "-q", "-m", "wrong"});
  const ObjectId wrong = Resolve("HEAD");
  for (int i = 0; i < 3; ++i) {
    const auto prepared = PrepareScratch(git_, files_, place_, i == 1 ? first_ : wrong);
    ASSERT_TRUE(prepared) << prepared.error().message;
    EXPECT_FALSE(prepared->made);
  }
  EXPECT_EQ(repo_.outside().Read("scratch/odd.txt"), "1\r\n2\n");
}

TEST_F(ScratchWorktreeTest, HoldsModesLinksSubmodulesAndOddNames) {
  repo_.Write("run", "x");
  repo_.SetMode("run", 0755);
  repo_.MakeLink("dir", "link");
  repo_.Write("new\n\"line", "\0"s);
  repo_.Write("File", "x");
  repo_.Git({"add", "-A"});
  repo_.Git({"update-index", "--add", "--cacheinfo", "160000," + first_.text() + ",sub/module"});
  repo_.Git({"commit", "-q", "-m", "all kinds"});
  const ObjectId all = Resolve("HEAD");
  Prepare(all);
  repo_.GitIn(repo_.outside().path(), {"clone", "-q", repo_.path(), place_.folder + "/sub/module"});
  EXPECT_FALSE(Prepare(all).made);
  Write("sub/module/file", "x");
  EXPECT_FALSE(Prepare(all).made);
  EXPECT_FALSE(files_.Inspect(place_.folder + "/sub/module/file"));
  repo_.Remove("../scratch/sub");
  EXPECT_FALSE(Prepare(all).made);
  Write("sub/module/file", "x");
  EXPECT_FALSE(Prepare(first_).made);
  repo_.Git({"mv", "File", "file"});
  repo_.Remove("link");
  repo_.Write("link/now/a/folder", "x");
  Prepare(Commit("case, and a link that became a folder"));
  EXPECT_FALSE(Prepare(all).made);
}

TEST_F(ScratchWorktreeTest, OfACommitThatIsMissingIsAnError) {
  EXPECT_FALSE(PrepareScratch(git_, files_, place_, *ObjectId::Parse(std::string(40, 'a'))));
  Prepare(second_);
}

TEST_F(ScratchWorktreeTest, GoesWithAllThatGitKeptAboutIt) {
  EXPECT_TRUE(RemoveScratch(files_, place_).ok());
  EXPECT_TRUE(RemoveScratch(files_, place_).ok());
  EXPECT_EQ(files_.Inspect(place_.folder).ok(), false);
  EXPECT_THAT(repo_.Git({"worktree", "list"}), ::testing::Not(HasSubstr("scratch")));
}

using ScratchKillTest = ScratchWorktreeTest;

TEST_F(ScratchKillTest, KilledAtAnyMomentIsPutInOrderTheNextTime) {
  for (const bool fresh : {true, false}) {
    for (std::size_t n = 1;; ++n) {
      SCOPED_TRACE(n);
      if (fresh && !RemoveScratch(files_, place_)) ADD_FAILURE();
      const KilledRun run = RunKilledAtChange(n, [&](FileCalls& calls, Programs& programs) {
        FileSystem files(calls);
        const Git git(programs, Environment(TestVariables()), repo_.path());
        return PrepareScratch(git, files, place_, second_).ok();
      });
      EXPECT_NE(run, KilledRun::kFailed);
      Prepare(first_);
      if (run != KilledRun::kKilled || HasFailure()) break;
    }
  }
}

}  // namespace
}  // namespace belay
