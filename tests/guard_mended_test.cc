// What people and agents did to the guardian that it has to bear.

#include <gmock/gmock.h>

#include "guard_sandbox.h"
#include "host/launch.h"
#include "ledger/signal_box.h"
#include "os/random.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class GuardMendedTest : public GuardSandbox {
 protected:
  static std::vector<std::string> KillOf(const std::string& agent) {
    return {"signal",
            "send",
            "KILL_ORCHESTRATOR",
            "--to",
            "guardian",
            "--payload",
            R"({"agent_id":")" + agent + "\"}"};
  }
  // At a terminal; what it says is all in `out`.
  RunOutcome AtTerminal(const std::vector<std::string>& command) {
    return Belay(command, {.terminal_columns = 200});
  }
  std::size_t Waiting(const std::string& who) {
    return BelayJson({"signal", "list", who}).Find("signals")->AsArray()->size();
  }
};

TEST_F(GuardMendedTest, WhatOnlyAPersonMaySendIsTakenFromATerminalOnly) {
  const std::vector<std::string> passed = {"signal",
                                           "send",
                                           "VALIDATION_PASSED",
                                           "--to",
                                           "guardian",
                                           "--payload",
                                           R"({"node_id":"n","head":"h"})"};
  const RunOutcome alone = Belay(passed);
  EXPECT_EQ(alone.exit_code, 4);
  EXPECT_THAT(alone.err, AllOf(HasSubstr("VALIDATION_PASSED"), HasSubstr("from a terminal")));
  EXPECT_EQ(Waiting("guardian"), 0U);
  EXPECT_EQ(AtTerminal(passed).exit_code, 0);
  StartGuardian();
  const RunOutcome guarded = Belay(passed);
  EXPECT_EQ(guarded.exit_code, 4);
  EXPECT_THAT(guarded.err, HasSubstr("from a terminal"));
  EXPECT_EQ(AtTerminal(passed).exit_code, 0);
}

// It isn't on record as running yet when it speaks, since the guardian is stopped.
TEST_F(GuardMendedTest, AnAgentThatIsJustStartedIsNoPersonWhateverItUnsets) {
  const Process& guardian = StartGuardian();
  Start("victim");
  ASSERT_TRUE(guardian.Signal(SIGSTOP).ok());
  const std::string script = "env -u BELAY_AGENT_ID \"" BELAY_BINARY "\" stop victim --now 2>\"" +
                             (folder_ / "said") + "\"\necho $? >\"" + (folder_ / "answer") +
                             "\"\n" + std::string(kWaits);
  const std::string launched = AgentScript("rogue", script);
  const LaunchSpec spec{.agent = *AgentId::Parse("orchestrator-rogue#1"),
                        .command = {launched},
                        .folder = folder_ / "repo",
                        .environment = {{"PATH", getenv("PATH")},
                                        {"BELAY_STATE", project_.StateRoot()},
                                        {"BELAY_AGENT_ID", "orchestrator-rogue#1"}}};
  ASSERT_TRUE(WriteLaunchSpec(files_, project_, spec).ok());
  Identity rogue{.id = spec.agent};
  rogue.status = AgentStatus::kSpawning;
  rogue.created_at = clock_.Wall();
  rogue.spawn_deadline = rogue.created_at + std::chrono::minutes(1);
  rogue.command = spec.command;
  rogue.worktree_path = spec.folder;
  ASSERT_TRUE(identities_
                  .Record(*IdentityLedger::Lock(files_, project_),
                          IdentityChange{"spawning", "a test", rogue})
                  .ok());
  auto exec = Process::Spawn(
      {.command = {BELAY_BINARY, "exec", "--root", project_.Root(), spec.agent.text()},
       .environment = Environment::Variables(),
       .group = SpawnGroup::kNewSession});
  ASSERT_TRUE(exec.has_value());
  EXPECT_TRUE(Await([&] { return folder_.Read("answer").find('\n') != std::string::npos; }));
  EXPECT_EQ(folder_.Read("answer"), "4\n") << folder_.Read("said");
  ASSERT_TRUE(guardian.Signal(SIGCONT).ok());
  AwaitStatus("rogue", 1, AgentStatus::kAlive);
  EXPECT_TRUE(Is("victim", 1, AgentStatus::kAlive));
  EXPECT_FALSE(Present("victim").intent);
  (void)exec->Signal(SIGTERM);
  (void)exec->Wait();
}

TEST_F(GuardMendedTest, WhoeverIsToBeEndedMustBeThere) {
  Start("login", kWaits);
  for (const bool guarded : {false, true}) {
    if (guarded) StartGuardian();
    EXPECT_THAT(AtTerminal(KillOf("orchestrator-nobody#1")).out, HasSubstr("there is no agent"));
    EXPECT_THAT(AtTerminal(KillOf("orchestrator-login#7")).out, HasSubstr("not the present one"));
    const RunOutcome bare = AtTerminal(KillOf("orchestrator-login"));
    EXPECT_EQ(bare.exit_code, 4);
    EXPECT_THAT(bare.out, HasSubstr("orchestrator-login#3"));
  }
  EXPECT_EQ(Waiting("guardian"), 0U);
}

TEST_F(GuardMendedTest, AKillThatMeansNobodyIsNotedWhereverItCameFrom) {
  StartGuardian();
  Start("login");
  SystemRandom random;
  SignalBox box(files_, clock_, random, project_, Recipient::Guardian());
  for (const char* target : {"orchestrator-nobody#1", "orchestrator-login#7"}) {
    const Signal kill{.type = SignalType::kKillOrchestrator,
                      .from = "person",
                      .to = "guardian",
                      .at = clock_.Wall(),
                      .payload = MakeObject({{"agent_id", target}})};
    ASSERT_TRUE(box.Send(kill).ok());
  }
  EXPECT_TRUE(Await([&] {
    return Why("login").find("orchestrator-login#7 is not the present one") != std::string::npos;
  }));
  EXPECT_THAT(GuardianSaid(), HasSubstr("there is no agent orchestrator-nobody"));
  EXPECT_TRUE(Is("login", 1, AgentStatus::kAlive));
}

}  // namespace
}  // namespace belay
