// A name that is used again: `belay release` and `belay spawn --continue` continue the task of an
// agent that has ended; plain `belay spawn` gives it a new one.

#include <gmock/gmock.h>

#include <filesystem>

#include "guard_sandbox.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class ContinueTest : public GuardSandbox {
 protected:
  ContinueTest() { SuperviseWithoutBackoff(); }

  // It keeps the text it was given, and ends well at once.
  std::string Ends() {
    return "cp \"$BELAY_RESUME_FILE\" \"" + (folder_ / "text-") +
           "${BELAY_AGENT_ID#*#}\"\necho \"$@\" >> " + (folder_ / "words") + "\n";
  }
  std::string TextOf(int incarnation) {
    return folder_.Read("text-" + std::to_string(incarnation));
  }
  void RunOnce(const std::vector<std::string>& options = {}) {
    SpawnToEnd("login", {AgentScript("login", Ends()), "first"}, options);
    ASSERT_EQ(Belay({"guard", "--once"}).exit_code, 0);
    ASSERT_TRUE(Is("login", 1, AgentStatus::kTerminated));
  }
  RunOutcome Continue(const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"spawn", "--continue", "--name", "login"};
    words.insert(words.end(), more.begin(), more.end());
    RunOutcome outcome = Belay(words);
    if (outcome.exit_code == 0) AwaitEnd("repo", "login");
    return outcome;
  }
};

TEST_F(ContinueTest, ReleaseContinuesOneThatEndedByItself) {
  StartGuardian();
  Spawn("login", {AgentScript("login", Ends()), "first"}, {"--prompt", "make it whole"});
  AwaitStatus("login", 1, AgentStatus::kTerminated);
  const RunOutcome released = Belay({"release", "login"});
  EXPECT_EQ(released.exit_code, 0) << released.err;
  // A script has no conversation.
  EXPECT_THAT(released.out, HasSubstr("which runs its command again with the resume text"));
  AwaitStatus("login", 2, AgentStatus::kTerminated);
  EXPECT_THAT(TextOf(2), HasSubstr("You are a continuation of orchestrator-login#1"));
  EXPECT_THAT(TextOf(2), HasSubstr("make it whole"));
}

TEST_F(ContinueTest, ANameThatIsQuarantinedCanGetANewTask) {
  Supervise({"first_backoff: 10ms", "longest_backoff: 10ms"});
  StartGuardian();
  Spawn("login", {AgentScript("login", "exit 1\n")});
  AwaitStatus("login", 5, AgentStatus::kQuarantined);
  const RunOutcome refused = Belay({"spawn", "--continue", "--name", "login"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_THAT(refused.err, HasSubstr("belay release orchestrator-login continues it"));
  ASSERT_TRUE(Is("login", 5, AgentStatus::kQuarantined));
  Spawn("login", {AgentScript("other", std::string(kWaits))}, {"--prompt", "another task"});
  const Identity next = AwaitStatus("login", 6, AgentStatus::kAlive);
  EXPECT_TRUE(next.restart.crashes.empty());
  EXPECT_THAT(Why("login"), HasSubstr("a new task, which ends the quarantine of the previous one"));
}

TEST_F(ContinueTest, RespawnLiftsAnEarlierNoRespawn) {
  RunOnce({"--no-respawn"});
  ASSERT_EQ(Continue().exit_code, 0);
  EXPECT_FALSE(Present("login").respawn) << "what isn't said stays";
  ASSERT_EQ(Continue({"--respawn"}).exit_code, 0);
  EXPECT_TRUE(Present("login").respawn);
  EXPECT_EQ(Belay({"spawn", "--name", "x", "--respawn", "--no-respawn", "--", "true"}).exit_code,
            2);
}

TEST_F(ContinueTest, ReleaseContinuesOneThatWasStopped) {
  StartGuardian();
  Start("login");
  ASSERT_EQ(Belay({"stop", "login"}).exit_code, 0);
  AwaitStatus("login", 1, AgentStatus::kTerminated);
  ASSERT_EQ(Belay({"release", "login"}).exit_code, 0);
  AwaitStatus("login", 2, AgentStatus::kAlive);
}

TEST_F(ContinueTest, OneWhoseWorktreeIsGoneIsNotStartedUntilItIsBack) {
  SpawnToEnd("login", {AgentScript("login", Ends())}, {"--new-worktree", "login"});
  ASSERT_EQ(Belay({"guard", "--once"}).exit_code, 0);
  const std::string path = Present("login").worktree_path;
  std::filesystem::remove_all(path);
  const std::string again = "git worktree add -f '" + path + "' 'login'";
  const auto says = AllOf(HasSubstr(path + ", no longer exists"), HasSubstr(again),
                          HasSubstr("--continue --role orchestrator --name login --worktree"));
  for (const auto& words :
       {std::vector<std::string>{"release", "login"}, {"spawn", "--continue", "--name", "login"}}) {
    const RunOutcome refused = Belay(words);
    EXPECT_EQ(refused.exit_code, 3) << words[0];
    EXPECT_THAT(refused.err, says);
  }
  EXPECT_TRUE(Is("login", 1, AgentStatus::kTerminated));
  // What the hint says does help.
  EXPECT_EQ(RunReal({"sh", "-c", "cd '" + folder_ / "repo" + "' && " + again}).exit_code, 0);
  EXPECT_EQ(Belay({"release", "login"}).exit_code, 0);
}

TEST_F(ContinueTest, SpawnContinueWorksInAnotherWorktree) {
  SpawnToEnd("login", {AgentScript("login", Ends())}, {"--new-worktree", "login"});
  std::filesystem::remove_all(Present("login").worktree_path);
  Git({"-C", "repo", "worktree", "add", "-q", folder_ / "other"});
  EXPECT_EQ(Continue({"--worktree", folder_ / "other"}).exit_code, 0);
  EXPECT_EQ(Present("login").worktree_path, folder_ / "other");
}

// It isn't the agent's fault: no start is tried, none counts as a crash.
TEST_F(ContinueTest, TheGuardianAsksOnceAboutAnAgentWhoseWorktreeIsGone) {
  StartGuardian();
  const Identity agent = Start("login", kWaits, {"--new-worktree", "login"});
  const std::string path = agent.worktree_path;
  std::filesystem::remove_all(path);
  Kill(agent);
  ASSERT_TRUE(Await([&] {
    return Present("login").restart.reason.find("its worktree " + path + " no longer exists") !=
           std::string::npos;
  })) << Why("login");
  AwaitATurn();
  const Identity left = Present("login");
  EXPECT_EQ(left.id.incarnation(), 1U);
  EXPECT_EQ(left.status, AgentStatus::kCrashed);
  EXPECT_FALSE(left.restart.due);
  EXPECT_THAT(left.restart.reason, HasSubstr("git worktree add -f '" + path +
                                             "' 'login', then "
                                             "belay release orchestrator-login"));
  const Json person = BelayJson({"signal", "list", "person"});
  int asked = 0;
  for (const Json& signal : *person.Find("signals")->AsArray()) {
    asked += Text(signal, "type") == "AGENT_CRASHED" ? 1 : 0;
  }
  EXPECT_EQ(asked, 1);
  Git({"-C", "repo", "worktree", "add", "-q", "-f", path, "login"});
  EXPECT_EQ(Belay({"release", "login"}).exit_code, 0);
  AwaitStatus("login", 2, AgentStatus::kAlive);
}

TEST_F(ContinueTest, ReleaseOfARunningOneHasNothingToDo) {
  StartGuardian();
  Start("login");
  const RunOutcome released = Belay({"release", "login"});
  EXPECT_EQ(released.exit_code, 3);
  EXPECT_THAT(released.err, HasSubstr("nothing to do"));
}

TEST_F(ContinueTest, SpawnContinueTakesTheRecordedCommandAndTask) {
  RunOnce({"--prompt", "make it whole", "--node", "n7"});
  ASSERT_EQ(Belay({"hook", "note", "login", "the door is painted"}).exit_code, 0);
  const RunOutcome continued = Continue();
  ASSERT_EQ(continued.exit_code, 0) << continued.err;
  EXPECT_THAT(TextOf(2), HasSubstr("You are a continuation of orchestrator-login#1"));
  EXPECT_THAT(TextOf(2), HasSubstr("the door is painted"));
  EXPECT_THAT(TextOf(2), HasSubstr("make it whole"));
  EXPECT_EQ(folder_.Read("words"), "first\nfirst\n");
  EXPECT_EQ(Present("login").node_id, "n7");
  EXPECT_THAT(Why("login"), HasSubstr("continues"));
}

TEST_F(ContinueTest, SpawnContinueTakesAnotherCommand) {
  RunOnce();
  ASSERT_EQ(Continue({"--", folder_ / "login-agent.sh", "second"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("words"), "first\nsecond\n");
  EXPECT_THAT(TextOf(2), HasSubstr("You are a continuation of"));
}

TEST_F(ContinueTest, SpawnContinueWithoutAnythingToContinueIsRefusedWithAHint) {
  const RunOutcome nothing = Continue();
  EXPECT_EQ(nothing.exit_code, 3);
  EXPECT_THAT(nothing.err, HasSubstr("no agent orchestrator-login to continue"));
  EXPECT_THAT(nothing.err, HasSubstr("belay spawn --role orchestrator --name login -- COMMAND"));
  EXPECT_EQ(Recorded("login"), nullptr);
}

TEST_F(ContinueTest, SpawnWithoutACommandIsRefused) {
  EXPECT_EQ(Belay({"spawn", "--name", "login"}).exit_code, 2);
}

TEST_F(ContinueTest, PlainSpawnUnderTheSameNameIsANewTask) {
  RunOnce({"--prompt", "make it whole", "--node", "n7"});
  ASSERT_EQ(Belay({"hook", "note", "login", "the door is painted"}).exit_code, 0);
  ASSERT_EQ(Belay({"hook", "phase", "login", "testing"}).exit_code, 0);
  SpawnToEnd("login", {folder_ / "login-agent.sh", "second"}, {"--prompt", "count the plums"});
  EXPECT_THAT(TextOf(2), HasSubstr("count the plums"));
  EXPECT_THAT(TextOf(2), Not(HasSubstr("continuation of")));
  EXPECT_THAT(TextOf(2), Not(HasSubstr("the door is painted")));
  const Json hook = Hook("login");
  EXPECT_EQ(Text(hook, "work_phase"), "investigation");
  EXPECT_EQ(Text(hook, "work_summary"), "count the plums");
  EXPECT_TRUE(hook.Find("notes")->AsArray()->empty());
  const Identity present = Present("login");
  EXPECT_EQ(present.id.incarnation(), 2U);
  EXPECT_EQ(present.predecessor_id, "orchestrator-login#1");
  EXPECT_EQ(present.node_id, "");
  EXPECT_EQ(present.restart.restarts, 0U);
  EXPECT_THAT(Why("login"), HasSubstr("a new task"));
}

TEST_F(ContinueTest, ANewTaskInheritsTaint) {
  RunOnce();
  ASSERT_EQ(Belay({"taint", "mark", "--agent", "login", "--source", ".env"}).exit_code, 0);
  SpawnToEnd("login", {folder_ / "login-agent.sh"});
  EXPECT_TRUE(Present("login").tainted);
}

// What the one before it left behind would go on beside the new task.
TEST_F(ContinueTest, ANewTaskEndsWhatAKilledOneLeft) {
  Spawn("login",
        {AgentScript("login", "trap '' HUP\nsetsid sleep 600 & echo $! > " +
                                  (folder_ / "left.new") + "; mv " + (folder_ / "left.new") + " " +
                                  (folder_ / "left") + "\nwait\n")});
  ASSERT_TRUE(Await([&] { return folder_.Read("left") != "(missing)"; }));
  const Result<Process> left = Process::Open(std::stoi(folder_.Read("left")));
  ASSERT_TRUE(left.ok());
  const Identity agent = Present("login");
  const Process itself = Open(*agent.process);
  ASSERT_TRUE(Open(*agent.parent).Signal(SIGKILL).ok());
  ASSERT_TRUE(itself.Signal(SIGKILL).ok());
  ASSERT_TRUE(EndsWithin(itself, kBound));
  SpawnToEnd("login", {AgentScript("other", Ends())});
  EXPECT_TRUE(EndsWithin(*left, kBound)) << "it goes on beside the new task";
}

}  // namespace
}  // namespace belay
