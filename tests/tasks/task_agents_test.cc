// belay task with agents that belay starts: spawn --task, deadlines, acknowledgements, taint.

#include <thread>

#include "base/text.h"
#include "task_world.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TaskAgentsTest : public TaskWorld {};

TEST_F(TaskAgentsTest, TaintFollowsTheTask) {
  AddClaimed();
  repo_.Write("new", "work\n");
  EXPECT_EQ(Belay({"taint", "mark", "--source", ".env"}).exit_code, 0);  // the manual session's
  SuspendIt();
  EXPECT_THAT(ContextFile(), HasSubstr("\ntaint: tainted\n"));
  EXPECT_THAT(Text(RunJson({"resume", "t1"}), "text"), HasSubstr("counts as tainted"));
  const RunOutcome spawned = Belay(
      {"spawn", "--role", "worker", "--name", "b", "--task", "t1", "--no-respawn", "--", "true"});
  EXPECT_EQ(spawned.exit_code, 0) << spawned.err;
  EXPECT_THAT(Belay({"taint", "status", "--agent", "worker-b"}).out, HasSubstr("tainted"));
}

TEST_F(TaskAgentsTest, SpawnClaimsTheTaskAndGivesTheContextAndTheDeadline) {
  AddClaimed({"--deadline", "2h", "--description", "with care"});
  repo_.Write("new", "work\n");
  SuspendIt({"--last-action", "wrote the lexer"});
  const RunOutcome spawned = Belay(
      {"spawn", "--role", "worker", "--name", "b", "--task", "t1", "--no-respawn", "--", "sh", "-c",
       "cp $BELAY_RESUME_FILE got.txt; echo $BELAY_TASK_ID $BELAY_TIMEOUT_AT >> got.txt"});
  EXPECT_EQ(spawned.exit_code, 0) << spawned.err;
  EXPECT_EQ(Text(TaskNow(), "owner"), "worker-b");
  EXPECT_EQ(repo_.Read("new"), "work\n");
  while (repo_.Read("got.txt").find("\nt1 20") == std::string::npos) std::this_thread::yield();
  const std::string got = repo_.Read("got.txt");
  EXPECT_THAT(got, HasSubstr("fix it\n\nwith care"));
  EXPECT_THAT(got, HasSubstr("Your timeout_at is 20"));
  EXPECT_THAT(got, HasSubstr("ANCHOR -- TRUTHBINDING PROTOCOL"));
  EXPECT_THAT(got, HasSubstr("| wrote the lexer"));
  EXPECT_THAT(Belay({"agents"}).out, HasSubstr("task t1"));
  EXPECT_THAT(Belay({"why", "worker-b"}).out, HasSubstr("its task is t1"));
  EXPECT_THAT(got, HasSubstr("t1 " + Text(TaskNow(), "timeout_at").substr(0, 16)));
}

TEST_F(TaskAgentsTest, TheSessionOfAStartedWorkerAcknowledgesTheResume) {
  AddClaimed();
  repo_.Write("new", "work\n");
  SuspendIt();
  const std::string session =
      "until [ -e ../go ]; do sleep 0.01; done; echo '{\"session_id\":\"5b0e\"}' | " +
      BelayBinary() + " event SessionStart > ../answer; exec sleep 60";
  EXPECT_EQ(Belay({"spawn", "--role", "worker", "--name", "b", "--task", "t1", "--no-respawn", "--",
                   "sh", "-c", session})
                .exit_code,
            0);
  EXPECT_EQ(Text(TaskNow(), "owner"), "worker-b");
  EXPECT_TRUE(Is(Metadata(TaskNow()), "resuming"));
  EXPECT_THAT(Run({"list"}).out, HasSubstr("in_progress"));
  EXPECT_THAT(Stash(), HasSubstr("rune-suspend-task-t1-")) << "the worker hasn't started yet";
  repo_.Write("../go", "");
  const SystemClock clock;
  const auto soon = clock.Wall() + std::chrono::seconds(30);
  while (Is(Metadata(TaskNow()), "resuming") && clock.Wall() < soon) std::this_thread::yield();
  // git itself fails if an entry is dropped while it lists them.
  while (repo_.Read(".git/refs/stash") != "(missing)" && clock.Wall() < soon) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(Is(Metadata(TaskNow()), "resuming"));
  EXPECT_EQ(Stash(), "");
  EXPECT_EQ(Belay({"stop", "worker-b"}).exit_code, 0);
}

TEST_F(TaskAgentsTest, AWorkerWithoutHooksAcknowledgesByFinishing) {
  AddClaimed();
  repo_.Write("new", "work\n");
  SuspendIt();
  EXPECT_EQ(Belay({"spawn", "--role", "worker", "--name", "b", "--task", "t1", "--no-respawn", "--",
                   "true"})
                .exit_code,
            0);
  EXPECT_THAT(Stash(), HasSubstr("rune-suspend-task-t1-"));
  EXPECT_EQ(Run({"done", "t1"}).exit_code, 0);
  EXPECT_EQ(Stash(), "");
}

TEST_F(TaskAgentsTest, AWorkerThatNeverStartedLeavesTheResumedWorkToTheNext) {
  AddClaimed({"--wave", "w1"});
  repo_.Write("new", "work\n");
  SuspendIt({"--last-action", "wrote the lexer"});
  EXPECT_EQ(Belay({"spawn", "--role", "worker", "--name", "b", "--task", "t1", "--no-respawn", "--",
                   "true"})
                .exit_code,
            0);
  (void)Belay({"stop", "worker-b", "--now"});  // it may have ended by itself
  EXPECT_EQ(Run({"wave", "w1", "--deadline", "2026-01-01T00:00:00Z"}).exit_code, 0);
  EXPECT_THAT(Run({"sweep"}).out, HasSubstr("t1 reset: worker-b timed out"));
  EXPECT_THAT(Run({"list"}).out, HasSubstr("resuming"));
  const Json again = RunJson({"resume", "t1"});
  ASSERT_EQ(Text(again, "mode"), "resume");
  EXPECT_THAT(Text(again, "text"), HasSubstr("| wrote the lexer"));
  EXPECT_EQ(*again.Find("resume_count")->AsInteger(), 1);
}

TEST_F(TaskAgentsTest, ATaskWhoseWorkerCannotStartIsPendingAgain) {
  EXPECT_EQ(Run({"add", "fix it"}).exit_code, 0);
  EXPECT_NE(Belay({"spawn", "--name", "b", "--task", "t1", "--", "./no-such-program"}).exit_code,
            0);
  EXPECT_EQ(Text(TaskNow(), "status"), "pending");
}

TEST_F(TaskAgentsTest, ARunningWorkerIsStoppedBeforeAPersonSuspendsItsTask) {
  EXPECT_EQ(Run({"add", "fix it"}).exit_code, 0);
  EXPECT_EQ(Belay({"spawn", "--name", "b", "--task", "t1", "--", "sleep", "600"}).exit_code, 0);
  const RunOutcome refused = Run({"suspend", "t1"});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, HasSubstr("belay stop orchestrator-b"));
  EXPECT_EQ(Belay({"stop", "b", "--now"}).exit_code, 0);
  EXPECT_EQ(Run({"suspend", "t1"}).exit_code, 0);
  EXPECT_THAT(Belay({"signal", "list", "guardian", "--json"}).out,
              HasSubstr(R"("from": "command")"))
      << "a person did it, not the agent";
}

TEST_F(TaskAgentsTest, AWorkerThatWillBeRestartedIsStoppedBeforeAPersonSuspendsItsTask) {
  EXPECT_EQ(Run({"add", "fix it"}).exit_code, 0);
  EXPECT_EQ(
      Belay({"spawn", "--name", "b", "--task", "t1", "--", "sh", "-c", "kill -9 $$"}).exit_code, 0);
  while (Belay({"agents"}).out.find("crashed") == std::string::npos) std::this_thread::yield();
  const RunOutcome refused = Run({"suspend", "t1"});
  EXPECT_EQ(refused.exit_code, 4);
  EXPECT_THAT(refused.err, HasSubstr("will be restarted"));
  EXPECT_EQ(Belay({"stop", "b"}).exit_code, 0);
  EXPECT_EQ(Run({"suspend", "t1"}).exit_code, 0);
}

TEST_F(TaskAgentsTest, AWorkerIsNamedByItsRoleAndNameOrByItsNameAlone) {
  EXPECT_EQ(
      Belay({"spawn", "--role", "worker", "--name", "a", "--no-respawn", "--", "true"}).exit_code,
      0);
  EXPECT_EQ(Run({"add", "fix it"}).exit_code, 0);
  for (const char* name : {"a", "worker-a", "a#1", "worker-a#1"}) {
    EXPECT_EQ(Run({"claim", "t1", "--worker", name}).exit_code, 0) << name;
    EXPECT_EQ(Text(TaskNow(), "owner"), "worker-a");
  }
  const RunOutcome unknown = Run({"claim", "t1", "--worker", "b"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("role-name"));
  EXPECT_EQ(Run({"claim", "t1", "--worker", "worker-a#2"}).exit_code, 3) << "not yet";
  EXPECT_EQ(
      Belay({"spawn", "--role", "witness", "--name", "a", "--no-respawn", "--", "true"}).exit_code,
      0);
  const RunOutcome ambiguous = Run({"claim", "t1", "--worker", "a"});
  EXPECT_EQ(ambiguous.exit_code, 2);
  EXPECT_THAT(ambiguous.err, HasSubstr("witness-a"));
  EXPECT_EQ(Run({"suspend", "t1", "--worker", "worker-a#1"}).exit_code, 0);
}

TEST_F(TaskAgentsTest, NothingIsMadeForAWorkerThatCannotHaveTheTask) {
  AddClaimed();
  for (const char* id : {"t1", "t9"}) {
    EXPECT_NE(Belay({"spawn", "--name", "b", "--task", id, "--new-worktree", "b", "--no-respawn",
                     "--", "true"})
                  .exit_code,
              0);
  }
  EXPECT_EQ(repo_.TryGit({"rev-parse", "--verify", "--quiet", "refs/heads/b"}), 1);
  EXPECT_THAT(repo_.Git({"worktree", "list"}), Not(HasSubstr("orchestrator-b")));
}

TEST_F(TaskAgentsTest, AnAgentThatContinuesInAnotherWorktreeTakesItsTaskThere) {
  EXPECT_EQ(Run({"add", "fix it"}).exit_code, 0);
  const std::vector<std::string> spawn = {"spawn", "--name", "b", "--no-respawn"};
  const auto start = [&](std::vector<std::string> more) {
    more.insert(more.begin(), spawn.begin(), spawn.end());
    const RunOutcome outcome = Belay(more);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    (void)Belay({"stop", "b", "--now"});  // it may have ended by itself
  };
  start({"--task", "t1", "--", "true"});
  EXPECT_EQ(Text(TaskNow(), "worktree_path"), repo_.path());
  const std::string other = repo_.outside() / "other";
  repo_.Git({"worktree", "add", "-q", "-b", "other", other});
  start({"--continue", "--worktree", other, "--", "true"});
  EXPECT_EQ(Text(TaskNow(), "worktree_path"), other);
  repo_.Write("../other/new", "work\n");
  repo_.Write("new", "a person's\n");
  SuspendIt();
  EXPECT_EQ(repo_.Read("../other/new") + repo_.Read("new"), "(missing)a person's\n");
}

}  // namespace
}  // namespace belay
