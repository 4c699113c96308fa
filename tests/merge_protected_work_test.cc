// What goes on as ever while main is protected; the hook among other hooks; taking it out again.

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "protect_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MergeProtectedWorkTest : public ProtectSandbox {
 protected:
  void WriteHook(const std::string& path, const std::string& script, unsigned mode = 0755) {
    repo_.Write(path, "#!/bin/sh\n" + script);
    repo_.SetMode(path, mode);
  }
  void Unprotect() { EXPECT_EQ(Belay({"merge-queue", "unprotect"}).exit_code, 0); }
  void Protect() {
    const RunOutcome outcome = Belay({"merge-queue", "protect"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  unsigned ModeOf(const std::string& path) const {
    struct stat info {};
    return lstat((repo_ / path).c_str(), &info) == 0 ? info.st_mode : 0;
  }
};

TEST_F(MergeProtectedWorkTest, CommitsOnOtherBranches) {
  ExpectWorks({"checkout", "-q", "side"});
  repo_.Write("side.txt", "more\n");
  ExpectWorks({"commit", "-qam", "more"});
  ExpectWorks({"commit", "-q", "--amend", "-m", "still more"});
  ExpectWorks({"merge", "-q", "--no-edit", "main"});
  ExpectWorks({"reset", "-q", "--hard", "HEAD~1"});
  ExpectWorks({"cherry-pick", "login"});
}

TEST_F(MergeProtectedWorkTest, BranchesAndTags) {
  ExpectWorks({"branch", "one", "main"});
  ExpectWorks({"branch", "-m", "one", "main2"});
  ExpectWorks({"branch", "-f", "main2", "login"});
  ExpectWorks({"branch", "-D", "main2"});
  ExpectWorks({"tag", "-a", "-m", "first", "v1", "main"});
  ExpectWorks({"tag", "main"});  // as the branch, and something else
  ExpectWorks({"tag", "-d", "main"});
  ExpectWorks({"checkout", "-q", "-b", "two"});
  ExpectWorks({"checkout", "-q", "main"});
  ExpectWorks({"symbolic-ref", "refs/heads/alias", "refs/heads/login"});
}

TEST_F(MergeProtectedWorkTest, PackingAndCollecting) {
  ExpectWorks({"pack-refs", "--all"});
  EXPECT_EQ(repo_.Read(".git/refs/heads/main"), "(missing)");
  ExpectWorks({"pack-refs", "--all", "--no-prune"});
  ExpectWorks({"gc", "-q", "--prune=now"});
  ExpectWorks({"reflog", "expire", "--expire=now", "--all"});
  EXPECT_EQ(Tip("main"), tip_);
  ExpectRefused({"merge", "login"});
  ExpectAsFound();
  ExpectWorks({"gc", "-q"});
}

TEST_F(MergeProtectedWorkTest, FetchingAndPushing) {
  const std::string clone = repo_.outside() / "clone";
  ExpectWorks({"clone", "-q", repo_.path(), clone});
  ExpectWorks({"commit", "-q", "--allow-empty", "-m", "there"}, clone);
  ExpectWorks({"remote", "add", "origin", clone});
  ExpectWorks({"fetch", "-q", "origin"});
  ExpectWorks({"fetch", "-q", "origin", "main:theirs"});
  ExpectWorks({"push", "-q", "origin", "login"});
  ExpectWorks({"remote", "remove", "origin"});
  EXPECT_EQ(Tip("main"), tip_);
}

TEST_F(MergeProtectedWorkTest, WorktreesOfOthersAndOfMain) {
  const std::string there = repo_.outside() / "linked";
  ExpectWorks({"worktree", "add", "-q", "-b", "linked", there, "main"});
  ExpectWorks({"commit", "-q", "--allow-empty", "-m", "there"}, there);
  ExpectWorks({"checkout", "-q", "--detach", "main"}, there);
  ExpectWorks({"commit", "-q", "--allow-empty", "-m", "detached"}, there);
  ExpectWorks({"worktree", "remove", there});
  ExpectWorks({"worktree", "prune"});
}

TEST_F(MergeProtectedWorkTest, BisectingStashingRebasing) {
  ExpectWorks({"bisect", "start", "main", "main~1"});
  ExpectWorks({"bisect", "reset"});
  repo_.Write("tracked.txt", "changed\n");
  ExpectWorks({"stash", "-q"});
  ExpectWorks({"stash", "pop", "-q"});
  ExpectWorks({"reset", "-q", "--hard"});
  ExpectWorks({"rebase", "-q", "main", "side"});
  ExpectWorks({"checkout", "-q", "main"});
  ExpectWorks({"reset", "-q", "--hard", "main"});
  ExpectAsFound();
}

TEST_F(MergeProtectedWorkTest, TheQueueLands) {
  EXPECT_EQ(Belay({"merge-queue", "add", "login"}).exit_code, 0);
  EXPECT_EQ(Belay({"merge-queue", "add", "side"}).exit_code, 0);
  const RunOutcome landed = Belay({"merge-queue", "process", "--all", "--no-gates"});
  EXPECT_EQ(landed.exit_code, 0) << landed.err;
  EXPECT_THAT(landed.err, Not(HasSubstr("without the queue")));
  EXPECT_EQ(repo_.Git({"log", "-3", "--format=%s", "main"}),
            "work on side\nwork on login\nsecond\n");
  EXPECT_EQ(repo_.Git({"status", "--porcelain"}), "");
  EXPECT_EQ(repo_.Read("side.txt"), "side\n");
}

TEST_F(MergeProtectedWorkTest, ProtectingTwiceIsOnceAndUnprotectLeavesNothing) {
  const std::string hook = Hook();
  Protect();
  EXPECT_EQ(Hook(), hook);
  EXPECT_THAT(Belay({"merge-queue", "status"}).out, HasSubstr("protected"));
  Unprotect();
  EXPECT_EQ(Hook(), "(missing)");
  EXPECT_EQ(repo_.Read(kAside), "(missing)");
  Unprotect();
  ExpectWorks({"merge", "-q", "login"});
}

TEST_F(MergeProtectedWorkTest, TheHookStaysUntilTheLastTargetIsOpen) {
  EXPECT_EQ(Belay({"merge-queue", "protect", "--target", "side"}).exit_code, 0);
  Unprotect();
  EXPECT_NE(Hook(), "(missing)");
  ExpectWorks({"merge", "-q", "login"});
  EXPECT_NE(Git({"branch", "-f", "side", "login"}).exit_code, 0);
  EXPECT_EQ(Belay({"merge-queue", "unprotect", "--target", "side"}).exit_code, 0);
  EXPECT_EQ(Hook(), "(missing)");
  EXPECT_EQ(Belay({"merge-queue", "protect", "--target", "nosuch"}).exit_code, 3);
  EXPECT_EQ(Hook(), "(missing)");
}

TEST_F(MergeProtectedWorkTest, AHookThatWasThereIsAskedFirstAndPutBack) {
  Unprotect();
  WriteHook(kHook,
            "cat | sed \"s/^/$1 /\" >> \"$(git rev-parse --git-common-dir)/seen\"\n"
            "[ \"$1\" != prepared ] || ! git show-ref -q refs/heads/closed\n");
  const std::string before = Hook();
  Protect();
  EXPECT_EQ(repo_.Read(kAside), before);
  const std::string lines = tip_ + " refs/heads/new\n";
  ExpectWorks({"branch", "new", "main"});
  EXPECT_THAT(repo_.Read(".git/seen"), HasSubstr("prepared " + std::string(40, '0') + " " + lines));
  EXPECT_THAT(repo_.Read(".git/seen"),
              HasSubstr("committed " + std::string(40, '0') + " " + lines));
  ExpectRefused({"merge", "login"});
  ExpectAsFound();
  ExpectWorks({"branch", "closed", "main"});
  const RunOutcome refused = Git({"branch", "other", "main"});
  EXPECT_NE(refused.exit_code, 0) << "the hook that was there says no";
  Protect();
  EXPECT_EQ(repo_.Read(kAside), before);
  Unprotect();
  EXPECT_EQ(Hook(), before);
  EXPECT_EQ(ModeOf(kHook) & 07777U, 0755U);
  EXPECT_EQ(repo_.Read(kAside), "(missing)");
}

TEST_F(MergeProtectedWorkTest, AHookThatCannotBeRunStaysSo) {
  Unprotect();
  WriteHook(kHook, "exit 1\n", 0644);
  Protect();
  ExpectWorks({"branch", "new"});
  ExpectRefused({"merge", "login"});
  Unprotect();
  EXPECT_EQ(Hook(), "#!/bin/sh\nexit 1\n");
  EXPECT_EQ(ModeOf(kHook) & 07777U, 0644U);
}

TEST_F(MergeProtectedWorkTest, AHookThatIsALinkIsAskedAndPutBackAsOne) {
  Unprotect();
  WriteHook("tools/hook", "touch \"$(git rev-parse --git-common-dir)/linked\"\n");
  repo_.MakeLink("../../tools/hook", kHook);
  Protect();
  ExpectWorks({"branch", "new"});
  EXPECT_EQ(repo_.Read(".git/linked"), "");
  EXPECT_EQ(Git({"merge", "login"}).exit_code, 128);
  Unprotect();
  EXPECT_TRUE(S_ISLNK(ModeOf(kHook)));
}

TEST_F(MergeProtectedWorkTest, WhatReplacedOurHookIsNotTakenForOurs) {
  Unprotect();
  WriteHook(kHook, "exit 0\n");
  Protect();
  WriteHook(kHook, "exit 0 # new\n");
  const RunOutcome again = Belay({"merge-queue", "protect"});
  EXPECT_EQ(again.exit_code, 4);
  EXPECT_THAT(again.err, HasSubstr("move the other away"));
  Unprotect();
  EXPECT_EQ(Hook(), "#!/bin/sh\nexit 0 # new\n");
  EXPECT_EQ(repo_.Read(kAside), "#!/bin/sh\nexit 0\n");
}

TEST_F(MergeProtectedWorkTest, TheFolderThatGitUsesIsTaken) {
  Unprotect();
  const std::string shared = repo_.outside() / "shared-hooks";
  repo_.Git({"config", "core.hooksPath", shared});
  Protect();
  EXPECT_EQ(Hook(), "(missing)");
  EXPECT_THAT(repo_.outside().Read("shared-hooks/reference-transaction"), HasSubstr(repo_.path()));
  ExpectRefused({"merge", "login"});
  ExpectAsFound();
  const std::string clone = repo_.outside() / "clone";
  ExpectWorks({"clone", "-q", repo_.path(), clone});
  ExpectWorks({"config", "core.hooksPath", shared}, clone);
  ExpectWorks({"commit", "-q", "--allow-empty", "-m", "not protected here"}, clone);
  Unprotect();
  EXPECT_EQ(repo_.outside().Read("shared-hooks/reference-transaction"), "(missing)");
}

TEST_F(MergeProtectedWorkTest, ARelativeFolderIsAnotherOneInEachWorktree) {
  Unprotect();
  repo_.Git({"config", "core.hooksPath", "hooks"});
  repo_.Write(".git/info/exclude", ".claude/\nhooks/\n");
  const std::string there = repo_.outside() / "linked";
  repo_.Git({"worktree", "add", "-q", there, "side"});
  Protect();
  EXPECT_NE(Git({"branch", "-f", "main", "login"}, {}, there).exit_code, 0);
  EXPECT_NE(Git({"update-ref", "refs/heads/main", "login"}, {}, there).exit_code, 0);
  ExpectRefused({"merge", "login"});
  Unprotect();
  EXPECT_EQ(repo_.Read("hooks/reference-transaction"), "(missing)");
  EXPECT_EQ(repo_.outside().Read("linked/hooks/reference-transaction"), "(missing)");
}

TEST_F(MergeProtectedWorkTest, AWorktreeInWhichGitCannotWorkIsSkippedAndReported) {
  const std::string lost = repo_.outside() / "lost";
  repo_.Git({"worktree", "add", "-q", lost});
  repo_.Git({"worktree", "lock", lost});  // so git doesn't call it prunable
  std::filesystem::remove_all(lost);
  repo_.Git({"worktree", "add", "-q", repo_.outside() / "broken"});
  repo_.Write(".git/worktrees/broken/HEAD", "");
  for (const char* const command : {"unprotect", "protect"}) {
    const RunOutcome outcome = Belay({"merge-queue", command});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("skipped, because git can't work there: " + lost));
    EXPECT_THAT(outcome.err, HasSubstr(repo_.outside() / "broken"));
  }
  ExpectRefused({"merge", "login"});
}

TEST_F(MergeProtectedWorkTest, WithoutBelayGitContinuesWithAWarning) {
  std::string script = Hook();
  const std::string path = BelayBinary();
  script.replace(script.find(path), path.size(), "/nonexistent/belay");
  repo_.Write(kHook, script);
  const RunOutcome merged = Git({"merge", "login"}, {{"PATH", "/usr/bin:/bin"}});
  EXPECT_EQ(merged.exit_code, 0) << merged.err;
  EXPECT_THAT(merged.err, HasSubstr("belay isn't there"));
}

TEST_F(MergeProtectedWorkTest, WithoutTheListOfNamesTheJournalIsAsked) {
  repo_.Remove(".git/belay/merge/guarded-refs");
  ExpectRefused({"merge", "login"});
  ExpectAsFound();
}

TEST_F(MergeProtectedWorkTest, AJournalThatCannotBeReadLetsPassWithAWarning) {
  repo_.Write(".git/belay/format", "99\n");
  const RunOutcome merged = Git({"merge", "login"});
  EXPECT_EQ(merged.exit_code, 0);
  EXPECT_THAT(merged.err, HasSubstr("belay can't check this, so it is allowed"));
}

}  // namespace
}  // namespace belay
