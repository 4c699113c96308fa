// `belay spawn`, with real processes.

#include <gmock/gmock.h>
#include <signal.h>

#include <filesystem>

#include "agent_sandbox.h"
#include "os/process.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SpawnTest : public AgentSandbox {
 protected:
  void ExpectRefused(const std::vector<std::string>& command, int exit_code,
                     const std::string& says) {
    const RunOutcome outcome = Belay(command);
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(says));
    EXPECT_TRUE(Agents(true).AsArray()->empty());
  }
};

TEST_F(SpawnTest, StartsAnAgentThatOutlivesTheCommand) {
  const Json spawned = Spawn("login");
  EXPECT_EQ(Text(spawned, "agent_id"), "orchestrator-login#1");
  EXPECT_EQ(Text(spawned, "host"), "process");
  EXPECT_EQ(Text(spawned, "status"), "alive");
  EXPECT_EQ(Text(spawned, "worktree_path"), folder_ / "repo");
  EXPECT_EQ(kill(static_cast<pid_t>(Pid(spawned)), 0), 0);
  EXPECT_THAT(folder_.Read("repo/.claude/state/identities/orchestrator-login.json"),
              HasSubstr("orchestrator-login#1"));
  EXPECT_THAT(folder_.Read("repo/.claude/state/hooks/orchestrator-login.json"),
              HasSubstr("investigation"));
}

TEST_F(SpawnTest, ReportsWhereToLookAndThatNoGuardianIsRunning) {
  const RunOutcome outcome = Belay({"spawn", "--name", "login", "--", "sleep", "600"});
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("orchestrator-login#1 is running, pid "),
                                 HasSubstr("belay attach orchestrator-login")));
  EXPECT_THAT(outcome.err, HasSubstr("belay guard"));
}

TEST_F(SpawnTest, RefusesNamesThatCantBe) {
  for (const std::string& name :
       {std::string("../x"), std::string("a b"), std::string("A"), std::string("a.b"),
        std::string(300, 'x'), std::string("-x"), std::string("a--b")}) {
    ExpectRefused({"spawn", "--name=" + name, "--", "true"}, 2, "");
  }
  ExpectRefused({"spawn", "--name", "a", "--role", "a-b", "--", "true"}, 2, "a-b");
  ExpectRefused({"spawn", "--name", "a", "--role", "guardian", "--", "true"}, 2,
                "reserved for belay");
}

TEST_F(SpawnTest, RefusesWhatItWasNotAskedRightly) {
  ExpectRefused({"spawn", "--", "true"}, 2, "--name NAME");
  ExpectRefused({"spawn", "--name", "a"}, 2, "COMMAND");
  ExpectRefused({"spawn", "--name", "a", "--host", "tmux", "--", "true"}, 2, "isn't supported yet");
  ExpectRefused({"spawn", "--name", "a", "--prompt-file", "none.txt", "--", "true"}, 2, "none.txt");
  ExpectRefused({"spawn", "--name", "a", "--worktree", folder_.path(), "--", "true"}, 2,
                "not in a git repository");
  folder_.MakeFolder("repo/sub");
  ExpectRefused({"spawn", "--name", "a", "--worktree", "sub", "--", "true"}, 2, "inside");
}

TEST_F(SpawnTest, RecordsNothingWhenThereIsNoSuchProgram) {
  ExpectRefused({"spawn", "--name", "a", "--", "no-such-program"}, 3, "no-such-program");
  ExpectRefused({"spawn", "--name", "a", "--", "./no-such-script"}, 3, "no-such-script");
  ExpectRefused({"spawn", "--name", "a", "--", "./file.txt"}, 3, "not an executable program");
}

TEST_F(SpawnTest, RefusesASecondOneOfTheSameName) {
  const Json first = Spawn("login");
  const RunOutcome second = Belay({"spawn", "--name", "login", "--", "sleep", "600"});
  EXPECT_EQ(second.exit_code, 4);
  EXPECT_THAT(second.err, AllOf(HasSubstr("orchestrator-login#1 is already running"),
                                HasSubstr("belay stop orchestrator-login")));
  EXPECT_EQ(Pid(Agent("orchestrator-login#1")), Pid(first));
}

TEST_F(SpawnTest, StartsTheNextIncarnationAfterTheEnd) {
  SpawnToEnd("login", {"true"});
  const Json second = Spawn("login");
  EXPECT_EQ(Text(second, "agent_id"), "orchestrator-login#2");
  EXPECT_EQ(Text(second, "predecessor_id"), "orchestrator-login#1");
  EXPECT_EQ(Text(Agent("orchestrator-login#1"), "status"), "terminated");
}

TEST_F(SpawnTest, GivesTheAgentItsEnvironmentAndItsTask) {
  const std::string script =
      Script("agent.sh",
             "{ env | grep ^BELAY_ | sort; cat $BELAY_RESUME_FILE; } > said.tmp\n"
             "mv said.tmp said.txt\nread line\n");
  folder_.Write("repo/task.txt", "Repair the login page\n");
  ASSERT_EQ(RunReal({"mkfifo", folder_ / "repo/wait"}).exit_code, 0);
  const RunOutcome outcome = Belay({"spawn", "--name", "login", "--prompt-file", "task.txt", "--",
                                    "sh", "-c", script + " < /dev/null; echo done > wait"},
                                   {.environment = {{"BELAY_LEAK", "x"}}});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  ASSERT_EQ(RunReal({"cat", folder_ / "repo/wait"}).out, "done\n");
  EXPECT_THAT(folder_.Read("repo/said.txt"),
              AllOf(HasSubstr("BELAY_AGENT_ID=orchestrator-login#1"), HasSubstr("BELAY_STATE="),
                    HasSubstr("Repair the login page"), Not(HasSubstr("BELAY_LEAK"))));
}

TEST_F(SpawnTest, ABranchThatIsCheckedOutElsewhereIsRefusedWithWhatToDo) {
  Git({"-C", "repo", "checkout", "-q", "-B", "taken"});
  const RunOutcome outcome =
      Belay({"spawn", "--name", "docs", "--new-worktree", "taken", "--", "true"});
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("the branch taken is checked out in"),
                                 HasSubstr("choose another branch, or use --worktree")));
}

TEST_F(SpawnTest, MakesAWorktreeOnANewBranchAndUsesItAgain) {
  const Json first = SpawnToEnd("docs", {"true"}, {"--new-worktree", "docs/rewrite"});
  const std::string path = folder_ / "repo.worktrees/orchestrator-docs";
  EXPECT_EQ(Text(first, "worktree_path"), path);
  EXPECT_EQ(RunReal({"git", "branch", "--show-current"}, {.folder = path}).out, "docs/rewrite\n");
  const Json second = SpawnToEnd("docs", {"true"}, {"--new-worktree", "docs/rewrite"});
  EXPECT_EQ(Text(second, "worktree_path"), path);
  const RunOutcome other =
      Belay({"spawn", "--name", "docs", "--new-worktree", "other", "--", "true"});
  EXPECT_EQ(other.exit_code, 4);
  EXPECT_THAT(other.err, HasSubstr("on the branch docs/rewrite"));
}

// What a partial clone hasn't got yet is fetched, as it is for a worktree made by hand.
TEST_F(SpawnTest, MakesAWorktreeInAPartialClone) {
  const std::string script =
      "git config uploadpack.allowFilter true; echo whole > file; git add file; "
      "git -c user.name=t -c user.email=t@example.org commit -qm file; "
      "git clone -q --no-checkout --filter=blob:none file://$PWD ../partial; cd ../partial; '" +
      BelayBinary() + "' init >/dev/null; '" + BelayBinary() +
      "' spawn --name docs --new-worktree docs -- true";
  const RunOutcome outcome = RunReal({"sh", "-ec", script}, {.folder = folder_ / "repo"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  AwaitEnd("partial", "docs");
  EXPECT_EQ(folder_.Read("partial.worktrees/orchestrator-docs/file"), "whole\n");
}

TEST_F(SpawnTest, RecreatesAWorktreeWhoseFolderWasDeleted) {
  Git({"-C", "repo", "worktree", "add", "-q", folder_ / "other"});
  const std::vector<std::string> feature = {"--new-worktree", "feature"};
  const std::string path = Text(Spawn("login", {"sleep", "600"}, feature), "worktree_path");
  EXPECT_EQ(Belay({"stop", "login", "--now"}).exit_code, 0);
  ASSERT_EQ(RunReal({"rm", "-rf", path, folder_ / "other"}).exit_code, 0);
  const RunOutcome wrong =
      Belay({"spawn", "--name", "login", "--new-worktree", "another", "--", "sleep", "600"});
  EXPECT_EQ(wrong.exit_code, 4) << wrong.err;
  EXPECT_THAT(wrong.err,
              AllOf(HasSubstr("on the branch feature"), HasSubstr("git worktree remove")));
  EXPECT_EQ(Text(Spawn("login", {"sleep", "600"}, feature), "worktree_path"), path);
  const RunOutcome known = RunReal({"git", "-C", folder_ / "repo", "worktree", "list"});
  EXPECT_THAT(known.out, AllOf(HasSubstr(path), HasSubstr(folder_ / "other")));
}

TEST_F(SpawnTest, ALockedWorktreeIsLeftAlone) {
  const std::vector<std::string> feature = {"--new-worktree", "feature"};
  const std::string path = Text(Spawn("login", {"sleep", "600"}, feature), "worktree_path");
  EXPECT_EQ(Belay({"stop", "login", "--now"}).exit_code, 0);
  Git({"-C", "repo", "worktree", "lock", path});
  ASSERT_EQ(RunReal({"rm", "-rf", path}).exit_code, 0);
  const RunOutcome outcome =
      Belay({"spawn", "--name", "login", "--new-worktree", "feature", "--", "sleep", "600"});
  EXPECT_EQ(outcome.exit_code, 4) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("git worktree unlock"));
}

TEST_F(SpawnTest, ANewWorktreeNeedsACommit) {
  Git({"init", "-q", folder_ / "empty"});
  const RunOptions there{.folder = folder_ / "empty"};
  EXPECT_EQ(Belay({"init", "--yes"}, there).exit_code, 0);
  const RunOutcome outcome =
      Belay({"spawn", "--name", "login", "--new-worktree", "feature", "--", "true"}, there);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("no commit"), HasSubstr("commit something first")));
}

TEST_F(SpawnTest, EveryCommandShowsWhyAStartFailed) {
  const std::string script = Script("broken", "");
  folder_.Write("repo/broken", "#!/no/such/interpreter\n");
  EXPECT_EQ(Belay({"spawn", "--name", "login", "--", script}).exit_code, 1);
  const std::string why = "could not be started: exec";
  EXPECT_THAT(Text(Agent("orchestrator-login#1"), "reason"), HasSubstr(why));
  EXPECT_THAT(Belay({"agents"}).out, AllOf(HasSubstr(why), Not(HasSubstr("in an unknown way"))));
  EXPECT_THAT(Belay({"why", "login"}).out,
              AllOf(HasSubstr(why), Not(HasSubstr("in an unknown way"))));
}

TEST_F(SpawnTest, UsesABranchThatIsThere) {
  Git({"-C", "repo", "branch", "topic"});
  SpawnToEnd("docs", {"true"}, {"--new-worktree", "topic"});
  EXPECT_EQ(RunReal({"git", "branch", "--show-current"},
                    {.folder = folder_ / "repo.worktrees/orchestrator-docs"})
                .out,
            "topic\n");
}

TEST_F(SpawnTest, ANewWorktreeWithoutTheProgramIsRemovedAgainWithItsBranch) {
  const std::vector<std::string> spawn = {"spawn", "--name", "docs",       "--new-worktree",
                                          "topic", "--",     "./not-there"};
  const RunOutcome outcome = Belay(spawn);
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("not-there is not an executable program"));
  EXPECT_TRUE(Agents(true).AsArray()->empty());
  EXPECT_FALSE(std::filesystem::exists(folder_ / "repo.worktrees/orchestrator-docs"));
  const auto branches = [&] {
    return RunReal({"git", "-C", folder_ / "repo", "branch", "--list", "topic"}).out;
  };
  EXPECT_EQ(branches(), "");
  Git({"-C", "repo", "branch", "topic"});
  EXPECT_EQ(Belay(spawn).exit_code, 3);
  EXPECT_THAT(branches(), HasSubstr("topic"));  // which was there before
}

TEST_F(SpawnTest, TheProcessBesideAnAgentIsListedAsBelay) {
  Spawn("login");
  const Result<Json> run = ParseJson(folder_.Read("repo/.git/belay/run/orchestrator-login.json"));
  ASSERT_TRUE(run.ok());
  const std::string pid = std::to_string(Pid(*run->Find("parent")));
  EXPECT_THAT(RunReal({"ps", "-o", "args=", "-p", pid}).out, ::testing::StartsWith("belay exec "));
}

TEST_F(SpawnTest, ReportsWhereItWorks) {
  const RunOutcome outcome =
      Belay({"spawn", "--name", "login", "--new-worktree", "topic", "--", "sleep", "600"});
  EXPECT_THAT(outcome.out, HasSubstr("in " + (folder_ / "repo.worktrees/orchestrator-login") +
                                     ", on the branch topic\n"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("--new-worktree")));
}

TEST_F(SpawnTest, WarnsInACheckoutOfTheTargetAndBesideAnotherAgent) {
  const RunOutcome first = Belay({"spawn", "--name", "a", "--", "sleep", "600"});
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_THAT(first.err, AllOf(HasSubstr("it works in a checkout of main"),
                               HasSubstr("--new-worktree BRANCH")));
  const RunOutcome second = Belay({"spawn", "--name", "b", "--", "sleep", "600"});
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_THAT(second.err, AllOf(HasSubstr("orchestrator-a#1 is running in the same worktree"),
                                HasSubstr("--new-worktree BRANCH")));
}

TEST_F(SpawnTest, TheHintForANewTaskNamesTheWorktreeThatTheAgentHad) {
  SpawnToEnd("docs", {"true"}, {"--new-worktree", "topic"});
  const std::string path = folder_ / "repo.worktrees/orchestrator-docs";
  ASSERT_EQ(Belay({"guard", "--once"}).exit_code, 0);
  const auto next = [&] { return Text(*BelayJson({"why", "docs"}).Find("now"), "next"); };
  EXPECT_THAT(next(), HasSubstr("belay spawn --role orchestrator --name docs --worktree '" + path +
                                "' -- COMMAND"));
  std::filesystem::remove_all(path);
  EXPECT_THAT(next(), AllOf(HasSubstr("its worktree " + path + " no longer exists"),
                            HasSubstr("git worktree add -f '" + path + "' 'topic'"),
                            Not(HasSubstr("--worktree '"))));
  SpawnToEnd("plain", {"true"});
  EXPECT_THAT(Belay({"why", "plain"}).out, Not(HasSubstr("--worktree")));
}

TEST_F(SpawnTest, WorksInTheWorktreeAroundTheCurrentFolder) {
  Git({"-C", "repo", "worktree", "add", "-q", folder_ / "linked"});
  const RunOutcome outcome =
      Belay({"spawn", "--name", "a", "--json", "--", "true"}, {.folder = folder_ / "linked"});
  const Result<Json> record = ParseJson(outcome.out);
  ASSERT_TRUE(record.ok()) << outcome.out << outcome.err;
  EXPECT_EQ(Text(*record, "worktree_path"), folder_ / "linked");
}

TEST_F(SpawnTest, RefusesMistakesInTheConfiguration) {
  folder_.Write("repo/.claude/belay.yml", "supervise:\n  no_such: 1\n");
  ExpectRefused({"spawn", "--name", "a", "--", "true"}, 2, "no_such");
}

// Killed at whatever moment: the next spawn starts it, or says who else will.
TEST_F(SpawnTest, LeavesSomethingThatIsTakenUpWhenItIsKilled) {
  for (int i = 0; i < 20; ++i) {
    const std::string name = "k" + std::to_string(i);
    auto spawn =
        Process::Spawn({.command = {BelayBinary(), "spawn", "--name", name, "--", "sleep", "600"},
                        .folder = folder_ / "repo"});
    ASSERT_TRUE(spawn.has_value());
    (void)RunReal(
        {"sh", "-c", "i=0; while [ $i -lt " + std::to_string(i * 300) + " ]; do i=$((i+1)); done"});
    (void)spawn->Signal(SIGKILL);
    (void)spawn->Wait();
    const RunOutcome again = Belay({"spawn", "--name", name, "--", "sleep", "600"});
    EXPECT_THAT(again.exit_code, ::testing::AnyOf(0, 4, 75)) << again.err;
    const RunOutcome stop = Belay({"stop", name, "--now"});
    EXPECT_EQ(stop.exit_code, 0) << stop.err;
    EXPECT_EQ(Belay({"spawn", "--name", name, "--", "true"}).exit_code, 0);
  }
}

}  // namespace
}  // namespace belay
