#include "engine/resumption/document.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <map>
#include <set>

namespace belay::document_tests {
namespace {

using enum ResumptionPart;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ResumptionEvent Advisory() {
  return {"e-1", Trigger::kThreshold, *ParseUtc("2026-03-01T10:30:00Z"), Json::EmptyObject(),
          Json::EmptyObject()};
}

struct Edited {
  std::string bytes;
  std::string refused = {};  // the reason
  ResumptionDocument document = {};
};

Edited Edit(const std::string& bytes, bool keep_v1_keys = false) {
  DocumentRefusal refusal;
  Result<ResumptionDocument> document = ReadResumptionDocument(bytes, "O.yaml", &refusal);
  if (!document) return {.bytes = bytes, .refused = refusal.reason};
  Result<Resumption> section = ApplyEvent(document->section, Advisory(), document->facts);
  EXPECT_TRUE(section.ok()) << bytes << (section ? "" : section.error().message);
  if (!section) return {.bytes = bytes, .refused = "not applied"};
  section->keeps_v1_keys = section->keeps_v1_keys || keep_v1_keys;
  Result<RenderedDocument> rendered = RenderDocument(*document, *section);
  EXPECT_TRUE(rendered.ok()) << bytes << "\n" << (rendered ? "" : rendered.error().message);
  if (!rendered) return {.bytes = bytes, .refused = "not rendered"};
  return {.bytes = rendered->bytes, .document = *std::move(document)};
}

// Not one byte differs outside of the section.
void ExpectSameOutside(const std::string& before, const Edited& after) {
  const YamlOutline& old = after.document.outline;
  const std::string_view head = old.Before();
  const std::string_view tail = old.Behind();
  const std::size_t section_size = old.section ? old.Lines(*old.section).size() : 0;
  ASSERT_EQ(head.size() + section_size + tail.size(), before.size());
  ASSERT_TRUE(after.bytes.starts_with(head)) << after.bytes;
  ASSERT_TRUE(after.bytes.ends_with(tail)) << after.bytes;
  const Result<ResumptionDocument> again = ReadResumptionDocument(after.bytes, "O.yaml");
  ASSERT_TRUE(again.ok()) << after.bytes << again.error().message;
  const std::string_view section = again->SectionBytes();
  const std::size_t start = static_cast<std::size_t>(section.data() - again->outline.bytes.data());
  const std::string_view between = std::string_view(again->outline.bytes).substr(0, start);
  // At most a line end is added, where the last line had none.
  ASSERT_TRUE(between == head || (between.starts_with(head) && between.size() <= head.size() + 2));
}

constexpr std::string_view kV2 =
    "resumption:\n  schema_version: \"2.0\"\n  recovery_state:\n    next_step: \"go on\"\n"
    "    updated_at: \"2026-03-01T10:00:00Z\"\n  files_to_read:\n    - a.md  # why\n";
constexpr std::string_view kV1 =
    "resumption:\n  last_checkpoint: \"CP-1\"\n  current_state: \"Phase 2: tests are red\"\n"
    "  next_step: \"fix them\"\n  files_to_read:\n    - \"a.md\"\n  cross_session_portable: true\n";

TEST(ResumptionDocumentTest, AppendsAMissingSectionWithItselfAsTheFirstFile) {
  const Edited edited = Edit("a: 1\n");
  EXPECT_TRUE(edited.bytes.starts_with("a: 1\nresumption:\n  schema_version: \"2.0\"\n"));
  EXPECT_THAT(edited.bytes, HasSubstr("files_to_read:\n    - path: \"O.yaml\"\n"));
  EXPECT_TRUE(Edit("a: 1").bytes.find("a: 1\nresumption:") == 0);
  EXPECT_FALSE(Edit("a: 1").bytes.ends_with('\n'));
  EXPECT_TRUE(Edit("").bytes.starts_with("resumption:\n"));
  // A block at the end without a line end: before it, and behind the byte order mark.
  const std::string block = "a: >-\n  text";
  const std::string marked = Edit("\xEF\xBB\xBF" + block).bytes;
  EXPECT_TRUE(marked.starts_with("\xEF\xBB\xBFresumption:\n")) << marked;
  EXPECT_TRUE(marked.ends_with("\n" + block)) << marked;
}

TEST(ResumptionDocumentTest, KeepsKeysOfOthersWithTheirBytesAndComments) {
  const std::string mine =
      "  # how far it is\n  overall_progress:   40 %   # about\n  key_decision: |+\n    two\n\n";
  const Edited edited = Edit("resumption:\n" + mine + "  next_step: go\nz: 1\n");
  EXPECT_THAT(edited.bytes, HasSubstr(mine + "z: 1\n"));
  EXPECT_THAT(edited.bytes, HasSubstr("    next_step: \"go\"\n"));
  EXPECT_LT(edited.bytes.find("compaction_events:"), edited.bytes.find("overall_progress:"));
}

TEST(ResumptionDocumentTest, KeepsTheBytesOfWhatDidNotChange) {
  const Edited edited = Edit(std::string(kV2) + "b: 2\n");
  EXPECT_THAT(edited.bytes, HasSubstr("  files_to_read:\n    - a.md  # why\n"));
}

RenderedDocument Rendered(const std::string& before, const ResumptionEvent& event) {
  const Result<ResumptionDocument> document = ReadResumptionDocument(before, "O.yaml");
  EXPECT_TRUE(document.ok());
  const Result<Resumption> section = ApplyEvent(document->section, event, document->facts);
  EXPECT_TRUE(section.ok()) << (section ? "" : section.error().message);
  return *RenderDocument(*document, *section);
}

TEST(ResumptionDocumentTest, ReportsWhereCommentsWereLost) {
  using Parts = std::vector<std::string>;
  const auto lost = [](const std::string& before) {
    return Rendered(before, Advisory()).lost_comments;
  };
  EXPECT_EQ(lost("resumption:\n  recovery_state:\n    next_step: x # soon\n"), Parts{});
  EXPECT_EQ(lost("resumption:\n  recovery_state:\n    updated_at: null # never\n"),
            Parts{"recovery_state"});
  EXPECT_EQ(lost("resumption:\n  recovery_state: {next_step: x} # short\n"),
            Parts{"recovery_state"});
  EXPECT_EQ(lost("resumption: ~ # nothing yet\n"), Parts{"resumption"});
  EXPECT_EQ(
      lost("resumption:\n  recovery_state: {next_step: 'a # b', current_activity: \"c # d\"}\n"),
      Parts{});
}

// Comments on lines that didn't change, and their bytes, at every depth.
constexpr std::string_view kCommented =
    "resumption:   # belay's\n"
    "  schema_version: '2.0'  # ours\n"
    "  # about the state\n"
    "  recovery_state:  # where we are\n"
    "    # the checkpoint\n"
    "    last_checkpoint: 'CP-1'   # by hand\n"
    "\n"
    "    current_activity: >-\n"
    "      a long\n"
    "      # text\n"
    "    # next\n"
    "    next_step: go on # soon\n"
    "    # stamp\n"
    "    updated_at: \"2026-03-01T10:30:00Z\"\n"
    "    home_made: {a: 1}  # kept\n"
    "    # behind\n"
    "  files_to_read:\n"
    "  - a.md # why\n"
    "  # the second\n"
    "  - path: b.md  # its path\n"
    "    # its purpose\n"
    "    purpose: x # so\n"
    "    sections: [\"a\"]\n"
    "  decision_log:\n"
    "    # first\n"
    "    - id: RD-001 # one\n"
    "      decision: foo # two\n"
    "      applied: false\n"
    "    # second\n"
    "    - {id: RD-002, decision: bar, applied: false} # flow\n"
    "  compaction_events:\n"
    "    count: 1 # so far\n"
    "    events:\n"
    "      # the first\n"
    "      - id: CX-001 # it\n"
    "        timestamp: \"2026-03-01T09:00:00Z\"\n"
    "        trigger: auto # not ours\n"
    "        acknowledged: false\n";

std::string WithChange(std::string text, std::string_view old_text, std::string_view new_text) {
  const std::size_t at = text.find(old_text);
  EXPECT_NE(at, std::string::npos) << old_text;
  return at == std::string::npos ? text : text.replace(at, old_text.size(), new_text);
}

TEST(ResumptionDocumentTest, LinesThatDidNotChangeKeepTheirBytesAndComments) {
  // The first update adds what is missing.
  const std::string before = Rendered(std::string(kCommented) + "z: 1\n", Advisory()).bytes;
  for (std::string_view rest = kCommented; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n') + 1);
    EXPECT_THAT(before, HasSubstr(std::string(line)));
    rest.remove_prefix(line.size());
  }
  const auto expect = [&](ResumptionEvent event, std::string_view old_text,
                          std::string_view new_text) {
    event.at = Advisory().at;
    const RenderedDocument after = Rendered(before, event);
    EXPECT_EQ(after.bytes, WithChange(before, old_text, new_text));
    EXPECT_TRUE(after.lost_comments.empty());
  };
  expect({.id = "e",
          .trigger = Trigger::kPhaseStart,
          .data = *ParseJson(R"({"files":[{"path":"b.md","sections":["x"]}]})")},
         "sections: [\"a\"]", "sections: [\"x\"]");
  expect({.id = "e",
          .trigger = Trigger::kDecision,
          .data = *ParseJson(R"({"id":"RD-001","applied":true})")},
         "# two\n      applied: false", "# two\n      applied: true");
  expect({.id = "e", .trigger = Trigger::kAcknowledge}, "acknowledged: false",
         "acknowledged: true");
  expect(
      {.id = "e", .trigger = Trigger::kAgentCompletion, .data = *ParseJson(R"({"agent_id":"x"})")},
      "agent_summaries: {}", "agent_summaries:\n    x: \"DONE.\"");
  expect({.id = "e", .trigger = Trigger::kDecision, .data = *ParseJson(R"({"decision":"new"})")},
         "applied: false} # flow\n",
         "applied: false} # flow\n    - id: \"RD-003\"\n      gate: null\n      iteration: null\n"
         "      decision: \"new\"\n      rationale: null\n      affects_phases: []\n"
         "      applied: false\n");
}

TEST(ResumptionDocumentTest, AnEntryThatMovedToTheArchiveTakesItsLinesAlong) {
  std::string before = "resumption:\n  recovery_state: {}\n  agent_summaries:\n";
  for (int i = 0; i < 31; ++i) before += fmt::format("    a{}: \"DONE.\" # {}\n", i, i);
  const Result<ResumptionDocument> document = ReadResumptionDocument(before, "O.yaml");
  Resumption section = *ApplyEvent(document->section, Advisory(), document->facts);
  EXPECT_EQ(MoveToArchive(section, "O.archive.jsonl").size(), 1U);
  const Result<RenderedDocument> after = RenderDocument(*document, section);
  ASSERT_TRUE(after.ok()) << after.error().message;
  EXPECT_THAT(after->bytes, Not(HasSubstr(" a0:")));
  EXPECT_THAT(after->bytes, HasSubstr("  agent_summaries:\n    a1: \"DONE.\" # 1\n"));
  EXPECT_EQ(after->lost_comments, std::vector<std::string>{"agent_summaries"});
}

TEST(ResumptionDocumentTest, KeysOfOthersMayHoldAnyYaml) {
  const std::string mine = "  context_summary: &c !!str 5 # mine\n  uses: {all: *c}\n";
  const Edited edited = Edit("resumption:\n" + mine + "  next_step: go\nlast: *c\n");
  EXPECT_EQ(edited.refused, "");
  EXPECT_THAT(edited.bytes, HasSubstr(mine + "last: *c\n"));
  EXPECT_THAT(edited.bytes, HasSubstr("    next_step: \"go\"\n"));
  EXPECT_EQ(Edit("b: &b {x: 1}\nresumption:\n  <<: *b\n").refused, "aliased");
  EXPECT_EQ(Edit("b: &b x\nresumption:\n  next_step: *b\n").refused, "aliased");
}

TEST(ResumptionDocumentTest, MigratesVersionOne) {
  const Edited edited = Edit("pipelines: {A: {current_phase: 2, phases: [{id: 2, name: test}]}}\n" +
                             std::string(kV1));
  const Result<ResumptionDocument> after = ReadResumptionDocument(edited.bytes, "O.yaml");
  ASSERT_TRUE(after.ok());
  EXPECT_EQ(after->section.version, 2);
  EXPECT_EQ(after->section.State("last_checkpoint"), Json("CP-1"));
  EXPECT_EQ(after->section.State("current_activity"), Json("Phase 2: tests are red"));
  EXPECT_EQ(after->section.State("next_step"), Json("fix them"));
  EXPECT_EQ(after->section.State("current_phase"), Json(2));
  EXPECT_EQ(after->section.State("current_phase_name"), Json("test"));
  EXPECT_EQ(after->section.State("cross_session_portable"), Json(true));
  EXPECT_THAT(edited.bytes, Not(HasSubstr("current_state")));
  EXPECT_THAT(edited.bytes, Not(HasSubstr("\n  next_step:")));
}

TEST(ResumptionDocumentTest, KeepsTheOldKeysForOldReadersFromThenOn) {
  const Edited edited = Edit(std::string(kV1), true);
  EXPECT_THAT(edited.bytes, HasSubstr("resumption:\n  last_checkpoint: \"CP-1\"\n  next_step:"));
  Result<ResumptionDocument> document = ReadResumptionDocument(edited.bytes, "O.yaml");
  ResumptionEvent event = Advisory();
  event.set.Set("next_step", "new");
  const Resumption section = *ApplyEvent(document->section, event, document->facts);
  EXPECT_THAT(RenderDocument(*document, section)->bytes, HasSubstr("\n  next_step: \"new\"\n"));
}

TEST(ResumptionDocumentTest, AnUnreadableSubSectionIsKeptUnderAnotherName) {
  const Edited edited = Edit(
      "resumption:\n  schema_version: \"2.0\"\n  agent_summaries: # mine\n"
      "    - a\n    - b\n  recovery_state: {}\n");
  EXPECT_THAT(edited.bytes, HasSubstr("  agent_summaries_before: # mine\n    - a\n    - b\n"));
  EXPECT_THAT(edited.bytes, HasSubstr("  agent_summaries: {}\n"));
  EXPECT_FALSE(edited.document.problems.empty());
}

// A home-made list: nothing of it goes.
TEST(ResumptionDocumentTest, EntriesThatCannotBeReadAreKeptUnderAnotherName) {
  const Edited edited = Edit(
      "resumption:\n  schema_version: \"2.0\"\n  decision_log:\n    - plain # mine\n"
      "    - {id: RD-001, decision: x}\n  agent_summaries:\n    a: [1]\n    b: fine\n");
  EXPECT_THAT(edited.bytes, HasSubstr("\n  decision_log_before:\n    - plain # mine\n"
                                      "    - {id: RD-001, decision: x}\n"));
  EXPECT_THAT(edited.bytes, HasSubstr("\n  decision_log:\n    - id: \"RD-001\"\n"));
  EXPECT_THAT(edited.bytes, HasSubstr("\n  agent_summaries_before:\n    a: [1]\n    b: fine\n"));
  EXPECT_THAT(edited.bytes, HasSubstr("\n  agent_summaries:\n    b: \"fine\"\n"));
  const Edited again = Edit(edited.bytes);
  EXPECT_TRUE(again.document.problems.empty());
}

TEST(ResumptionDocumentTest, AValueThatDoesNotFitIsReportedWithItsPlace) {
  const Edited edited = Edit(
      "resumption:\n  recovery_state:\n    current_phase: two\n"
      "    context_fill_at_update: 72\n");
  ASSERT_EQ(edited.document.problems.size(), 2);
  EXPECT_THAT(edited.document.problems[0],
              HasSubstr("recovery_state.current_phase must be a whole number, not \"two\""));
  EXPECT_THAT(edited.bytes, HasSubstr("context_fill_at_update: null"));
}

// Without a word, and without a second copy of the sub-section.
TEST(ResumptionDocumentTest, ReadsWhatPeopleWriteForItsValues) {
  const Edited edited = Edit(
      "resumption:\n  recovery_state:\n    workflow_status: completed\n    current_phase: \"2\"\n"
      "    current_phase_name: 12\n  quality_trajectory:\n    gates_completed: [A]\n"
      "    gates_remaining:\n  agent_summaries:\n    a: 3\n  decision_log:\n"
      "    - {id: RD-001, decision: 1.5, applied: ~}\n");
  EXPECT_THAT(edited.document.problems, ElementsAre());
  EXPECT_THAT(edited.bytes, HasSubstr("    workflow_status: \"COMPLETE\"\n    current_phase: 2\n"
                                      "    current_phase_name: \"12\"\n"));
  EXPECT_THAT(edited.bytes, HasSubstr("gates_remaining: []"));
  EXPECT_THAT(edited.bytes, HasSubstr("    a: \"3\"\n"));
  EXPECT_THAT(edited.bytes, HasSubstr("decision: \"1.5\""));
  EXPECT_THAT(edited.bytes, Not(HasSubstr("_before")));
}

TEST(ResumptionDocumentTest, AListInPlaceOfATextIsKeptUnderAnotherName) {
  const Edited edited =
      Edit("resumption:\n  recovery_state:\n    next_step:\n      - build # first\n      - test\n");
  EXPECT_THAT(edited.bytes, HasSubstr("\n  recovery_state_before:\n    next_step:\n"
                                      "      - build # first\n      - test\n"));
  EXPECT_THAT(edited.bytes, HasSubstr("\n    next_step: null\n"));
}

TEST(ResumptionDocumentTest, OldKeysBesideAStateWithoutThemAreTakenOver) {
  const Edited edited = Edit(
      "resumption:\n  last_checkpoint: CP-9\n  next_step: old\n  recovery_state:\n"
      "    next_step: new\n");
  EXPECT_THAT(edited.bytes, HasSubstr("resumption:\n  last_checkpoint: CP-9\n"));
  EXPECT_THAT(edited.bytes, HasSubstr("\n    last_checkpoint: \"CP-9\"\n"));
  EXPECT_THAT(edited.bytes, HasSubstr("\n    next_step: new\n"));
}

TEST(ResumptionDocumentTest, RepairsWhatAHandEditBroke) {
  const Edited edited = Edit(
      "resumption:\n  recovery_state: {workflow_status: COMPLETE}\n  quality_trajectory:\n"
      "    gates_completed: [A]\n    gates_remaining: [A, B]\n    score_history: {C: [1]}\n"
      "  defect_summary: {total_defects_found: 1, total_defects_resolved: 2}\n"
      "  decision_log:\n    - {id: RD-002, decision: x}\n    - {id: RD-002, decision: y}\n");
  EXPECT_TRUE(edited.refused.empty());
  EXPECT_GE(edited.document.problems.size(), 4);
  EXPECT_TRUE(CheckInvariants(edited.document.section).empty());
}

TEST(ResumptionDocumentTest, RefusesAnUnknownMajorVersion) {
  EXPECT_EQ(Edit("resumption:\n  schema_version: \"3.0\"\n").refused, "unknown version");
  EXPECT_EQ(Edit("resumption:\n  schema_version: 2.1\n").refused, "");
}

// Features of YAML 1.2, by the chapters of its specification; each is one valid document.
constexpr std::string_view kFeatures[] = {
    "american:\n  - Boston Red Sox\n  - Detroit Tigers\nnational:\n- New York Mets\n- Atlanta\n",
    "- Mark McGwire\n- Sammy Sosa\n",
    "Mark: [name, hr, 0.278]\nSammy: {hr: 63, avg: 0.288}\n",
    "---\nhr: # 1998 hr ranking\n  - Mark\n  # in between\n  - Sammy\nrbi:\n  # 1998 rbi\n  - S\n",
    "hr:\n  - Mark McGwire\n  # Following node labeled SS\n  - &SS Sammy Sosa\nrbi:\n  - *SS\n",
    "? - Detroit Tigers\n  - Chicago cubs\n: - 2001-07-23\n\n? [ New York,\n    Atlanta ]\n: [ "
    "2001-07-02 ]\n",
    "---\n# Products purchased\nproducts:\n- item    : Super Hoop\n  quantity: 1\n- item: Ball\n",
    "name: Mark\naccomplishment: >\n  Mark set a major league\n  home run record.\nstats: |\n  65 "
    "Home Runs\n  0.278\n",
    "unicode: \"Sosa did fine.\\u263A\"\ncontrol: \"\\b1998\\t1999\"\nsingle: '\"Howdy!\" he "
    "cried.'\nquoted: ' # Not a ''comment''.'\n",
    "plain:\n  This unquoted scalar\n  spans many lines.\n\nquoted: \"So does this\n  quoted "
    "scalar.\\n\"\n",
    "canonical: 12345\noctal: 0o14\nhex: 0xC\nexp: 12.3015e+02\nnot: .NaN\nneg: -.inf\n",
    "not-date: !!str 2002-04-28\npicture: !!binary |\n R0lGODlhDAAMAIQAAP\napp: !something |\n The "
    "semantics\n",
    "%TAG ! tag:clarkevans.com,2002:\n---\nshape: !circle\n  center: &ORIGIN {x: 73, y: 129}\n",
    "set: !!set\n  ? Mark\n  ? Sammy\n",
    "omap: !!omap\n- Mark: 65\n- Sammy: 63\n",
    "a: &anchor\n  b: 1\nc:\n  <<: *anchor\n  d: 2\n",
    "\"quoted key\": 1\n'single': 2\n? explicit\n: 3\n? |\n  block key\n: - one\n  - two\n",
    "a: \"x\"   # c\n#\n# \n\n\nb: 'y'\n\t# a tab before\nc: z\t# and here\n",
    "literal: |+\n  keep\n\n\nnext: |-\n  strip\nindent: |2\n   one more\nfold: >+\n  f\n\n",
    "empty:\nnull1: ~\nnull2: null\nlist:\n-\n- ~\nmap: {}\nseq: []\n",
    "nested:\n- - - deep\n  - a: b\n    c:\n    - d\n",
    "items:\n- # nothing\n# c\n-\n\n-\n  a: b\n-\ntext: |\n  -\n",
    "flow: {a: [1, {b: c}], \"d\": e, f: , g}\nmulti: [\n  one,\n  two # with\n ]\n",
    "closed: [\n  one,\n  {two: 2\n},\n]\nopen: {\n  a: [\n  1\n  ], b: x\n}\n",
    "url: http://example.com:80/a#b\ntime: 12:30:45\nwin: C:\\dir\ndash: -x\nquestion: ?x\n",
    "Schl\xC3\xBCssel: Wert\n\xE9\x8D\xB5: \xE5\x80\xA4\n\"\xF0\x9F\x98\x80\": smile\n",
    "  indented: 1\n  root: 2\n",
    "a: 1\n...\n",
    "--- # starts\na: 1\n... # ends\n# and a comment\n",
    "a: |\nb: >\nc: 3\n",
    "key with spaces: v\nkey-with-dash: v\nkey.dot: v\n42: number\n1.5: float\ntrue: bool\n",
    "anchors: &a [1, 2]\nmore: &b {x: *a}\nuse: [*a, *b]\n*a : alias key\n",
    "long: \"a \\\n  b\"\nesc: \"\\x41\\u0042\\U00000043\"\nslash: \"\\/\"\n",
    "text: >-\n  folded\n  text\n\n    more indented\n\n  back\nend: true\n",
    "{a: 1, b: 2}\n",
    "# only a comment\n",
    "",
    "--- |\n a block\n",
    "just text\n",
    "? a\n? b\n",
    "- &x a\n- *x\n",
    "v: \"tab\\tin\"\nw: a\tb\n",
};

// Each feature before, behind and around a section, in all line ends.
TEST(ResumptionCorpusTest, NotOneByteDiffersOutsideOfTheSection) {
  std::map<std::string, int> refused;
  int edited = 0;
  const auto with = [](std::string text, std::string_view end) {
    std::string out;
    for (const char c : text) c == '\n' ? out += end : out += c;
    return out;
  };
  for (const std::string_view feature : kFeatures) {
    const std::string body(feature);
    const std::string indent = body.starts_with("  ") ? "  " : "";
    const auto section = [&](std::string_view text) {
      std::string out;
      std::size_t at = 0;
      while (at < text.size()) {
        const std::size_t end = text.find('\n', at) + 1;
        out += indent + std::string(text.substr(at, end - at));
        at = end;
      }
      return out;
    };
    std::vector<std::string> files = {body};
    const bool closed = body.find("...") != std::string::npos;
    for (const std::string_view one : {kV1, kV2, std::string_view("resumption:\n")}) {
      if (!closed) files.push_back(body + section(one));
      if (!closed)
        files.push_back(body + "# behind\n" + section(one) + indent + "last: 1\n# end\n");
      if (!body.starts_with("---") && !body.starts_with("%")) files.push_back(section(one) + body);
    }
    for (const std::string& file : files) {
      for (const std::string_view end : {"\n", "\r\n", "\r"}) {
        for (const std::string_view mark : {"", "\xEF\xBB\xBF"}) {
          std::string bytes = std::string(mark) + with(file, end);
          for (const bool cut : {false, true}) {
            if (cut && bytes.ends_with(end)) bytes.resize(bytes.size() - end.size());
            const Edited result = Edit(bytes);
            if (!result.refused.empty()) {
              ++refused[result.refused];
              const bool alone = file == body;
              EXPECT_TRUE(!alone || result.refused == "flow style") << bytes;
              const bool plain = end == "\n" && mark.empty() && !cut;
              if (plain && std::getenv("BELAY_SHOW") != nullptr) {
                const auto error = ReadResumptionDocument(bytes, "O").error().message;
                fmt::print("refused ({}: {}):\n{}\n", result.refused, error, bytes);
              }
              continue;
            }
            ++edited;
            ExpectSameOutside(bytes, result);
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
  fmt::print("edited {}\n", edited);
  for (const auto& [reason, count] : refused) fmt::print("refused {} ({})\n", count, reason);
  EXPECT_GT(edited, 2000);
  // A list or a text at the root, and a section behind one, aren't maps.
  for (const auto& [reason, count] : refused) {
    EXPECT_TRUE(reason == "flow style" || reason == "it doesn't parse") << reason;
  }
}

// Random orchestration files.
std::string RandomFile() {
  static const std::vector<std::string> kPieces = {
      "workflow:\n  id: w-1\n  status: ACTIVE  # now\n",
      "pipelines:\n  A:\n    current_phase: 3\n    phases:\n      - {id: 3, name: \"b\"}\n",
      "# a comment\n",
      "\n",
      "notes: |\n  free # text\n\n  more\n",
      "base: &base\n  x: 1\n",
      "list:\n- a\n- \"b: c\"\n-   - nested\n",
      "Schl\xC3\xBCssel: \"\xE2\x82\xAC\"\n",
      "checkpoints:\n  latest_id: CP-9\n  entries: []\n",
      "fold: >-\n  one\n  two\n",
      "\t# a tab\n",
      "quoted: 'it''s'\n",
      "deep: {a: {b: [1, 2, {c: d}]}}\n",
      "empty:\n",
  };
  static const std::vector<std::string> kInside = {
      "  last_checkpoint: CP-1\n",
      "  current_state: \"in the middle\"\n",
      "  next_step: go on\n",
      "  files_to_read:\n    - a.md\n    - path: b.md\n      priority: 2\n",
      "  # a remark\n",
      "  warning: |\n    mind the gap\n",
      "  overall_progress: 40 %\n",
      "\n",
      "  phase_1_summary:\n    - done\n    - checked\n",
      "  key_decision: {a: 1}  # flow is fine here\n",
      "  context_summary: !!str 5\n",
      "  agent_summaries:\n    # first\n    a: DONE.   # quick\n",
      "  recovery_state: # state\n\n    # where\n    current_phase: 3 # of 4\n    mine: |\n      # "
      "t\n",
      "  decision_log:\n  -   decision: x # y\n      id: RD-004\n  # z\n  - {id: RD-005, decision: "
      "d}\n",
      "  defect_summary: {total_defects_found: 1} # one\n",
  };
  std::string file;
  std::set<std::string> used;
  const auto add = [&](const std::vector<std::string>& pieces) {
    const std::string& piece = *rc::gen::elementOf(pieces);
    const bool again = piece.find(':') != std::string::npos && !used.insert(piece).second;
    if (!again) file += piece;
  };
  const int before = *rc::gen::inRange(0, 6);
  for (int i = 0; i < before; ++i) add(kPieces);
  if (*rc::gen::arbitrary<bool>()) {
    file += *rc::gen::element<std::string>("resumption:\n", "resumption: # belay's\n",
                                           "\"resumption\":\n");
    const int inside = *rc::gen::inRange(0, 7);
    for (int i = 0; i < inside; ++i) add(kInside);
    const int behind = *rc::gen::inRange(0, 6);
    for (int i = 0; i < behind; ++i) add(kPieces);
  }
  const std::string end = *rc::gen::element<std::string>("\n", "\r\n");
  std::string out = *rc::gen::element<std::string>("", "", "\xEF\xBB\xBF");
  for (const char c : file) c == '\n' ? out += end : out += std::string(1, c);
  if (*rc::gen::arbitrary<bool>() && out.ends_with(end)) out.resize(out.size() - end.size());
  return out;
}

TEST(ResumptionDocumentProperty, OnlyTheSectionChangesAndASecondUpdateReadsIt) {
  EXPECT_TRUE(rc::check([] {
    const std::string bytes = RandomFile();
    const Edited once = Edit(bytes);
    RC_ASSERT(once.refused.empty());
    ExpectSameOutside(bytes, once);
    const Edited twice = Edit(once.bytes);
    RC_ASSERT(twice.bytes == once.bytes);
    RC_ASSERT(!testing::Test::HasFatalFailure());
  }));
}

TEST(ResumptionDocumentProperty, EveryPrefixIsEditedOrRefused) {
  const std::string whole = "a: &x 1\n# c\n" + std::string(kV1) + "b: *x\nc: |\n  text\n";
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::string bytes = whole.substr(0, size);
    const Edited edited = Edit(bytes);
    if (edited.refused.empty()) ExpectSameOutside(bytes, edited);
  }
}

}  // namespace
}  // namespace belay::document_tests
