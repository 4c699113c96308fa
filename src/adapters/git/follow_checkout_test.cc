#include "adapters/git/follow_checkout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/git/test_git.h"
#include "testing/killing_calls.h"
#include "testing/real_process.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class FollowCheckoutTest : public MergeTest {
 protected:
  FollowCheckoutTest() {
    repo_.Write(".gitignore", "*.o\n");
    repo_.Write("change", Lines(3));
    repo_.Write("go", "x\n");
    repo_.Write("become", "x\n");
    repo_.MakeLink("a", "link");
    old_ = Commit("old");
    OnBranch("next");
    repo_.Write("change", Lines(9));
    repo_.Remove("go");
    repo_.Write("new/deep/f", "new\n");
    repo_.Remove("become");
    repo_.Write("become/inner", "x\n");
    repo_.Remove("link");
    repo_.MakeLink("b", "link");
    repo_.Write("run", "x");
    repo_.SetMode("run", 0755);
    repo_.Write("tracked.o", "x");
    repo_.Git({"add", "-f", "tracked.o"});
    new_ = Commit("new");
    repo_.Git({"checkout", "-q", "main"});
  }
  void MoveMain() const { repo_.Git({"update-ref", "refs/heads/main", new_.text()}); }
  GitWorktree Worktree() const { return {.folder = repo_.path(), .git_folder = CommonFolder()}; }
  Followed Follow() {
    return FollowCheckout(git_, files_, Worktree(), {"refs/heads/main", old_, new_});
  }
  void ExpectFollows() {
    const Followed followed = Follow();
    EXPECT_EQ(followed.end, Followed::End::kFollowed) << followed.why;
    ExpectIsNew();
    EXPECT_EQ(Follow().end, Followed::End::kAlreadyThere);
  }
  void ExpectIsNew() const {
    EXPECT_EQ(repo_.Git({"status", "--porcelain"}), "");
    EXPECT_EQ(repo_.Read("change"), Lines(9));
    EXPECT_EQ(repo_.Read("go"), "(missing)");
    EXPECT_EQ(repo_.Read("become/inner"), "x\n");
    EXPECT_EQ(repo_.Read(".git/belay-follow"), "(missing)");
  }
  // Everything is unchanged, byte for byte.
  void ExpectLeft(const std::string& why, Followed::End end = Followed::End::kLeft) {
    const auto before = repo_.Files();
    const std::string index = repo_.Read(".git/index");
    const Followed followed = Follow();
    EXPECT_EQ(followed.end, end);
    EXPECT_THAT(followed.why, HasSubstr(why));
    EXPECT_EQ(repo_.Files(), before);
    EXPECT_EQ(repo_.Read(".git/index"), index);
    EXPECT_EQ(repo_.Read(".git/belay-follow"), "(missing)");
  }

  ObjectId old_, new_;
};

TEST_F(FollowCheckoutTest, BringsACleanCheckoutAlong) {
  repo_.Write("mine.txt", "untracked");
  repo_.Write("mine.o", "ignored");
  MoveMain();
  const Followed followed = Follow();
  EXPECT_EQ(followed.end, Followed::End::kFollowed) << followed.why;
  EXPECT_EQ(repo_.Git({"status", "--porcelain"}), "?? mine.txt\n");
  EXPECT_EQ(repo_.Read("mine.o"), "ignored");
  EXPECT_EQ(Follow().end, Followed::End::kAlreadyThere);
}

TEST_F(FollowCheckoutTest, TakesFilesThatWereOnlyTouched) {
  ASSERT_EQ(RunReal({"touch", "-d", "2001-01-01", repo_ / "change", repo_ / "go"}).exit_code, 0);
  MoveMain();
  ExpectFollows();
}

TEST_F(FollowCheckoutTest, LeavesChangedFiles) {
  MoveMain();
  repo_.Write("tracked.txt", "mine\n");
  ExpectLeft("\"tracked.txt\" is changed");
  repo_.Git({"checkout", "-q", "tracked.txt"});
  repo_.Write("change", "mine\n");
  ExpectLeft("\"change\" is changed");
  repo_.Write("change", Lines(3));
  repo_.SetMode("go", 0755);
  ExpectLeft("\"go\" is changed");
  repo_.SetMode("go", 0644);
  repo_.Remove("change");
  ExpectLeft("\"change\" is changed");
  repo_.Write("change", Lines(3));
  ExpectFollows();
}

TEST_F(FollowCheckoutTest, LeavesStagedChanges) {
  MoveMain();
  repo_.Write("staged", "mine\n");
  repo_.Git({"add", "staged"});
  ExpectLeft("staged");
  repo_.Git({"rm", "-q", "-f", "staged"});
  repo_.Write("intent", "mine\n");
  repo_.Git({"add", "-N", "intent"});
  ExpectLeft("\"intent\"");
  repo_.Git({"reset", "-q", "--", "intent"});
  repo_.Write("change", "mine\n");
  repo_.Git({"add", "change"});
  ExpectLeft("\"change\" has staged changes");
}

TEST_F(FollowCheckoutTest, NeverWritesOverFilesThatGitDoesntTrack) {
  MoveMain();
  for (const char* path : {"run", "tracked.o", "new", "new/deep"}) {
    SCOPED_TRACE(path);
    repo_.Write(path, "mine");
    ExpectLeft("is in the way");
    repo_.Remove(path);
    repo_.Remove("new");
  }
  repo_.Write("run/mine.o", "mine");
  ExpectLeft("the folder \"run\" is in the way");
  repo_.Remove("run");
  repo_.outside().MakeFolder("elsewhere");
  repo_.MakeLink("../elsewhere", "new");
  ExpectLeft("\"new\" is in the way");
  EXPECT_EQ(repo_.outside().Read("elsewhere/deep/f"), "(missing)");
  repo_.Remove("new");
  ExpectFollows();
}

TEST_F(FollowCheckoutTest, LeavesOperationsThatAreUnderWay) {
  MoveMain();
  for (const char* file : {"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge/x"}) {
    repo_.Write(std::string(".git/") + file, new_.text() + "\n");
    ExpectLeft("is in progress");
    repo_.Remove(".git/MERGE_HEAD");
    repo_.Remove(".git/CHERRY_PICK_HEAD");
    repo_.Remove(".git/REVERT_HEAD");
    repo_.Remove(".git/rebase-merge");
  }
  repo_.Write(".git/index.lock", "");
  ExpectLeft("index.lock exists", Followed::End::kLater);
}

TEST_F(FollowCheckoutTest, LeavesOtherBranchesAndThoseThatMovedOn) {
  ExpectLeft("the branch has moved on");
  MoveMain();
  repo_.Git({"symbolic-ref", "HEAD", "refs/heads/next"});
  ExpectLeft("another branch");
  repo_.Git({"symbolic-ref", "HEAD", "refs/heads/main"});
  ExpectFollows();
}

TEST_F(FollowCheckoutTest, LeavesFilesThatGitIsSetToIgnore) {
  repo_.Git({"update-index", "--assume-unchanged", "change"});
  repo_.Write("change", "mine\n");
  MoveMain();
  ExpectLeft("ignore changes in");
}

TEST_F(FollowCheckoutTest, RunsNoFilterOfTheRepository) {
  repo_.Write(".git/info/attributes", "change filter=evil\n");
  const std::string mark = repo_.outside() / "mark";
  for (const char* kind : {"smudge", "clean"}) {
    repo_.Git({"config", std::string("filter.evil.") + kind, "touch '" + mark + "'; cat"});
  }
  MoveMain();
  ExpectLeft("has a filter from the repository's configuration");
  EXPECT_EQ(repo_.outside().Read("mark"), "(missing)");
}

TEST_F(FollowCheckoutTest, WorksInALinkedWorktreeAndRunsNoHooks) {
  const std::string folder = repo_.outside() / "linked";
  repo_.Git({"checkout", "-q", "--detach"});
  repo_.Git({"worktree", "add", "-q", folder, "main"});
  repo_.Write(".git/hooks/post-checkout",
              "#!/bin/sh\ntouch '" + (repo_.outside() / "mark") + "'\n");
  repo_.SetMode(".git/hooks/post-checkout", 0755);
  MoveMain();
  const auto uses =
      FindBranchUses(files_, *ListWorktrees(git_, files_, CommonFolder()), "refs/heads/main");
  ASSERT_EQ(uses.size(), 1u);
  const Followed followed =
      FollowCheckout(git_, files_, (uses)[0].worktree, {"refs/heads/main", old_, new_});
  EXPECT_EQ(followed.end, Followed::End::kFollowed) << followed.why;
  EXPECT_EQ(repo_.GitIn(folder, {"status", "--porcelain"}), "");
  EXPECT_EQ(repo_.outside().Read("mark"), "(missing)");
}

TEST_F(FollowCheckoutTest, LeavesWhatIsGoneOrBare) {
  GitWorktree worktree = Worktree();
  worktree.is_prunable = true;
  EXPECT_EQ(FollowCheckout(git_, files_, worktree, {"refs/heads/main", old_, new_}).end,
            Followed::End::kLeft);
  worktree = Worktree();
  worktree.is_bare = true;
  EXPECT_EQ(FollowCheckout(git_, files_, worktree, {"refs/heads/main", old_, new_}).end,
            Followed::End::kLeft);
}

TEST_F(FollowCheckoutTest, WritesLineEndingsAsTheAttributesSay) {
  repo_.Git({"checkout", "-q", "next"});
  repo_.Write(".gitattributes", "*.win text eol=crlf\n");
  repo_.Write("a.win", "1\n");
  new_ = Commit("endings");
  repo_.Git({"checkout", "-q", "main"});
  MoveMain();
  ExpectFollows();
  EXPECT_EQ(repo_.Read("a.win"), "1\r\n");
}

// As a killed git leaves them, before it wrote the index.
TEST_F(FollowCheckoutTest, ContinuesWhereAKilledGitStopped) {
  MoveMain();
  repo_.Write(".git/belay-follow", old_.text() + " " + new_.text() + "\n");
  repo_.Remove("go");
  repo_.Remove("become");
  repo_.Write("become/inner", "x\n");
  repo_.Write("new/deep/f", "n");
  repo_.Write("change", "");
  repo_.Remove("link");
  ExpectFollows();
}

TEST_F(FollowCheckoutTest, WithoutItsOwnNoteTakesNothingForUnfinished) {
  MoveMain();
  repo_.Write("change", "");
  ExpectLeft("\"change\" is changed");
  repo_.Write("change", Lines(3));
  repo_.Write("new/deep/f", "n");
  ExpectLeft("is in the way");
}

TEST_F(FollowCheckoutTest, TakesFilesThatAreNewAlready) {
  MoveMain();
  repo_.Write("change", Lines(9));
  repo_.Write("new/deep/f", "new\n");
  repo_.Remove("go");
  ExpectFollows();
}

using FollowKillTest = FollowCheckoutTest;

TEST_F(FollowKillTest, KilledAtAnyMomentItContinuesTheNextTime) {
  for (std::size_t n = 1;; ++n) {
    SCOPED_TRACE(n);
    repo_.Git({"reset", "-q", "--hard", old_.text()});
    MoveMain();
    if (n % 2 == 0) repo_.Write("new/deep/f", "new\n");  // part of the work was done before
    const KilledRun run = RunKilledAtChange(n, [&](FileCalls& calls, Programs& programs) {
      FileSystem files(calls);
      const Git git(programs, Environment(TestVariables()), repo_.path());
      return FollowCheckout(git, files, Worktree(), {"refs/heads/main", old_, new_}).end !=
             Followed::End::kLeft;
    });
    EXPECT_NE(run, KilledRun::kFailed);
    EXPECT_NE(Follow().end, Followed::End::kLeft);
    ExpectIsNew();
    if (run != KilledRun::kKilled || HasFailure()) break;
  }
}

}  // namespace
}  // namespace belay
