// `belay exec` with real agents: what it records, what it refuses, what it ends.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "exec_sandbox.h"
#include "host/attach.h"
#include "os/file_lock.h"
#include "os/process_tree.h"
#include "os/socket.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class ExecTest : public ExecSandbox {
 protected:
  std::uint64_t LogBytes(const AgentId& agent) const {
    const auto log = files_.Inspect(project_.RunLog(agent.identity()));
    const auto older = files_.Inspect(project_.OlderRunLog(agent.identity()));
    return (log.ok() ? log->bytes : 0) + (older.ok() ? older->bytes : 0);
  }
};

TEST_F(ExecTest, RecordsTheExitCodeAndHasItToo) {
  const AgentId agent = PrepareShell("worker-a#1", "echo hello; exit 3");
  EXPECT_EQ(Exec(agent).exit_code, 3);
  const RunRecord run = Run(agent);
  EXPECT_EQ(run.state, RunState::kEnded);
  EXPECT_EQ(run.exit, ExitStatus::Exited(3));
  EXPECT_TRUE(run.ended_at.has_value());
  EXPECT_FALSE(run.oom);
  EXPECT_EQ(run.survivors.size(), 0u);
  EXPECT_EQ(Log(agent), "hello\r\n");
}

TEST_F(ExecTest, RecordsTheSignal) {
  const AgentId agent = PrepareShell("worker-a#1", "kill -9 $$");
  EXPECT_EQ(Exec(agent).exit_code, 128 + SIGKILL);
  EXPECT_EQ(Run(agent).exit, ExitStatus::Killed(SIGKILL));
}

TEST_F(ExecTest, TheAgentHasItsFolderItsEnvironmentAndATerminal) {
  const AgentId agent =
      Prepare("worker-a#1", {"sh", "-c", "pwd; echo $HOME; test -t 0 && test -t 1 && stty size"},
              folder_ / "repo");
  EXPECT_EQ(Exec(agent).exit_code, 0);
  EXPECT_EQ(Log(agent), (folder_ / "repo") + "\r\n" + folder_.path() + "\r\n24 80\r\n");
}

TEST_F(ExecTest, LogAndLaunchFileAreForTheUserOnly) {
  const AgentId agent = PrepareShell("worker-a#1", "echo secret");
  EXPECT_EQ(Exec(agent).exit_code, 0);
  EXPECT_EQ(files_.Inspect(project_.RunLog(agent.identity()))->mode, 0600u);
  EXPECT_EQ(files_.Inspect(project_.LaunchFile(agent.identity()))->mode, 0600u);
}

TEST_F(ExecTest, AnIncarnationStartsOnceAndNeverAfterALaterOne) {
  const AgentId first = PrepareShell("worker-a#1", "echo one");
  EXPECT_EQ(Exec(first).exit_code, 0);
  EXPECT_EQ(Exec(first).exit_code, 4);
  EXPECT_EQ(Exec(PrepareShell("worker-a#2", "echo two")).exit_code, 0);
  EXPECT_EQ(Exec(PrepareShell("worker-a#1", "echo late")).exit_code, 4);
  EXPECT_EQ(Run(first).agent, Id("worker-a#2"));
  EXPECT_EQ(Log(first), "one\r\ntwo\r\n");
}

TEST_F(ExecTest, WhatTheLaunchFileIsNotForIsRefused) {
  PrepareShell("worker-a#2", "true");
  EXPECT_EQ(Exec(Id("worker-a#1")).exit_code, 4);
  EXPECT_FALSE(ReadRunRecord(files_, project_, Id("worker-a#1").identity())->has_value());
}

TEST_F(ExecTest, ASecondOneIsRefusedWhileTheFirstRuns) {
  const AgentId agent = PrepareShell("worker-a#1", "echo ready; read wait");
  StartInBackground(agent);
  ASSERT_TRUE(AwaitLog(agent, "ready"));
  const RunRecord before = Run(agent);
  EXPECT_EQ(Exec(agent).exit_code, 4);
  const AgentId next = PrepareShell("worker-a#2", "true");
  const RunOutcome outcome = Exec(next);
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, HasSubstr("worker-a#1 is still running"));
  EXPECT_EQ(Run(agent).agent, before.agent);
  EXPECT_TRUE(IsAlive(*before.process));
}

TEST_F(ExecTest, HoldsTheRunLockAsLongAsItLivesAndTheAgentDoesNot) {
  const AgentId agent =
      PrepareShell("worker-a#1", "trap '' HUP; echo ready; while :; do sleep 1; done");
  Process& exec = StartInBackground(agent);
  ASSERT_TRUE(AwaitLog(agent, "ready"));
  const std::string path = project_.RunLock(agent.identity());
  const auto held = OpenLocked(files_, path, 0600, Duration(0));
  ASSERT_FALSE(held.ok());
  EXPECT_EQ(held.error().code, ErrorCode::kBusy);
  ASSERT_TRUE(exec.Signal(SIGKILL).ok());
  (void)exec.Wait();
  EXPECT_TRUE(IsAlive(*Run(agent).process));
  EXPECT_TRUE(OpenLocked(files_, path, 0600, Duration(0)).ok());
  // And one whose exec is gone still keeps its successor from starting.
  EXPECT_EQ(Exec(PrepareShell("worker-a#2", "true")).exit_code, 4);
}

TEST_F(ExecTest, KilledAtAnyMomentItLeavesNoAgentThatWasNotRecorded) {
  for (int round = 1; round <= 10; ++round) {
    const AgentId agent =
        PrepareShell("worker-a#" + std::to_string(round), "echo $$ > " + (folder_ / "ran"));
    Process& exec = StartInBackground(agent);
    // The later the round, the further it comes.
    ASSERT_TRUE(AwaitChangesOrEnd(round, exec));
    (void)exec.Signal(SIGKILL);
    (void)exec.Wait();
    if (files_.Inspect(folder_ / "ran").ok()) {
      const RunRecord run = Run(agent);
      EXPECT_EQ(run.agent, agent);
      EXPECT_TRUE(run.process.has_value());
    }
    const auto record = ReadRunRecord(files_, project_, agent.identity());
    ASSERT_TRUE(record.ok()) << record.error().message;
    if (*record && (*record)->process) {
      auto process = Process::Open(*(*record)->process);
      if (process.ok()) (void)process->Wait();
    }
    (void)files_.RemoveFile(folder_ / "ran");
  }
}

TEST_F(ExecTest, WhatTheAgentLeavesBehindIsEndedAndNamed) {
  const AgentId agent = PrepareShell(
      "worker-a#1",
      "setsid sh -c 'echo one; exec sleep 1111' & "
      "(setsid sh -c \"trap '' TERM HUP; echo two; while :; do sleep 2222; done\" &) & "
      "read go");
  Process& exec = StartInBackground(agent);
  ASSERT_TRUE(AwaitLog(agent, "one"));
  ASSERT_TRUE(AwaitLog(agent, "two"));
  ASSERT_TRUE(Process::Open(*Run(agent).process)->Signal(SIGKILL).ok());
  EXPECT_EQ(exec.Wait(), ExitStatus::Exited(128 + SIGKILL));
  const RunRecord run = Run(agent);
  EXPECT_THAT(run.survivors, ::testing::Contains(HasSubstr("sleep 1111")));
  EXPECT_THAT(run.survivors, ::testing::Contains(HasSubstr("echo two")));
  for (const std::string& survivor : run.survivors) {
    const pid_t pid = std::stoi(survivor);
    const Result<ProcStat> stat = ReadProcStat(pid);
    EXPECT_TRUE(!stat.ok() || stat->ended()) << survivor;
  }
}

TEST_F(ExecTest, TermIsPassedOnAndAnAgentThatIgnoresItContinues) {
  const AgentId agent =
      PrepareShell("worker-a#1", "trap 'echo no' TERM; echo ready; while :; do sleep 0.05; done");
  Process& exec = StartInBackground(agent);
  ASSERT_TRUE(AwaitLog(agent, "ready"));
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    (void)files_.RemoveFile(folder_ / "x");
    const std::size_t before = Log(agent).size();
    ASSERT_TRUE(exec.Signal(signal).ok());
    ASSERT_TRUE(Await([&] { return Log(agent).size() > before; })) << signal;
  }
  const RunRecord run = Run(agent);
  EXPECT_EQ(run.state, RunState::kRunning);
  ASSERT_TRUE(Process::Open(*run.process)->Signal(SIGKILL).ok());
  EXPECT_EQ(exec.Wait(), ExitStatus::Exited(128 + SIGKILL));
  EXPECT_EQ(Run(agent).exit, ExitStatus::Killed(SIGKILL));
}

TEST_F(ExecTest, OneThatIsReplacedByAnotherProgramIsStillTheSame) {
  const AgentId agent = PrepareShell("worker-a#1", "exec sh -c 'echo $$; exit 5'");
  EXPECT_EQ(Exec(agent).exit_code, 5);
  EXPECT_EQ(Log(agent), std::to_string(Run(agent).process->pid) + "\r\n");
}

TEST_F(ExecTest, WhatCannotBeStartedIsRecordedWithTheReason) {
  const AgentId first = Prepare("worker-a#1", {"no-such-program"});
  EXPECT_EQ(Exec(first).exit_code, 1);
  EXPECT_EQ(Run(first).state, RunState::kFailed);
  EXPECT_EQ(Run(first).error, "exec no-such-program: No such file or directory");
  EXPECT_THAT(Log(first), HasSubstr("could not be started: exec no-such-program"));
  const AgentId second = Prepare("worker-a#2", {"true"}, folder_ / "gone");
  EXPECT_EQ(Exec(second).exit_code, 1);
  EXPECT_EQ(Run(second).error, "chdir " + (folder_ / "gone") + ": No such file or directory");
  // Each incarnation counts, also one that never ran.
  EXPECT_EQ(Exec(second).exit_code, 4);
}

TEST_F(ExecTest, ALaunchFileThatMakesNoSenseIsRecordedToo) {
  const AgentId agent = PrepareShell("worker-a#1", "true");
  folder_.Write("repo/.git/belay/run/worker-a.launch.json", "{\"schema_version\": 2}");
  EXPECT_EQ(Exec(agent).exit_code, 1);
  EXPECT_THAT(Run(agent).error, HasSubstr("written by a newer belay (version 2"));
}

TEST_F(ExecTest, TypesTheTextOfTheLaunchFollowedByReturn) {
  const AgentId agent =
      Prepare("worker-a#1", {"sh", "-c", "stty -echo; echo ready; read x; echo \"got: $x\""}, "/",
              "go \x1B[201~on");
  EXPECT_EQ(Exec(agent).exit_code, 0);
  EXPECT_THAT(Log(agent), HasSubstr("got: go [201~on\r\n"));
}

TEST_F(ExecTest, MuchOutputIsKeptWithinBoundsAndNoReaderBlocksIt) {
  const AgentId agent =
      PrepareShell("worker-a#1", "read go; yes 0123456789 | head -c 64M; echo the end");
  Process& exec = StartInBackground(agent);
  ASSERT_TRUE(AwaitRunning(agent));
  // One who attaches and never reads.
  const auto client = ConnectUnixIn(project_.RunFolder(), project_.RunSocketName(agent.identity()));
  ASSERT_TRUE(client.ok());
  const std::string frames =
      EncodeHello(AttachRole::kTerminal) + EncodeFrame(FrameType::kKeys, "\r");
  ASSERT_EQ(SendSome(*client, frames), frames.size());
  EXPECT_EQ(exec.Wait(), ExitStatus::Exited(0));
  EXPECT_LE(LogBytes(agent), (std::uint64_t{16} << 20U) + 65536);
  EXPECT_GE(LogBytes(agent), std::uint64_t{8} << 20U);
  EXPECT_THAT(Log(agent).substr(Log(agent).size() - 9), "the end\r\n");
  EXPECT_EQ(files_.Inspect(project_.OlderRunLog(agent.identity()))->mode, 0600u);
}

TEST_F(ExecTest, AnAgentThatClosesItsTerminalContinuesAndCostsNothing) {
  const AgentId agent = PrepareShell("worker-a#1", "exec <&- >&- 2>&-; while ! test -e " +
                                                       (folder_ / "go") + "; do sleep 0.05; done");
  Process& exec = StartInBackground(agent);
  ASSERT_TRUE(AwaitRunning(agent));
  folder_.Write("go", "");
  EXPECT_EQ(exec.Wait(), ExitStatus::Exited(0));
}

TEST_F(ExecTest, TheLongestNameWorks) {
  const std::string name = std::string(60, 'r') + "-" + std::string(64, 'n') + "#1";
  const AgentId agent = PrepareShell(name, "echo ready; read wait");
  StartInBackground(agent);
  ASSERT_TRUE(AwaitLog(agent, "ready"));
  EXPECT_TRUE(ConnectUnixIn(project_.RunFolder(), project_.RunSocketName(agent.identity())).ok());
}

TEST_F(ExecTest, IsInTheOverviewOnlyAsCalledByProgramsAndHasAPage) {
  const std::string overview = Belay({"help"}).out;
  EXPECT_THAT(overview, HasSubstr("For programs, not people: event, exec"));
  EXPECT_EQ(overview.find("exec"), overview.rfind("exec"));
  EXPECT_EQ(Belay({"help", "exec"}).exit_code, 0);
}

}  // namespace
}  // namespace belay
