// Ctrl-C and SIGTERM while the queue is processed: the gate goes with belay, and nothing is lost.

#include <fcntl.h>

#include <csignal>
#include <sstream>

#include "merge_sandbox.h"
#include "os/fd.h"
#include "os/process_identity.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class MergeStopTest : public MergeSandbox {
 protected:
  MergeStopTest() { Script("mkfifo ../started"); }

  // Hangs once, with a child in a session of its own, if `when` holds; passes from then on.
  void GateThatHangsOnce(const std::string& when, const std::string& before = {}) {
    Gate(before + "test -e " + once_ + " && exit 0; " + when + " || exit 0; touch " + once_ +
         "; setsid sleep 1000 & echo $$ $! > " + started_ + "; wait");
  }
  // Starts, waits until the gate hangs, sends the signal, and waits for the end.
  ExitStatus StopInTheGate(int signal) {
    const UniqueFd said(
        open((repo_.outside() / "said").c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    Process belay = StartProcessing(said.get());
    std::istringstream pids(RunReal({"cat", started_}).out);
    for (pid_t pid = 0; pids >> pid;) {
      const Result<ProcessIdentity> identity = IdentityOf(pid);
      EXPECT_TRUE(identity.ok());
      if (identity) gate_.push_back(*identity);
    }
    EXPECT_EQ(gate_.size(), 2U);
    EXPECT_TRUE(belay.Signal(signal).ok());
    return belay.Wait();
  }
  void ExpectGateGone() {
    for (const ProcessIdentity& process : gate_) EXPECT_FALSE(IsAlive(process)) << process.pid;
  }
  std::string Said() { return RunReal({"cat", repo_.outside() / "said"}).out; }
  std::string SignalsToAnybody() {
    return Script("cat .git/belay/signals/*/*.json 2>/dev/null || true");
  }

  const std::string started_ = repo_.outside() / "started";
  const std::string once_ = repo_.outside() / "once";
  std::vector<ProcessIdentity> gate_;
};

class MergeInterruptTest : public MergeStopTest, public ::testing::WithParamInterface<int> {};

TEST_P(MergeInterruptTest, EndsTheGateAndTheNextRunContinues) {
  GateThatHangsOnce("true");
  AddBranch("a", {{"a", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  EXPECT_EQ(StopInTheGate(GetParam()), ExitStatus::Exited(128 + GetParam()));
  ExpectGateGone();
  EXPECT_THAT(Said(), HasSubstr("stopped; m1 stays queued, and the next run continues with it"));
  EXPECT_EQ(Status("m1"), "testing");
  EXPECT_EQ(Status("m2"), "queued");
  EXPECT_EQ(History(), "first\n");
  EXPECT_EQ(SignalsToAnybody(), "");
  const RunOutcome next = ProcessAll();
  EXPECT_EQ(next.exit_code, 0) << next.err;
  EXPECT_THAT(next.err, Not(HasSubstr("that an earlier gate left")));
  EXPECT_EQ(History(), "first\nwork on a\nwork on b\n");
  EXPECT_EQ(*Entry("m1").Find("attempts"), Json(0));
  ExpectTidy();
}

INSTANTIATE_TEST_SUITE_P(, MergeInterruptTest, ::testing::Values(SIGINT, SIGTERM),
                         [](const auto& one) { return one.param == SIGINT ? "INT" : "TERM"; });

// Red, and then stopped while the target itself is asked: that says nothing about either.
TEST_F(MergeStopTest, NoEntryIsCalledRedWhenTheTargetCouldNotBeTested) {
  GateThatHangsOnce("true", "if test -e a; then test -e " + once_ + "; exit; fi; ");
  AddBranch("a", {{"a", "1\n"}});
  EXPECT_EQ(StopInTheGate(SIGINT).code(), 130);
  ExpectGateGone();
  EXPECT_EQ(Status("m1"), "testing");
  EXPECT_EQ(*Entry("m1").Find("attempts"), Json(0));
  EXPECT_EQ(SignalsToAnybody(), "");
  Land();
  EXPECT_EQ(History(), "first\nwork on a\n");
}

TEST_F(MergeStopTest, ATargetThatMovedIsNotCalledRedWhenItsTestWasStopped) {
  AddBranch("a", {{"a", "1\n"}});
  Land();
  MoreOn("main", {{"more", "1\n"}});
  AddBranch("b", {{"b", "1\n"}});
  const std::string tested = repo_.outside() / "tested";
  GateThatHangsOnce("test ! -e b", "git rev-parse HEAD >> " + tested + "; ");
  const std::string moved = Commit("main");
  EXPECT_EQ(StopInTheGate(SIGTERM).code(), 143);
  ExpectGateGone();
  EXPECT_EQ(Status("m2"), "queued");
  EXPECT_THAT(Said(), HasSubstr("m2 stays queued"));
  const Json target = QueueJson({"status"}).Find("targets")->AsArray()->front();
  EXPECT_TRUE(target.Find("green")->is_null()) << WriteJson(target);
  Land();
  EXPECT_EQ(History(), "first\nwork on a\nmore\nwork on b\n");
  // By the next run once more, and to its end.
  EXPECT_EQ(RunReal({"cat", tested}).out, moved + "\n" + moved + "\n" + Commit("main") + "\n");
}

}  // namespace
}  // namespace belay
