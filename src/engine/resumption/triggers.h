// What updates the resumption section, and how: the table of triggers, and the pure function that
// applies an event. docs/resumption.md shows the table; a test compares them.
//
// clang-format off
//   sub-section          how it changes
//   ------------------   ----------------------------------------------------------------------------
//   recovery_state       every field that is given or can be derived from the rest of the file;
//                        the others keep their value; updated_at is the time of the update
//   files_to_read        `sections` of known paths are replaced; T2 may add files
//   quality_trajectory   the score is added to its gate's history; a gate that passed moves from
//                        remaining to completed; lowest_dimension and the total are computed
//   defect_summary       found and resolved defects are counted; a pattern replaces the one of its name
//   decision_log         a decision is appended; an earlier one is marked as applied
//   agent_summaries      a summary is added; earlier ones never change
//   compaction_events    an event is appended; T8 acknowledges
// clang-format on

#ifndef BELAY_ENGINE_RESUMPTION_TRIGGERS_H_
#define BELAY_ENGINE_RESUMPTION_TRIGGERS_H_

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "codec/yaml.h"
#include "model/resumption.h"

namespace belay {

enum class Trigger {
  kPhaseStart,
  kPhaseComplete,
  kGateIteration,
  kAgentCompletion,
  kCompaction,
  kDecision,
  kThreshold,
  kAcknowledge,
};

// How a trigger changes a sub-section.
enum class PartChange { kNone, kOverwrite, kAppend, kUpdate, kConditional };
std::string_view ChangeLetter(PartChange change);  // "W", "A", "U", "C", "-"

struct TriggerRow {
  Trigger trigger;
  std::string_view name;  // "T1"
  std::string_view event;
  std::string_view urgency;
  std::array<PartChange, kResumptionParts> changes;  // in the order of ResumptionPart
};
std::span<const TriggerRow> Triggers();  // in the order of Trigger
const TriggerRow& RowOf(Trigger trigger);
std::optional<Trigger> ParseTrigger(std::string_view name);  // "T1", "t1"

// The table of docs/resumption.md, in Markdown.
std::string TriggerTableMarkdown();

// What the rest of the file says about the workflow.
struct WorkflowFacts {
  std::optional<std::string> last_checkpoint = {};
  std::optional<std::int64_t> phase = {};
  std::optional<std::string> phase_name = {};
  std::string phase_status = {};  // of that phase, in upper case; empty: not known
  std::optional<std::string_view> status = {};
};
WorkflowFacts ReadWorkflow(const YamlNode& root);

struct ResumptionEvent {
  std::string id;  // applying an event twice changes nothing
  Trigger trigger = Trigger::kPhaseStart;
  WallTime at = {};
  Json set = Json::EmptyObject();   // fields of recovery_state
  Json data = Json::EmptyObject();  // by trigger, below
};
// The data of each trigger:
//   T1, T2  {"files": [{"path", "sections"?, "priority"?, "purpose"?}]}
//   T3      {"gate", "iteration"?, "score"?, "dimensions"? {}, "passed"?, "defects_found"? [],
//            "defects_resolved"? [], "pattern"? {"pattern", "resolution"?}, "decision"? {T6's}}
//   T4      {"agent_id", "summary"} or {"agent_id", "status", "finding"}
//   T5      {"trigger"? auto|manual, "fill"?, "checkpoint_file"?, "timestamp"?}
//   T6      {"decision", "rationale"?, "affects_phases"? [], "gate"?, "iteration"?, "applied"?}, or
//           {"id", "applied": true}
//   T8      {"id"? CX-001}; without it all are acknowledged

// The section after the event. kUsage: the data doesn't fit; kRefused: it would break an invariant,
// which the message names.
Result<Resumption> ApplyEvent(const Resumption& before, const ResumptionEvent& event,
                              const WorkflowFacts& facts);

// What the strict parser reads back: no control characters, no long runs of blanks, not too long.
std::string StorableText(std::string_view text);
Json Storable(const Json& value);  // all texts in it

// Null: recovery_state has no such field.
const FieldRule* FindStateRule(std::string_view name);

// "field=value" of the command line: the value by the type of the field. kUsage for an unknown
// field and one that belay computes.
Result<void> SetField(Json& set, std::string_view argument);

// Fills in what a section must have: missing sub-sections, and `document` as the first file to
// read.
void Complete(Resumption& section, std::string_view document);

// Moves the oldest entries out of a section that has grown. Gives them as lines for the archive.
struct ArchivedEntry {
  std::string kind;  // "decision", "agent", "compaction", "scores", "pattern"
  std::string id;
  Json value;
  std::optional<std::int64_t> first = {};  // of scores: how many were moved before, of all gates
};
std::vector<ArchivedEntry> MoveToArchive(Resumption& section, std::string_view archive_file);

}  // namespace belay

#endif  // BELAY_ENGINE_RESUMPTION_TRIGGERS_H_
