// What people and agents did to the guardian that it has to bear.

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/control.h"
#include "guard_sandbox.h"
#include "host/launch.h"
#include "host/run_record.h"
#include "ledger/signal_box.h"
#include "os/random.h"
#include "os/socket.h"
#include "store/state_lock.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class GuardRepairTest : public GuardSandbox {
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

TEST_F(GuardRepairTest, WhatOnlyAPersonMaySendIsTakenFromATerminalOnly) {
  const std::vector<std::string> passed = {"signal",
                                           "send",
                                           "VALIDATION_PASSED",
                                           "--to",
                                           "guardian",
                                           "--payload",
                                           R"({"node_id":"n","head":"h"})"};
  const RunOutcome alone = Belay(passed);
  EXPECT_EQ(alone.exit_code, 4);
  EXPECT_THAT(alone.err, AllOf(HasSubstr("VALIDATION_PASSED"), HasSubstr("in a terminal")));
  EXPECT_EQ(Waiting("guardian"), 0U);
  EXPECT_EQ(AtTerminal(passed).exit_code, 0);
  StartGuardian();
  const RunOutcome guarded = Belay(passed);
  EXPECT_EQ(guarded.exit_code, 4);
  EXPECT_THAT(guarded.err, HasSubstr("in a terminal"));
  EXPECT_EQ(AtTerminal(passed).exit_code, 0);
}

// It isn't on record as running yet when it speaks, since the guardian is stopped.
TEST_F(GuardRepairTest, AnAgentThatIsJustStartedIsNoPersonWhateverItUnsets) {
  const Process& guardian = StartGuardian();
  Start("victim");
  ASSERT_TRUE(guardian.Signal(SIGSTOP).ok());
  const std::string script = "env -u BELAY_AGENT_ID \"" + BelayBinary() +
                             "\" stop victim --now 2>\"" + (folder_ / "said") + "\"\necho $? >\"" +
                             (folder_ / "answer") + "\"\n" + std::string(kWaits);
  const std::string launched = AgentScript("rogue", script);
  const LaunchSpec spec{.agent = *AgentId::Parse("orchestrator-rogue#1"),
                        .command = {launched},
                        .folder = folder_ / "repo",
                        .environment = {{"PATH", getenv("PATH")},
                                        {"BELAY_STATE", project_.StateRoot()},
                                        {"BELAY_AGENT_ID", "orchestrator-rogue#1"}}};
  ASSERT_TRUE(WriteLaunch(files_, project_, spec, "").ok());
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
      {.command = {BelayBinary(), "exec", "--root", project_.Root(), spec.agent.text()},
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

TEST_F(GuardRepairTest, OnlyAnExistingAgentCanBeKilled) {
  Start("login", kWaits);
  for (const bool guarded : {false, true}) {
    if (guarded) StartGuardian();
    EXPECT_THAT(AtTerminal(KillOf("orchestrator-nobody#1")).out, HasSubstr("no agent"));
    EXPECT_THAT(AtTerminal(KillOf("orchestrator-login#7")).out,
                HasSubstr("not the current incarnation"));
    const RunOutcome bare = AtTerminal(KillOf("orchestrator-login"));
    EXPECT_EQ(bare.exit_code, 4);
    EXPECT_THAT(bare.out, HasSubstr("orchestrator-login#3"));
  }
  EXPECT_EQ(Waiting("guardian"), 0U);
}

TEST_F(GuardRepairTest, AKillOfAnUnknownAgentIsNotedWhereverItCameFrom) {
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
    return Why("login").find("orchestrator-login#7 is not the current incarnation") !=
           std::string::npos;
  }));
  EXPECT_THAT(GuardianSaid(), HasSubstr("no agent orchestrator-nobody"));
  EXPECT_TRUE(Is("login", 1, AgentStatus::kAlive));
}

TEST_F(GuardRepairTest, ASocketThatIsRemovedOrReplacedIsMadeAgain) {
  StartGuardian();
  const auto answers = [&] {
    const auto answer = AskGuardian(project_, MakeObject({{"do", "status"}}), kBound);
    return answer && *answer;
  };
  ASSERT_TRUE(answers());
  ASSERT_EQ(unlink(project_.GuardianSocket().c_str()), 0);
  EXPECT_TRUE(Await(answers));
  // A socket at which another process listens, moved over ours.
  const Result<UniqueFd> other = ListenUnixIn(project_.RunFolder(), "other.sock");
  ASSERT_TRUE(other.ok());
  const std::string path = project_.RunFolder() + "/other.sock";
  const std::uint64_t theirs = files_.Inspect(path)->inode;
  ASSERT_EQ(rename(path.c_str(), project_.GuardianSocket().c_str()), 0);
  EXPECT_TRUE(Await([&] {
    const Result<FileInfo> file = files_.Inspect(project_.GuardianSocket());
    return file && file->inode != theirs;
  }));
  EXPECT_TRUE(answers());
}

TEST_F(GuardRepairTest, AHeldLockBlocksNothingElse) {
  const Process& guardian = StartGuardian();
  const auto held = StateLock::Acquire(files_, project_.SignalFolder("guardian") + "/lock",
                                       std::chrono::seconds(10));
  ASSERT_TRUE(held.ok());
  ASSERT_TRUE(guardian.Signal(SIGSTOP).ok());
  folder_.Write("repo/.git/belay/signals/guardian/something", "");
  ASSERT_TRUE(guardian.Signal(SIGCONT).ok());
  // Within less time than a patient process would wait for the lock.
  const auto answer =
      AskGuardian(project_, MakeObject({{"do", "status"}}), std::chrono::milliseconds(1500));
  EXPECT_TRUE(answer && *answer) << answer.error().message;
}

// Two for each agent, and some of its own.
TEST_F(GuardRepairTest, WatchesMoreAgentsThanItWasGivenDescriptorsFor) {
  constexpr int kAgents = 18;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 40;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  StartGuardian();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  const std::string script = AgentScript("many", kWaits);
  for (int i = 0; i < kAgents; ++i) Spawn(fmt::format("many{}", i), {script});
  Spawn("asks",
        {AgentScript("asks", "case $BELAY_AGENT_ID in *#1) kill -9 $$;; esac\nulimit -n >\"" +
                                 (folder_ / "limit") + "\"\n" + std::string(kWaits))});
  AwaitStatus("asks", 2, AgentStatus::kAlive);
  EXPECT_TRUE(Await([&] { return folder_.Read("limit") == "40\n"; })) << folder_.Read("limit");
  const auto status = AskGuardian(project_, MakeObject({{"do", "status"}}), kBound);
  ASSERT_TRUE(status && *status);
  EXPECT_EQ(*(*status)->Find("watching")->AsInteger(), kAgents + 1);
  EXPECT_THAT(GuardianSaid(), Not(HasSubstr("Too many open files")));
}

// The second one is a child of the guardian. It leaves a process that its exec has to end, and
// while that goes on, a person starts a third one. Its exec is opened before the second one ends:
// it may be gone a second later.
TEST_F(GuardRepairTest, AnExecWhoseAgentHasASuccessorAlreadyIsReaped) {
  StartGuardian();
  const std::string fifo = folder_ / "fifo";
  const std::string go = folder_ / "go";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(go.c_str(), 0600), 0);
  const std::string script = AgentScript(
      "login", fmt::format("case $BELAY_AGENT_ID in *#1) kill -9 $$;; *#2)\n"
                           "sh -c 'trap \"\" TERM HUP; echo >\"{0}\"; exec sleep 600' &\n"
                           "read x <\"{0}\"\nread x <\"{1}\"\nexit 0;; esac\n{2}",
                           fifo, go, kWaits));
  Spawn("login", {script});
  const Identity second = AwaitStatus("login", 2, AgentStatus::kAlive);
  const ProcessIdentity known = (*ReadRunRecord(files_, project_, Name("login")))->parent;
  const Process exec = Open(*second.parent);
  ASSERT_EQ(exec.pid(), known.pid);
  folder_.Write("go", "\n");
  AwaitStatus("login", 2, AgentStatus::kTerminated);
  Spawn("login", {script});
  AwaitStatus("login", 3, AgentStatus::kAlive);
  EXPECT_TRUE(EndsWithin(exec, kBound));
  AwaitATurn();
  const Result<ProcessIdentity> now = IdentityOf(known.pid);
  EXPECT_FALSE(now && *now == known);
}

TEST_F(GuardRepairTest, AStoppedExecIsNamedAsWhatIsWaitedFor) {
  StartGuardian();
  const Identity first = Start("login");
  const Process exec = Open(*first.parent);
  ASSERT_TRUE(exec.Signal(SIGSTOP).ok());
  Kill(first);
  EXPECT_TRUE(Await([&] {
    return Text(Agent("orchestrator-login#1"), "reason").find("waits for its belay exec") !=
           std::string::npos;
  }));
  const std::string what = fmt::format("waits for its belay exec (process {})", exec.pid());
  EXPECT_THAT(Why("login"), HasSubstr(what));
  EXPECT_TRUE(Is("login", 1, AgentStatus::kCrashed));
  ASSERT_TRUE(exec.Signal(SIGCONT).ok());
  EXPECT_EQ(AwaitStatus("login", 2, AgentStatus::kAlive).restart.reason, "");
}

TEST_F(GuardRepairTest, WithoutItsLaunchFileAnAgentStaysDownAndAPersonIsNotified) {
  StartGuardian();
  const Identity first = Start("login");
  ASSERT_EQ(unlink(project_.LaunchFile(Name("login")).c_str()), 0);
  Kill(first);
  EXPECT_TRUE(Await([&] {
    const Identity now = Present("login");
    return now.status == AgentStatus::kCrashed && !now.restart.due;
  }));
  EXPECT_THAT(Text(Agent("orchestrator-login#1"), "reason"),
              AllOf(HasSubstr("can't be restarted"), HasSubstr("launch.json")));
  EXPECT_THAT(Why("login"), HasSubstr("can't be restarted"));
  AwaitATurn();
  EXPECT_THAT(Belay({"signal", "list", "person"}).out, HasSubstr("can't be restarted"));
  EXPECT_TRUE(Is("login", 1, AgentStatus::kCrashed));
}

// Its exec is stopped, so that no process can say how it ended.
TEST_F(GuardRepairTest, AnAgentThatIsGoneIsNotShownAsOneThatRuns) {
  Spawn("login", {AgentScript("login", kWaits)});
  const Identity agent = Present("login");
  const Process exec = Open(*agent.parent);
  ASSERT_TRUE(exec.Signal(SIGSTOP).ok());
  Process process = Open(*agent.process);
  Kill(agent);
  EXPECT_TRUE(EndsWithin(process, std::chrono::seconds(30)));
  const Json row = Agent("orchestrator-login#1");
  EXPECT_EQ(Text(row, "color"), "yellow");
  EXPECT_THAT(Text(row, "reason"), HasSubstr("its process has ended"));
  ASSERT_TRUE(exec.Signal(SIGCONT).ok());
}

TEST_F(GuardRepairTest, NewAndFinishedAgentsAreReportedToAPerson) {
  StartGuardian();
  Kill(Start("login"));
  AwaitStatus("login", 2, AgentStatus::kAlive);
  Spawn("done", {AgentScript("done", "exit 0\n")});
  AwaitStatus("done", 1, AgentStatus::kTerminated);
  const auto told = [&](const std::string& type) {
    std::vector<std::string> agents;
    const Json list = BelayJson({"signal", "list", "person"});
    for (const Json& signal : *list.Find("signals")->AsArray()) {
      if (Text(signal, "type") == type) agents.push_back(Text(*signal.Find("payload"), "agent_id"));
    }
    return agents;
  };
  AwaitATurn();
  EXPECT_THAT(told("AGENT_REGISTERED"),
              ElementsAre("orchestrator-login#1", "orchestrator-done#1", "orchestrator-turn1#1"));
  EXPECT_THAT(told("AGENT_TERMINATED"), ElementsAre("orchestrator-done#1"));
}

}  // namespace
}  // namespace belay
