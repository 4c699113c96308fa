// `belay agents` and `belay why`, with real processes.

#include <gmock/gmock.h>
#include <signal.h>

#include "agent_sandbox.h"
#include "os/process.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class AgentsTest : public AgentSandbox {
 protected:
  // Ended behind belay's back; its end is awaited.
  void KillBehindItsBack(std::int64_t pid) {
    Result<Process> process = Process::Open(static_cast<pid_t>(pid));
    ASSERT_TRUE(process.ok());
    ASSERT_TRUE(process->Signal(SIGKILL).ok());
    (void)process->Wait();
  }
};

TEST_F(AgentsTest, ShowsWhatScriptsRelyOn) {
  Spawn("login", {"sleep", "600"}, {"--node", "n1", "--bead", "b1"});
  const Json row = Agent("orchestrator-login#1");
  for (const std::string_view key :
       {"agent_id", "role", "name", "incarnation", "status", "color", "pid", "work_phase",
        "node_id", "last_seen", "context_fill", "restarts", "host", "predecessor_id"}) {
    EXPECT_NE(row.Find(key), nullptr) << key;
  }
  EXPECT_EQ(Text(row, "role"), "orchestrator");
  EXPECT_EQ(Text(row, "name"), "login");
  EXPECT_EQ(Text(row, "status"), "alive");
  EXPECT_EQ(Text(row, "color"), "green");
  EXPECT_EQ(Text(row, "work_phase"), "investigation");
  EXPECT_EQ(Text(row, "node_id"), "n1");
}

TEST_F(AgentsTest, ShowsATable) {
  Spawn("login");
  const RunOutcome outcome = Belay({"agents"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("orchestrator-login#1"), HasSubstr("green"),
                                 HasSubstr("alive"), HasSubstr("process")));
  EXPECT_THAT(Belay({"agents"}, {.environment = {{"TERM", "xterm"}}, .terminal_columns = 60}).out,
              HasSubstr("orchestrator-login#1"));
}

TEST_F(AgentsTest, SaysWhenThereAreNone) {
  const RunOutcome outcome = Belay({"agents"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("belay spawn"));
}

TEST_F(AgentsTest, SeesADeathThatNobodyRecorded) {
  const std::int64_t pid = Pid(Spawn("login"));
  ASSERT_NE(pid, 0);
  KillBehindItsBack(pid);
  const Json row = Agent("orchestrator-login#1");
  EXPECT_EQ(Text(row, "color"), Text(row, "status") == "crashed" ? "red" : "green");
  EXPECT_NE(Pid(row), pid);
}

TEST_F(AgentsTest, WorksFromAnyWorktreeAndWithTheStateRootAlone) {
  Spawn("login");
  Git({"-C", "repo", "worktree", "add", "-q", folder_ / "linked"});
  EXPECT_THAT(Belay({"agents"}, {.folder = folder_ / "linked"}).out, HasSubstr("login#1"));
  EXPECT_THAT(Belay({"agents"}, {.folder = "/tmp",
                                 .environment = {{"BELAY_STATE", folder_ / "repo/.claude/state"}}})
                  .out,
              HasSubstr("login#1"));
}

TEST_F(AgentsTest, NeedsBelaySetUpAndATerminalToWatchOn) {
  EXPECT_EQ(Belay({"agents", "--watch"}).exit_code, 2);
  EXPECT_EQ(Belay({"init", "--remove", "--yes"}).exit_code, 0);
  const RunOutcome outcome = Belay({"agents"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("belay init"));
}

TEST_F(AgentsTest, TellsWhyAnAgentIsAsItIs) {
  Spawn("login", {"sh", "-c", "exit 3"});
  const Json why = BelayJson({"why", "login"});
  std::string kinds;
  for (const Json& record : *why.Find("records")->AsArray()) kinds += Text(record, "kind") + " ";
  EXPECT_THAT(kinds, AllOf(HasSubstr("taint began"), HasSubstr("hook created"),
                           HasSubstr("spawning"), HasSubstr("crashed")));
  EXPECT_EQ(Text(*why.Find("now"), "status"), "crashed");
  EXPECT_THAT(Text(*why.Find("now"), "next"), HasSubstr("belay guard"));
  const RunOutcome text = Belay({"why", "login"});
  EXPECT_THAT(text.out, AllOf(HasSubstr("exit code 3"), HasSubstr("now: orchestrator-login#1")));
}

TEST_F(AgentsTest, TellsNothingOfOthers) {
  Spawn("login", {"true"});
  Spawn("login-page", {"true"});
  EXPECT_THAT(Belay({"why", "orchestrator-login"}).out, Not(HasSubstr("login-page")));
}

TEST_F(AgentsTest, NamesTheNearestAgentForAWrongName) {
  Spawn("login", {"true"});
  const RunOutcome outcome = Belay({"why", "lgoin"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("login"));
}

}  // namespace
}  // namespace belay
