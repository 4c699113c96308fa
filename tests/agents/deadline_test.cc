// The real Claude Code at a deadline: warned between two tool calls, it suspends its task itself;
// in one long call, belay does it. Another worker completes the work.

#include <gmock/gmock.h>

#include "agents/hooked_world.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kPast = "2026-01-01T00:00:00Z";

class DeadlineScenario : public HookedWorld {
 protected:
  bool AwaitSuspended() {
    return Await([&] {
      return Belay({"task", "list"}).out.find("suspended") != std::string::npos &&
             Belay({"task", "list", "--json"}).out.find("\"cleaning\": true") == std::string::npos;
    });
  }
  std::string ContextFile() {
    const Json list = BelayJson({"task", "list"});
    const Json& task = list.Find("tasks")->AsArray()->front();
    return folder_.Read("repo/" + Text(*task.Find("metadata"), "context_path"));
  }
  // The worker that completes the work.
  static void AddSuccessor(ModelScript& script) {
    script.Step("rest")
        .IfAnywhere("RE-ANCHOR")
        .Once()
        .RunsBash("cat part1.txt && echo two > part2.txt && " + BelayBinary() +
                  " task done t1 && echo finished it");
    script.Step("end").IfUserSays("finished it").Says("Done.");
  }
  void CompleteWith(const std::string& name) {
    SpawnClaude(name, "write both parts", {"--task", "t1", "--no-respawn"});
    EXPECT_EQ(AwaitStatus(name, 1, AgentStatus::kTerminated).exit->code, 0) << Model().Summary();
    EXPECT_EQ(folder_.Read("repo/part1.txt"), "one\n") << Model().Summary();
    EXPECT_EQ(folder_.Read("repo/part2.txt"), "two\n");
    EXPECT_THAT(Belay({"task", "list"}).out, HasSubstr("completed"));
  }
};

TEST_F(DeadlineScenario, AWorkerBetweenToolCallsIsWarnedAndSuspendsItselfInTime) {
  ModelScript script;
  AddSuccessor(script);
  script.Step("obeys")
      .IfAnywhere("Your deadline is")
      .Once()
      .RunsBash(BelayBinary() +
                " task suspend t1 --reason turn_limit --last-action 'part 1 is done' && echo "
                "suspended it");
  script.Step("stops").IfUserSays("suspended it").Once().Says("I stop here.");
  script.Step("half")
      .IfUserSays("write both parts")
      .Once()
      .RunsBash("echo one > part1.txt; until test -e ../go; do sleep 0.05; done; echo half");
  script.Step("ignores").Says("Nothing was said.");
  InstallHooks();
  Play(script);
  StartGuardian();
  ASSERT_EQ(Belay({"task", "add", "write both parts", "--wave", "w1"}).exit_code, 0);
  SpawnClaude("a", "write both parts", {"--task", "t1", "--no-respawn"});
  ASSERT_TRUE(AwaitStep("half"));
  ASSERT_EQ(Belay({"task", "wave", "w1", "--deadline", "55s"}).exit_code, 0);
  ASSERT_TRUE(Await([&] { return Why("a").find("Your deadline is") != std::string::npos; }));
  folder_.Write("go", "");
  EXPECT_EQ(AwaitStatus("a", 1, AgentStatus::kTerminated).exit->cause, ExitCause::kClean);
  EXPECT_TRUE(Model().WasSent("Your deadline is 20")) << Model().Summary();
  EXPECT_TRUE(Model().AnsweredBy("ignores").empty());
  ASSERT_TRUE(AwaitSuspended());
  EXPECT_THAT(ContextFile(), AllOf(HasSubstr("part 1 is done"), HasSubstr("turn_limit")));
  EXPECT_EQ(Belay({"task", "wave", "w1", "--deadline", "2h"}).exit_code, 0);
  CompleteWith("b");
}

TEST_F(DeadlineScenario, AWorkerInOneLongToolCallIsCapturedAndStopped) {
  ModelScript script;
  AddSuccessor(script);
  script.Step("begins")
      .IfUserSays("write both parts")
      .Once()
      .Says("I write part one and wait.")
      .RunsBash("echo one > part1.txt; touch ../began; sleep 600");
  script.Step("ends").Says("Done.");
  InstallHooks();
  Play(script);
  StartGuardian();
  ASSERT_EQ(Belay({"task", "add", "write both parts", "--wave", "w1"}).exit_code, 0);
  SpawnClaude("a", "write both parts", {"--task", "t1"});
  ASSERT_TRUE(Await([&] { return folder_.Read("began") != "(missing)"; }));
  ASSERT_EQ(Belay({"task", "wave", "w1", "--deadline", kPast}).exit_code, 0);
  EXPECT_EQ(AwaitStatus("a", 1, AgentStatus::kTerminated).exit->cause, ExitCause::kStopped);
  ASSERT_TRUE(AwaitSuspended()) << Belay({"task", "list"}).out;
  EXPECT_EQ(folder_.Read("repo/part1.txt"), "(missing)");
  EXPECT_THAT(ContextFile(), AllOf(HasSubstr("wave_timeout"), HasSubstr("sleep 600"),
                                   HasSubstr("I write part one and wait.")));
  CompleteWith("b");
  EXPECT_TRUE(Model().WasSent("I write part one and wait."));
}

}  // namespace
}  // namespace belay
