#include "engine/resumption/triggers.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "base/utf8.h"

namespace belay {
namespace {

using enum ResumptionPart;
using enum PartChange;

// clang-format off
constexpr TriggerRow kTriggers[] = {
    //                                                                                    state       files    quality     defects     decisions     agents   compactions
    {Trigger::kPhaseStart,      "T1", "a phase starts",                        "normal",   {kOverwrite, kUpdate, kNone,      kNone,      kNone,        kNone,   kNone}},
    {Trigger::kPhaseComplete,   "T2", "a phase is complete",                   "normal",   {kOverwrite, kUpdate, kNone,      kNone,      kNone,        kNone,   kNone}},
    {Trigger::kGateIteration,   "T3", "an iteration of a quality gate",        "normal",   {kOverwrite, kNone,   kOverwrite, kOverwrite, kConditional, kNone,   kNone}},
    {Trigger::kAgentCompletion, "T4", "an agent finishes",                     "normal",   {kOverwrite, kNone,   kNone,      kNone,      kNone,        kAppend, kNone}},
    {Trigger::kCompaction,      "T5", "a context window is about to be compacted", "urgent", {kOverwrite, kNone,  kNone,      kNone,      kNone,        kNone,   kAppend}},
    {Trigger::kDecision,        "T6", "a decision affects later phases",       "normal",   {kOverwrite, kNone,   kNone,      kNone,      kAppend,      kNone,   kNone}},
    {Trigger::kThreshold,       "T7", "a context window reaches another tier", "advisory", {kOverwrite, kNone,   kNone,      kNone,      kNone,        kNone,   kNone}},
    {Trigger::kAcknowledge,     "T8", "a session has read where things stand", "normal",   {kOverwrite, kNone,   kNone,      kNone,      kNone,        kNone,   kUpdate}},
};
// clang-format on

std::string TextAt(const Json& object, std::string_view key) {
  const std::string* text = MemberOf(object, key).AsString();
  return text == nullptr ? std::string() : *text;
}

std::int64_t CountAt(const Json& object, std::string_view key) {
  const std::int64_t* number = MemberOf(object, key).AsInteger();
  return number == nullptr ? 0 : *number;
}

Error WrongData(std::string_view trigger, std::string message) {
  return {ErrorCode::kUsage, fmt::format("{}: {}", trigger, message),
          "belay help resumption shows the data of each trigger"};
}

// A list of texts without the one.
Json Without(const Json& list, const std::string& text) {
  Json rest = Json::EmptyArray();
  for (const Json& item : ItemsOf(list)) {
    if (!(item == Json(text))) rest.Append(item);
  }
  return rest;
}

bool Has(const Json& list, const std::string& text) {
  return std::ranges::find(ItemsOf(list), Json(text)) != ItemsOf(list).end();
}

Result<void> UpdateState(Json& state, const ResumptionEvent& event, const WorkflowFacts& facts,
                         bool gates_remain) {
  if (facts.last_checkpoint) state.Set("last_checkpoint", *facts.last_checkpoint);
  if (facts.phase) state.Set("current_phase", *facts.phase);
  if (facts.phase_name) state.Set("current_phase_name", StorableText(*facts.phase_name));
  // A file that says so too early doesn't stop all updates.
  const bool early = facts.status == "COMPLETE" && gates_remain;
  if (facts.status && !early) state.Set("workflow_status", *facts.status);
  for (const JsonMember& member : MembersOf(event.set)) {
    if (FindStateRule(member.key) == nullptr) {
      return Error{ErrorCode::kUsage, fmt::format("recovery_state has no field {}", member.key)};
    }
    state.Set(member.key, Storable(member.value));
  }
  state.Set("updated_at", FormatUtc(event.at));
  return {};
}

std::string PathOf(const Json& file) {
  return file.AsString() != nullptr ? *file.AsString() : TextIn(file, "path");
}

Result<void> UpdateFiles(Json& files, const ResumptionEvent& event) {
  const Json& given = MemberOf(event.data, "files");
  const std::string_view name = RowOf(event.trigger).name;
  if (given.is_null()) return {};
  if (given.AsArray() == nullptr) return WrongData(name, "files must be a list");
  for (const Json& wish : *given.AsArray()) {
    const std::string path = PathOf(wish);
    if (path.empty()) return WrongData(name, "each of files needs a path");
    auto& known = *files.AsArray();
    const auto found = std::ranges::find(known, path, PathOf);
    if (found == known.end() && event.trigger != Trigger::kPhaseComplete) {
      return WrongData(name, fmt::format("{} isn't in files_to_read; T2 adds files", Quote(path)));
    }
    if (found == known.end()) {
      known.push_back(Storable(wish));
      continue;
    }
    const Json& sections = MemberOf(wish, "sections");
    if (sections.is_null()) continue;
    if (found->AsString() != nullptr) {
      *found = MakeObject({{"path", path}, {"priority", 1}, {"purpose", {}}});
    }
    found->Set("sections", Storable(sections));
  }
  return {};
}

// The dimension with the lowest last score over all gates, the first on a tie.
Json LowestDimension(const Json& dimensions) {
  Json lowest;
  double least = 2;
  for (const JsonMember& gate : MembersOf(dimensions)) {
    for (const JsonMember& dimension : MembersOf(gate.value)) {
      const double score = NumberIn(dimension.value).value_or(2);
      if (score >= least) continue;
      least = score;
      lowest = dimension.key;
    }
  }
  return lowest;
}

std::int64_t IterationsUsed(const Json& history) {
  std::int64_t total = 0;
  for (const JsonMember& gate : MembersOf(history)) {
    total += static_cast<std::int64_t>(ItemsOf(gate.value).size());
  }
  return total;
}

Json NumberOr(const Json& number, std::int64_t otherwise) {
  return number.AsInteger() != nullptr ? number : Json(otherwise);
}

// The given one, else one more than the last.
Json IterationOf(const Json& quality, const std::string& gate, const Json& given,
                 std::size_t scores) {
  const bool goes_on = MemberOf(quality, "current_gate") == Json(gate);
  const std::int64_t last = goes_on ? CountAt(quality, "current_gate_iteration") : 0;
  return NumberOr(given, std::max(last + 1, static_cast<std::int64_t>(scores)));
}

Result<void> UpdateQuality(Json& quality, const ResumptionEvent& event, std::int64_t archived) {
  const std::string gate = StorableText(TextAt(event.data, "gate"));
  const bool passed = MemberOf(event.data, "passed") == Json(true);
  Json history = MemberOf(quality, "score_history");
  if (history.AsObject() == nullptr) history = Json::EmptyObject();
  Json scores = MemberOf(history, gate);
  if (scores.AsArray() == nullptr) scores = Json::EmptyArray();
  const Json& score = MemberOf(event.data, "score");
  const std::optional<double> value = NumberIn(score);
  if (!score.is_null() && (!value || *value < 0 || *value > 1)) {
    return WrongData("T3", "score must be a number from 0 to 1");
  }
  if (value) scores.Append(score);
  const Json iteration =
      IterationOf(quality, gate, MemberOf(event.data, "iteration"), ItemsOf(scores).size());
  history.Set(gate, scores);
  const Json& given = MemberOf(event.data, "dimensions");
  Json dimensions = MemberOf(quality, "dimensions");
  if (dimensions.AsObject() == nullptr) dimensions = Json::EmptyObject();
  if (!given.is_null()) dimensions.Set(gate, Storable(given));
  if (passed && !Has(MemberOf(quality, "gates_completed"), gate)) {
    Json completed = MemberOf(quality, "gates_completed");
    completed.Append(gate);
    quality.Set("gates_completed", std::move(completed));
  }
  Json remaining = Without(MemberOf(quality, "gates_remaining"), gate);
  const bool open = !passed && !Has(MemberOf(quality, "gates_completed"), gate);
  if (open && Has(MemberOf(quality, "gates_remaining"), gate)) {
    remaining = MemberOf(quality, "gates_remaining");
  } else if (open) {
    remaining.Append(gate);
  }
  quality.Set("gates_remaining", std::move(remaining));
  quality.Set("current_gate", passed ? Json() : Json(gate));
  quality.Set("current_gate_iteration", passed ? Json() : iteration);
  quality.Set("total_iterations_used", archived + IterationsUsed(history));
  quality.Set("score_history", std::move(history));
  // One that belay didn't compute stays until dimensions are known.
  if (!MembersOf(dimensions).empty()) quality.Set("lowest_dimension", LowestDimension(dimensions));
  quality.Set("dimensions", std::move(dimensions));
  return {};
}

Result<void> UpdatePattern(Json& defects, const Json& pattern, const std::string& gate) {
  const std::string name = StorableText(TextAt(pattern, "pattern"));
  if (name.empty()) return WrongData("T3", "pattern needs a text \"pattern\"");
  Json patterns = MemberOf(defects, "recurring_patterns");
  if (patterns.AsArray() == nullptr) patterns = Json::EmptyArray();
  auto& known = *patterns.AsArray();
  const auto found =
      std::ranges::find(known, name, [](const Json& one) { return TextAt(one, "pattern"); });
  Json entry =
      found == known.end()
          ? MakeObject(
                {{"pattern", name}, {"gates_affected", Json::EmptyArray()}, {"resolution", {}}})
          : *found;
  const Json given = Storable(pattern);
  for (const JsonMember& member : MembersOf(given)) entry.Set(member.key, member.value);
  Json gates = MemberOf(entry, "gates_affected");
  if (gates.AsArray() == nullptr) gates = Json::EmptyArray();
  if (!gate.empty() && !Has(gates, gate)) gates.Append(gate);
  entry.Set("gates_affected", std::move(gates));
  if (found == known.end()) {
    known.push_back(std::move(entry));
  } else {
    *found = std::move(entry);
  }
  defects.Set("recurring_patterns", std::move(patterns));
  return {};
}

// Texts, or objects with an id.
std::vector<std::string> DefectIds(const Json& list) {
  std::vector<std::string> ids;
  for (const Json& item : ItemsOf(list)) {
    std::string id = item.AsString() != nullptr ? *item.AsString() : TextAt(item, "id");
    if (!id.empty()) ids.push_back(StorableText(id));
  }
  return ids;
}

Result<void> UpdateDefects(Json& defects, const ResumptionEvent& event) {
  const std::string gate = StorableText(TextAt(event.data, "gate"));
  Json open = MemberOf(defects, "unresolved_defects");
  if (open.AsArray() == nullptr) open = Json::EmptyArray();
  std::int64_t found = CountAt(defects, "total_defects_found");
  std::int64_t resolved = CountAt(defects, "total_defects_resolved");
  const std::vector<std::string> news = DefectIds(MemberOf(event.data, "defects_found"));
  for (const std::string& id : news) {
    if (Has(open, id)) continue;
    open.Append(id);
    ++found;
  }
  for (const std::string& id : DefectIds(MemberOf(event.data, "defects_resolved"))) {
    if (!Has(open, id)) continue;
    open = Without(open, id);
    ++resolved;
  }
  defects.Set("total_defects_found", found);
  defects.Set("total_defects_resolved", resolved);
  defects.Set("unresolved_defects", std::move(open));
  const std::string primary = TextAt(event.data, "primary_defect");
  if (!primary.empty()) defects.Set("last_gate_primary_defect", StorableText(primary));
  if (primary.empty() && !news.empty()) defects.Set("last_gate_primary_defect", news.front());
  const Json& pattern = MemberOf(event.data, "pattern");
  if (!pattern.is_null()) return UpdatePattern(defects, pattern, gate);
  return {};
}

std::int64_t LastNumber(const Json& entries, std::string_view prefix, std::int64_t archived) {
  std::int64_t last = archived;
  for (const Json& entry : ItemsOf(entries)) {
    last = std::max(last, NumberOfId(TextAt(entry, "id"), prefix).value_or(0));
  }
  return last;
}

Result<void> MarkApplied(Json& log, const Json& data, const std::string& id) {
  for (Json& entry : *log.AsArray()) {
    if (TextAt(entry, "id") != id) continue;
    if (!(MemberOf(data, "applied") == Json(true)) || MembersOf(data).size() != 2) {
      return Error{ErrorCode::kRefused,
                   fmt::format("decision_log: {} can't be changed, except that it is applied", id),
                   "record a new decision instead"};
    }
    entry.Set("applied", true);
    return {};
  }
  return Error{ErrorCode::kNotFound, fmt::format("there is no decision {}", Quote(id)),
               "belay resumption show lists them"};
}

Result<void> AddDecision(Json& log, const Json& data, std::string_view trigger,
                         std::int64_t archived, const Json& gate, const Json& iteration) {
  const std::string id = TextAt(data, "id");
  if (!id.empty()) return MarkApplied(log, data, id);
  const std::string decision = StorableText(TextAt(data, "decision"));
  if (decision.empty()) return WrongData(trigger, "a decision needs a text \"decision\"");
  const auto given = [&](std::string_view key, const Json& otherwise) {
    const Json& value = MemberOf(data, key);
    return value.is_null() ? otherwise : Storable(value);
  };
  Json entry = MakeObject({{"id", IdOf("RD-", LastNumber(log, "RD-", archived) + 1)},
                           {"gate", given("gate", gate)},
                           {"iteration", given("iteration", iteration)},
                           {"decision", decision},
                           {"rationale", given("rationale", {})},
                           {"affects_phases", given("affects_phases", Json::EmptyArray())},
                           {"applied", given("applied", false)}});
  log.Append(std::move(entry));
  return {};
}

Result<void> UpdateDecisions(Resumption& section, const ResumptionEvent& event) {
  if (event.trigger == Trigger::kDecision) {
    return AddDecision(section[kDecisionLog], event.data, "T6", section.archive.decisions, {}, {});
  }
  const Json& decision = MemberOf(event.data, "decision");
  if (decision.is_null()) return {};
  const Json made =
      decision.AsString() != nullptr ? MakeObject({{"decision", decision}}) : decision;
  return AddDecision(section[kDecisionLog], made, "T3", section.archive.decisions,
                     MemberOf(event.data, "gate"), MemberOf(event.data, "iteration"));
}

std::string WithFullStop(std::string text) {
  if (!text.empty() && text.back() != '.' && text.back() != '!' && text.back() != '?') text += '.';
  return text;
}

Result<void> AddSummary(Json& summaries, const ResumptionEvent& event) {
  const std::string agent = StorableText(TextAt(event.data, "agent_id"));
  if (agent.empty()) return WrongData("T4", "the data needs a text \"agent_id\"");
  std::string summary = TextAt(event.data, "summary");
  if (summary.empty()) {
    const std::string status = TextAt(event.data, "status");
    summary = WithFullStop(status.empty() ? "DONE" : status);
    const std::string finding = TextAt(event.data, "finding");
    if (!finding.empty()) summary += " " + WithFullStop(finding);
  }
  summary = StorableText(summary);
  std::ranges::replace(summary, '\n', ' ');
  const Json& known = MemberOf(summaries, agent);
  if (!known.is_null() && !(known == Json(summary))) {
    return Error{ErrorCode::kRefused,
                 fmt::format("agent_summaries.{} already exists and never changes", agent),
                 "choose another agent_id"};
  }
  summaries.Set(agent, summary);
  return {};
}

Result<void> AddCompaction(Resumption& section, const ResumptionEvent& event,
                           const WorkflowFacts& facts) {
  Json& part = section[kCompactionEvents];
  Json events = MemberOf(part, "events");
  const std::string cause = TextAt(event.data, "trigger");
  if (!cause.empty() && cause != "auto" && cause != "manual") {
    return WrongData("T5", "trigger must be auto or manual");
  }
  const std::string at = TextAt(event.data, "timestamp");
  const Json& fill = MemberOf(event.data, "fill");
  events.Append(MakeObject(
      {{"id", IdOf("CX-", LastNumber(events, "CX-", section.archive.compactions) + 1)},
       {"timestamp", at.empty() ? FormatUtc(event.at) : at},
       {"trigger", cause.empty() ? "auto" : cause},
       {"estimated_fill_before", NumberIn(fill) ? fill : Json()},
       {"active_phase", facts.phase ? Json(*facts.phase) : section.State("current_phase")},
       {"active_gate", MemberOf(section[kQualityTrajectory], "current_gate")},
       {"active_gate_iteration", MemberOf(section[kQualityTrajectory], "current_gate_iteration")},
       {"checkpoint_file", Storable(MemberOf(event.data, "checkpoint_file"))},
       {"acknowledged", false}}));
  part.Set("count",
           section.archive.compactions + static_cast<std::int64_t>(ItemsOf(events).size()));
  part.Set("events", std::move(events));
  return {};
}

Result<void> Acknowledge(Json& part, const ResumptionEvent& event) {
  const std::string id = TextAt(event.data, "id");
  Json events = MemberOf(part, "events");
  bool found = id.empty();
  if (events.AsArray() == nullptr) events = Json::EmptyArray();
  for (Json& one : *events.AsArray()) {
    if (!id.empty() && TextAt(one, "id") != id) continue;
    one.Set("acknowledged", true);
    found = true;
  }
  part.Set("events", std::move(events));
  if (found) return {};
  return Error{ErrorCode::kNotFound, fmt::format("there is no compaction {}", Quote(id)),
               "belay resumption show lists them"};
}

Result<void> UpdateGate(Resumption& section, const ResumptionEvent& event) {
  const bool gate = !TextAt(event.data, "gate").empty();
  const bool pattern = !MemberOf(event.data, "pattern").is_null();
  if (!gate && !pattern) return WrongData("T3", "the data needs a text \"gate\"");
  if (gate) BELAY_TRY(UpdateQuality(section[kQualityTrajectory], event, section.archive.scores));
  BELAY_TRY(UpdateDefects(section[kDefectSummary], event));
  return UpdateDecisions(section, event);
}

Result<void> UpdateParts(Resumption& section, const ResumptionEvent& event,
                         const WorkflowFacts& facts) {
  switch (event.trigger) {
    case Trigger::kPhaseStart:
    case Trigger::kPhaseComplete:
      return UpdateFiles(section[kFilesToRead], event);
    case Trigger::kGateIteration:
      return UpdateGate(section, event);
    case Trigger::kAgentCompletion:
      return AddSummary(section[kAgentSummaries], event);
    case Trigger::kCompaction:
      return AddCompaction(section, event, facts);
    case Trigger::kDecision:
      return UpdateDecisions(section, event);
    case Trigger::kThreshold:
      return {};
    case Trigger::kAcknowledge:
      return Acknowledge(section[kCompactionEvents], event);
  }
  __builtin_unreachable();
}

Result<void> CheckAll(const Resumption& before, const Resumption& after) {
  std::vector<std::string> broken = CheckSchema(after);
  for (std::string& one : CheckInvariants(after)) broken.push_back(std::move(one));
  for (std::string& one : CheckStep(before, after)) broken.push_back(std::move(one));
  if (broken.empty()) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("the update would break a rule: {}", broken.front())};
}

// What the table doesn't let a trigger change stays, whatever the code above does.
bool KeepsToTable(const Resumption& before, const Resumption& after, const TriggerRow& row) {
  for (const ResumptionPart part : AllResumptionParts()) {
    const bool may = row.changes[static_cast<std::size_t>(part)] != kNone;
    if (!may && !(before[part] == after[part])) return false;
  }
  return true;
}

}  // namespace

std::string_view ChangeLetter(PartChange change) {
  switch (change) {
    case kNone:
      return "-";
    case kOverwrite:
      return "W";
    case kAppend:
      return "A";
    case kUpdate:
      return "U";
    case kConditional:
      return "C";
  }
  __builtin_unreachable();
}

std::span<const TriggerRow> Triggers() { return kTriggers; }
const TriggerRow& RowOf(Trigger trigger) { return kTriggers[static_cast<std::size_t>(trigger)]; }

std::optional<Trigger> ParseTrigger(std::string_view name) {
  for (const TriggerRow& row : kTriggers) {
    const bool same =
        name.size() == 2 && (name[0] == 'T' || name[0] == 't') && name[1] == row.name[1];
    if (same) return row.trigger;
  }
  return std::nullopt;
}

std::string TriggerTableMarkdown() {
  std::string text = "| trigger | when | urgency |";
  std::string line = "|---|---|---|";
  for (const ResumptionPart part : AllResumptionParts()) {
    text += fmt::format(" {} |", ResumptionPartName(part));
    line += ":-:|";
  }
  text += "\n" + line + "\n";
  for (const TriggerRow& row : kTriggers) {
    text += fmt::format("| {} | {} | {} |", row.name, row.event, row.urgency);
    for (const PartChange change : row.changes) text += fmt::format(" {} |", ChangeLetter(change));
    text += "\n";
  }
  return text;
}

Result<Resumption> ApplyEvent(const Resumption& before, const ResumptionEvent& event,
                              const WorkflowFacts& facts) {
  Resumption after = before;
  BELAY_TRY(UpdateParts(after, event, facts));
  const bool gates = !ItemsOf(MemberOf(after[kQualityTrajectory], "gates_remaining")).empty();
  BELAY_TRY(UpdateState(after[kRecoveryState], event, facts, gates));
  if (!KeepsToTable(before, after, RowOf(event.trigger))) {
    return Error{ErrorCode::kFailed, fmt::format("{} would change what the table of triggers "
                                                 "doesn't let it change",
                                                 RowOf(event.trigger).name)};
  }
  BELAY_TRY(CheckAll(before, after));
  return after;
}

}  // namespace belay
