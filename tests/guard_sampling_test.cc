// `belay guard` and agents that run: that they are seen, that their work is kept and their phase
// guessed; and what it tells people, and from whom it takes a word.

#include <sys/wait.h>
#include <unistd.h>

#include "app/control.h"
#include "guard_sandbox.h"
#include "os/socket.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class GuardSamplingTest : public GuardSandbox {
 protected:
  // How often there is a snapshot with that reason.
  std::size_t SnapshotsBecause(const std::string& name, const std::string& reason) {
    std::size_t count = 0;
    const Json list = BelayJson({"snapshot", "list", name});
    for (const Json& snapshot : *list.Find("snapshots")->AsArray()) {
      count += Text(snapshot, "reason") == reason ? 1 : 0;
    }
    return count;
  }

  // What the guardian answers to a process that claims to be a person.
  static std::string Ask(LineSocket& socket) {
    const std::string request =
        R"({"do":"signal","signal":{"type":"KILL_ORCHESTRATOR","from":"person","to":"guardian",)"
        R"("at":"2026-03-01T10:00:00.000000Z","payload":{"agent_id":"orchestrator-login#1"}}})";
    (void)socket.Send(WriteJson(ControlGreeting()) + "\n" + request + "\n");
    (void)socket.ReceiveLine(kLongestControlLine);
    const Result<std::string> answer = socket.ReceiveLine(kLongestControlLine);
    return answer ? *answer : "no answer";
  }
};

TEST_F(GuardSamplingTest, AnAgentThatLivesIsSeenAgainAndAgain) {
  Supervise({"heartbeat: 1s"});
  StartGuardian();
  // The first looks may see what its start took.
  WallTime seen = Start("login").last_seen;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(Await([&] { return Present("login").last_seen > seen; }));
    seen = Present("login").last_seen;
  }
  const auto active = Present("login").last_activity;
  ASSERT_TRUE(Await([&] { return Present("login").last_seen > seen; }));
  EXPECT_EQ(Present("login").last_activity, active) << "being seen is no activity";
}

TEST_F(GuardSamplingTest, TheGuardianItselfIsSeenAgainAndAgain) {
  Supervise({"heartbeat: 1s"});
  StartGuardian();
  const auto seen = [&] { return Text(Agent("guardian-main#1"), "last_seen"); };
  std::string before = seen();
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(Await([&] { return seen() > before; }));
    before = seen();
  }
}

TEST_F(GuardSamplingTest, WhatAnAgentIsWritingIsKeptAndMeansThatItImplements) {
  Supervise({"heartbeat: 1s", "snapshot_every: 1s"});
  StartGuardian();
  Start("login", "i=0; while :; do i=$((i+1)); echo $i >draft.txt; echo $i; sleep 0.1; done\n");
  ASSERT_TRUE(Await([&] { return Text(Hook("login"), "work_phase") == "implementation"; }));
  EXPECT_GE(SnapshotsBecause("login", "while it works"), 1U);
  EXPECT_GE(SnapshotsWith("login", "draft.txt"), 1U);
}

TEST_F(GuardSamplingTest, AnAgentThatNamesItsPhaseAtOnceIsKeptThenToo) {
  StartGuardian();
  Start("login", "echo plan >plan.txt; \"" + BelayBinary() +
                     "\" hook phase orchestrator-login planning\n" + std::string(kWaits));
  EXPECT_TRUE(Await([&] { return SnapshotsBecause("login", "phase planning") == 1; }))
      << Why("login");
}

TEST_F(GuardSamplingTest, APersonGetsTheSignalsInTheTable) {
  Supervise({"on_killed: ask"});
  StartGuardian();
  Kill(Start("login"));
  const Json told =
      BelayJson({"signal", "wait", "person", "--type", "AGENT_CRASHED", "--timeout", "30s"});
  ASSERT_NE(told.Find("signals"), nullptr);
  const Json& signal = told.Find("signals")->AsArray()->at(0);
  EXPECT_EQ(Text(signal, "type"), "AGENT_CRASHED");
  EXPECT_EQ(Text(*signal.Find("payload"), "agent_id"), "orchestrator-login#1");
  EXPECT_EQ(Text(*signal.Find("payload"), "cause"), "killed");
}

// What an agent could do to pass for a person: connect, hand the connection on, and be gone before
// anybody looks who that was.
TEST_F(GuardSamplingTest, AClientThatConnectsAndEndsIsNotAPerson) {
  Process& guardian = StartGuardian();
  const Identity agent = Start("login");
  ASSERT_TRUE(guardian.Signal(SIGSTOP).ok());
  int answers[2];
  ASSERT_EQ(pipe2(answers, O_CLOEXEC), 0);
  const pid_t connector = fork();
  if (connector == 0) {
    Result<LineSocket> socket = LineSocket::Connect(project_.GuardianSocket(), kBound);
    if (!socket) _exit(1);
    if (fork() != 0) _exit(0);
    const std::string answer = Ask(*socket);
    _exit(write(answers[1], answer.data(), answer.size()) > 0 ? 0 : 1);
  }
  close(answers[1]);
  int status = -1;
  ASSERT_EQ(waitpid(connector, &status, 0), connector);
  ASSERT_EQ(status, 0);
  ASSERT_TRUE(guardian.Signal(SIGCONT).ok());
  std::string answer(4096, ' ');
  const ssize_t length = read(answers[0], answer.data(), answer.size());
  close(answers[0]);
  ASSERT_GT(length, 0);
  EXPECT_THAT(answer, HasSubstr("refused"));
  AwaitATurn();
  EXPECT_FALSE(Present("login").intent);
  EXPECT_TRUE(Lives(agent.process));
}

}  // namespace
}  // namespace belay
