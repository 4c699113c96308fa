// belay resumption, as people, scripts and agents' hooks use it.

#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <thread>

#include "agents_sandbox.h"
#include "base/text.h"
#include "engine/resumption/triggers.h"
#include "os/real_event_loop.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kDocument =
    "# The release\nworkflow: {status: ACTIVE}\npipelines:\n  REL:\n    current_phase: 2\n"
    "    phases:\n      - {id: 2, name: build, status: IN_PROGRESS}\n"
    "      - {id: 3, name: test, status: PENDING}\n";

class ResumptionCommandTest : public AgentsSandbox {
 protected:
  ResumptionCommandTest() { folder_.Write("repo/ORCHESTRATION.yaml", kDocument); }

  std::string Text() { return folder_.Read("repo/ORCHESTRATION.yaml"); }
  void Text(std::string_view text) { folder_.Write("repo/ORCHESTRATION.yaml", text); }

  // What a hook prints; as an agent, or as a session without belay.
  std::string Hook(const std::string& event, const std::string& fields,
                   const std::string& agent = "worker-a#1", const std::string& session = "s-1") {
    folder_.Write("input.json", R"({"session_id":")" + session + R"(","cwd":")" +
                                    (folder_ / "repo") + "\"" + (fields.empty() ? "" : ",") +
                                    fields + "}");
    const RunOutcome outcome = RunReal(
        {"sh", "-c", BelayBinary() + " event " + event + " <" + (folder_ / "input.json")},
        {.folder = folder_ / "repo",
         .environment = {{"BELAY_AGENT_ID", agent}, {"CLAUDE_PROJECT_DIR", folder_ / "repo"}}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  std::string Edit(const std::string& event, const std::string& old_text,
                   const std::string& new_text) {
    return Hook(event, R"("tool_name":"Edit","tool_input":{"file_path":")" +
                           (folder_ / "repo/ORCHESTRATION.yaml") + R"(","old_string":)" +
                           WriteJson(Json(old_text)) + R"(,"new_string":)" +
                           WriteJson(Json(new_text)) + "}");
  }
  // A hook goes on after its answer.
  bool Await(const std::string& folder, const std::function<bool()>& condition) {
    auto loop = RealEventLoop::Create();
    bool met = false;
    const auto look = [&] {
      met = condition();
      if (met) (*loop)->Stop();
    };
    const auto watch =
        (*loop)->WatchFolderContent(folder_ / folder, [&](const FolderEvent&) { look(); });
    EXPECT_TRUE(watch.ok());
    (*loop)->StartTimer(std::chrono::seconds(30), [&] { (*loop)->Stop(); });
    look();
    if (!met) (*loop)->Run();
    return met;
  }
  bool AwaitText(const std::string& part) {
    return Await("repo", [&] { return Text().find(part) != std::string::npos; });
  }
  std::string Level(int exit_code) {
    return TextOf(BelayJson({"resumption", "check"}, exit_code), "level");
  }
};

TEST_F(ResumptionCommandTest, TheFirstUpdateAppendsTheSection) {
  const RunOutcome updated =
      Belay({"resumption", "update", "T1", "--set", "next_step=run the tests", "--set",
             "current_activity=building"});
  EXPECT_EQ(updated.exit_code, 0) << updated.err;
  EXPECT_TRUE(Text().starts_with(kDocument)) << Text();
  const Json shown = BelayJson({"resumption", "show"});
  const Json& state = *shown.Find("recovery_state");
  EXPECT_EQ(TextOf(state, "next_step"), "run the tests");
  EXPECT_EQ(TextOf(state, "current_phase_name"), "build");
  EXPECT_EQ(WriteJson(*state.Find("current_phase")), "2");
  EXPECT_THAT(WriteJson(*shown.Find("files_to_read")), HasSubstr("ORCHESTRATION.yaml"));
  EXPECT_EQ(Level(0), "FRESH");
  const RunOutcome brief = Belay({"resumption", "brief"});
  EXPECT_THAT(brief.out, HasSubstr("| next step: run the tests"));
  EXPECT_LE(brief.out.size(), 3200);
}

TEST_F(ResumptionCommandTest, TheSameEventIsAppliedOnce) {
  const std::vector<std::string> line = {
      "resumption", "update", "T6", "--event", "e-1", "--data", R"({"decision":"once"})"};
  EXPECT_EQ(Belay(line).exit_code, 0);
  const std::string once = Text();
  const RunOutcome again = Belay(line);
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out, HasSubstr("applied before"));
  EXPECT_EQ(Text(), once);
}

TEST_F(ResumptionCommandTest, TwoUpdatersLoseNothing) {
  std::vector<std::thread> updaters;
  for (int i = 0; i < 6; ++i) {
    updaters.emplace_back([this, i] {
      const RunOutcome outcome = Belay({"resumption", "update", "T4", "--data",
                                        R"({"agent_id":"agent-)" + std::to_string(i) + R"("})"});
      EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    });
  }
  for (std::thread& updater : updaters) updater.join();
  for (int i = 0; i < 6; ++i) EXPECT_THAT(Text(), HasSubstr("agent-" + std::to_string(i) + ":"));
}

TEST_F(ResumptionCommandTest, WhatCannotBeEditedSafelyIsRefusedAndUntouched) {
  const auto refuse = [&](const std::string& text, const std::string& says) {
    Text(text);
    const RunOutcome outcome = Belay({"resumption", "update", "T7"});
    EXPECT_EQ(outcome.exit_code, 5) << text;
    EXPECT_THAT(outcome.err, HasSubstr(says));
    EXPECT_EQ(Text(), text);
  };
  refuse("a: 1\na: 2\n", "duplicate key");
  refuse("a: 1\n---\nb: 1\n", "second document");
  refuse("resumption: {next_step: x}\n", "block style");
  refuse("x: &x {a: 1}\nresumption: *x\n", "alias");
  refuse("a: [1\n", "line ");
  refuse("resumption:\n  schema_version: \"3.0\"\n", "3.0");
  refuse("a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n", "merge conflict");
  refuse("a: 1\n=======\nb: 2\n>>>>>>> x\n", "merge conflict");
}

TEST_F(ResumptionCommandTest, ALinkIsNotWrittenThrough) {
  folder_.Write("repo/flow.yaml", kDocument);
  RunReal({"ln", "-sf", "flow.yaml", folder_ / "repo/ORCHESTRATION.yaml"});
  ExpectError({"resumption", "update", "T7"}, 4, "is a link");
  ExpectError({"resumption", "check"}, 4, "is a link");
  EXPECT_EQ(folder_.Read("repo/flow.yaml"), kDocument);
  EXPECT_EQ(Belay({"resumption", "update", "T7", "--file", "flow.yaml"}).exit_code, 0);
}

TEST_F(ResumptionCommandTest, WrongUseIsNamed) {
  ExpectError({"resumption", "update", "T9"}, 2, "T9");
  ExpectError({"resumption", "update", "T1", "--set", "next_stp=x"}, 2, "next_stp");
  ExpectError({"resumption", "update", "T1", "--data", "[1]"}, 2, "JSON object");
  ExpectError({"resumption", "update", "T4"}, 2, "agent_id");
  ExpectError({"resumption", "ack", "7"}, 2, "CX-001");
  ExpectError({"resumption", "ack", "CX-001"}, 3, "CX-001");
  ExpectError({"resumption", "show", "--file", "none.yaml"}, 3, "none.yaml");
}

TEST_F(ResumptionCommandTest, CheckExitsByItsLevel) {
  EXPECT_EQ(Level(11), "CRITICAL");  // never updated
  ASSERT_EQ(Belay({"resumption", "update", "T1"}).exit_code, 0);
  EXPECT_EQ(Level(0), "FRESH");
  std::string old = Text();
  const std::size_t at = old.find("updated_at: \"") + 13;
  old.replace(at, 20, "2020-01-01T00:00:00Z");
  Text(old);
  const Json stale = BelayJson({"resumption", "check"}, 10);
  EXPECT_EQ(TextOf(stale, "level"), "STALE");
  EXPECT_EQ(WriteJson(*stale.Find("edited_by_hand")), "true");
  old.replace(at, 20, "2199-01-01T00:00:00Z");
  Text(old);
  EXPECT_THAT(WriteJson(BelayJson({"resumption", "check"}, 10)), HasSubstr("in the future"));
  ASSERT_EQ(Belay({"resumption", "update", "T7"}).exit_code, 0);
  Identity agent = Spawn("worker-a#1");
  agent.created_at = clock_.Wall() + std::chrono::seconds(5);
  Save(agent);
  EXPECT_EQ(Level(11), "CRITICAL");
}

TEST_F(ResumptionCommandTest, MigratesVersionOneAndKeepsItsKeysIfAsked) {
  Text(
      "resumption:\n  last_checkpoint: CP-1\n  current_state: \"in the middle\"\n"
      "  next_step: go\n  overall_progress: 40 % # mine\n");
  EXPECT_EQ(Belay({"resumption", "migrate", "--keep-v1-keys"}).exit_code, 0);
  EXPECT_THAT(Text(),
              HasSubstr("resumption:\n  last_checkpoint: CP-1\n  next_step: go\n  schema_version"));
  EXPECT_THAT(Text(), HasSubstr("current_activity: \"in the middle\""));
  EXPECT_THAT(Text(), HasSubstr("\n  overall_progress: 40 % # mine\n"));
  const std::string once = Text();
  EXPECT_THAT(Belay({"resumption", "migrate"}).out, HasSubstr("already"));
  EXPECT_EQ(Text(), once);
}

TEST_F(ResumptionCommandTest, TheSettingsMayNameAnotherFile) {
  folder_.Write("repo/.claude/belay.yml", "resumption:\n  file: docs/flow.yaml\n");
  folder_.Write("repo/docs/flow.yaml", "a: 1\n");
  EXPECT_EQ(Belay({"resumption", "update", "T7"}).exit_code, 0);
  EXPECT_THAT(folder_.Read("repo/docs/flow.yaml"), HasSubstr("resumption:\n"));
  EXPECT_EQ(Text(), kDocument);
  Spawn("worker-a#1");
  EXPECT_THAT(Hook("UserPromptSubmit", ""), HasSubstr("Resumption staleness"));
}

TEST_F(ResumptionCommandTest, AnEditOfTheSectionIsRefusedWithItsReason) {
  Spawn("worker-a#1");
  Hook("SessionStart", R"("source":"startup")");
  ASSERT_EQ(As("worker-a#1", {"resumption", "update", "T1", "--set", "next_step=go"}).exit_code, 0);
  const std::string refused = Edit("PreToolUse", "next_step: \"go\"", "next_step: \"stop\"");
  EXPECT_THAT(refused, HasSubstr("\"permissionDecision\":\"deny\""));
  EXPECT_THAT(refused, HasSubstr("belay resumption update"));
  EXPECT_EQ(Edit("PreToolUse", "# The release", "# The great release"), "");
  EXPECT_THAT(Edit("PreToolUse", "workflow: {", "workflow: ["), HasSubstr("deny"));
  EXPECT_EQ(Edit("PreToolUse", "not in it", "x"), "");
  EXPECT_THAT(
      Hook("PreToolUse", R"("tool_name":"Write","tool_input":{"file_path":"ORCHESTRATION.yaml",)"
                         R"("content":"a: 1\n"})"),
      HasSubstr("deny"));
  EXPECT_THAT(Hook("PreToolUse", R"("tool_name":"MultiEdit","tool_input":{"file_path":")" +
                                     (folder_ / "repo/ORCHESTRATION.yaml") +
                                     R"(","edits":[{"old_string":"great","new_string":"x"},)"
                                     R"({"old_string":"next_step","new_string":"y"}]})"),
              Not(HasSubstr("deny")));  // the tool itself refuses: nothing is called great
  EXPECT_THAT(Hook("PreToolUse", R"("tool_name":"Bash","tool_input":{"command":)"
                                 R"("echo a: 1 > ORCHESTRATION.yaml"})"),
              HasSubstr("deny"));
  EXPECT_EQ(Hook("PreToolUse", R"("tool_name":"Bash","tool_input":{"command":)"
                               R"("cat ORCHESTRATION.yaml"})"),
            "");
}

// Claude shows a file with CRLF as one with LF, and edits it so.
TEST_F(ResumptionCommandTest, AnEditOfSeveralLinesIsSeenInAFileWithCrlf) {
  Spawn("worker-a#1");
  ASSERT_EQ(As("worker-a#1", {"resumption", "update", "T1", "--set", "next_step=go"}).exit_code, 0);
  std::string text;
  for (const char c : Text()) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  Text(text);
  EXPECT_THAT(Edit("PreToolUse", "null\n    next_step: \"go\"", "null\n    next_step: \"no\""),
              HasSubstr("deny"));
  EXPECT_EQ(Edit("PreToolUse", "# The release\nworkflow", "# The end\nworkflow"), "");
}

TEST_F(ResumptionCommandTest, CopiesAndFilesOfThatNameElsewhereAreNotTheDocument) {
  Spawn("worker-a#1");
  Hook("SessionStart", R"("source":"startup")");
  const auto bash = [&](const std::string& command) {
    return Hook("PreToolUse",
                R"("tool_name":"Bash","tool_input":{"command":)" + WriteJson(Json(command)) + "}");
  };
  const auto edit = [&](const std::string& old_text, const std::string& new_text) {
    return Hook("PreToolUse", R"("tool_name":"Edit","tool_input":{"file_path":")" +
                                  (folder_ / "repo/tests/ORCHESTRATION.yaml") +
                                  R"(","old_string":")" + old_text + R"(","new_string":")" +
                                  new_text + "\"}");
  };
  EXPECT_EQ(bash("cp ORCHESTRATION.yaml copy.yaml"), "");
  EXPECT_THAT(bash("cp copy.yaml ORCHESTRATION.yaml"), HasSubstr("deny"));
  EXPECT_EQ(bash("mkdir d && cp ORCHESTRATION.yaml d/"), "");
  EXPECT_EQ(bash("mkdir d && echo x > d/ORCHESTRATION.yaml"), "");
  EXPECT_THAT(bash("mkdir d && echo x > d/ORCHESTRATION.yaml && echo x > ORCHESTRATION.yaml"),
              HasSubstr("deny"));
  // One that belay doesn't keep isn't stale, and what is around its section is free.
  folder_.Write("repo/tests/ORCHESTRATION.yaml", "a: 1\n");
  EXPECT_EQ(bash("echo b: 2 >> tests/ORCHESTRATION.yaml"), "");
  folder_.Write("repo/tests/ORCHESTRATION.yaml",
                "a: 1\nresumption:\n  recovery_state:\n    x: 1\n");
  EXPECT_EQ(edit("a: 1", "a: 2"), "");
  EXPECT_THAT(edit("x: 1", "x: 2"), HasSubstr("deny"));
  EXPECT_THAT(bash("cd tests && echo x > ORCHESTRATION.yaml"), HasSubstr("deny"));
  // The same document by another way.
  ASSERT_EQ(RunReal({"ln", "-s", folder_ / "repo", folder_ / "link"}, {}).exit_code, 0);
  std::string old = Text();
  old.replace(old.find("updated_at: \"") + 13, 20, "2020-01-01T00:00:00Z");
  Text(old);
  EXPECT_THAT(Hook("PreToolUse", R"("tool_name":"Edit","tool_input":{"file_path":")" +
                                     (folder_ / "link/ORCHESTRATION.yaml") +
                                     R"(","old_string":"# The release","new_string":"# x"})"),
              HasSubstr("resumption update T8"));
}

TEST_F(ResumptionCommandTest, AHandEditThatHappenedIsReportedInTheToolsAnswer) {
  Spawn("worker-a#1");
  ASSERT_EQ(As("worker-a#1", {"resumption", "update", "T1", "--set", "next_step=go"}).exit_code, 0);
  std::string text = Text();
  text.replace(text.find("next_step: \"go\""), 15, "next_step: \"no\"");
  Text(text);
  EXPECT_THAT(Hook("PostToolUse", R"("tool_name":"Bash","tool_input":{"command":)"
                                  R"("sed -i s/go/no/ ORCHESTRATION.yaml"})"),
              HasSubstr("changed by hand"));
  const std::string unseen = R"("tool_name":"Bash","tool_input":{"command":)"
                             R"("./fix.py ORCHESTRATION.yaml"})";
  EXPECT_THAT(Hook("PostToolUse", unseen), HasSubstr("changed by hand"));
  ASSERT_EQ(As("worker-a#1", {"resumption", "update", "T7"}).exit_code, 0);
  EXPECT_EQ(Hook("PostToolUse", unseen), "");
}

TEST_F(ResumptionCommandTest, CommentsAndKeysOfOthersInTheSectionAreTheirs) {
  Spawn("worker-a#1");
  Text(std::string(kDocument) + "resumption:\n  # how far\n  overall_progress: 40 %\n");
  ASSERT_EQ(As("worker-a#1", {"resumption", "update", "T1"}).exit_code, 0);
  EXPECT_EQ(Edit("PreToolUse", "how far\n  overall_progress: 40", "far\n  overall_progress: 50"),
            "");
  std::string text = Text();
  text.replace(text.find("40 %"), 4, "50 %");
  Text(text);
  EXPECT_EQ(Edit("PostToolUse", "overall_progress: 40", "overall_progress: 50"), "");
  EXPECT_EQ(Level(0), "FRESH");
}

TEST_F(ResumptionCommandTest, APhaseThatTheFileNamesIsTakenOver) {
  Spawn("worker-a#1");
  ASSERT_EQ(As("worker-a#1", {"resumption", "update", "T1"}).exit_code, 0);
  std::string text = Text();
  text.replace(text.find("current_phase: 2"), 16, "current_phase: 3");
  Text(text);
  Edit("PostToolUse", "current_phase: 2", "current_phase: 3");
  EXPECT_TRUE(AwaitText("current_phase_name: \"test\"")) << Text();
}

TEST_F(ResumptionCommandTest, APhaseThatIsCompleteIsTakenOverEachTimeItWasStarted) {
  Spawn("worker-a#1");
  const auto count = [&] {
    const std::string journal = folder_.Read("repo/.git/belay/journals/resumption.jsonl");
    std::size_t found = 0;
    for (const std::string_view line : Split(journal, '\n')) {
      const bool begun = line.find("\"kind\":\"update\"") != line.npos;
      found += begun && line.find("\"T2\"") != line.npos ? 1 : 0;
    }
    return found;
  };
  for (std::size_t i = 1; i <= 2; ++i) {
    ASSERT_EQ(As("worker-a#1", {"resumption", "update", "T1"}).exit_code, 0);
    std::string text = Text();
    const std::size_t at = text.find("status: IN_PROGRESS");
    if (at != text.npos) text.replace(at, 19, "status: COMPLETE");
    Text(text);
    Edit("PostToolUse", "IN_PROGRESS", "COMPLETE");
    EXPECT_TRUE(Await("repo/.git/belay/journals", [&] { return count() == i; }));
    Edit("PostToolUse", "# The", "# A");
  }
  ASSERT_EQ(As("worker-a#1", {"resumption", "update", "T7"}).exit_code, 0);
  EXPECT_EQ(count(), 2U);
}

TEST_F(ResumptionCommandTest, APromptShowsTheStalenessAndRemindsOnlyIfItMust) {
  Spawn("worker-a#1");
  Hook("SessionStart", R"("source":"startup")");  // brings it up to date
  EXPECT_THAT(Text(), HasSubstr("resumption:\n"));
  const std::string fresh = Hook("UserPromptSubmit", "");
  EXPECT_THAT(fresh, HasSubstr("<context-monitor>"));
  EXPECT_THAT(fresh, HasSubstr("Resumption staleness: FRESH"));
  EXPECT_THAT(fresh, HasSubstr("Context tier: "));
  std::string old = Text();
  old.replace(old.find("updated_at: \"") + 13, 20, "2020-01-01T00:00:00Z");
  Text(old);
  const std::string stale = Hook("UserPromptSubmit", "");
  EXPECT_THAT(stale, HasSubstr("Resumption staleness: CRITICAL"));
  EXPECT_THAT(stale, HasSubstr("belay resumption update"));
}

TEST_F(ResumptionCommandTest, WithoutADocumentNothingHappens) {
  Spawn("worker-a#1");
  Git({"-C", "repo", "clean", "-fdqx", "ORCHESTRATION.yaml"});
  EXPECT_EQ(Hook("UserPromptSubmit", ""), "");
  EXPECT_EQ(Hook("SubagentStop", R"("agent_id":"x1")"), "");
  EXPECT_EQ(folder_.Read("repo/.git/belay/journals/resumption.jsonl"), "(missing)");
}

TEST_F(ResumptionCommandTest, SubAgentsAndTasksThatEndAreNoted) {
  Spawn("worker-a#1");
  Hook("SubagentStop", R"("agent_id":"x1","agent_type":"auditor")");
  EXPECT_TRUE(AwaitText("auditor-x1: \"DONE. by worker-a#1.\"")) << Text();
  Hook("TaskCompleted", R"("task_subject":"Fix login")");
  EXPECT_TRUE(AwaitText("\"task Fix login\": \"DONE."));
  // Another session has one of that name: the first summary stays.
  Spawn("worker-b#1");
  Hook("TaskCompleted", R"("task_subject":"Fix login")", "worker-b#1", "s-2");
  EXPECT_TRUE(AwaitText("by worker-b#1.")) << Text();
  EXPECT_THAT(Text(), HasSubstr("\"task Fix login\": \"DONE. by worker-a#1.\""));
}

TEST_F(ResumptionCommandTest, ACompactionIsRecordedMergedAndAcknowledged) {
  Spawn("worker-a#1");
  Hook("SessionStart", R"("source":"startup")");
  const std::string before = Text();
  Hook("PreCompact", R"("trigger":"auto")");
  EXPECT_TRUE(Await("repo/.git/belay/journals", [&] {
    const std::string journal = folder_.Read("repo/.git/belay/journals/resumption.jsonl");
    return journal.find("\"waiting\"") != std::string::npos;
  }));
  EXPECT_EQ(Text(), before);  // the hook never writes YAML
  const std::string context = Hook("SessionStart", R"("source":"compact")");
  EXPECT_THAT(context, HasSubstr("Where the workflow stands"));
  EXPECT_THAT(Text(), HasSubstr("- id: \"CX-001\""));
  EXPECT_THAT(Text(), HasSubstr("estimated_fill_before: null"));
  EXPECT_THAT(Text(), HasSubstr("acknowledged: false"));
  Spawn("worker-b#1");
  Hook("Stop", "", "worker-b#1", "s-2");  // another one's turn
  Hook("SubagentStop", R"("agent_id":"x1")", "worker-b#1", "s-2");
  EXPECT_TRUE(AwaitText("agent-x1"));
  EXPECT_THAT(Text(), HasSubstr("acknowledged: false"));
  Hook("Stop", "");
  EXPECT_TRUE(AwaitText("acknowledged: true"));
  const std::string acknowledged = Text();
  EXPECT_THAT(Belay({"resumption", "ack", "CX-001"}).out, HasSubstr("acknowledged already"));
  EXPECT_EQ(Text(), acknowledged);
  // The file is the truth: one that was reverted can be acknowledged again.
  std::string reverted = acknowledged;
  reverted.replace(reverted.find("acknowledged: true"), 18, "acknowledged: false");
  for (int i = 0; i < 2; ++i) {
    Text(reverted);
    EXPECT_EQ(Belay({"resumption", "ack", "CX-001"}).exit_code, 0);
    EXPECT_THAT(Text(), HasSubstr("acknowledged: true"));
  }
}

TEST_F(ResumptionCommandTest, WritesToACriticalDocumentAreRefusedUntilItIsUpdated) {
  Spawn("worker-a#1");
  Hook("SessionStart", R"("source":"startup")");
  std::string old = Text();
  old.replace(old.find("updated_at: \"") + 13, 20, "2020-01-01T00:00:00Z");
  Text(old);
  EXPECT_THAT(Edit("PreToolUse", "# The release", "# x"), HasSubstr("resumption update T8"));
  ASSERT_EQ(As("worker-a#1", {"resumption", "update", "T8"}).exit_code, 0);
  EXPECT_EQ(Edit("PreToolUse", "# The release", "# x"), "");
}

TEST_F(ResumptionCommandTest, AnUpdateByAnotherSessionMakesItCritical) {
  Spawn("worker-a#1");
  Spawn("worker-b#1");
  Hook("SessionStart", R"("source":"startup")");
  Hook("SessionStart", R"("source":"startup")", "worker-b#1", "s-2");
  Hook("SubagentStop", R"("agent_id":"x1")");
  ASSERT_TRUE(AwaitText("agent-x1"));
  EXPECT_THAT(Hook("UserPromptSubmit", ""), HasSubstr("Resumption staleness: FRESH"));
  EXPECT_THAT(Hook("UserPromptSubmit", "", "worker-b#1", "s-2"),
              HasSubstr("Resumption staleness: CRITICAL"));
}

TEST_F(ResumptionCommandTest, InitOffersTheMarkerOnceWithinItsBudget) {
  folder_.Write("repo/CLAUDE.md", "Rules.");
  EXPECT_THAT(Belay({"init"}).err, HasSubstr("L2-REINJECT: rank=9, tokens=25"));
  EXPECT_EQ(Belay({"init", "--yes"}).exit_code, 0);
  const std::string once = folder_.Read("repo/CLAUDE.md");
  EXPECT_THAT(once, HasSubstr("Rules.\n<!-- L2-REINJECT: rank=9"));
  EXPECT_EQ(Belay({"init", "--yes"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("repo/CLAUDE.md"), once);
  folder_.Write("repo/CLAUDE.md", "<!-- L2-REINJECT: rank=1, tokens=601, content=\"x\" -->\n");
  EXPECT_THAT(Belay({"init", "--yes"}).err, HasSubstr("more than 625"));
  EXPECT_THAT(folder_.Read("repo/CLAUDE.md"), Not(HasSubstr("rank=9")));
  // Those of all rules count together.
  const auto marker = [](int tokens) {
    return "<!-- L2-REINJECT: rank=1, tokens=" + std::to_string(tokens) + ", content=\"x\" -->\n";
  };
  folder_.Write("repo/CLAUDE.md", marker(300));
  folder_.Write("repo/.claude/rules/more.md", marker(301));
  EXPECT_THAT(Belay({"init", "--yes"}).err, HasSubstr("more than 625"));
  folder_.Write("repo/.claude/rules/more.md", marker(300));
  EXPECT_EQ(Belay({"init", "--yes"}).exit_code, 0);
  EXPECT_THAT(folder_.Read("repo/CLAUDE.md"), HasSubstr("rank=9"));
}

TEST_F(ResumptionCommandTest, RemovalTakesBackTheMarkerUnlessItWasEdited) {
  for (const std::string before : {"Rules.", "Rules.\n", "\n", ""}) {
    folder_.Write("repo/CLAUDE.md", before);
    ASSERT_EQ(Belay({"init", "--yes"}).exit_code, 0);
    const std::string with = folder_.Read("repo/CLAUDE.md");
    ASSERT_THAT(with, HasSubstr("rank=9"));
    EXPECT_THAT(Belay({"init", "--remove", "--dry-run"}).out, HasSubstr("CLAUDE.md"));
    EXPECT_EQ(folder_.Read("repo/CLAUDE.md"), with);
    ASSERT_EQ(Belay({"init", "--remove"}).exit_code, 0);
    EXPECT_EQ(folder_.Read("repo/CLAUDE.md"), before);
  }
  ASSERT_EQ(Belay({"init", "--yes"}).exit_code, 0);
  std::string edited = folder_.Read("repo/CLAUDE.md");
  edited.insert(edited.find("rank=9") + 5, "1");
  folder_.Write("repo/CLAUDE.md", edited);
  ASSERT_EQ(Belay({"init", "--remove"}).exit_code, 0);
  EXPECT_EQ(folder_.Read("repo/CLAUDE.md"), edited);
}

TEST_F(ResumptionCommandTest, ThePageHasTheTableOfTheCode) {
  std::ifstream file(SourceFile("docs/resumption.md"));
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(page, HasSubstr(TriggerTableMarkdown()));
}

TEST_F(ResumptionCommandTest, TheWalkthroughOfThePageWorks) {
  std::ifstream file(SourceFile("docs/resumption.md"));
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const std::size_t start = page.find("```sh\n") + 6;
  folder_.Write("walk.sh", "set -e\nbelay() { " + BelayBinary() + " \"$@\"; }\n" +
                               page.substr(start, page.find("```", start) - start));
  const RunOutcome outcome = RunReal({"sh", folder_ / "walk.sh"}, {.folder = folder_.path()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("FRESH"));
  EXPECT_THAT(outcome.out, HasSubstr("| next step: run the tests"));
  EXPECT_THAT(outcome.out, HasSubstr("no Windows build"));
}

}  // namespace
}  // namespace belay
