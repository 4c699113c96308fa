// Callers that are hard to identify: in another pid namespace than the agents, where their
// processes can't be seen; in one that holds all of them, as a container does; below a belay with
// another name.

#include "guard_sandbox.h"

namespace belay {
namespace {

using ::testing::HasSubstr;

class CallerSandbox : public GuardSandbox {
 protected:
  // A project beside the sandbox's.
  std::string Beside() {
    std::string there = folder_ / "there";
    Git({"init", "-q", "-b", "main", there});
    Git({"-C", there, "commit", "-q", "--allow-empty", "-m", "first"});
    EXPECT_EQ(Belay({"init", "--yes", "--root", there}).exit_code, 0);
    AlsoEnd(there);
    return there;
  }
};

class PidNamespaceTest : public CallerSandbox {
 protected:
  void SetUp() override {
    const RunOutcome made = RunReal({"unshare", "-pf", "--mount-proc", "true"});
    if (made.exit_code != 0) GTEST_SKIP() << "can't make pid namespaces here: " << made.err;
  }

  RunOutcome InAnother(const std::string& line, const std::string& folder) {
    return RunReal({"unshare", "-pf", "--mount-proc", "sh", "-c",
                    fmt::format("belay() {{ '{}' \"$@\"; }}\n{}", BelayBinary(), line)},
                   {.folder = folder});
  }
  RunOutcome InAnother(const std::string& line) { return InAnother(line, project_.Root()); }
};

TEST_F(PidNamespaceTest, AgentsOfAnotherOneAreNotTakenForDead) {
  Process& guardian = StartGuardian();
  Start("worker");
  const RunOutcome seen = InAnother("belay agents --json; belay why worker");
  EXPECT_THAT(seen.out, HasSubstr("can't be seen from this one")) << seen.err;
  EXPECT_THAT(seen.out, ::testing::Not(HasSubstr("crashed"))) << seen.err;
  EXPECT_THAT(seen.out, ::testing::Not(HasSubstr("no guardian is running"))) << seen.err;
  EndGuardian(guardian);
  for (const char* line :
       {"timeout 60 $BELAY guard --once", "belay stop worker", "belay spawn --name third -- true",
        "belay spawn --name worker -- true", "belay hook note worker x"}) {
    const RunOutcome refused = InAnother(fmt::format("BELAY='{}'; {}", BelayBinary(), line));
    EXPECT_EQ(refused.exit_code, 4) << line << refused.out << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("in another pid namespace than orchestrator-worker#1"));
  }
  EXPECT_EQ(Belay({"guard", "--once"}).exit_code, 0);
  EXPECT_TRUE(Is("worker", 1, AgentStatus::kAlive));
  EXPECT_EQ(Recorded("third"), nullptr);
}

// As after the end of a container: no process holds the agent's lock any more.
TEST_F(PidNamespaceTest, AgentsEndWithTheirNamespace) {
  const RunOutcome ran = InAnother("belay spawn --name worker -- sleep 600 && belay agents");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("alive"));
  const RunOutcome later = Belay({"agents"});
  EXPECT_THAT(later.out, HasSubstr("crashed")) << later.err;
  StartGuardian();
  AwaitStatus("worker", 2, AgentStatus::kAlive);
}

TEST_F(PidNamespaceTest, APersonInAContainerWithAllAgentsStaysAPerson) {
  const std::string there = Beside();
  const RunOutcome done =
      InAnother(fmt::format("set -e; BELAY='{}'\n", BelayBinary()) +
                    "belay spawn --name worker -- sleep 600\n"
                    "belay agents\n"
                    "belay hook note worker seen\n"
                    "script -qec \"$BELAY hook note worker by-script\" /dev/null < /dev/null\n"
                    "belay snapshot prune --keep 1 --dry-run\n"
                    "belay stop worker --now\n",
                there);
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  EXPECT_THAT(done.out, HasSubstr("alive"));
}

class RenamedBelayTest : public CallerSandbox {};

TEST_F(RenamedBelayTest, ItsAgentIsNoPersonInAnotherProject) {
  const std::string renamed = folder_ / "tied";
  const std::string there = Beside();
  ASSERT_EQ(RunReal({"cp", BelayBinary(), renamed}).exit_code, 0);
  ASSERT_EQ(RunReal({"mkfifo", folder_ / "tied.code"}).exit_code, 0);
  const std::string script = AgentScript(
      "tied", fmt::format("cd '{0}'\n'{1}' snapshot prune --keep 1 --dry-run 2> '{2}/tied.err'\n"
                          "echo $? > '{2}/tied.code'\n",
                          project_.Root(), BelayBinary(), folder_.path()));
  const RunOutcome spawned =
      RunReal({renamed, "spawn", "--root", there, "--name", "tied", "--no-wait", "--no-respawn",
               "--", "env", "-i", "PATH=/usr/bin:/bin", "sh", script});
  ASSERT_EQ(spawned.exit_code, 0) << spawned.err;
  EXPECT_EQ(RunReal({"cat", folder_ / "tied.code"}).out, "4\n");
  EXPECT_THAT(folder_.Read("tied.err"), HasSubstr("an agent of another project may not"));
}

}  // namespace
}  // namespace belay
