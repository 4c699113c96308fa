// `belay agents` and `belay why`, with real processes.

#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "agent_sandbox.h"
#include "os/process.h"
#include "os/pseudo_terminal.h"
#include "testing/places.h"
#include "testing/test_pipe.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// What comes, until it holds `text`; at most half a minute.
std::string ReadUntil(int fd, const std::string& text) {
  constexpr int kLongest = 30'000;
  std::string seen;
  pollfd ready{fd, POLLIN, 0};
  while (seen.find(text) == std::string::npos) {
    char buffer[4096];
    if (poll(&ready, 1, kLongest) != 1) break;
    const ssize_t count = read(fd, buffer, sizeof buffer);
    if (count <= 0) break;
    seen.append(buffer, static_cast<std::size_t>(count));
  }
  EXPECT_THAT(seen, HasSubstr(text));
  return seen;
}

class AgentsTest : public AgentSandbox {
 protected:
  // Ended behind belay's back; that its exec has written that down is awaited.
  void KillBehindItsBack(const std::string& name) {
    const Result<Json> run =
        ParseJson(folder_.Read("repo/.git/belay/run/orchestrator-" + name + ".json"));
    ASSERT_TRUE(run.ok());
    Result<Process> exec = Process::Open(static_cast<pid_t>(Pid(*run->Find("parent"))));
    ASSERT_TRUE(exec.ok());
    ASSERT_EQ(kill(static_cast<pid_t>(Pid(*run->Find("process"))), SIGKILL), 0);
    (void)exec->Wait();
  }
};

TEST_F(AgentsTest, ShowsWhatScriptsRelyOn) {
  Spawn("login", {"sleep", "600"}, {"--node", "n1", "--bead", "b1"});
  const Json row = Agent("orchestrator-login#1");
  for (const std::string_view key :
       {"agent_id", "role", "name", "incarnation", "status", "color", "pid", "work_phase",
        "node_id", "last_seen", "context_fill", "restarts", "host", "predecessor_id",
        "context_tier", "session_id"}) {
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

TEST_F(AgentsTest, ReportsThatThereAreNone) {
  const RunOutcome outcome = Belay({"agents"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, HasSubstr("belay spawn"));
}

TEST_F(AgentsTest, SeesAnUnrecordedDeath) {
  Spawn("login");
  KillBehindItsBack("login");
  const Json row = Agent("orchestrator-login#1");
  EXPECT_EQ(Text(row, "status"), "crashed");
  EXPECT_EQ(Text(row, "color"), "red");
  EXPECT_EQ(Text(row, "recorded_status"), "alive");
  EXPECT_THAT(Text(row, "reason"), HasSubstr("killed by SIGKILL"));
  EXPECT_TRUE(row.Find("pid")->is_null());
}

TEST_F(AgentsTest, PromisesNoComebackToOneWhoseProcessIsGone) {
  Spawn("login");
  const Result<Json> run = ParseJson(folder_.Read("repo/.git/belay/run/orchestrator-login.json"));
  ASSERT_TRUE(run.ok());
  Result<Process> exec = Process::Open(static_cast<pid_t>(Pid(*run->Find("parent"))));
  Result<Process> agent = Process::Open(static_cast<pid_t>(Pid(*run->Find("process"))));
  ASSERT_TRUE(exec.ok() && agent.ok());
  ASSERT_TRUE(exec->Signal(SIGSTOP).ok());  // so that it can't write down how the agent ended
  ASSERT_TRUE(agent->Signal(SIGKILL).ok());
  (void)agent->Wait();
  EXPECT_THAT(Text(*BelayJson({"why", "login"}).Find("now"), "next"),
              AllOf(HasSubstr("records its end"), Not(HasSubstr("if it crashes"))));
  ASSERT_TRUE(exec->Signal(SIGCONT).ok());
  (void)exec->Wait();
}

TEST_F(AgentsTest, ReportsAMissingLog) {
  SpawnToEnd("login", {"echo", "hello"});
  ASSERT_EQ(RunReal({"rm", "-rf", folder_ / "repo/.git/belay/run"}).exit_code, 0);
  const RunOutcome outcome = Belay({"logs", "login"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("its log is missing"));
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

TEST_F(AgentsTest, WatchesOnATerminalUntilQIsPressed) {
  Spawn("login");
  const Result<PseudoTerminal> terminal = PseudoTerminal::Open({.rows = 24, .columns = 100});
  ASSERT_TRUE(terminal.ok());
  auto watch = Process::Spawn({.command = {BelayBinary(), "agents", "--watch"},
                               .folder = folder_ / "repo",
                               .input = terminal->theirs(),
                               .output = terminal->theirs(),
                               .errors = terminal->theirs()});
  ASSERT_TRUE(watch.has_value());
  std::string seen = ReadUntil(terminal->fd(), "orchestrator-login#1");
  EXPECT_EQ(Belay({"hook", "phase", "login", "testing"}).exit_code, 0);
  seen += ReadUntil(terminal->fd(), "testing");
  ASSERT_EQ(terminal->Write("q"), 1U);
  seen += ReadUntil(terminal->fd(), "\x1b[?25h");
  EXPECT_TRUE(watch->Wait().clean());
  EXPECT_THAT(seen, AllOf(HasSubstr("\x1b[?25l"), Not(HasSubstr("\x1b[2J"))));
}

TEST_F(AgentsTest, PrintsALineForEachChangeWhenWatchedByAScript) {
  const TestPipe pipe;
  auto watch = Process::Spawn({.command = {BelayBinary(), "agents", "--watch", "--json"},
                               .folder = folder_ / "repo",
                               .output = pipe.write.get()});
  ASSERT_TRUE(watch.has_value());
  EXPECT_EQ(ReadUntil(pipe.read.get(), "\n"), "{\"schema_version\":1,\"agents\":[]}\n");
  Spawn("login");
  EXPECT_THAT(ReadUntil(pipe.read.get(), "\"status\":\"alive\""),
              HasSubstr("orchestrator-login#1"));
  ASSERT_TRUE(watch->Signal(SIGINT).ok());
  EXPECT_TRUE(watch->Wait().clean());
}

TEST_F(AgentsTest, NeedsBelaySetUpAndATerminalToWatchOn) {
  EXPECT_EQ(Belay({"agents", "--watch"}).exit_code, 2);
  EXPECT_EQ(Belay({"init", "--remove", "--yes"}).exit_code, 0);
  const RunOutcome outcome = Belay({"agents"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("belay init"));
}

TEST_F(AgentsTest, ExplainsTheStateOfAnAgent) {
  SpawnToEnd("login", {"sh", "-c", "exit 3"});
  EXPECT_EQ(Text(*BelayJson({"why", "login"}).Find("now"), "status"), "crashed");
  BelayJson({"release", "login"});
  const Json why = BelayJson({"why", "login"});
  std::string kinds;
  for (const Json& record : *why.Find("records")->AsArray()) kinds += Text(record, "kind") + " ";
  EXPECT_THAT(
      kinds, AllOf(HasSubstr("taint began hook created spawning "), HasSubstr("crashed released")));
  EXPECT_THAT(Text(*why.Find("now"), "next"), HasSubstr("belay guard"));
  EXPECT_THAT(Belay({"why", "login"}).out,
              AllOf(HasSubstr("exit code 3"), HasSubstr("now: orchestrator-login#1 is crashed")));
}

TEST_F(AgentsTest, ShowsNothingAboutOthers) {
  SpawnToEnd("login", {"true"});
  SpawnToEnd("login-page", {"true"});
  EXPECT_THAT(Belay({"why", "orchestrator-login"}).out, Not(HasSubstr("login-page")));
}

TEST_F(AgentsTest, UnderstandsWhichIncarnationIsMeant) {
  SpawnToEnd("login", {"sh", "-c", "exit 3"});
  SpawnToEnd("login", {"sh", "-c", "exit 4"});
  const Json first = BelayJson({"why", "login#1"});
  for (const Json& record : *first.Find("records")->AsArray()) {
    EXPECT_THAT(Text(record, "agent_id"), Not(HasSubstr("#2")));
  }
  EXPECT_THAT(Belay({"why", "login#1"}).out, HasSubstr("exit code 3"));
  EXPECT_EQ(Belay({"logs", "orchestrator-login#1"}).exit_code, 0);
  const RunOutcome past = Belay({"release", "login#1"});
  EXPECT_EQ(past.exit_code, 3);
  EXPECT_THAT(past.err, HasSubstr("the current one is orchestrator-login#2"));
  EXPECT_EQ(Belay({"release", "login#2"}).exit_code, 0);
  EXPECT_EQ(Belay({"why", "login#3"}).exit_code, 3);
  EXPECT_EQ(Belay({"why", "login#x"}).exit_code, 2);
}

TEST_F(AgentsTest, PrintsNothingTwice) {
  SpawnToEnd("login", {"sh", "-c", "exit 3"});
  // Spawn records it if it sees it.
  EXPECT_THAT(Text(Agent("orchestrator-login#1"), "reason"),
              AnyOf("exit code 3; not recorded yet", "exit code 3; 1st crash"));
  EXPECT_EQ(Belay({"release", "login"}).exit_code, 0);
  EXPECT_THAT(Belay({"why", "login"}).out, HasSubstr("exit code 3; 1st crash, restarting now\n"));
}

TEST_F(AgentsTest, NamesTheNearestAgentForAWrongName) {
  SpawnToEnd("login", {"true"});
  const RunOutcome outcome = Belay({"why", "lgoin"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("login"));
}

}  // namespace
}  // namespace belay
