// belay is killed at each step of moving a target together with a checkout in which a person has
// changes. No lock is left there, with another belay or without; a commit right after it undoes
// nothing; and the next run lands what was to land.

#include <fstream>
#include <functional>

#include "killed_at_point.h"
#include "merge_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

struct Step {
  const char* name;
  const char* begins;  // the point, as KilledAtPoint names it
  const char* has;
  const char* ends;
};
void PrintTo(const Step& step, std::ostream* out) { *out << step.name; }

class MergeDirtyKillTest : public MergeSandbox, public ::testing::WithParamInterface<Step> {
 protected:
  // m1 changes, adds and deletes; the person has an edit and something staged.
  MergeDirtyKillTest() {
    MoreOn("main", {{"other.txt", "one\n"}, {"staged.txt", "one\n"}, {"going/away", "1\n"}});
    Script(
        "git checkout -q -b a; echo a > tracked.txt; mkdir new; echo landed > new/landed.txt;"
        "git rm -q going/away; git add -A; git commit -qm 'work on a'; git checkout -q main");
    Add("a");
    repo_.Write("other.txt", "mine\n");
    repo_.Write("staged.txt", "two\n");
    repo_.Git({"add", "staged.txt"});
  }

  KilledAtPoint Traced() const {
    std::vector<std::string> environment = {std::string("PATH=") + getenv("PATH")};
    environment.push_back("HOME=" + repo_.outside().path());
    for (const auto& [name, value] : GitRepository::Environment()) {
      environment.push_back(name + "=" + value);
    }
    return {{BelayBinary(), "merge-queue", "process", "--all"}, repo_.path(), environment};
  }
  static bool IsAt(const Step& step, const std::string& point) {
    return point.starts_with(step.begins) && point.find(step.has) != std::string::npos &&
           point.ends_with(step.ends);
  }
  // With `all`, the stand-in is killed as well.
  bool KillAt(const Step& step, bool all) {
    return Traced().Run([&](const std::string& point) { return IsAt(step, point); }, all);
  }
  // Belay stands still at that point, the first time it comes there, while `act` is done.
  void ActAt(const Step& step, const std::function<void()>& act) {
    bool done = false;
    EXPECT_FALSE(Traced().Run([&](const std::string& point) {
      if (!done && IsAt(step, point)) {
        done = true;
        act();
      }
      return false;
    }));
    EXPECT_TRUE(done) << step.name;
  }
  // It has the lock of the run for as long as it works.
  void AwaitRescueProcess() {
    const std::string lock = repo_ / ".git/belay/locks/merge-run.lock";
    EXPECT_EQ(RunReal({"flock", "-w", "30", lock, "true"}).exit_code, 0);
  }
  bool HasLanded() {
    return repo_.Git({"log", "--format=%s", "main"}).find("work on a") != std::string::npos;
  }
  // All of the landing is in main, or nothing of it.
  void ExpectWhole(bool landed) {
    EXPECT_EQ(FileOf("tracked.txt"), landed ? "a\n" : "first\n");
    EXPECT_EQ(repo_.TryGit({"cat-file", "-e", "main:new/landed.txt"}) == 0, landed);
    EXPECT_EQ(repo_.TryGit({"cat-file", "-e", "main:going/away"}) == 0, !landed);
  }
  void ExpectAllThere() {
    ExpectWhole(true);
    EXPECT_EQ(repo_.Read("tracked.txt") + repo_.Read("new/landed.txt"), "a\nlanded\n");
    EXPECT_EQ(repo_.Read("going/away"), "(missing)");
    EXPECT_EQ(FileOf("other.txt") + FileOf("staged.txt"), "mine\ntwo\n");
    EXPECT_EQ(MainChanges(), "");
    ExpectTidy();
  }
};

TEST_P(MergeDirtyKillTest, AloneLeavesNoLockAndTheNextCommitUndoesNothing) {
  ASSERT_TRUE(KillAt(GetParam(), false));
  AwaitRescueProcess();
  EXPECT_EQ(repo_.Read(".git/index.lock"), "(missing)");
  EXPECT_EQ(MainChanges(), " M other.txt\nM  staged.txt\n");
  repo_.Git({"commit", "-qam", "mine"});
  ExpectWhole(HasLanded());
  Land();
  EXPECT_EQ(Status("m1"), "merged");
  ExpectAllThere();
}

TEST_P(MergeDirtyKillTest, WithItsRescueProcessIsEndedByTheNextRun) {
  ASSERT_TRUE(KillAt(GetParam(), true));
  Land();
  EXPECT_EQ(Status("m1"), "merged");
  EXPECT_EQ(MainChanges(), " M other.txt\nM  staged.txt\n");
  repo_.Git({"commit", "-qam", "mine"});
  ExpectAllThere();
}

// As git advises. What was half done is then the person's to commit; the rest lands.
TEST_P(MergeDirtyKillTest, WithItsRescueProcessAndALockThatAPersonRemovesLosesNothing) {
  ASSERT_TRUE(KillAt(GetParam(), true));
  Script(
      "rm -f .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock; git add -A;"
      "git commit -qm mine");
  const RunOutcome outcome = ProcessAll();
  EXPECT_THAT(outcome.exit_code, ::testing::AnyOf(0, 1)) << outcome.err;
  ExpectAllThere();
}

// Git writes the index then, though nothing in it changes.
TEST_P(MergeDirtyKillTest,
       WithItsRescueProcessAndALockThatAPersonRemovesToLookAtItIsEndedByTheNextRun) {
  ASSERT_TRUE(KillAt(GetParam(), true));
  Script(
      "rm -f .git/index.lock .git/HEAD.lock .git/refs/heads/main.lock;"
      "touch other.txt; git status > /dev/null");
  Land();
  EXPECT_EQ(Status("m1"), "merged");
  EXPECT_EQ(MainChanges(), " M other.txt\nM  staged.txt\n");
  repo_.Git({"commit", "-qam", "mine"});
  ExpectAllThere();
}

// What was put in place for the old target goes back; then it lands on the new one.
TEST_P(MergeDirtyKillTest, WithItsRescueProcessAndATargetThatHasMovedSinceIsUndone) {
  ASSERT_TRUE(KillAt(GetParam(), true));
  Script(
      "rm -f .git/HEAD.lock .git/refs/heads/main.lock;"
      "git update-ref refs/heads/main $(git commit-tree -p main -m more 'main^{tree}')");
  const std::string before = HasLanded() ? "landed" : "not";
  Land();
  EXPECT_EQ(Status("m1"), "merged") << before;
  EXPECT_EQ(MainChanges(), " M other.txt\nM  staged.txt\n") << before;
  repo_.Git({"commit", "-qam", "mine"});
  ExpectAllThere();
}

TEST_P(MergeDirtyKillTest, WithItsRescueProcessIsEndedByDoctor) {
  ASSERT_TRUE(KillAt(GetParam(), true));
  const RunOutcome repaired = Belay({"doctor", "--repair"});
  EXPECT_EQ(repaired.exit_code, 0) << repaired.out;
  EXPECT_EQ(repo_.Read(".git/index.lock"), "(missing)");
  EXPECT_EQ(MainChanges(), " M other.txt\nM  staged.txt\n");
  repo_.Git({"commit", "-qam", "mine"});
  ExpectWhole(HasLanded());
}

// A person writes to a file that lands, after belay has looked at it.
class MergeDirtyRaceTest : public MergeDirtyKillTest {};

TEST_P(MergeDirtyRaceTest, WhatAPersonWritesInTheLastMomentStays) {
  ActAt(GetParam(), [&] { repo_.Write("tracked.txt", "mine\n"); });
  EXPECT_EQ(repo_.Read("tracked.txt"), "mine\n");
  EXPECT_EQ(Status("m1"), "waiting_checkout");
  EXPECT_EQ(MainChanges(), " M other.txt\nM  staged.txt\n M tracked.txt\n");
  repo_.Git({"checkout", "-q", "tracked.txt"});
  Land();
  repo_.Git({"commit", "-qam", "mine"});
  ExpectAllThere();
}

INSTANTIATE_TEST_SUITE_P(
    , MergeDirtyRaceTest,
    ::testing::Values(Step{"BeforeTheLock", "before rename", "", "/index.lock"},
                      Step{"AfterTheLock", "after rename", "", "/index.lock"},
                      Step{"AfterAnotherFile", "after rename", "", "/old/0"},
                      Step{"WhenItIsReplaced", "before rename", "", "/repo/tracked.txt"}),
    [](const auto& one) { return one.param.name; });

// A file that git doesn't track appears where a new one comes.
TEST_P(MergeDirtyRaceTest, AFileThatAppearsInTheLastMomentStays) {
  ActAt(GetParam(), [&] { repo_.Write("new/landed.txt", "mine\n"); });
  const bool late = std::string(GetParam().name) == "WhenItIsReplaced";  // it is there by then
  EXPECT_EQ(repo_.Read("new/landed.txt"), "mine\n");
  EXPECT_EQ(Status("m1"), late ? "merged" : "waiting_checkout");
  EXPECT_EQ(FileOf("other.txt"), "one\n");
}

// An editor that opened a file before it was replaced, and writes to it afterwards.
TEST_F(MergeDirtyKillTest, WhatAProgramWritesToAFileThatWasJustReplacedIsKeptBesideIt) {
  std::ofstream editor(repo_ / "tracked.txt", std::ios::app);
  const Step step{"", "after rename", "", "/.git/index"};
  ActAt(step, [&] { editor << "late\n" << std::flush; });
  EXPECT_EQ(Status("m1"), "merged");
  EXPECT_EQ(repo_.Read("tracked.txt"), "a\n");
  EXPECT_EQ(repo_.Read("tracked.txt.kept-by-belay"), "first\nlate\n");
}

// The whole index, by git, between the look and the lock.
class MergeStageRaceTest : public MergeDirtyKillTest {};

TEST_P(MergeStageRaceTest, WhatAPersonStagesInTheLastMomentStays) {
  ActAt(GetParam(), [&] { repo_.Git({"add", "other.txt"}); });
  EXPECT_EQ(Status("m1"), "merged");
  EXPECT_EQ(MainChanges(), "M  other.txt\nM  staged.txt\n");
  repo_.Git({"commit", "-qm", "mine"});
  ExpectAllThere();
}

INSTANTIATE_TEST_SUITE_P(, MergeStageRaceTest,
                         ::testing::Values(Step{"BeforeTheLock", "before rename", "",
                                                "/index.lock"}),
                         [](const auto& one) { return one.param.name; });

INSTANTIATE_TEST_SUITE_P(
    , MergeDirtyKillTest,
    ::testing::Values(Step{"BeforeTheNote", "before rename", "", "/merge/checkout-move"},
                      Step{"AfterTheNote", "after rename", "", "/merge/checkout-move"},
                      Step{"BeforeTheLock", "before rename", "", "/index.lock"},
                      Step{"AfterTheLock", "after rename", "", "/index.lock"},
                      Step{"AfterOneFileIsAside", "after rename", "", "/old/0"},
                      Step{"BeforeAFileIsReplaced", "before rename", "", "/repo/tracked.txt"},
                      Step{"AfterTheFirstNewFile", "after rename", "", "/repo/new/landed.txt"},
                      Step{"AfterTheLastNewFile", "after rename", "", "/repo/tracked.txt"},
                      Step{"BeforeTheIndex", "before rename", "", "/.git/index"},
                      Step{"AfterTheIndex", "after rename", "", "/.git/index"},
                      Step{"BeforeTheTargetMoves", "before git update-ref", "lands a", ""},
                      Step{"AfterTheTargetMoved", "after git update-ref", "lands a", ""},
                      Step{"BeforeTheLockGoes", "before unlink", "", "/.git/index.lock"},
                      Step{"AfterTheLockWent", "after unlink", "", "/.git/index.lock"},
                      Step{"AfterTheNoteWent", "after unlink", "", "/merge/checkout-move"}),
    [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace belay
