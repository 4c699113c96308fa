// Messages that reach the real agent while it runs: belay send, conflicts, at a tool call and at
// the end of a turn; once, and by its main conversation only.

#include <gmock/gmock.h>

#include "agents/hooked_world.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kWords = "turn left at the oak";

class DeliveryScenario : public HookedWorld {
 protected:
  // A tool call that lasts until the test lets it end.
  static std::string Lasts(const std::string& name) {
    return "touch " + name + ".began; until test -e " + name + ".go; do sleep 0.05; done; echo " +
           name + " is over";
  }
  void LetEnd(const std::string& name) { folder_.Write("repo/" + name + ".go", ""); }
  bool AwaitBegan(const std::string& name) {
    return Await([&] { return folder_.Read("repo/" + name + ".began") != "(missing)"; });
  }
  // How often the text stands in the last request of that step.
  std::size_t TimesSent(const std::string& step, const std::string& text) {
    const std::vector<Json> requests = Model().AnsweredBy(step);
    if (requests.empty()) return 0;
    Json request = requests.back();
    request.Set("last_user", "");  // it stands in the messages too
    const std::string body = WriteJson(request);
    std::size_t count = 0;
    for (std::size_t at = body.find(text); at != body.npos; at = body.find(text, at + 1)) ++count;
    return count;
  }
  void Send(const std::string& text) {
    const RunOutcome sent = Belay({"send", "a", text});
    ASSERT_EQ(sent.exit_code, 0) << sent.err;
  }
  bool AwaitDelivered(const std::string& by) {
    return Await([&] {
      const std::string why = Why("a");
      return why.find("message delivered") != why.npos && why.find("by " + by) != why.npos;
    });
  }
};

TEST_F(DeliveryScenario, WordsOfTheUserReachARunningAgentAtItsNextToolCall) {
  ModelScript script;
  script.Step("begins").IfUserSays("walk").Once().RunsBash(Lasts("path"));
  script.Step("obeys").IfAnywhere(kWords).Once().RunsBash("echo obeyed > obeyed.txt; echo obeyed");
  script.Step("ends").IfAnywhere(kWords).Says("All done.");
  script.Step("ignores").Says("I was told nothing.");
  ASSERT_NO_FATAL_FAILURE(Begin(script, "walk"));
  ASSERT_TRUE(AwaitBegan("path"));
  Send(kWords);
  EXPECT_EQ(*Row("a").Find("pending_messages"), Json(1));
  LetEnd("path");
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  EXPECT_EQ(folder_.Read("repo/obeyed.txt"), "obeyed\n") << Model().Summary();
  EXPECT_TRUE(Model().AnsweredBy("ignores").empty());
  EXPECT_EQ(TimesSent("ends", kWords), 1U) << Model().Summary();
  EXPECT_TRUE(AwaitDelivered("PostToolUse")) << Why("a");
  EXPECT_EQ(*Row("a").Find("pending_messages"), Json(0));
}

TEST_F(DeliveryScenario, BeforeAToolTheyReachItToo) {
  if (!ClaudeIsAtLeast(2, 1)) GTEST_SKIP() << "older ones drop the context of PreToolUse";
  ModelScript script;
  script.Step("begins").IfUserSays("walk").Once().WaitsMilliseconds(3000).RunsBash("echo on");
  script.Step("ends").IfAnywhere(kWords).Says("All done.");
  script.Step("ignores").Says("I was told nothing.");
  ASSERT_NO_FATAL_FAILURE(Begin(script, "walk"));
  ASSERT_TRUE(AwaitStep("begins"));
  Send(kWords);
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  EXPECT_EQ(TimesSent("ends", kWords), 1U) << Model().Summary();
  EXPECT_TRUE(AwaitDelivered("PreToolUse")) << Why("a");
}

TEST_F(DeliveryScenario, AtTheEndOfATurnTheyMakeItContinue) {
  ModelScript script;
  script.Step("begins").IfUserSays("walk").Once().WaitsMilliseconds(3000).Says("I am there.");
  script.Step("goes on").IfAnywhere(kWords).Once().RunsBash("echo on > on.txt; echo on");
  script.Step("ends").IfAnywhere(kWords).Says("All done.");
  ASSERT_NO_FATAL_FAILURE(Begin(script, "walk"));
  ASSERT_TRUE(AwaitStep("begins"));
  Send(kWords);
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  EXPECT_EQ(folder_.Read("repo/on.txt"), "on\n") << Model().Summary();
  // The agent itself shows the reason to its model in two places.
  EXPECT_EQ(TimesSent("ends", "Stop hook feedback"), 1U) << Model().Summary();
  EXPECT_TRUE(AwaitDelivered("Stop")) << Why("a");
}

TEST_F(DeliveryScenario, OfCallsSideBySideOneDelivers) {
  ModelScript script;
  script.Step("begins")
      .IfUserSays("walk")
      .Once()
      .RunsBash(Lasts("one"))
      .RunsBash(Lasts("two"))
      .RunsBash(Lasts("three"));
  script.Step("ends").IfAnywhere(kWords).Says("All done.");
  script.Step("ignores").Says("I was told nothing.");
  ASSERT_NO_FATAL_FAILURE(Begin(script, "walk"));
  ASSERT_TRUE(AwaitBegan("one"));
  Send(kWords);
  for (const char* name : {"one", "two", "three"}) LetEnd(name);
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  EXPECT_EQ(TimesSent("ends", kWords), 1U) << Model().Summary();
}

TEST_F(DeliveryScenario, ASubAgentLeavesThemToTheAgent) {
  if (!ClaudeIsAtLeast(2, 1)) GTEST_SKIP() << "older ones don't say which calls are a sub-agent's";
  ModelScript script;
  script.Step("sub-agent").IfUserSays("look for plums").Once().RunsBash(Lasts("plums"));
  script.Step("sub-agent ends").IfUserSays("plums is over").Says("No plums.");
  script.Step("delegates")
      .IfUserSays("walk")
      .Once()
      .Uses(ClaudeIsAtLeast(2, 1) ? "Agent" : "Task",
            MakeObject({{"description", "a scripted search"},
                        {"prompt", "look for plums"},
                        {"subagent_type", "general-purpose"}}));
  script.Step("ends").IfAnywhere(kWords).Says("All done.");
  ASSERT_NO_FATAL_FAILURE(Begin(script, "walk"));
  ASSERT_TRUE(AwaitBegan("plums"));
  Send(kWords);
  LetEnd("plums");
  AwaitStatus("a", 1, AgentStatus::kTerminated);
  EXPECT_EQ(TimesSent("sub-agent ends", kWords), 0U) << Model().Summary();
  EXPECT_EQ(TimesSent("ends", kWords), 1U) << Model().Summary();
}

TEST_F(DeliveryScenario, SendCanWaitForTheDelivery) {
  ModelScript script;
  script.Step("begins").IfUserSays("walk").Once().RunsBash(Lasts("path"));
  script.Step("ends").Says("All done.");
  ASSERT_NO_FATAL_FAILURE(Begin(script, "walk"));
  ASSERT_TRUE(AwaitBegan("path"));
  Process sender =
      *Process::Spawn({.command = {"sh", "-c", "exec \"$0\" send a hello --wait --json >\"$1\"",
                                   BelayBinary(), folder_ / "sent.json"},
                       .folder = folder_ / "repo"});
  ASSERT_TRUE(Await([&] { return *Row("a").Find("pending_messages") == Json(1); }));
  LetEnd("path");
  EXPECT_EQ(sender.Wait(), ExitStatus::Exited(0));
  EXPECT_THAT(folder_.Read("sent.json"), HasSubstr("PostToolUse"));
}

TEST_F(DeliveryScenario, WhatWasDeliveredRightBeforeAKillReachesTheSuccessor) {
  if (!ClaudeIsAtLeast(2, 1)) GTEST_SKIP() << "older ones drop the context of PreToolUse";
  ModelScript script;
  script.Step("begins").IfUserSays("walk").Once().WaitsMilliseconds(2000).RunsBash(Lasts("path"));
  script.Step("goes on").IfAnywhere(kContinuation).Says("All done.");
  ASSERT_NO_FATAL_FAILURE(Begin(script, "walk"));
  ASSERT_TRUE(AwaitStep("begins"));
  Send(kWords);
  ASSERT_TRUE(AwaitBegan("path"));
  ASSERT_TRUE(Await([&] { return Why("a").find("message given") != std::string::npos; }));
  SignalAgent("a", SIGKILL);
  AwaitStatus("a", 2, AgentStatus::kTerminated);
  EXPECT_EQ(TimesSent("goes on", kWords), 1U) << Model().Summary();
}

// Ctrl-C on claude -p exits with 0; the model was about to answer.
TEST_F(DeliveryScenario, AnInterruptionAfterAStopWithAMessageIsNoEndAndTheMessageIsGivenAgain) {
  ModelScript script;
  script.Step("goes on").IfAnywhere(kContinuation).Once().RunsBash("echo on > on.txt; echo on");
  script.Step("ends").IfUserSays("on").IfAnywhere(kContinuation).Says("All done.");
  script.Step("begins").IfUserSays("walk").Once().WaitsMilliseconds(2000).Says("I am there.");
  script.Step("thinks").IfAnywhere(kWords).Once().WaitsMilliseconds(60'000).Says("Left.");
  ASSERT_NO_FATAL_FAILURE(Begin(script, "walk"));
  ASSERT_TRUE(AwaitStep("begins"));
  Send(kWords);
  ASSERT_TRUE(AwaitStep("thinks"));
  EXPECT_THAT(Belay({"send", "a", "second words"}).out, HasSubstr("its next hook delivers it"));
  SignalAgent("a", SIGINT);
  AwaitStatus("a", 2, AgentStatus::kTerminated);
  EXPECT_EQ(folder_.Read("repo/on.txt"), "on\n") << Why("a");
  EXPECT_EQ(TimesSent("ends", "second words"), 1U) << Model().Summary();
  EXPECT_THAT(Why("a"), HasSubstr("the agent ended before its model read it"));
}

// Claude Code ends a turn that Stop hooks have prolonged eight times, whatever they say.
TEST_F(DeliveryScenario, WhatAStopThatClaudeIgnoresCarriedReachesASuccessor) {
  if (!ClaudeIsAtLeast(2, 1)) GTEST_SKIP() << "older ones ignore no stop, however many there were";
  ModelScript script;
  for (int i = 0; i < 9; ++i) {
    script.Step("turn " + std::to_string(i))
        .UnlessAnywhere(kContinuation)
        .Once()
        .WaitsMilliseconds(1500)
        .Says("ok.");
  }
  script.Step("ends").Says("All done.");
  ASSERT_NO_FATAL_FAILURE(Begin(script, "walk"));
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(AwaitStep("turn " + std::to_string(i)));
    Send("words number " + std::to_string(i));
  }
  AwaitStatus("a", 2, AgentStatus::kTerminated);
  EXPECT_GE(TimesSent("ends", "words number 8"), 1U) << Why("a");
  EXPECT_EQ(*Row("a").Find("pending_messages"), Json(0));
}

TEST_F(DeliveryScenario, WhatOneConversationHasReadIsNotGivenToTheNext) {
  ModelScript script;
  script.Step("begins").IfUserSays("walk").Once().RunsBash(Lasts("path"));
  script.Step("obeys").IfUserSays("path is over").Once().RunsBash("echo x >> obeyed; echo did it");
  script.Step("first ends").IfUserSays("did it").Once().Says("Done.");
  script.Step("second").IfUserSays("fly").Once().RunsBash(Lasts("flight"));
  script.Step("ends").Says("All done.");
  std::string both;
  for (const char* prompt : {"walk", "fly"}) {
    for (const std::string& word : Command({prompt})) both += "'" + word + "' ";
    both += "\n";
  }
  folder_.Write("repo/both.sh", both);
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  Play(script);
  StartGuardian();
  Spawn("a", {"sh", "both.sh"}, {});
  ASSERT_TRUE(AwaitBegan("path"));
  Send(kWords);
  LetEnd("path");
  ASSERT_TRUE(AwaitBegan("flight"));
  SignalAgent("a", SIGKILL);
  AwaitStatus("a", 2, AgentStatus::kTerminated);
  EXPECT_EQ(TimesSent("ends", kWords), 0U) << Model().Summary() << Why("a");
  EXPECT_THAT(Why("a"), Not(HasSubstr("before its model read it")));
}

TEST_F(DeliveryScenario, AConflictThatIsFoundWhileItWorksIsFixedByItAndLands) {
  const std::string git = "git -c user.name=t -c user.email=t@example.org ";
  folder_.Write("repo/shared.txt", "base\n");
  Git({"-C", "repo", "add", "shared.txt"});
  Git({"-C", "repo", "commit", "-qm", "base"});
  Git({"-C", "repo", "branch", "-M", "main"});
  ModelScript script;
  script.Step("begins")
      .IfUserSays("change it")
      .Once()
      .RunsBash("echo mine > shared.txt && " + git + "commit -qam mine && " + BelayBinary() +
                " signal send MERGE_READY --to guardian && cd '" + Project("") + "' && " +
                Lasts("work"));
  script.Step("fixes")
      .IfAnywhere("git rebase main")
      .Once()
      .RunsBash("cd '" + (folder_ / "repo.worktrees/orchestrator-a") + "' && (" + git +
                "rebase main || (printf 'theirs\\nmine\\n' > shared.txt && git add shared.txt && "
                "GIT_EDITOR=true " +
                git + "rebase --continue)) && " + BelayBinary() +
                " signal send MERGE_READY --to guardian && echo it is handed in");
  script.Step("ends").IfUserSays("it is handed in").Says("All done.");
  script.Step("ignores").Says("I was told nothing.");
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  folder_.Write("repo/.claude/belay.yml",
                "merge:\n  target: main\n  gates:\n    - name: test\n      run: \"true\"\n");
  Play(script);
  StartGuardian();
  // The person commits between its start and its MERGE_READY: its branch is from before.
  Git({"-C", "repo", "worktree", "add", "-q", "-b", "work",
       folder_ / "repo.worktrees/orchestrator-a", "main"});
  folder_.Write("repo/shared.txt", "theirs\n");
  Git({"-C", "repo", "commit", "-qam", "theirs"});
  SpawnClaude("a", "change it", {"--worktree", folder_ / "repo.worktrees/orchestrator-a"});
  ASSERT_TRUE(AwaitBegan("work"));
  ASSERT_TRUE(Await([&] { return Text(Row("a"), "hook_status") == "blocked"; })) << Why("a");
  EXPECT_THAT(Belay({"agents"}).out, HasSubstr("blocked: its branch could not land"));
  ASSERT_TRUE(Await([&] { return *Row("a").Find("pending_messages") == Json(1); }));
  LetEnd("work");
  EXPECT_TRUE(Await([&] { return Text(Hook("a"), "status") == "merged"; })) << Model().Summary();
  EXPECT_TRUE(Await([&] { return folder_.Read("repo/shared.txt") == "theirs\nmine\n"; }))
      << folder_.Read("repo/shared.txt");
  EXPECT_EQ(TimesSent("ends", "could not land on"), 1U) << Model().Summary();
  EXPECT_TRUE(Model().AnsweredBy("ignores").empty());
}

}  // namespace
}  // namespace belay
