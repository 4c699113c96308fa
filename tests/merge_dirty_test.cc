// A person works in a checkout of the target while work lands on it. Changes in other files stay,
// and the checkout follows; changes in the same files let the landing wait. No ordinary commit
// undoes what has landed.

#include "held_git.h"
#include "merge_sandbox.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class MergeDirtyTest : public MergeSandbox {
 protected:
  // m1 adds landed.txt and changes tracked.txt; other.txt is for the person.
  MergeDirtyTest() {
    MoreOn("main", {{"other.txt", "one\n"}, {"staged.txt", "one\n"}});
    Branch("a", {{{"landed.txt", "landed\n"}, {"tracked.txt", "a\n"}}});
    Add("a");
  }

  void ExpectLanded() {
    EXPECT_EQ(Status("m1"), "merged");
    EXPECT_EQ(repo_.Read("landed.txt"), "landed\n");
    EXPECT_EQ(FileOf("landed.txt"), "landed\n");
    EXPECT_EQ(repo_.Read(".git/index.lock"), "(missing)");
    EXPECT_EQ(repo_.Read(".git/belay/merge/checkout-move"), "(missing)");
  }
  // Nothing has landed, and the checkout is as it was.
  void ExpectWaits(const std::string& reason) {
    const std::string before =
        Script("git status --porcelain; git rev-parse main; git ls-files -s");
    const RunOutcome outcome = ProcessAll();
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(Status("m1"), "waiting_checkout");
    EXPECT_THAT(repo_.Read(".claude/state/merge-queue.json"), HasSubstr("waiting_checkout"));
    EXPECT_THAT(ErrorOf("m1"), AllOf(HasSubstr(repo_.path()), HasSubstr(reason)));
    EXPECT_EQ(Script("git status --porcelain; git rev-parse main; git ls-files -s"), before);
  }
  void LandLater() {
    Land();
    ExpectLanded();
  }
};

TEST_F(MergeDirtyTest, AnUnrelatedEditStaysAndTheNextCommitUndoesNothing) {
  repo_.Write("other.txt", "mine\n");
  Land();
  ExpectLanded();
  EXPECT_EQ(MainChanges(), " M other.txt\n");
  EXPECT_EQ(repo_.Read("other.txt"), "mine\n");
  repo_.Git({"commit", "-q", "-am", "mine"});
  EXPECT_EQ(FileOf("landed.txt") + FileOf("tracked.txt") + FileOf("other.txt"),
            "landed\na\nmine\n");
}

TEST_F(MergeDirtyTest, WhatIsStagedStaysStaged) {
  repo_.Write("staged.txt", "two\n");
  repo_.Write("added", "new\n");
  repo_.Write("intended", "later\n");
  Script("git add staged.txt added; git add -N intended; git mv other.txt renamed.txt");
  repo_.Write("staged.txt", "three\n");
  repo_.Write("untracked", "x\n");
  const std::string before = MainChanges();
  Land();
  ExpectLanded();
  EXPECT_EQ(MainChanges(), before);
  EXPECT_EQ(repo_.Git({"show", ":staged.txt"}), "two\n");
  repo_.Git({"commit", "-qm", "what is staged", "--", "staged.txt", "added"});
  EXPECT_EQ(FileOf("landed.txt") + FileOf("staged.txt"), "landed\nthree\n");
}

// Each kind of change beside the landed paths, then each kind of commit.
class MergeDirtyCommitTest : public MergeDirtyTest,
                             public ::testing::WithParamInterface<const char*> {};

TEST_P(MergeDirtyCommitTest, NoOrdinaryCommitUndoesWhatHasLanded) {
  repo_.Write("other.txt", "mine\n");
  repo_.Git({"rm", "-q", "staged.txt"});
  Land();
  ExpectLanded();
  Script(GetParam());
  EXPECT_EQ(FileOf("landed.txt") + FileOf("tracked.txt"), "landed\na\n");
  EXPECT_EQ(repo_.Read("landed.txt"), "landed\n");
}

INSTANTIATE_TEST_SUITE_P(, MergeDirtyCommitTest,
                         ::testing::Values("git commit -qm x", "git commit -qam x",
                                           "git commit -qm x other.txt",
                                           "git add -A; git commit -qm x",
                                           "git add other.txt; git commit -qm x",
                                           "git stash -q; git stash pop -q; git commit -qam x",
                                           "git commit -q --amend -m x"));

TEST_F(MergeDirtyTest, AnEditInALandedFileLetsItWaitAndItLandsWhenThatIsCommitted) {
  repo_.Write("tracked.txt", "mine\n");
  ExpectWaits("\"tracked.txt\" is changed");
  EXPECT_THAT(Queue({"list"}).out, HasSubstr("waiting_checkout"));
  EXPECT_THAT(Queue({"status"}).out, HasSubstr("m1 waits: the checkout of main in "));
  EXPECT_THAT(Belay({"why", "m1"}).out, HasSubstr("waiting_checkout"));
  EXPECT_EQ(repo_.Read("tracked.txt"), "mine\n");
  Script("git stash -q");
  LandLater();
  EXPECT_EQ(repo_.Read("tracked.txt"), "a\n");
}

TEST_F(MergeDirtyTest, APersonIsNotifiedOnceAndTheReasonIsShownEachTime) {
  repo_.Write("tracked.txt", "mine\n");
  const auto told = [&] {
    const std::string all = Belay({"signal", "list", "person"}).out;
    std::size_t count = 0;
    for (std::size_t at = 0; (at = all.find("ESCALATE", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  ProcessAll();
  EXPECT_EQ(told(), 1U);
  const RunOutcome again = ProcessAll();
  EXPECT_THAT(again.out, HasSubstr("m1 waits: the checkout of main"));
  EXPECT_EQ(told(), 1U);
}

TEST_F(MergeDirtyTest, OthersContinueAndItIsTestedAgainOnWhatTheyMade) {
  Branch("b", {{{"b", "1\n"}}});
  repo_.Write("tracked.txt", "mine\n");
  ProcessAll();
  Add("b");
  ProcessAll();
  EXPECT_EQ(Status("m1") + " " + Status("m2"), "waiting_checkout merged");
  EXPECT_EQ(repo_.Read("b"), "1\n");
  EXPECT_EQ(repo_.Read("tracked.txt"), "mine\n");
  repo_.Git({"checkout", "-q", "tracked.txt"});
  LandLater();
  EXPECT_EQ(History(), "first\nmore\nwork on b\nwork on a\n");
}

TEST_F(MergeDirtyTest, OneThatDependsOnItWaitsToo) {
  Branch("b", {{{"b", "1\n"}}});
  Add("b", {"--after", "m1"});
  repo_.Write("tracked.txt", "mine\n");
  ProcessAll();
  EXPECT_EQ(Status("m1") + " " + Status("m2"), "waiting_checkout queued");
  repo_.Git({"checkout", "-q", "tracked.txt"});
  LandLater();
  EXPECT_EQ(Status("m2"), "merged");
}

TEST_F(MergeDirtyTest, ItCanBeRemovedRetriedAndPaused) {
  repo_.Write("tracked.txt", "mine\n");
  ProcessAll();
  EXPECT_EQ(Queue({"pause"}).exit_code, 0);
  repo_.Git({"checkout", "-q", "tracked.txt"});
  ProcessAll();
  EXPECT_EQ(Status("m1"), "waiting_checkout");
  EXPECT_EQ(Queue({"unpause"}).exit_code, 0);
  EXPECT_EQ(Queue({"retry", "m1"}).exit_code, 0);
  EXPECT_EQ(Status("m1"), "queued");
  repo_.Write("tracked.txt", "mine\n");
  ProcessAll();
  EXPECT_EQ(Queue({"remove", "m1"}).exit_code, 0);
  EXPECT_EQ(Status("m1"), "cancelled");
  EXPECT_EQ(repo_.Read("tracked.txt"), "mine\n");
}

// What a person does, and what is in the way then. Afterwards it is taken back.
struct Overlap {
  const char* name;
  const char* does;
  const char* reason;
  const char* undoes;
};
void PrintTo(const Overlap& overlap, std::ostream* out) { *out << overlap.name; }
class MergeOverlapTest : public MergeDirtyTest, public ::testing::WithParamInterface<Overlap> {};

TEST_P(MergeOverlapTest, LetsItWaitAndThenItLands) {
  Script(GetParam().does);
  ExpectWaits(GetParam().reason);
  Script(GetParam().undoes);
  LandLater();
}

INSTANTIATE_TEST_SUITE_P(
    , MergeOverlapTest,
    ::testing::Values(
        Overlap{"Staged", "echo x > tracked.txt; git add tracked.txt",
                "\"tracked.txt\" has staged changes", "git reset -q --hard"},
        Overlap{"StagedAndEditedBack",
                "echo x > tracked.txt; git add tracked.txt; echo first > tracked.txt",
                "\"tracked.txt\" has staged changes", "git reset -q --hard"},
        Overlap{"Deleted", "rm tracked.txt", "\"tracked.txt\" is deleted", "git reset -q --hard"},
        Overlap{"DeletedFromTheIndex", "git rm -q --cached tracked.txt",
                "\"tracked.txt\" has staged changes", "git reset -q --hard"},
        Overlap{"Renamed", "git mv tracked.txt elsewhere.txt", "\"tracked.txt\" has staged changes",
                "git reset -q --hard"},
        Overlap{"Untracked", "echo mine > landed.txt",
                "\"landed.txt\" is in the way, and git doesn't track it", "rm landed.txt"},
        Overlap{"Ignored", "echo landed.txt >> .git/info/exclude; echo mine > landed.txt",
                "\"landed.txt\" is in the way, and git doesn't track it", "rm landed.txt"},
        Overlap{"IntentToAdd", "echo mine > landed.txt; git add -N landed.txt",
                "\"landed.txt\" has staged changes", "git rm -qf landed.txt"},
        Overlap{"StagedAnew", "echo mine > landed.txt; git add landed.txt",
                "\"landed.txt\" has staged changes", "git rm -qf landed.txt"},
        Overlap{"AFolderInTheWay", "mkdir landed.txt; echo 1 > landed.txt/x",
                "the folder \"landed.txt\" is in the way", "rm -r landed.txt"},
        Overlap{"AStagedFolderInTheWay",
                "mkdir landed.txt; echo 1 > landed.txt/x; git add landed.txt/x",
                "\"landed.txt/x\" is in the way", "git rm -qrf landed.txt"},
        Overlap{"AssumeUnchanged", "git update-index --assume-unchanged tracked.txt",
                "git is set to ignore changes in \"tracked.txt\"",
                "git update-index --no-assume-unchanged tracked.txt"},
        Overlap{"SkipWorktree",
                "git update-index --skip-worktree tracked.txt; echo x > tracked.txt",
                "git is set to ignore changes in \"tracked.txt\"",
                "git update-index --no-skip-worktree tracked.txt; git checkout -q tracked.txt"},
        Overlap{"ChangedMode", "chmod +x tracked.txt", "\"tracked.txt\" is changed",
                "chmod -x tracked.txt"},
        Overlap{"AMerge", "echo 1 > .git/MERGE_HEAD", "a merge is in progress",
                "rm .git/MERGE_HEAD"},
        Overlap{"ACherryPick", "git rev-parse a > .git/CHERRY_PICK_HEAD",
                "a cherry-pick is in progress", "rm .git/CHERRY_PICK_HEAD"},
        Overlap{"ARevert", "git rev-parse a > .git/REVERT_HEAD", "a revert is in progress",
                "rm .git/REVERT_HEAD"},
        Overlap{"ABisection", "git bisect start -q", "a bisection is in progress",
                "git bisect reset >/dev/null"},
        Overlap{"ALock", "touch .git/index.lock", "index.lock exists", "rm .git/index.lock"}),
    [](const auto& one) { return one.param.name; });

TEST_F(MergeDirtyTest, ARebaseOfTheTargetLetsItWait) {
  Script(
      "git checkout -q -b base main~1; echo base > other.txt; git add other.txt; git commit -qm "
      "base;"
      "git checkout -q main; git rebase -q base 2>/dev/null || true; test -d .git/rebase-merge");
  ProcessAll();
  EXPECT_EQ(Status("m1"), "waiting_checkout");
  EXPECT_THAT(ErrorOf("m1"), HasSubstr("main is being rebased in " + repo_.path()));
  Script("git rebase --abort");
  LandLater();
}

TEST_F(MergeDirtyTest, UnmergedFilesLetItWait) {
  Script(
      "echo stash > other.txt; git stash -q; echo more > other.txt; git commit -qam more;"
      "git stash pop -q >/dev/null 2>&1 || true; git ls-files -u | grep -q other.txt");
  ProcessAll();
  EXPECT_THAT(ErrorOf("m1"), HasSubstr("\"other.txt\" is unmerged there"));
  Script("git checkout -q --ours other.txt; git add other.txt");
  LandLater();
}

TEST_F(MergeDirtyTest, AForeignLockIsNeverRemoved) {
  repo_.Write(".git/index.lock", "somebody's");
  ProcessAll();
  EXPECT_EQ(repo_.Read(".git/index.lock"), "somebody's");
  EXPECT_EQ(Belay({"doctor", "--repair"}).exit_code, 0);
  EXPECT_EQ(repo_.Read(".git/index.lock"), "somebody's");
  repo_.Remove(".git/index.lock");
  LandLater();
}

TEST_F(MergeDirtyTest, WhatAPersonHasStagedExactlyAsItLandsDoesNotBlockIt) {
  Script("git checkout -q a -- landed.txt");
  Land();
  ExpectLanded();
  EXPECT_EQ(MainChanges(), "");
}

TEST_F(MergeDirtyTest, WithLandTheFilesStayAndGitRefusesToCommitUntilTheyAreResolved) {
  Settings("  dirty_checkout: land\n  gates:\n    - {name: test, run: 'true'}\n");
  repo_.Write("tracked.txt", "mine\n");
  repo_.Write("other.txt", "mine\n");
  const RunOutcome outcome = ProcessAll();
  EXPECT_THAT(outcome.err, HasSubstr("now unmerged, with your version in the files"));
  ExpectLanded();
  EXPECT_EQ(repo_.Read("tracked.txt"), "mine\n");
  EXPECT_EQ(MainChanges(), " M other.txt\nUU tracked.txt\n");
  EXPECT_EQ(repo_.Git({"show", ":1:tracked.txt"}) + repo_.Git({"show", ":2:tracked.txt"}) +
                repo_.Git({"show", ":3:tracked.txt"}),
            "first\nmine\na\n");
  EXPECT_NE(repo_.TryGit({"commit", "-qm", "x"}), 0);
  EXPECT_NE(repo_.TryGit({"stash", "-q"}), 0);
  repo_.Write("tracked.txt", "a and mine\n");
  Script("git commit -qm other other.txt");  // a file that doesn't matter
  Script("git add tracked.txt; git commit -qam both");
  EXPECT_EQ(FileOf("landed.txt") + FileOf("tracked.txt"), "landed\na and mine\n");
}

TEST_F(MergeDirtyTest, WithLandAFileThatGitDoesNotTrackStaysToo) {
  Settings("  dirty_checkout: land\n  gates:\n    - {name: test, run: 'true'}\n");
  repo_.Write("landed.txt", "mine\n");
  ProcessAll();
  EXPECT_EQ(Status("m1"), "merged");
  EXPECT_EQ(repo_.Read("landed.txt"), "mine\n");
  EXPECT_EQ(MainChanges(), "AA landed.txt\n");
  EXPECT_NE(repo_.TryGit({"commit", "-qm", "x"}), 0);
}

// `git commit -a` takes unmerged files as they are, as git always does. Only those: the rest of
// what has landed stays.
TEST_F(MergeDirtyTest, WithLandACommitOfEverythingTakesThePersonsVersionOfThoseFilesOnly) {
  Settings("  dirty_checkout: land\n  gates:\n    - {name: test, run: 'true'}\n");
  repo_.Write("tracked.txt", "mine\n");
  ProcessAll();
  Script("git commit -qam all");
  EXPECT_EQ(FileOf("tracked.txt") + FileOf("landed.txt"), "mine\nlanded\n");
}

TEST_F(MergeDirtyTest, OneThatAnOlderBelayLeftBehindIsBroughtToTheTarget) {
  const std::string before = Commit("main");
  repo_.Git({"update-ref", "refs/heads/main", "a"});
  repo_.Write(".git/belay-behind", "refs/heads/main " + before + "\n");
  repo_.Write("other.txt", "mine\n");
  repo_.Write("tracked.txt", "mine\n");
  const RunOutcome outcome = ProcessAll();
  EXPECT_THAT(outcome.err, HasSubstr("now unmerged"));
  EXPECT_EQ(repo_.Read("landed.txt"), "landed\n");
  EXPECT_EQ(MainChanges(), " M other.txt\nUU tracked.txt\n");
  EXPECT_EQ(repo_.Read(".git/belay-behind"), "(missing)");
}

TEST_F(MergeDirtyTest, EveryCheckoutOfTheTargetFollowsOrNoneDoes) {
  const std::string linked = repo_.outside() / "linked";
  repo_.Git({"worktree", "add", "-q", "--force", linked, "main"});
  const auto there = [&](const std::string& script) {
    return RunReal({"sh", "-ec", script},
                   {.folder = linked, .environment = GitRepository::Environment()})
        .out;
  };
  there("echo mine > tracked.txt");
  repo_.Write("other.txt", "mine\n");
  ProcessAll();
  EXPECT_EQ(Status("m1"), "waiting_checkout");
  EXPECT_THAT(ErrorOf("m1"), HasSubstr(linked));
  EXPECT_EQ(MainChanges(), " M other.txt\n");
  there("git checkout -q tracked.txt; echo theirs > staged.txt");
  LandLater();
  EXPECT_EQ(MainChanges(), " M other.txt\n");
  EXPECT_EQ(there("git status --porcelain; cat landed.txt"), " M staged.txt\nlanded\n");
}

// Git's commit reads the index before it locks it, and writes what it has read. One that has read
// the index of before must find it locked.
TEST_F(MergeDirtyTest, ACommitThatHasReadTheOldIndexNeverWritesItOverTheNewOne) {
  repo_.Write("other.txt", "mine\n");
  repo_.Git({"add", "other.txt"});
  Script("touch -d '2 hours ago' staged.txt");  // so that git has something to write
  std::vector<std::string> environment = {std::string("PATH=") + getenv("PATH")};
  for (const auto& [name, value] : GitRepository::Environment()) {
    environment.push_back(name + "=" + value);
  }
  HeldGit commit({"git", "commit", "-qm", "mine"}, repo_.path(), environment);
  ASSERT_TRUE(commit.RunToTheLock());
  Process belay = StartProcessing();
  // It waits for that git. If it didn't, it would have landed by now.
  (void)belay.WaitAtMost(std::chrono::seconds(1));
  (void)commit.GoOn();
  EXPECT_EQ(belay.Wait().code(), 0);
  LandLater();
  Script("git commit -q --allow-empty -m mine");
  EXPECT_EQ(FileOf("landed.txt") + FileOf("tracked.txt") + FileOf("other.txt"),
            "landed\na\nmine\n");
}

// What git itself would make of it.
TEST_F(MergeDirtyTest, IsLeftAsAFastForwardWouldLeaveIt) {
  Branch("b", {{{"d/new", "1\n"}, {".gitattributes", "*.crlf text eol=crlf\n"}}});
  repo_.Git({"checkout", "-q", "b"});
  Script(
      "git rm -q tracked.txt; mkdir tracked.txt; echo 1 > tracked.txt/x; ln -s other.txt link;"
      "printf 'a\\n' > w.crlf; printf '#!/bin/sh\\n' > run; chmod +x run; git mv staged.txt "
      "d/moved;"
      "git add -A; git commit -qm types; git checkout -q main");
  Queue({"remove", "m1"});
  Add("b");
  repo_.Write("other.txt", "mine\n");
  repo_.Write("added", "1\n");
  repo_.Git({"add", "added"});
  const std::string by_hand = repo_.outside() / "by-hand";
  Script("cp -a . " + by_hand + "; cd " + by_hand + "; git merge -q --ff-only b");
  Land();
  const std::string show =
      "git status --porcelain=v2 --untracked-files=all; git ls-files -s; find . -path ./.git "
      "-prune -o -path ./.claude -prune -o -type f -printf '%p %m\\n' | sort; cat w.crlf";
  EXPECT_EQ(Script(show), Script("cd " + by_hand + "; " + show));
}

TEST_F(MergeDirtyTest, ASparseCheckoutStaysSparse) {
  Branch("b", {{{"in/x", "1\n"}, {"out/x", "1\n"}}});
  Queue({"remove", "m1"});
  Add("b");
  Script("git sparse-checkout set in 2>/dev/null");
  repo_.Write("other.txt", "mine\n");
  Land();
  EXPECT_EQ(repo_.Read("in/x") + repo_.Read("out/x"), "1\n(missing)");
  EXPECT_EQ(MainChanges(), " M other.txt\n");
  Script("git commit -qam mine");
  EXPECT_EQ(FileOf("out/x"), "1\n");
}

TEST_F(MergeDirtyTest, ASplitIndexAndACacheOfUntrackedFilesAreUnderstood) {
  Script("git update-index --split-index --untracked-cache 2>/dev/null; echo x > untracked");
  repo_.Write("other.txt", "mine\n");
  Land();
  ExpectLanded();
  EXPECT_EQ(MainChanges(), " M other.txt\n?? untracked\n");
  Script("git fsck; git commit -qam mine");
  EXPECT_EQ(FileOf("landed.txt"), "landed\n");
}

TEST_F(MergeDirtyTest, AProtectedTargetWaitsAndLandsAsWell) {
  EXPECT_EQ(Queue({"protect"}).exit_code, 0);
  repo_.Write("tracked.txt", "mine\n");
  ProcessAll();
  EXPECT_EQ(Status("m1"), "waiting_checkout");
  repo_.Git({"checkout", "-q", "tracked.txt"});
  repo_.Write("other.txt", "mine\n");
  LandLater();
  EXPECT_EQ(MainChanges(), " M other.txt\n");
}

}  // namespace
}  // namespace belay
