// belay merge-queue protect: what git refuses then, and that it leaves no trace in the checkout.

#include <chrono>
#include <functional>
#include <thread>

#include "protect_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MergeProtectTest : public ProtectSandbox {};

TEST_F(MergeProtectTest, AForwardMergeLeavesTheCheckoutAsItWas) {
  ExpectRefused({"merge", "login"}, "the checkout is back at " + tip_.substr(0, 10));
  ExpectAsFound();
  ExpectRefused({"-c", "merge.ff=only", "merge", "login"});
  ExpectAsFound();
}

TEST_F(MergeProtectTest, ARealMergeIsOverAndTheCheckoutAsItWas) {
  ExpectRefused({"merge", "--no-edit", "side"}, "the merge was aborted");
  ExpectAsFound();
  ExpectRefused({"merge", "--no-ff", "--no-edit", "login"}, "the merge was aborted");
  ExpectAsFound();
}

TEST_F(MergeProtectTest, AMergeByAnAliasToo) {
  repo_.Git({"config", "alias.land", "merge --no-edit"});
  ExpectRefused({"land", "login"});
  ExpectAsFound();
  ExpectRefused({"land", "side"});
  ExpectAsFound();
}

TEST_F(MergeProtectTest, AMergeInALinkedWorktreeIsTakenBackThere) {
  repo_.Git({"checkout", "-q", "login"});
  const std::string there = repo_.outside() / "linked";
  repo_.Git({"worktree", "add", "-q", there, "main"});
  const RunOutcome merged = Git({"merge", "--no-edit", "side"}, {}, there);
  EXPECT_THAT(merged.err, HasSubstr("the merge was aborted"));
  EXPECT_EQ(Tip("main"), tip_);
  EXPECT_EQ(repo_.GitIn(there, {"status", "--porcelain"}), "");
  EXPECT_EQ(repo_.IndexOf(there), index_);
}

TEST_F(MergeProtectTest, AMergeWithChangesInTheCheckoutLeavesThemAlone) {
  repo_.Write("tracked.txt", "mine\n");
  ExpectRefused({"merge", "login"}, "belay left");
  EXPECT_EQ(repo_.Read("tracked.txt"), "mine\n");
  EXPECT_EQ(repo_.Read("login.txt"), "login\n");
}

TEST_F(MergeProtectTest, AMergeWithManualChangesIsLeftAlone) {
  repo_.Git({"merge", "-q", "--no-commit", "--no-edit", "side"});
  repo_.Write("side.txt", "by hand\n");
  repo_.Git({"add", "side.txt"});
  ExpectRefused({"-c", "core.editor=true", "merge", "--continue"});
  EXPECT_EQ(repo_.Read("side.txt"), "by hand\n");
  EXPECT_NE(repo_.Read(".git/MERGE_HEAD"), "(missing)");
  repo_.Git({"merge", "--abort"});
  ExpectAsFound();
}

TEST_F(MergeProtectTest, APullLeavesTheCheckoutAsItWas) {
  const std::string clone = repo_.outside() / "clone";
  repo_.GitIn(repo_.outside().path(), {"clone", "-q", repo_.path(), clone});
  repo_.GitIn(clone, {"commit", "-q", "--allow-empty", "-m", "there"});
  repo_.GitIn(clone, {"rm", "-q", "second.txt"});
  repo_.GitIn(clone, {"commit", "-qm", "more"});
  ExpectRefused({"pull", "-q", clone, "main"}, "the checkout is back");
  ExpectAsFound();
  ExpectRefused({"pull", "-q", "--no-rebase", "--no-edit", ".", "side"}, "the merge was aborted");
  ExpectAsFound();
  repo_.Git({"remote", "add", "origin", clone});
  ExpectRefused({"pull", "-q", "--ff-only", "origin", "main"});
  ExpectAsFound();
}

TEST_F(MergeProtectTest, ACommitKeepsWhatWasStaged) {
  repo_.Write("login.txt", "login\n");  // as the branch has it: that must not look like a merge
  repo_.Git({"add", "login.txt"});
  repo_.Write("tracked.txt", "not staged\n");
  const std::string staged = repo_.Index();
  ExpectRefused({"commit", "-qm", "direct"});
  EXPECT_EQ(repo_.Index(), staged);
  ExpectRefused({"commit", "-q", "--amend", "-m", "other"});
  EXPECT_EQ(repo_.Index(), staged);
  EXPECT_EQ(repo_.Read("login.txt"), "login\n");
  EXPECT_EQ(repo_.Read("tracked.txt"), "not staged\n");
}

TEST_F(MergeProtectTest, ACherryPickShowsHowToGoBack) {
  ExpectRefused({"cherry-pick", "side"}, "git cherry-pick --abort");
  repo_.Git({"cherry-pick", "--abort"});
  ExpectAsFound();
}

bool Within(const std::function<bool()>& happens) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!happens()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::yield();
  }
  return true;
}

// When git has ended, and not before.
TEST_F(MergeProtectTest, ARebaseIsAborted) {
  for (const char* onto : {"side", "login"}) {
    ExpectRefused({"rebase", "-q", onto}, "git now aborts the rebase");
    ASSERT_TRUE(Within([&] { return repo_.Read(".git/rebase-merge/head-name") == "(missing)"; }));
    ASSERT_TRUE(Within([&] { return repo_.TryGit({"symbolic-ref", "-q", "HEAD"}) == 0; }));
    ExpectAsFound();
  }
}

TEST_F(MergeProtectTest, AnInteractiveRebaseIsLeftAndShowsHowToGoBack) {
  const RunOutcome outcome = Git({"rebase", "-q", "-i", "side"}, {{"GIT_SEQUENCE_EDITOR", "true"}});
  EXPECT_THAT(outcome.err, HasSubstr("git rebase --abort"));
  EXPECT_EQ(Tip("main"), tip_);
  repo_.Git({"rebase", "--abort"});
  ExpectAsFound();
}

TEST_F(MergeProtectTest, AResetLeavesTheCheckoutAsItWas) {
  ExpectRefused({"reset", "-q", "--hard", "HEAD~1"}, "the checkout is back");
  ExpectAsFound();
  ExpectRefused({"reset", "-q", "--hard", "login"});
  ExpectAsFound();
  ExpectRefused({"reset", "-q", "--soft", "HEAD~1"});
  ExpectAsFound();
}

TEST_F(MergeProtectTest, ACheckoutThatMovesItLeavesTheCheckoutAsItWas) {
  ExpectRefused({"checkout", "-q", "-B", "main", "login"}, "the checkout is back");
  ExpectAsFound();
  repo_.Git({"checkout", "-q", "side"});
  const auto files = repo_.Files();
  ExpectRefused({"checkout", "-q", "-B", "main", "login"}, "the checkout is back");
  EXPECT_EQ(repo_.Files(), files);
  EXPECT_EQ(repo_.Git({"status", "--porcelain"}), "");
  ExpectRefused({"switch", "-q", "-C", "main", "login"}, "the checkout is back");
  EXPECT_EQ(repo_.Git({"status", "--porcelain"}), "");
}

TEST_F(MergeProtectTest, RefusesMovesDeletionsAndRenamesWithoutACheckout) {
  repo_.Git({"checkout", "-q", "side"});
  ExpectRefused({"branch", "-f", "main", "login"});
  ExpectRefused({"fetch", "-q", ".", "login:main"});
  ExpectRefused({"update-ref", "refs/heads/main", "login"});
  ExpectRefused({"update-ref", "refs/heads/main", "login", tip_});
  for (const bool packed : {false, true}) {
    if (packed) repo_.Git({"pack-refs", "--all"});
    ExpectRefused({"branch", "-D", "main"});
    ExpectRefused({"branch", "-m", "main", "trunk"});
    ExpectRefused({"branch", "-M", "login", "main"});
    ExpectRefused({"update-ref", "-d", "refs/heads/main"});
    ExpectRefused({"update-ref", "-d", "refs/heads/main", tip_});
  }
  repo_.Git({"update-ref", "refs/heads/other", "main"});
  EXPECT_EQ(Tip("trunk"), "");
  EXPECT_NE(Tip("login"), "") << "git deletes it before it asks for main";
}

TEST_F(MergeProtectTest, APushFromACloneIsRefused) {
  repo_.Git({"checkout", "-q", "side"});
  const std::string clone = repo_.outside() / "clone";
  repo_.GitIn(repo_.outside().path(), {"clone", "-q", repo_.path(), clone});
  repo_.GitIn(clone, {"checkout", "-q", "main"});
  repo_.GitIn(clone, {"commit", "-q", "--allow-empty", "-m", "there"});
  const RunOutcome pushed = Git({"push", "-q", "origin", "main"}, {}, clone);
  EXPECT_NE(pushed.exit_code, 0);
  EXPECT_THAT(pushed.err, HasSubstr("main is protected"));
  EXPECT_EQ(Tip("main"), tip_);
  EXPECT_EQ(Git({"push", "-q", "origin", "main:elsewhere"}, {}, clone).exit_code, 0);
  repo_.Git({"checkout", "-q", "main"});
  repo_.Git({"config", "receive.denyCurrentBranch", "updateInstead"});
  repo_.GitIn(clone, {"rm", "-q", "second.txt"});
  repo_.GitIn(clone, {"commit", "-q", "-m", "with files"});
  const RunOutcome inside = Git({"push", "-q", "origin", "main"}, {}, clone);
  EXPECT_THAT(inside.err, HasSubstr("the checkout is back"));
  EXPECT_EQ(Tip("main"), tip_);
  ExpectAsFound();
}

TEST_F(MergeProtectTest, APersonCanOverrideItAndTheQueueNoticesThat) {
  const RunOutcome merged = Git({"merge", "login"}, {{"BELAY_OVERRIDE", "1"}});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_THAT(merged.err, HasSubstr("without the queue, as requested"));
  EXPECT_EQ(Tip("main"), Tip("login"));
  const RunOutcome noticed = Belay({"merge-queue", "process", "--no-gates"});
  EXPECT_THAT(noticed.err, HasSubstr("without the queue (t <t@example.org>: merge login"));
}

TEST_F(MergeProtectTest, AnAgentCanNeitherOverrideNorUnprotect) {
  MakeMeAnAgent();
  const RunOutcome merged = Git({"merge", "login"}, {{"BELAY_OVERRIDE", "1"}});
  EXPECT_NE(merged.exit_code, 0);
  EXPECT_THAT(merged.err, HasSubstr("worker-a#1 may not move a protected target"));
  ExpectAsFound();
  EXPECT_EQ(Belay({"merge-queue", "unprotect"}).exit_code, 4);
  ExpectRefused({"merge", "login"});
}

// A guard rail: what gets around it is noticed.
TEST_F(MergeProtectTest, AWayAroundIsNoticedWithWhoAndWhat) {
  repo_.Git({"-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "around"});
  const std::string there = Tip("main");
  const RunOutcome noticed = Belay({"merge-queue", "process", "--no-gates"});
  EXPECT_THAT(noticed.err,
              HasSubstr("main moved from " + tip_.substr(0, 10) + " to " + there.substr(0, 10) +
                        " without the queue (t <t@example.org>: commit: around)"));
  EXPECT_THAT(Belay({"signal", "list", "person"}).out, HasSubstr("without the queue"));
  EXPECT_THAT(Belay({"merge-queue", "process", "--no-gates"}).err, Not(HasSubstr("without")));
}

TEST_F(MergeProtectTest, AWrittenRefFileIsNoticedWithoutNamingAnAuthor) {
  repo_.Write(".git/refs/heads/main", Tip("login") + "\n");
  EXPECT_THAT(
      Belay({"merge-queue", "process", "--no-gates"}).err,
      HasSubstr(
          "the reflog doesn't show the move; the commit is by t <t@example.org>: work on login"));
}

TEST_F(MergeProtectTest, ATargetThatIsGoneIsNoticed) {
  repo_.Git({"checkout", "-q", "side"});
  repo_.Git({"-c", "core.hooksPath=/dev/null", "branch", "-q", "-D", "main"});
  const RunOutcome noticed = Belay({"merge-queue", "process", "--no-gates"});
  EXPECT_EQ(noticed.exit_code, 3);
  EXPECT_THAT(noticed.err, HasSubstr("git branch main " + tip_ + " restores it"));
}

}  // namespace
}  // namespace belay
