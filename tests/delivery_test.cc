// Messages to running agents: `belay send`, and what hooks deliver. The agents are scripts here;
// tests/agents/delivery_test.cc has the real ones.

#include <algorithm>

#include "hook_sandbox.h"
#include "testing/places.h"

namespace belay {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCall = R"({"session_id":"s1","tool_name":"Bash","tool_input":{}})";

std::size_t CountOf(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

class DeliveryTest : public HookSandbox {
 protected:
  // No guardian: everything but supervision works without.
  void SpawnTelling(const std::string& name) { Spawn(name, {AgentScript(name, TellingScript())}); }
  Json Send(const std::string& name, const std::string& text) {
    return BelayJson({"send", name, text});
  }
  // The members of what the hook answered.
  static Json Answer(const std::string& out) {
    const Result<Json> answer = ParseJson(out);
    return answer ? *answer : Json();
  }
  static std::string ContextOf(const std::string& out) {
    const Json answer = Answer(out);
    const Json* inner = answer.Find("hookSpecificOutput");
    return inner == nullptr ? std::string() : Text(*inner, "additionalContext");
  }
  Json Row(const std::string& name) { return Agent("orchestrator-" + name + "#1"); }
  std::size_t SignalsToPerson(const std::string& type) {
    std::size_t count = 0;
    const Json list = BelayJson({"signal", "list", "person"});
    for (const Json& signal : *list.Find("signals")->AsArray()) {
      count += Text(signal, "type") == type ? 1 : 0;
    }
    return count;
  }
  std::string OutboxPath(const std::string& name) { return project_.OutboxFile(Name(name)); }
  bool IsThere(const std::string& path) { return access(path.c_str(), F_OK) == 0; }
  std::vector<std::string> AlsoWatched() override { return {project_.OutboxFolder()}; }
};

TEST_F(DeliveryTest, AMessageIsDeliveredOnceByTheNextHookAlsoWithoutAGuardian) {
  SpawnTelling("a");
  Tell("PostToolUse", kCall);
  const Json sent = Send("a", "use the new API");
  EXPECT_EQ(Text(sent, "agent_id"), "orchestrator-a#1");
  EXPECT_EQ(*sent.Find("delivered"), Json(false));
  EXPECT_EQ(Text(sent, "reach"), "hooks");
  EXPECT_EQ(*Row("a").Find("pending_messages"), Json(1));
  EXPECT_THAT(ContextOf(Tell("PostToolUse", kCall)),
              AllOf(HasSubstr("The user says:"), HasSubstr("\nuse the new API\n")));
  EXPECT_EQ(Tell("PostToolUse", kCall), "");
  EXPECT_THAT(Why("a"), AllOf(HasSubstr("message sent"), HasSubstr("message given"),
                              HasSubstr("by PostToolUse"), Not(HasSubstr("message delivered"))));
  EXPECT_EQ(*Row("a").Find("pending_messages"), Json(0));
}

TEST_F(DeliveryTest, WithAGuardianItsDeliveryIsInTheLogAtOnce) {
  StartGuardian();
  StartTelling("a");
  Tell("PostToolUse", kCall);
  Send("a", "use the new API");
  Tell("PostToolUse", kCall);
  const auto logged = [&](const std::string& what) {
    return CountOf(Belay({"log"}).out, "deliveries  " + what);
  };
  EXPECT_TRUE(Await([&] { return logged("given") == 1; }));
  AwaitATurn();
  EXPECT_EQ(logged("delivered"), 0U) << "nothing shows that its model has read it";
  Tell("Stop", R"({"session_id":"s1"})");
  EXPECT_TRUE(Await([&] { return logged("delivered") == 1; }));
  EXPECT_EQ(logged("sent"), 1U);
  EXPECT_TRUE(Await([&] { return !IsThere(OutboxPath("a")); }));
}

TEST_F(DeliveryTest, EveryAnswerThatReachesTheModelCarriesMessages) {
  SpawnTelling("a");
  Send("a", "first");
  const Json prompt = Answer(Tell("UserPromptSubmit", R"({"prompt":"go on"})"));
  EXPECT_EQ(Text(*prompt.Find("hookSpecificOutput"), "hookEventName"), "UserPromptSubmit");
  Send("a", "second");
  const Json stop = Answer(Tell("Stop", R"({"stop_hook_active":false})"));
  EXPECT_EQ(Text(stop, "decision"), "block");
  EXPECT_THAT(Text(stop, "reason"), HasSubstr("second"));
  EXPECT_EQ(Tell("Stop", R"({"stop_hook_active":true})"), "") << "it would never end";
  Send("a", "third");
  for (const char* other : {"PreToolUse", "Notification", "SubagentStop", "PreCompact"}) {
    EXPECT_THAT(Tell(other, kCall), Not(HasSubstr("third"))) << other;
  }
  EXPECT_THAT(ContextOf(Tell("PostToolUse", kCall)), HasSubstr("third"));
}

TEST_F(DeliveryTest, ANewerClaudeIsReachedBeforeAToolToo) {
  Spawn("a", {AgentScript("a", "export CLAUDE_PID=$$\n" + TellingScript())});
  Send("a", "first");
  EXPECT_THAT(ContextOf(Tell("PreToolUse", kCall)), HasSubstr("first"));
}

TEST_F(DeliveryTest, MessagesComeInTheirOrder) {
  SpawnTelling("a");
  for (const char* text : {"one", "two", "three"}) Send("a", text);
  const std::string context = ContextOf(Tell("PostToolUse", kCall));
  EXPECT_LT(context.find("\none\n"), context.find("\ntwo\n"));
  EXPECT_LT(context.find("\ntwo\n"), context.find("\nthree\n"));
  EXPECT_THAT(context, HasSubstr("Message 3 of 3"));
}

// Calls of tools that run side by side: each line starts twelve hooks.
TEST_F(DeliveryTest, OfManyHooksAtTheSameMomentOneDelivers) {
  const std::string script =
      "while read -r event input; do\n"
      "  for i in 1 2 3 4 5 6 7 8 9 10 11 12; do " +
      BelayBinary() +
      " event PostToolUse <\"$input\" >\"$input.$i\" & done\n  wait\n"
      "  cat \"$input\".? \"$input\".?? >\"$input.out\"; mv \"$input.out\" \"$input.done\"\n"
      "done <'" +
      (folder_ / "lines") + "'\n";
  StartGuardian();
  Start("a", script);
  std::string all;
  for (int i = 0; i < 15; ++i) {
    const std::string text = "word-" + std::to_string(i) + ".";
    Send("a", text);
    const std::string out = Tell("PostToolUse", kCall);
    EXPECT_EQ(CountOf(out, text), 1U) << out;
    all += out;
  }
  EXPECT_EQ(CountOf(all, "The user says"), 15U);
}

TEST_F(DeliveryTest, AHookThatIsKilledBeforeItHasPrintedLosesNothing) {
  SpawnTelling("a");
  Send("a", "first");
  // As a hook leaves it that was killed after it had taken the message.
  Process gone = *Process::Spawn({.command = {"true"}});
  const ProcessIdentity hook = *IdentityOf(gone.pid());
  gone.Wait();
  const std::string taken = project_.OutboxFolder() + "/orchestrator-a.taken-" +
                            std::to_string(hook.pid) + "-" + std::to_string(hook.start_time);
  ASSERT_EQ(rename(OutboxPath("a").c_str(), taken.c_str()), 0);
  EXPECT_EQ(Tell("PostToolUse", kCall), "");
  StartGuardian();
  ASSERT_TRUE(Await([&] { return IsThere(OutboxPath("a")); }));
  EXPECT_THAT(ContextOf(Tell("PostToolUse", kCall)), HasSubstr("first"));
}

// The outbox is derived: it may be lost, and while a hook delivers it has the messages twice.
TEST_F(DeliveryTest, WaitingMessagesAreCountedOnceAlsoWhenTheOutboxIsLost) {
  SpawnTelling("a");
  Send("a", "first");
  Send("a", "second");
  const ProcessIdentity self = *IdentityOf(getpid());
  const std::string taken = project_.OutboxFolder() + "/orchestrator-a.taken-" +
                            std::to_string(self.pid) + "-" + std::to_string(self.start_time);
  ASSERT_EQ(link(OutboxPath("a").c_str(), taken.c_str()), 0);
  EXPECT_EQ(*Row("a").Find("pending_messages"), Json(2));
  ASSERT_EQ(unlink(taken.c_str()), 0);
  ASSERT_EQ(unlink(OutboxPath("a").c_str()), 0);
  EXPECT_EQ(*Row("a").Find("pending_messages"), Json(2));
  Send("a", "third");
  ContextOf(Tell("PostToolUse", kCall));
  EXPECT_EQ(*Row("a").Find("pending_messages"), Json(0)) << "given, and not recorded yet";
}

TEST_F(DeliveryTest, TheCommandThatTheCountOfAPersonsMessagesNamesTakesOne) {
  SuperviseWithoutBackoff();
  StartGuardian();
  Start("a");  // which is news
  Send("a", "are you there?");
  ASSERT_TRUE(Await([&] { return SignalsToPerson("ESCALATE") == 1; }));
  ASSERT_TRUE(Await([&] { return SignalsToPerson("AGENT_REGISTERED") == 1; }));
  EXPECT_THAT(Belay({"agents"}).err,
              HasSubstr("1 message for you: belay signal list person (belay signal wait person "
                        "--type ESCALATE takes"));
  EXPECT_EQ(Belay({"signal", "wait", "person", "--type", "ESCALATE"}).exit_code, 0);
  EXPECT_THAT(Belay({"agents"}).err, Not(HasSubstr("for you")));
}

TEST_F(DeliveryTest, SubAgentsAndOtherProcessesDontTakeIt) {
  SpawnTelling("a");
  Tell("PostToolUse", kCall);
  Send("a", "first");
  EXPECT_EQ(Tell("PostToolUse", R"({"tool_name":"Bash","agent_id":"sub-1","tool_input":{}})"), "");
  EXPECT_EQ(TellFromOutside("orchestrator-a#1", "PostToolUse", kCall).out, "");
  EXPECT_EQ(TellFromOutside("", "PostToolUse", kCall).out, "");
  EXPECT_THAT(ContextOf(Tell("PostToolUse", kCall)), HasSubstr("first"));
}

TEST_F(DeliveryTest, AMessageToAnAgentWithoutHooksIsReportedToAPersonAtOnceAndOnce) {
  Process& guardian = StartGuardian();
  Start("a");
  const RunOutcome sent = Belay({"send", "a", "are you there?"});
  EXPECT_EQ(sent.exit_code, 0);
  EXPECT_THAT(sent.out, HasSubstr("orchestrator-a has no hooks, so it can't be delivered"));
  EXPECT_TRUE(Await([&] { return SignalsToPerson("ESCALATE") == 1; }));
  EXPECT_THAT(Belay({"agents"}).out, HasSubstr("no hooks"));
  EXPECT_THAT(Text(Row("a"), "needs"), HasSubstr("no hooks"));
  EXPECT_TRUE(Await([&] { return Why("a").find("message undelivered") != std::string::npos; }));
  KillGuardian(guardian);
  StartGuardian();
  AwaitATurn();
  EXPECT_EQ(SignalsToPerson("ESCALATE"), 1U);
}

TEST_F(DeliveryTest, OneThatWaitsTooLongIsReportedToAPerson) {
  Supervise({"undelivered_after: 1s"});
  StartGuardian();
  StartTelling("a");
  Tell("Stop", "{}");
  const Json sent = Send("a", "go on");
  EXPECT_EQ(Text(sent, "reach"), "at_prompt");
  EXPECT_TRUE(Await([&] { return SignalsToPerson("ESCALATE") == 1; }));
  EXPECT_THAT(Why("a"), HasSubstr("is waiting at its prompt"));
  EXPECT_THAT(ContextOf(Tell("UserPromptSubmit", "{}")), HasSubstr("go on"));
}

TEST_F(DeliveryTest, ASuccessorWithHooksGetsItAtItsFirst) {
  SuperviseWithoutBackoff();
  StartGuardian();
  const Identity first = StartTelling("a");
  Tell("PostToolUse", kCall);
  Send("a", "first");
  ASSERT_EQ(kill(static_cast<pid_t>(first.process->pid), SIGKILL), 0);
  AwaitStatus("a", 2, AgentStatus::kAlive);
  EXPECT_THAT(folder_.Read("repo/.git/belay/run/orchestrator-a.resume.md"),
              Not(HasSubstr("The user says")));
  // Until then it is its predecessor's.
  ASSERT_TRUE(Await(
      [&] { return ReadProcFile(OutboxPath("a")).find("orchestrator-a#2") != std::string::npos; }));
  EXPECT_THAT(ContextOf(Tell("PostToolUse", kCall)), HasSubstr("first"));
  EXPECT_EQ(Tell("PostToolUse", kCall), "");
}

TEST_F(DeliveryTest, ASuccessorWithoutHooksFindsItInItsResumeText) {
  SuperviseWithoutBackoff();
  StartGuardian();
  const Identity first = Start("a");
  Send("a", "are you there?");
  ASSERT_EQ(kill(static_cast<pid_t>(first.process->pid), SIGKILL), 0);
  AwaitStatus("a", 2, AgentStatus::kAlive);
  EXPECT_THAT(folder_.Read("repo/.git/belay/run/orchestrator-a.resume.md"),
              AllOf(HasSubstr("The user says"), HasSubstr("\nare you there?\n")));
  // Nothing shows that its command has read the file.
  ASSERT_TRUE(Await([&] {
    return Why("a").find("in the resume file of orchestrator-a#2") != std::string::npos;
  }));
  EXPECT_THAT(Why("a"), Not(HasSubstr("message delivered")));
  EXPECT_EQ(*Agent("orchestrator-a#2").Find("pending_messages"), Json(1));
  const Identity second = Present("a");
  ASSERT_EQ(kill(static_cast<pid_t>(second.process->pid), SIGKILL), 0);
  AwaitStatus("a", 3, AgentStatus::kAlive);
  EXPECT_THAT(folder_.Read("repo/.git/belay/run/orchestrator-a.resume.md"),
              HasSubstr("\nare you there?\n"));
}

// Its kind is given, so that its text is put into its command.
TEST_F(DeliveryTest, WhatAResumeTextHeldReachesTheNextOneIfThatSuccessorDiesAtOnce) {
  SuperviseWithoutBackoff();
  StartGuardian();
  const std::string script = AgentScript("a", TellingScript());
  ASSERT_EQ(Belay({"spawn", "--name", "a", "--agent", "codex", "--", script}).exit_code, 0);
  const auto kill_it = [&](std::uint32_t incarnation) {
    AwaitStatus("a", incarnation, AgentStatus::kAlive);
    ASSERT_EQ(kill(static_cast<pid_t>(Present("a").process->pid), SIGKILL), 0);
  };
  AwaitStatus("a", 1, AgentStatus::kAlive);
  Send("a", "are you there?");
  kill_it(1);
  kill_it(2);
  AwaitStatus("a", 3, AgentStatus::kAlive);
  const std::string resume = "repo/.git/belay/run/orchestrator-a.resume.md";
  EXPECT_THAT(folder_.Read(resume), HasSubstr("\nare you there?\n"));
  // Now it works: it has read its text.
  Tell("PreToolUse", kCall);
  EXPECT_TRUE(Await([&] { return Why("a").find("message delivered") != std::string::npos; }));
  kill_it(3);
  AwaitStatus("a", 4, AgentStatus::kAlive);
  EXPECT_THAT(folder_.Read(resume), Not(HasSubstr("are you there?")));
}

TEST_F(DeliveryTest, ANewTaskUnderAnOldNameDoesntGetWhatWasMeantForTheOldOne) {
  SpawnTelling("a");
  Send("a", "about the old task");
  EXPECT_EQ(Belay({"stop", "a"}).exit_code, 0);
  SpawnTelling("a");
  EXPECT_EQ(Tell("PostToolUse", kCall), "");
  EXPECT_THAT(Why("a"), AllOf(HasSubstr("message dropped"), HasSubstr("a new task was started")));
}

TEST_F(DeliveryTest, ALongTextIsDeliveredInPartsAlsoWithoutAGuardian) {
  SpawnTelling("a");
  Send("a", "a short one before");
  const std::string text = std::string(30'000, 'x') + " the end";
  folder_.Write("long.txt", text);
  BelayJson({"send", "a", "--file", folder_ / "long.txt"});
  Send("a", "a short one behind");
  EXPECT_THAT(ContextOf(Tell("PostToolUse", kCall)), HasSubstr("a short one before"));
  std::size_t letters = 0;
  for (int part = 1; part <= 4; ++part) {
    const std::string context = ContextOf(Tell("PostToolUse", kCall));
    EXPECT_LT(context.size(), 9'000U);
    EXPECT_THAT(context, HasSubstr("part " + std::to_string(part) + " of 4"));
    letters += CountOf(context, "x") - CountOf(context, "next");
    EXPECT_EQ(CountOf(context, "x the end"), part == 4 ? 1U : 0U);
    if (part == 2) Send("a", "one that is sent in between");
  }
  EXPECT_EQ(letters, 30'000U);
  EXPECT_THAT(ContextOf(Tell("PostToolUse", kCall)),
              AllOf(HasSubstr("a short one behind"), HasSubstr("one that is sent in between")));
  EXPECT_EQ(Tell("PostToolUse", kCall), "");
}

TEST_F(DeliveryTest, AStopThatIsAnsweredWithAMessageIsNotAPrompt) {
  SpawnTelling("a");
  Send("a", "go on");
  EXPECT_THAT(Tell("Stop", "{}"), HasSubstr("go on"));
  EXPECT_EQ(Text(Send("a", "second"), "reach"), "hooks");
}

TEST_F(DeliveryTest, WaitReturnsWhenItIsDeliveredOrTheTimeIsOver) {
  StartGuardian();
  StartTelling("a");
  Tell("PostToolUse", kCall);
  const RunOutcome late = Belay({"send", "a", "x", "--wait", "--timeout", "0", "--json"});
  EXPECT_EQ(late.exit_code, 124);
  EXPECT_THAT(late.out, HasSubstr(R"("delivered": false)"));
  Tell("PostToolUse", kCall);
  Process sender =
      *Process::Spawn({.command = {"sh", "-c", "exec \"$0\" send a y --wait --json >\"$1\"",
                                   BelayBinary(), folder_ / "sent.json"},
                       .folder = folder_ / "repo"});
  ASSERT_TRUE(Await([&] { return IsThere(OutboxPath("a")); }));
  EXPECT_THAT(ContextOf(Tell("PostToolUse", kCall)), HasSubstr("\ny\n"));
  Tell("Stop", R"({"session_id":"s1"})");
  EXPECT_EQ(sender.Wait(), ExitStatus::Exited(0));
  const Json sent = *ParseJson(folder_.Read("sent.json"));
  EXPECT_EQ(*sent.Find("delivered"), Json(true));
  EXPECT_EQ(Text(sent, "by"), "PostToolUse");
}

TEST_F(DeliveryTest, ATextThatBeginsWithADashNeedsTwoOfThem) {
  SpawnTelling("a");
  const RunOutcome refused = Belay({"send", "a", "--help me"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("write -- before a text"));
  EXPECT_EQ(Belay({"send", "a", "--", "--help me"}).exit_code, 0);
  EXPECT_THAT(ContextOf(Tell("PostToolUse", kCall)), HasSubstr("\n--help me\n"));
}

TEST_F(DeliveryTest, WaitEndsWhereNoGuardianRunsAndTheAgentEnds) {
  SpawnTelling("a");
  Send("a", "first");
  Process sender =
      *Process::Spawn({.command = {"sh", "-c", "exec \"$0\" send a second --wait 2>\"$1\"",
                                   BelayBinary(), folder_ / "sent.err"},
                       .folder = folder_ / "repo"});
  ASSERT_TRUE(Await([&] { return *Row("a").Find("pending_messages") == Json(2); }));
  ASSERT_EQ(kill(static_cast<pid_t>(Present("a").process->pid), SIGKILL), 0);
  EXPECT_EQ(sender.Wait(), ExitStatus::Exited(1));
  EXPECT_THAT(folder_.Read("sent.err"),
              AllOf(HasSubstr("ended before the message was delivered"), HasSubstr("belay guard")));
}

TEST_F(DeliveryTest, ToACrashedAgentItReportsThatTheSuccessorGetsIt) {
  SpawnTelling("a");
  Tell("PostToolUse", kCall);
  const pid_t pid = static_cast<pid_t>(Present("a").process->pid);
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  ASSERT_TRUE(Await([&] { return Text(Row("a"), "status") == "crashed"; }));
  EXPECT_EQ(Text(Send("a", "x"), "reach"), "comes_back");
  EXPECT_THAT(Belay({"agents"}).out, HasSubstr("1 message waits for its successor"));
}

TEST_F(DeliveryTest, AYoungClaudeWithoutHooksIsNotPromisedAny) {
  const std::string script = AgentScript("a", TellingScript());
  ASSERT_EQ(Belay({"spawn", "--name", "a", "--agent", "claude", "--", script}).exit_code, 0);
  EXPECT_EQ(Text(Send("a", "x"), "reach"), "no_hooks");
}

TEST_F(DeliveryTest, ANewTaskReportsHowManyMessagesItDrops) {
  SpawnTelling("a");
  Send("a", "one");
  Send("a", "two");
  EXPECT_EQ(Belay({"stop", "a"}).exit_code, 0);
  const RunOutcome spawned = Belay({"spawn", "--name", "a", "--", "true"});
  EXPECT_THAT(spawned.err, HasSubstr("2 messages for the previous task were dropped"));
}

TEST_F(DeliveryTest, WrongInputIsRefusedAndStoresNothing) {
  SpawnTelling("a");
  const auto code = [&](std::vector<std::string> words, RunOptions options = {}) {
    return Belay(std::move(words), options).exit_code;
  };
  EXPECT_EQ(code({"send", "nosuch", "x"}), 3);
  EXPECT_EQ(code({"send", "a"}), 2);
  EXPECT_EQ(code({"send", "a", "  "}), 2);
  EXPECT_EQ(code({"send", "a", "x", "--file", "y"}), 2);
  EXPECT_EQ(code({"send", "a", "--file", folder_ / "missing"}), 2);
  EXPECT_EQ(code({"send", "a", "x", "--timeout", "3"}), 2);
  folder_.Write("latin1", "caf\xe9");
  EXPECT_EQ(code({"send", "a", "--file", folder_ / "latin1"}), 2);
  folder_.Write("large", std::string(65 << 10, 'x'));
  EXPECT_EQ(code({"send", "a", "--file", folder_ / "large"}), 2);
  Spawn("b", {"sleep", "1000"});  // doesn't read what Tell writes
  EXPECT_EQ(code({"send", "b", "x"}, {.environment = {{"BELAY_AGENT_ID", "orchestrator-a#1"}}}), 4);
  EXPECT_EQ(Tell("PostToolUse", kCall), "");
  EXPECT_EQ(Belay({"stop", "a"}).exit_code, 0);
  EXPECT_EQ(code({"send", "a", "x"}), 4);
}

TEST_F(DeliveryTest, WhatAnAgentTakesByItselfIsNotDeliveredAgain) {
  SpawnTelling("a");
  Send("a", "first");
  EXPECT_THAT(Belay({"signal", "wait", "a"}).out, HasSubstr("GUIDANCE"));
  EXPECT_EQ(Tell("PostToolUse", kCall), "");
  EXPECT_THAT(Why("a"), HasSubstr("by belay signal wait"));
}

}  // namespace
}  // namespace belay
