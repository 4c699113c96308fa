// belay is killed at each step of landing; whoever comes next ends with what a queue that nobody
// disturbed ends with.

#include <csignal>

#include "killed_at_point.h"
#include "merge_sandbox.h"
#include "os/process_identity.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct MergeStep {
  std::string name;
  std::string begins;  // the point, as KilledAtPoint names it
  std::string has;
  int nth = 1;  // of those
};
void PrintTo(const MergeStep& step, std::ostream* out) { *out << step.name; }

class MergeKillTest : public MergeSandbox, public ::testing::WithParamInterface<MergeStep> {
 protected:
  // m1 lands, put elsewhere; m2 doesn't fit any more then.
  MergeKillTest() {
    Branch("a", {{{"tracked.txt", "a\n"}}, {{"a", "1\n"}}});
    Branch("b", {{{"tracked.txt", "b\n"}}});
    MoreOn("main", {{"more", "1\n"}});
    Add("a");
    Add("b");
  }

  bool KillAt(const MergeStep& step) {
    std::vector<std::string> environment = {std::string("PATH=") + getenv("PATH")};
    environment.push_back("HOME=" + repo_.outside().path());
    for (const auto& [name, value] : GitRepository::Environment()) {
      environment.push_back(name + "=" + value);
    }
    KilledAtPoint killed({BelayBinary(), "merge-queue", "process", "--all"}, repo_.path(),
                         environment);
    int left = step.nth;
    return killed.Run([&](const std::string& point) {
      const bool it = point.starts_with(step.begins) && point.find(step.has) != std::string::npos;
      return it && --left == 0;
    });
  }
  // The signals that a recipient got.
  std::string SignalsOf(const std::string& whom) {
    return Script("cat .git/belay/signals/" + whom + "/*.json");
  }
  void ExpectAsUndisturbed() {
    EXPECT_EQ(History(), "first\nmore\nwork on a\nwork on a\n");
    EXPECT_EQ(FileOf("tracked.txt") + FileOf("a"), "a\n1\n");
    EXPECT_EQ(repo_.Read("a"), "1\n");
    EXPECT_EQ(MainChanges(), "");
    const Json landed = Entry("m1");
    EXPECT_EQ(TextOf(landed, "status"), "merged");
    EXPECT_EQ(TextOf(landed, "merged_as"), Commit("main"));
    EXPECT_EQ(TextOf(landed, "proof"), "landed");
    EXPECT_TRUE(*landed.Find("told")->AsBool());
    EXPECT_FALSE(HasBranch("a"));
    const Json parked = Entry("m2");
    EXPECT_EQ(TextOf(parked, "status"), "conflict");
    EXPECT_EQ(*parked.Find("attempts")->AsInteger(), 1);
    EXPECT_TRUE(*parked.Find("told")->AsBool());
    EXPECT_TRUE(HasBranch("b"));
    EXPECT_THAT(SignalsOf("guardian"), HasSubstr("MERGE_COMPLETE"));
    EXPECT_THAT(SignalsOf("person"), HasSubstr("MERGE_CONFLICT"));
    EXPECT_THAT(SignalsOf("person"), Not(HasSubstr("without the queue")));
    EXPECT_THAT(repo_.Read(".claude/state/merge-queue.json"), HasSubstr("\"told\": true"));
    ExpectTidy();
  }
};

const std::string kJournal = "merge-queue.jsonl";

TEST_P(MergeKillTest, TheNextRunContinues) {
  ASSERT_TRUE(KillAt(GetParam()));
  const RunOutcome next = ProcessAll();
  EXPECT_THAT(next.exit_code, ::testing::AnyOf(0, 1)) << next.err;
  ExpectAsUndisturbed();
}

INSTANTIATE_TEST_SUITE_P(
    , MergeKillTest,
    ::testing::Values(MergeStep{"WhenItsTurnIsWritten", "before sync", kJournal, 3},
                      MergeStep{"WhenItsTurnIsRecorded", "after sync", kJournal, 3},
                      MergeStep{"BetweenTwoCommits", "after git hash-object", ""},
                      MergeStep{"BeforeThePackIsIn", "before git index-pack", ""},
                      MergeStep{"WhenThePackIsIn", "after git index-pack", ""},
                      MergeStep{"WhenTheCandidateIsBuilt", "before git update-ref", "m1/candidate"},
                      MergeStep{"WhenTheCandidateIsKept", "after git update-ref", "m1/candidate"},
                      MergeStep{"WhenTestingIsRecorded", "after sync", kJournal, 4},
                      MergeStep{"BeforeTheScratchWorktree", "before git worktree add", ""},
                      MergeStep{"AfterTheScratchWorktree", "after git worktree add", ""},
                      MergeStep{"WhenTheScratchWorktreeIsFilled", "after git read-tree --reset",
                                ""},
                      MergeStep{"BeforeTheGate", "before /bin/sh", ""},
                      MergeStep{"AfterTheGate", "after /bin/sh", ""},
                      MergeStep{"WhenTheGateIsCounted", "after sync", kJournal, 5},
                      MergeStep{"WhenTheMoveIsWritten", "before sync", kJournal, 6},
                      MergeStep{"WhenTheMoveIsAnnounced", "after sync", kJournal, 6},
                      MergeStep{"BeforeTheTargetMoves", "before git update-ref", "lands a"},
                      MergeStep{"AfterTheTargetMoved", "after git update-ref", "lands a"},
                      MergeStep{"WhenTheCheckoutIsReady", "after git read-tree -m", ""},
                      MergeStep{"WhenTheIndexIsLocked", "after rename", "index.lock"},
                      MergeStep{"WhenMergedIsWritten", "before sync", kJournal, 7},
                      MergeStep{"WhenMergedIsRecorded", "after sync", kJournal, 7},
                      MergeStep{"BeforeTheBranchGoes", "before git update-ref", "has landed"},
                      MergeStep{"AfterTheBranchWent", "after git update-ref", "has landed"},
                      MergeStep{"WhenTheSignalIsWritten", "before sync", "signals/guardian/."},
                      MergeStep{"WhenTheSignalIsThere", "before sync", "signals/guardian", 2},
                      MergeStep{"WhenToldIsRecorded", "after sync", kJournal, 8},
                      MergeStep{"WhenItIsRendered", "before sync", "state/.merge-queue.json", 2},
                      MergeStep{"WhenTheConflictIsWritten", "before sync", kJournal, 10},
                      MergeStep{"WhenTheConflictIsRecorded", "after sync", kJournal, 10},
                      MergeStep{"WhenTheConflictIsTold", "after sync", "signals/person", 2},
                      MergeStep{"AtTheVeryEnd", "after sync", "state/.merge-queue.json", 3}),
    [](const auto& one) { return one.param.name; });

// Only belay is killed, in the midst of a gate, which goes on by itself.
using MergeGateKillTest = MergeSandbox;

TEST_F(MergeGateKillTest, AGateWhoseBelayWasKilledIsEndedByTheNextOne) {
  const std::string fifo = repo_.outside() / "started";
  const std::string once = repo_.outside() / "once";
  Script("mkfifo " + fifo);
  Gate("test -e " + once + " && exit 0; touch " + once + "; echo $$ > " + fifo +
       "; exec sleep 1000");
  AddBranch("a", {{"a", "1\n"}});
  Process belay = StartProcessing();
  const std::string gate = RunReal({"cat", fifo}).out;  // waits until it runs
  const Result<ProcessIdentity> identity = IdentityOf(std::stoi(gate));
  ASSERT_TRUE(identity.ok() && IsAlive(*identity));
  ASSERT_TRUE(belay.Signal(SIGKILL).ok());
  (void)belay.Wait();
  const RunOutcome next = ProcessAll();
  EXPECT_EQ(next.exit_code, 0) << next.err;
  EXPECT_THAT(next.err, HasSubstr("ended 1 processes that an earlier gate left behind"));
  EXPECT_FALSE(IsAlive(*identity));
  EXPECT_EQ(History(), "first\nwork on a\n");
  ExpectTidy();
}

}  // namespace
}  // namespace belay
