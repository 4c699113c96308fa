#include "engine/resumption/triggers.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/resumption/document.h"
#include "testing/golden.h"

namespace belay::triggers_tests {
namespace {

using enum ResumptionPart;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kBefore = R"(# The release workflow
workflow:
  id: "rel-1"
  status: ACTIVE
pipelines:
  REL:
    current_phase: 2
    phases:
      - {id: 1, name: "plan", status: COMPLETE}
      - {id: 2, name: "build", status: IN_PROGRESS}
checkpoints:
  latest_id: "CP-004"
resumption:
  schema_version: "2.0"
  recovery_state:
    last_checkpoint: "CP-003"
    current_phase: 1
    current_phase_name: "plan"
    workflow_status: ACTIVE
    current_activity: "writing the plan"
    next_step: "review the plan"
    context_fill_at_update: 0.25
    updated_at: "2026-03-01T10:00:00Z"
  files_to_read:
    - path: "ORCHESTRATION.yaml"
      priority: 1
      purpose: "the workflow"
      sections: ["plan"]
    - "docs/plan.md"
  quality_trajectory:
    gates_completed: ["QG-1"]
    gates_remaining: ["QG-2", "QG-3"]
    current_gate: "QG-2"
    current_gate_iteration: 1
    score_history:
      QG-1: [0.95]
      QG-2: [0.81]
    dimensions:
      QG-1: {completeness: 0.9, rigor: 0.97}
    lowest_dimension: completeness
    total_iterations_used: 2
  defect_summary:
    total_defects_found: 3
    total_defects_resolved: 1
    unresolved_defects: ["D-2", "D-3"]
    recurring_patterns:
      - pattern: "missing citations"
        gates_affected: ["QG-1"]
        resolution: null
    last_gate_primary_defect: "D-2"
  decision_log:
    - id: "RD-001"
      gate: null
      iteration: null
      decision: "use CMake"
      rationale: "known"
      affects_phases: [2, 3]
      applied: false
  agent_summaries:
    planner: "DONE. The plan has four phases."
  compaction_events:
    count: 1
    events:
      - id: "CX-001"
        timestamp: "2026-03-01T09:00:00Z"
        trigger: auto
        estimated_fill_before: null
        active_phase: 1
        active_gate: null
        active_gate_iteration: null
        checkpoint_file: "cp-1.json"
        acknowledged: false
  overall_progress: "40 %" # kept
notes: "outside"
)";

WallTime At(std::string_view text) { return *ParseUtc(text); }

Json J(std::string_view text) { return *ParseJson(text); }

ResumptionDocument Read(std::string_view bytes) {
  Result<ResumptionDocument> document =
      ReadResumptionDocument(std::string(bytes), "ORCHESTRATION.yaml");
  EXPECT_TRUE(document.ok()) << (document ? "" : document.error().message);
  return *std::move(document);
}

ResumptionEvent Event(Trigger trigger, std::string_view data = "{}", std::string_view set = "{}") {
  return {"e-1", trigger, At("2026-03-01T10:30:00Z"), J(set), J(data)};
}

Result<Resumption> After(Trigger trigger, std::string_view data = "{}",
                         std::string_view set = "{}") {
  const ResumptionDocument document = Read(kBefore);
  return ApplyEvent(document.section, Event(trigger, data, set), document.facts);
}

struct Example {
  Trigger trigger;
  std::string_view data;
  std::string_view set;
};

constexpr Example kExamples[] = {
    {Trigger::kPhaseStart,
     R"({"files":[{"path":"ORCHESTRATION.yaml","sections":["build","tests"]}]})",
     R"({"current_activity":"building","next_step":"run the tests"})"},
    {Trigger::kPhaseComplete,
     R"({"files":[{"path":"docs/build.md","priority":2,"purpose":"how"}]})",
     R"({"next_step":"start phase 3"})"},
    {Trigger::kGateIteration,
     R"({"gate":"QG-2","iteration":2,"score":0.93,"dimensions":{"rigor":0.7},"passed":true,)"
     R"("defects_found":["D-4"],"defects_resolved":["D-2"],)"
     R"("pattern":{"pattern":"missing citations","resolution":"a checklist"},)"
     R"("decision":{"decision":"cite every claim","affects_phases":[3]}})",
     "{}"},
    {Trigger::kAgentCompletion,
     R"({"agent_id":"audit-executor","status":"PASS","finding":"25 deps are compatible"})", "{}"},
    {Trigger::kCompaction, R"({"trigger":"manual","fill":0.86,"checkpoint_file":"cp-2.json"})",
     "{}"},
    {Trigger::kDecision,
     R"({"decision":"skip Windows","rationale":"no users","affects_phases":[4]})", "{}"},
    {Trigger::kThreshold, "{}", R"({"context_fill_at_update":0.72})"},
    {Trigger::kAcknowledge, "{}", R"({"current_activity":"reading where things stand"})"},
};

TEST(TriggersTest, EachTriggerDoesWhatItsGoldenShows) {
  for (const Example& example : kExamples) {
    const ResumptionDocument document = Read(kBefore);
    const Result<Resumption> after = ApplyEvent(
        document.section, Event(example.trigger, example.data, example.set), document.facts);
    ASSERT_TRUE(after.ok()) << after.error().message;
    const Result<RenderedDocument> rendered = RenderDocument(document, *after);
    ASSERT_TRUE(rendered.ok()) << rendered.error().message;
    const std::string_view name = RowOf(example.trigger).name;
    ExpectGolden(fmt::format("resumption-{}.txt", name),
                 fmt::format("before:\n{}\n{} {} {}\n\nafter:\n{}", kBefore, name, example.data,
                             example.set, rendered->bytes));
  }
}

TEST(TriggersTest, EachTriggerChangesOnlyWhatTheTableSays) {
  for (const Example& example : kExamples) {
    const Resumption before = Read(kBefore).section;
    const Result<Resumption> after = After(example.trigger, example.data, example.set);
    ASSERT_TRUE(after.ok());
    for (const ResumptionPart part : AllResumptionParts()) {
      const PartChange change = RowOf(example.trigger).changes[static_cast<std::size_t>(part)];
      EXPECT_EQ(before[part] == (*after)[part], change == PartChange::kNone)
          << RowOf(example.trigger).name << " " << ResumptionPartName(part);
    }
  }
}

TEST(TriggersTest, StateComesFromTheFileAndWhatIsUnknownStays) {
  const Resumption after = *After(Trigger::kThreshold);
  EXPECT_EQ(after.State("last_checkpoint"), Json("CP-004"));
  EXPECT_EQ(after.State("current_phase"), Json(2));
  EXPECT_EQ(after.State("current_phase_name"), Json("build"));
  EXPECT_EQ(after.State("next_step"), Json("review the plan"));
  EXPECT_EQ(after.State("updated_at"), Json("2026-03-01T10:30:00Z"));
}

TEST(TriggersTest, LowestDimensionAndCountsAreComputed) {
  const Resumption after = *After(
      Trigger::kGateIteration,
      R"({"gate":"QG-2","score":0.5,"dimensions":{"rigor":0.4,"evidence":0.2},"passed":false})");
  const Json& quality = after[kQualityTrajectory];
  EXPECT_EQ(MemberOf(quality, "lowest_dimension"), Json("evidence"));
  EXPECT_EQ(MemberOf(quality, "total_iterations_used"), Json(3));
  EXPECT_EQ(MemberOf(quality, "current_gate"), Json("QG-2"));
  EXPECT_EQ(MemberOf(quality, "current_gate_iteration"), Json(2));
}

TEST(TriggersTest, AnUnknownGateIsAddedWhereItBelongs) {
  const Resumption passed =
      *After(Trigger::kGateIteration, R"({"gate":"QG-9","score":1,"passed":true})");
  EXPECT_EQ(ItemsOf(MemberOf(passed[kQualityTrajectory], "gates_completed")).size(), 2);
  const Resumption failed =
      *After(Trigger::kGateIteration, R"({"gate":"QG-9","score":0,"passed":false})");
  EXPECT_EQ(ItemsOf(MemberOf(failed[kQualityTrajectory], "gates_remaining")).size(), 3);
}

TEST(TriggersTest, APatternCanBeResolvedWithoutAGate) {
  const Resumption after =
      *After(Trigger::kGateIteration,
             R"({"pattern":{"pattern":"missing citations","resolution":"fixed"}})");
  const Json& patterns = MemberOf(after[kDefectSummary], "recurring_patterns");
  ASSERT_EQ(ItemsOf(patterns).size(), 1);
  EXPECT_EQ(TextIn(ItemsOf(patterns)[0], "resolution"), "fixed");
  EXPECT_EQ(MemberOf(after[kQualityTrajectory], "total_iterations_used"), Json(2));
}

TEST(TriggersTest, AGateThatShowsAPatternAgainIsNamedOnce) {
  Resumption section = Read(kBefore).section;
  for (int i = 0; i < 2; ++i) {
    section = *ApplyEvent(
        section, Event(Trigger::kGateIteration, R"({"gate":"QG-3","pattern":{"pattern":"p"}})"),
        {});
  }
  const Json& pattern = ItemsOf(MemberOf(section[kDefectSummary], "recurring_patterns")).back();
  EXPECT_EQ(MemberOf(pattern, "gates_affected"), MakeArray(std::vector<std::string>{"QG-3"}));
}

TEST(TriggersTest, WhatLeavesTheSectionMustBeInTheArchive) {
  Resumption before = Read(kBefore).section;
  before = *ApplyEvent(
      before, Event(Trigger::kAgentCompletion, R"({"agent_id":"new","summary":"DONE."})"), {});
  Resumption after = before;
  after[kAgentSummaries].Remove("new");
  EXPECT_THAT(CheckStep(before, after), ElementsAre(HasSubstr("agent_summaries")));
  after.archive.agents = before.archive.agents + 1;
  EXPECT_THAT(CheckStep(before, after), ElementsAre());
  after[kAgentSummaries].Set("new", "CHANGED.");
  EXPECT_THAT(CheckStep(before, after), ElementsAre(HasSubstr("agent_summaries.new")));
  after = before;
  after[kDecisionLog] = Json::EmptyArray();
  EXPECT_THAT(CheckStep(before, after), Contains(HasSubstr("decision_log: RD-001")));
  after.archive.decisions = 100;
  EXPECT_THAT(CheckStep(before, after), ElementsAre());
}

TEST(TriggersTest, ADecisionIsAppliedAndOtherwiseImmutable) {
  const Resumption after = *After(Trigger::kDecision, R"({"id":"RD-001","applied":true})");
  EXPECT_EQ(MemberOf(ItemsOf(after[kDecisionLog])[0], "applied"), Json(true));
  const Result<Resumption> changed =
      After(Trigger::kDecision, R"({"id":"RD-001","decision":"use Make"})");
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.error().code, ErrorCode::kRefused);
  EXPECT_THAT(changed.error().message, HasSubstr("RD-001"));
  EXPECT_EQ(After(Trigger::kDecision, R"({"id":"RD-009","applied":true})").error().code,
            ErrorCode::kNotFound);
}

TEST(TriggersTest, ASummaryNeverChanges) {
  const Result<Resumption> changed =
      After(Trigger::kAgentCompletion, R"({"agent_id":"planner","summary":"FAIL. No."})");
  ASSERT_FALSE(changed.ok());
  EXPECT_EQ(changed.error().code, ErrorCode::kRefused);
  EXPECT_THAT(changed.error().message, HasSubstr("agent_summaries.planner"));
}

TEST(TriggersTest, AnUnknownFillIsNull) {
  const Resumption after = *After(Trigger::kCompaction, R"({"trigger":"auto"})");
  const Json& events = MemberOf(after[kCompactionEvents], "events");
  EXPECT_TRUE(MemberOf(ItemsOf(events)[1], "estimated_fill_before").is_null());
  EXPECT_EQ(TextIn(ItemsOf(events)[1], "id"), "CX-002");
  EXPECT_EQ(MemberOf(after[kCompactionEvents], "count"), Json(2));
}

TEST(TriggersTest, ABrokenInvariantNamesItsFields) {
  const Result<Resumption> complete =
      After(Trigger::kPhaseComplete, "{}", R"({"workflow_status":"COMPLETE"})");
  ASSERT_FALSE(complete.ok());
  EXPECT_THAT(complete.error().message, HasSubstr("workflow_status"));
  EXPECT_THAT(complete.error().message, HasSubstr("gates_remaining"));
  EXPECT_FALSE(After(Trigger::kThreshold, "{}", R"({"current_phase":-1})").ok());
  EXPECT_FALSE(After(Trigger::kGateIteration, R"({"gate":"QG-2","score":1.5})").ok());
}

TEST(TriggersTest, ALowestDimensionThatWasWrittenByHandStaysUntilDimensionsAreKnown) {
  const ResumptionDocument document =
      Read("resumption:\n  quality_trajectory:\n    lowest_dimension: rigor\n");
  const auto after = [&](std::string_view data) {
    const Resumption section =
        *ApplyEvent(document.section, Event(Trigger::kGateIteration, data), {});
    return MemberOf(section[kQualityTrajectory], "lowest_dimension");
  };
  EXPECT_EQ(after(R"({"gate":"QG-1","score":1,"passed":true})"), Json("rigor"));
  EXPECT_EQ(after(R"({"gate":"QG-1","score":1,"dimensions":{"depth":0.5}})"), Json("depth"));
}

TEST(TriggersTest, ACompactionIsInThePhaseThatTheFileNames) {
  const Resumption after = *After(Trigger::kCompaction);
  const Json& last = ItemsOf(MemberOf(after[kCompactionEvents], "events")).back();
  EXPECT_EQ(MemberOf(last, "active_phase"), Json(2));
}

TEST(TriggersTest, TheLastGateLetsACompleteWorkflowBeComplete) {
  const ResumptionDocument document = Read(
      "workflow: {status: completed}\nresumption:\n  recovery_state: {workflow_status: ACTIVE}\n"
      "  quality_trajectory:\n    gates_remaining: [QG-1]\n");
  const auto status = [&](const ResumptionEvent& event) {
    return ApplyEvent(document.section, event, document.facts)->State("workflow_status");
  };
  EXPECT_EQ(status(Event(Trigger::kThreshold)), Json("ACTIVE"));
  EXPECT_EQ(status(Event(Trigger::kGateIteration, R"({"gate":"QG-1","passed":true})")),
            Json("COMPLETE"));
}

TEST(TriggersTest, WrongDataIsAUsageError) {
  for (const auto& [trigger, data] : std::vector<std::pair<Trigger, std::string>>{
           {Trigger::kGateIteration, "{}"},
           {Trigger::kAgentCompletion, "{}"},
           {Trigger::kDecision, "{}"},
           {Trigger::kCompaction, R"({"trigger":"x"})"},
           {Trigger::kPhaseStart, R"({"files":[{"path":"new.md"}]})"}}) {
    const Result<Resumption> after = After(trigger, data);
    ASSERT_FALSE(after.ok()) << data;
    EXPECT_EQ(after.error().code, ErrorCode::kUsage);
  }
}

TEST(TriggersTest, FieldsOfTheCommandLineHaveTheirTypes) {
  Json set = Json::EmptyObject();
  ASSERT_TRUE(SetField(set, "current_phase=3").ok());
  ASSERT_TRUE(SetField(set, "recovery_state.next_step=7").ok());
  ASSERT_TRUE(SetField(set, "workflow_status=completed").ok());
  ASSERT_TRUE(SetField(set, "last_checkpoint=null").ok());
  EXPECT_EQ(set, J(R"({"current_phase":3,"next_step":"7","workflow_status":"COMPLETE",)"
                   R"("last_checkpoint":null})"));
  EXPECT_THAT(SetField(set, "updated_at=x").error().message, HasSubstr("itself"));
  EXPECT_THAT(SetField(set, "next_stp=x").error().hint, HasSubstr("next_step"));
  EXPECT_FALSE(SetField(set, "next_step").ok());
}

TEST(TriggersTest, TextThatTheParserRefusesIsMadeStorable) {
  const Resumption after = *After(
      Trigger::kThreshold, "{}", R"({"next_step":"a\u0001b\u2028c","current_activity":"\ufeffx"})");
  EXPECT_EQ(after.State("next_step"), Json("a b c"));
  const ResumptionDocument document = Read(kBefore);
  EXPECT_TRUE(RenderDocument(document, after).ok());
}

TEST(TriggersTest, OldEntriesMoveToTheArchive) {
  Resumption section = Read(kBefore).section;
  const WorkflowFacts facts;
  for (int i = 0; i < 40; ++i) {
    section = *ApplyEvent(section,
                          Event(Trigger::kAgentCompletion,
                                fmt::format(R"({{"agent_id":"a{}","summary":"DONE."}})", i)),
                          facts);
    section = *ApplyEvent(section, Event(Trigger::kDecision, R"({"decision":"d","applied":true})"),
                          facts);
  }
  // RD-001 isn't applied yet, so nothing before it may go.
  std::vector<ArchivedEntry> moved = MoveToArchive(section, "O.archive.jsonl");
  EXPECT_EQ(section.archive.decisions, 0);
  EXPECT_EQ(moved.size(), 11);
  EXPECT_EQ(MembersOf(section[kAgentSummaries]).size(), 30);
  section =
      *ApplyEvent(section, Event(Trigger::kDecision, R"({"id":"RD-001","applied":true})"), facts);
  moved = MoveToArchive(section, "O.archive.jsonl");
  EXPECT_EQ(moved.size(), 21);
  EXPECT_EQ(section.archive.decisions, 21);
  EXPECT_TRUE(CheckInvariants(section).empty());
  section = *ApplyEvent(section, Event(Trigger::kDecision, R"({"decision":"next"})"), facts);
  EXPECT_EQ(TextIn(ItemsOf(section[kDecisionLog]).back(), "id"), "RD-042");
  const ResumptionDocument document = Read(kBefore);
  const Result<RenderedDocument> rendered = RenderDocument(document, section);
  ASSERT_TRUE(rendered.ok()) << rendered.error().message;
  EXPECT_THAT(rendered->bytes, HasSubstr("file: \"O.archive.jsonl\""));
}

TEST(TriggersTest, PassedGatesAndResolvedPatternsMoveToTheArchive) {
  Resumption section = Read(kBefore).section;
  const Json used = MemberOf(section[kQualityTrajectory], "total_iterations_used");
  const std::size_t patterns =
      ItemsOf(MemberOf(section[kDefectSummary], "recurring_patterns")).size();
  std::vector<ArchivedEntry> moved;
  for (int i = 0; i < 150; ++i) {
    const std::string data = fmt::format(
        R"({{"gate":"G{0}","score":0.9,"passed":true,"pattern":{{"pattern":"p{0}","resolution":{1}}}}})",
        i, i < 50 ? "\"fixed\"" : "null");
    section = *ApplyEvent(section, Event(Trigger::kGateIteration, data), {});
    for (ArchivedEntry& one : MoveToArchive(section, "O.archive.jsonl")) moved.push_back(one);
  }
  const Json& quality = section[kQualityTrajectory];
  std::size_t passed = 0;
  for (const JsonMember& gate : MembersOf(MemberOf(quality, "score_history"))) {
    passed += gate.key.starts_with('G') ? 1 : 0;
  }
  EXPECT_EQ(passed, 20U);
  EXPECT_EQ(MemberOf(quality, "total_iterations_used"), Json(*used.AsInteger() + 150));
  EXPECT_GE(ItemsOf(MemberOf(quality, "gates_completed")).size(), 150U);
  // Open ones stay five times as long.
  EXPECT_EQ(ItemsOf(MemberOf(section[kDefectSummary], "recurring_patterns")).size(), 100U);
  const auto of = [&](std::string_view kind) {
    return static_cast<std::size_t>(std::ranges::count(moved, kind, &ArchivedEntry::kind));
  };
  EXPECT_EQ(of("pattern"), patterns + 50);
  EXPECT_GE(of("scores"), 130U);
  EXPECT_TRUE(CheckInvariants(section).empty());
  const Result<RenderedDocument> rendered = RenderDocument(Read(kBefore), section);
  ASSERT_TRUE(rendered.ok()) << rendered.error().message;
}

TEST(TriggersTest, WhatIsNeverFinishedIsBoundedToo) {
  Resumption section = Read(kBefore).section;
  for (int i = 0; i < 200; ++i) {
    section = *ApplyEvent(section, Event(Trigger::kDecision, R"({"decision":"d"})"), {});
    section =
        *ApplyEvent(section, Event(Trigger::kGateIteration, R"({"gate":"QG-3","score":0.5})"), {});
    section = *ApplyEvent(section, Event(Trigger::kCompaction), {});
    MoveToArchive(section, "O.archive.jsonl");
  }
  EXPECT_EQ(ItemsOf(section[kDecisionLog]).size(), 100U);
  EXPECT_EQ(ItemsOf(MemberOf(section[kCompactionEvents], "events")).size(), 50U);
  EXPECT_EQ(MemberOf(section[kCompactionEvents], "count"), Json(201));
  const Json& quality = section[kQualityTrajectory];
  EXPECT_EQ(ItemsOf(MemberOf(MemberOf(quality, "score_history"), "QG-3")).size(), 20U);
  EXPECT_EQ(MemberOf(quality, "total_iterations_used"), Json(202));
  EXPECT_EQ(MemberOf(quality, "current_gate_iteration"), Json(200));
  EXPECT_TRUE(CheckInvariants(section).empty());
  const Result<RenderedDocument> rendered = RenderDocument(Read(kBefore), section);
  ASSERT_TRUE(rendered.ok()) << rendered.error().message;
  EXPECT_EQ(Read(rendered->bytes).section.archive, section.archive);
}

TEST(WorkflowTest, ReadsTheFormsThatPeopleUse) {
  const auto facts = [](const std::string& text) {
    YamlFault fault{};
    return ReadWorkflow(*ParseYamlStructure(text, fault));
  };
  EXPECT_EQ(facts("pipelines:\n  A: {current_phase: 1}\n  B: {status: in_progress, "
                  "current_phase: 4}\n")
                .phase,
            4);
  const WorkflowFacts map = facts(
      "pipelines:\n  A:\n    phases:\n      phase_1: {status: COMPLETED}\n"
      "      phase_2: {status: in_progress, name: Build}\n");
  EXPECT_EQ(map.phase, 2);
  EXPECT_EQ(map.phase_name, "Build");
  EXPECT_EQ(facts("workflow: {status: completed}\n").status, "COMPLETE");
  EXPECT_EQ(facts("workflow: {status: weird}\n").status, std::nullopt);
  EXPECT_EQ(facts("checkpoints: [a, b]\n").last_checkpoint, std::nullopt);
  EXPECT_EQ(facts("checkpoints: {latest_id: CP-1}\n").last_checkpoint, "CP-1");
  EXPECT_EQ(facts("pipelines: none\nworkflow: [x]\n").phase, std::nullopt);
}

}  // namespace
}  // namespace belay::triggers_tests
