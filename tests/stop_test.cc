// `belay stop` and `belay release`, with real processes.

#include <gmock/gmock.h>
#include <signal.h>

#include "agent_sandbox.h"
#include "agents_sandbox.h"
#include "os/file_lock.h"
#include "os/process.h"
#include "store/durable_file.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class StopTest : public AgentSandbox {
 protected:
  bool Exists(std::int64_t pid) { return kill(static_cast<pid_t>(pid), 0) == 0; }

  // Runs a script that names itself in a file once it is ready to be stopped.
  std::int64_t SpawnReady(const std::string& name, const std::string& text) {
    EXPECT_EQ(RunReal({"mkfifo", folder_ / ("repo/.git/ready-" + name)}).exit_code, 0);
    const std::string ready = "echo > .git/ready-" + name + "\n";
    const std::int64_t pid =
        Pid(Spawn(name, {"sh", "-c", text + "\n" + ready + "while :; do sleep 1; done"}));
    EXPECT_EQ(RunReal({"cat", folder_ / ("repo/.git/ready-" + name)}).exit_code, 0);
    return pid;
  }
};

TEST_F(StopTest, EndsAnAgentAndKeepsItsWork) {
  const std::int64_t pid = SpawnReady("login", "echo work > work.txt");
  const Json stopped = BelayJson({"stop", "login"});
  EXPECT_EQ(Text(stopped, "status"), "terminated");
  EXPECT_FALSE(*stopped.Find("killed")->AsBool());
  EXPECT_FALSE(Exists(pid));
  ASSERT_FALSE(stopped.Find("snapshots")->AsArray()->empty());
  const std::string id = *stopped.Find("snapshots")->AsArray()->front().AsString();
  EXPECT_THAT(id, HasSubstr("agent-orchestrator-login/"));
  EXPECT_THAT(Belay({"snapshot", "show", id}).out, HasSubstr("work.txt"));
  const Json row = Agent("orchestrator-login#1");
  EXPECT_EQ(Text(row, "status"), "terminated");
  EXPECT_EQ(Text(row, "color"), "grey");
}

TEST_F(StopTest, KeepsWhatTheAgentWritesOnItsWayOut) {
  SpawnReady("login", "trap 'echo last > last.txt; exit 0' TERM");
  const Json stopped = BelayJson({"stop", "login"});
  ASSERT_FALSE(stopped.Find("snapshots")->AsArray()->empty());
  const std::string id = *stopped.Find("snapshots")->AsArray()->back().AsString();
  EXPECT_THAT(Belay({"snapshot", "show", id}).out, HasSubstr("last.txt"));
}

TEST_F(StopTest, KeepsWhatTheAgentTakesAwayOnItsWayOut) {
  SpawnReady("login", "echo work > work.txt; trap 'rm work.txt; exit 0' TERM");
  const Json stopped = BelayJson({"stop", "login"});
  ASSERT_FALSE(stopped.Find("snapshots")->AsArray()->empty());
  const std::string id = *stopped.Find("snapshots")->AsArray()->front().AsString();
  EXPECT_THAT(Belay({"snapshot", "show", id}).out, HasSubstr("work.txt"));
}

TEST_F(StopTest, KillsOneThatDoesNotListen) {
  folder_.Write("repo/.claude/belay.yml", "supervise:\n  stop_grace: 300ms\n");
  const std::int64_t pid = SpawnReady("deaf", "trap '' TERM");
  const Json stopped = BelayJson({"stop", "deaf"});
  EXPECT_TRUE(*stopped.Find("killed")->AsBool());
  EXPECT_EQ(Text(stopped, "status"), "terminated");
  EXPECT_FALSE(Exists(pid));
}

TEST_F(StopTest, KillsAtOnceWithNow) {
  const std::int64_t pid = SpawnReady("deaf", "trap '' TERM");
  const Json stopped = BelayJson({"stop", "deaf", "--now"});
  EXPECT_TRUE(*stopped.Find("killed")->AsBool());
  EXPECT_FALSE(Exists(pid));
}

TEST_F(StopTest, EndsChildrenThatLeftTheGroup) {
  ASSERT_EQ(RunReal({"mkfifo", folder_ / "repo/.git/child"}).exit_code, 0);
  Spawn("parent", {"sh", "-c",
                   "setsid sh -c 'trap \"\" TERM; echo $$ > .git/child; "
                   "while :; do sleep 1; done' & while :; do sleep 1; done"});
  const std::int64_t child = std::stoll(RunReal({"cat", folder_ / "repo/.git/child"}).out);
  ASSERT_TRUE(Exists(child));
  EXPECT_EQ(Belay({"stop", "parent", "--now"}).exit_code, 0);
  EXPECT_FALSE(Exists(child));
}

TEST_F(StopTest, HasNothingToDoForOneThatHasEnded) {
  SpawnToEnd("login", {"true"});
  const RunOutcome outcome = Belay({"stop", "login"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("nothing to do"), HasSubstr("belay why")));
}

TEST_F(StopTest, GivesUpOneThatWaitsForItsRestart) {
  SpawnToEnd("login", {"false"});
  EXPECT_EQ(Text(Agent("orchestrator-login#1"), "status"), "crashed");
  const Json stopped = BelayJson({"stop", "login"});
  EXPECT_EQ(Text(stopped, "status"), "terminated");
  EXPECT_FALSE(*stopped.Find("ran")->AsBool());
  EXPECT_TRUE(Agent("orchestrator-login#1").Find("due")->is_null());
}

TEST_F(StopTest, StopsInSpiteOfMistakesInTheConfiguration) {
  Spawn("login");
  folder_.Write("repo/.claude/belay.yml", "supervise:\n  no_such: 1\n");
  const RunOutcome outcome = Belay({"stop", "login"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("using the defaults"));
}

TEST_F(StopTest, MayBeFollowedByTheNextIncarnation) {
  Spawn("login");
  EXPECT_EQ(Belay({"stop", "login", "--now"}).exit_code, 0);
  EXPECT_EQ(Text(Spawn("login"), "agent_id"), "orchestrator-login#2");
}

class StopRecordedTest : public AgentsSandbox {
 protected:
  // One that is about to be started, by another process.
  Identity Starting(const std::string& agent_id) {
    Identity agent = Spawn(agent_id);
    agent.status = AgentStatus::kSpawning;
    agent.spawn_deadline = clock_.Wall() + std::chrono::minutes(1);
    Save(agent);
    return agent;
  }
};

TEST_F(StopRecordedTest, DoesNotWaitForeverForAHeldLock) {
  const Identity agent = Starting("orchestrator-login#1");
  ASSERT_TRUE(EnsureFolder(files_, project_.RunFolder()).ok());
  const Result<File> lock = OpenLocked(files_, project_.RunLock(agent.id.identity()), kPrivateFile,
                                       std::chrono::seconds(1));
  ASSERT_TRUE(lock.ok());
  for (const char* how : {"--now", "--json"}) {
    const RunOutcome outcome = Belay({"stop", "login", how});
    EXPECT_EQ(outcome.exit_code, 75) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out + outcome.err, HasSubstr("holds its lock"));
  }
  EXPECT_EQ(Present("orchestrator-login").intent->what, "stop");
}

TEST_F(StopRecordedTest, ShowsWhatToDoAboutADamagedRunRecord) {
  Starting("orchestrator-login#1");
  folder_.Write("repo/.git/belay/run/orchestrator-login.json", "{");
  const RunOutcome outcome = Belay({"stop", "login"});
  EXPECT_EQ(outcome.exit_code, 5) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("move it away"));
}

TEST_F(StopTest, ReleaseMakesOneDueThatWaits) {
  SpawnToEnd("login", {"false"});
  const Json released = BelayJson({"release", "login"});
  EXPECT_EQ(Text(released, "status"), "crashed");
  EXPECT_FALSE(*released.Find("guarded")->AsBool());
  EXPECT_FALSE(Agent("orchestrator-login#1").Find("due")->is_null());
}

TEST_F(StopTest, ReleaseRestartsAnAgentThatWasLeft) {
  folder_.Write("repo/.claude/belay.yml", "supervise:\n  on_crash: ask\n");
  SpawnToEnd("login", {"false"});
  EXPECT_EQ(Belay({"guard", "--once"}).exit_code, 0);
  const Json left = Agent("orchestrator-login#1");
  EXPECT_TRUE(left.Find("due")->is_null());
  EXPECT_THAT(Text(left, "reason"), HasSubstr("belay release orchestrator-login restarts it"));
  BelayJson({"release", "login"});
  EXPECT_FALSE(Agent("orchestrator-login#1").Find("due")->is_null());
}

TEST_F(StopTest, ReleaseHasNothingToDoForOneThatRunsAndContinuesOneThatHasEnded) {
  Spawn("login");
  SpawnToEnd("done", {"true"});
  EXPECT_EQ(Belay({"release", "login"}).exit_code, 3);
  const RunOutcome ended = Belay({"release", "done"});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("belay guard starts its successor"));
}

TEST_F(StopTest, ReleaseIsForPeople) {
  SpawnToEnd("login", {"false"});
  const RunOutcome outcome =
      Belay({"release", "login"}, {.environment = {{"BELAY_AGENT_ID", "orchestrator-login#1"}}});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.out << outcome.err;
}

}  // namespace
}  // namespace belay
