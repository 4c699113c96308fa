// What is stored of what Claude Code hands its hooks: the adapter digests it, the engine judges it.

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "adapters/agents.h"
#include "engine/events/judge_report.h"

namespace belay {
namespace {

using testing::HasSubstr;
using testing::Not;

EventReport Report(std::string_view name, std::string_view input) {
  const auto kind = name == "StatusLine" ? StatusLineEvent() : FindEvent(name).value();
  return HooksFor(kind.agent)->Digest(kind.kind, input);
}

AgentEvent Digest(std::string_view name, std::string_view input) {
  EventReport report = Report(name, input);
  EXPECT_EQ(report.problem, "");
  return JudgeReport(std::move(report));
}

AgentEvent Shell(std::string_view name, std::string_view command, std::string_view more = "") {
  return Digest(name, fmt::format(R"({{"tool_name":"Bash","tool_input":{{"command":"{}"}}{}}})",
                                  command, more));
}

TEST(EventDigestTest, KeepsWhoAndWhere) {
  const AgentEvent event =
      Digest("SessionStart", R"({"session_id":"s1","transcript_path":"/t/s1.jsonl",
      "cwd":"/p","hook_event_name":"SessionStart","source":"compact","new_field":{"a":[1]}})");
  EXPECT_EQ(event, (AgentEvent{.kind = EventKind::kSessionStarted,
                               .session = "s1",
                               .transcript = "/t/s1.jsonl",
                               .folder = "/p",
                               .detail = "compacted",
                               .agent_kind = AgentKind::kClaude}));
}

TEST(EventDigestTest, KeepsNothingOfPromptsAndOfWhatToolsGaveBack) {
  const std::string secret = "hunter2";
  for (const char* input :
       {R"({"prompt":"hunter2"})", R"({"tool_name":"Read","tool_input":{"file_path":"a"},
         "tool_response":"hunter2"})",
        R"({"tool_name":"Bash","tool_input":{"command":"x"},"error":"Exit code 1\nhunter2"})",
        R"({"tool_name":"Write","tool_input":{"file_path":"a","content":"hunter2"}})",
        R"({"last_assistant_message":"hunter2"})"}) {
    for (const char* name : {"UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop"}) {
      EXPECT_THAT(WriteJson(ToJson(Digest(name, input)), JsonStyle::kCompact),
                  Not(HasSubstr(secret)));
    }
  }
}

TEST(EventDigestTest, JudgesTheCallsOfTools) {
  EXPECT_EQ(Digest("PreToolUse", R"({"tool_name":"Edit","tool_input":{"file_path":"/p/a.cc"},
      "tool_use_id":"t1"})"),
            (AgentEvent{.kind = EventKind::kToolStarting,
                        .tool = "Edit",
                        .call = "t1",
                        .action = ActionKind::kEdit,
                        .subject = "/p/a.cc",
                        .agent_kind = AgentKind::kClaude}));
  EXPECT_EQ(Digest("PreToolUse", R"({"tool_name":"Grep","tool_input":{"pattern":"x"}})").action,
            ActionKind::kRead);
  EXPECT_EQ(Digest("PreToolUse", R"({"tool_name":"TodoWrite","tool_input":{"todos":[]}})").action,
            ActionKind::kPlan);
  EXPECT_EQ(Digest("PreToolUse", R"({"tool_name":"Read","tool_input":{},"permission_mode":"plan"})")
                .action,
            ActionKind::kPlan);
  EXPECT_EQ(Digest("PreToolUse", R"({"tool_name":"mcp__x__y","tool_input":[1]})").action,
            ActionKind::kOther);
  EXPECT_EQ(Shell("PreToolUse", "cd a && git -C b commit -m x").action, ActionKind::kCommit);
  EXPECT_EQ(Shell("PreToolUse", "cat a | grep b").action, ActionKind::kRead);
  EXPECT_EQ(Shell("PreToolUse", "make -j2").action, ActionKind::kOther);
}

TEST(EventDigestTest, TakesTheResultOfTestsFromTheirExitCode) {
  EXPECT_EQ(Shell("PostToolUse", "npm test").passed, true);
  EXPECT_EQ(Shell("PostToolUse", "npm test").action, ActionKind::kTest);
  EXPECT_EQ(Shell("PostToolUse", "npm test | tail").passed, std::nullopt);
  EXPECT_EQ(Shell("PostToolUse", "npm test", R"(,"tool_response":{"interrupted":true})").passed,
            std::nullopt);
  const AgentEvent failed =
      Shell("PostToolUseFailure", "cd x && npm test", R"(,"error":"Exit code 7\nall the output")");
  EXPECT_EQ(failed.passed, false);
  EXPECT_EQ(failed.detail, "exit code 7");
  EXPECT_EQ(Shell("PostToolUseFailure", "make && npm test", R"(,"error":"Exit code 2")").passed,
            std::nullopt);
  EXPECT_EQ(Shell("PostToolUseFailure", "npm test", R"(,"error":"x","is_interrupt":true)").passed,
            std::nullopt);
  EXPECT_EQ(
      Digest("PostToolUse",
             R"({"tool_name":"Bash","tool_input":{"command":"npm test","run_in_background":true}})")
          .passed,
      std::nullopt);
}

TEST(EventDigestTest, KnowsWhatOldNotificationsMean) {
  EXPECT_EQ(Digest("Notification", R"({"notification_type":"idle_prompt"})").detail, "input");
  EXPECT_EQ(
      Digest("Notification", R"({"message":"Claude needs your permission to use Bash"})").detail,
      "permission");
}

TEST(EventDigestTest, TakesTheFillFromAStatusLine) {
  const AgentEvent event = Digest(
      "StatusLine", R"({"context_window":{"context_window_size":200000,"used_percentage":41.5}})");
  EXPECT_EQ(event.window, 200'000U);
  EXPECT_EQ(event.fill, 41.5);
  EXPECT_EQ(Digest("StatusLine", R"({"context_window":{"used_percentage":null}})").fill,
            std::nullopt);
}

TEST(EventDigestTest, LargeInputsAreSkimmed) {
  const std::string content(10'000'000, 'x');
  const AgentEvent event = Digest(
      "PreToolUse",
      fmt::format(R"({{"session_id":"s","tool_name":"Write","tool_input":{{"file_path":"/a",)"
                  R"("content":"{}"}},"tool_use_id":"t9"}})",
                  content));
  EXPECT_EQ(event.subject, "/a");
  EXPECT_EQ(event.call, "t9");
  EXPECT_EQ(event.action, ActionKind::kEdit);
}

TEST(EventDigestTest, WhatCanNotBeUnderstoodIsStillAnEvent) {
  const AgentEvent nothing{.kind = EventKind::kToolStarting, .agent_kind = AgentKind::kClaude};
  for (const std::string& input :
       {std::string(), std::string("{"), std::string("[]"), std::string("\xff\xfe"),
        std::string("{\"tool_name\":3,}"), std::string(100'000, '{'),
        "{\"a\":\"" + std::string(100'000, 'x')}) {
    const EventReport report = Report("PreToolUse", input);
    EXPECT_NE(report.problem, "");
    EXPECT_EQ(JudgeReport(report), nothing);
  }
  EXPECT_EQ(Digest("PreToolUse", R"({"tool_name":3,"session_id":[],"cwd":null})"), nothing);
}

TEST(EventDigestTest, MistakesInOneMemberCostNoOther) {
  const std::string large(100'000, 'x');
  for (const std::string& more : {std::string("1"), fmt::format("\"{}\"", large)}) {
    const AgentEvent event = Digest(
        "PreToolUse",
        fmt::format(R"({{"session_id":"a","odd":"\ud800","more":{},"session_id":"b",)"
                    R"("tool_name":"Bash","tool_input":{{"command":"echo \udc00 x\ud83d\ude00",)"
                    R"("twice":1,"twice":2}}}})",
                    more));
    EXPECT_EQ(event.session, "b");
    EXPECT_EQ(event.subject, "echo \xEF\xBF\xBD x\xF0\x9F\x98\x80");
  }
}

TEST(EventDigestTest, SecretsAreTakenOutBeforeTextsAreCut) {
  EXPECT_EQ(Digest("TaskCreated", R"({"task_subject":"use --token hunter2 here"})").subject,
            "use --token *** here");
  EXPECT_EQ(Digest("TaskCompleted", R"({"task_subject":"TOKEN=hunter2"})").subject, "TOKEN=***");
  // Wherever the text ends, no half of the address is taken for something else.
  for (std::size_t before = 0; before < 320; ++before) {
    const std::string padding = std::string(before, 'x') + " TOKEN=" + std::string(1970, 'y');
    EXPECT_THAT(Shell("PreToolUse", padding + " https://me:hunter2hunter2@host/").subject,
                Not(HasSubstr("hun")));
  }
}

TEST(EventDigestTest, TextsAreOneLineAndShort) {
  const AgentEvent event = Shell("PreToolUse", std::string("a\\nb") + std::string(5000, 'c'));
  EXPECT_EQ(event.subject.find('\n'), std::string::npos);
  EXPECT_LE(event.subject.size(), AgentEvent::kLongestText);
}

TEST(EventDigestTest, KnowsWhichSubAgentItIsAbout) {
  const AgentEvent call =
      Digest("PreToolUse", R"({"agent_id":"a229","tool_name":"Bash","tool_use_id":"t1"})");
  EXPECT_TRUE(call.nested);
  EXPECT_EQ(call.sub_agent, "a229");
  EXPECT_EQ(call.call, "t1");
  EXPECT_EQ(Digest("SubagentStop", R"({"agent_id":"a229"})").sub_agent, "a229");
  EXPECT_EQ(Digest("Stop", "{}").sub_agent, "");
}

TEST(EventDigestTest, NamesHowSessionsBeginAndTurnsFailInItsOwnWords) {
  const auto start = [](const char* source) {
    return Digest("SessionStart", fmt::format(R"({{"source":"{}"}})", source)).detail;
  };
  EXPECT_EQ(start("startup"), "startup");
  EXPECT_EQ(start("resume"), EventDetail::kResumed);
  EXPECT_EQ(start("fork"), EventDetail::kForked);
  const auto failure = [](const char* error) {
    return ParseExitCause(Digest("StopFailure", fmt::format(R"({{"error":"{}"}})", error)).detail);
  };
  EXPECT_EQ(failure("rate_limit"), ExitCause::kRateLimit);
  EXPECT_EQ(failure("authentication_failed"), ExitCause::kAuth);
  EXPECT_EQ(failure("billing_error"), ExitCause::kAuth);
  EXPECT_EQ(failure("prompt_too_long"), ExitCause::kContextExhausted);
  EXPECT_EQ(failure("server_error"), std::nullopt);
}

TEST(EventDigestTest, KeepsTheReasonOfAnEnd) {
  EXPECT_EQ(Digest("SessionEnd", R"({"reason":"prompt_input_exit"})").detail, "person_left");
}

}  // namespace
}  // namespace belay
