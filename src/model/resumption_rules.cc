// The invariants between fields of a section (RES-9).

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "model/resumption.h"

namespace belay {
namespace {

using enum ResumptionPart;
using Texts = std::set<std::string, std::less<>>;

std::string TextOf(const Json& value) { return value.AsString() ? *value.AsString() : ""; }

Texts TextsIn(const Json& list) {
  Texts texts;
  for (const Json& item : ItemsOf(list)) texts.insert(TextOf(item));
  return texts;
}

std::int64_t CountIn(const Json& object, std::string_view key) {
  const std::int64_t* number = MemberOf(object, key).AsInteger();
  return number == nullptr ? 0 : *number;
}

struct Gates {
  explicit Gates(const Json& quality)
      : completed(TextsIn(MemberOf(quality, "gates_completed"))),
        remaining(TextsIn(MemberOf(quality, "gates_remaining"))),
        current(TextOf(MemberOf(quality, "current_gate"))) {}

  bool Knows(const std::string& gate) const {
    return completed.contains(gate) || remaining.contains(gate) || gate == current;
  }

  Texts completed;
  Texts remaining;
  std::string current;
};

const Json::Array& EventsOf(const Resumption& section) {
  return ItemsOf(MemberOf(section[kCompactionEvents], "events"));
}

void CheckIds(const Json::Array& entries, std::string_view prefix, std::int64_t archived,
              std::string_view what, std::vector<std::string>& broken) {
  std::int64_t last = archived;
  for (const Json& entry : entries) {
    const std::int64_t number = NumberOfId(TextIn(entry, "id"), prefix).value_or(0);
    if (number <= last) {
      broken.push_back(fmt::format("{}: {} isn't after {}; ids are unique and ascend", what,
                                   TextIn(entry, "id"), IdOf(prefix, last)));
    }
    last = std::max(last, number);
  }
}

// Each id once, the first with it; sorted.
bool SortById(Json& list, std::string_view prefix, std::int64_t archived) {
  if (list.AsArray() == nullptr) return false;
  Json::Array& entries = *list.AsArray();
  const Json::Array before = entries;
  const auto number = [&](const Json& entry) {
    return NumberOfId(TextIn(entry, "id"), prefix).value_or(0);
  };
  std::ranges::stable_sort(entries, {}, number);
  std::int64_t last = archived;
  for (Json& entry : entries) {
    if (number(entry) <= last) entry.Set("id", IdOf(prefix, last + 1));
    last = number(entry);
  }
  return !(before == entries);
}

void RepairGates(Json& quality, bool complete, std::vector<std::string>& changes) {
  if (quality.AsObject() == nullptr) return;
  const Gates gates(quality);
  Json remaining = Json::EmptyArray();
  for (const Json& gate : ItemsOf(MemberOf(quality, "gates_remaining"))) {
    if (gates.completed.contains(TextOf(gate))) {
      changes.push_back(fmt::format(
          "quality_trajectory: {} was in gates_completed and gates_remaining; it is complete",
          TextOf(gate)));
    } else {
      remaining.Append(gate);
    }
  }
  Json completed = MemberOf(quality, "gates_completed");
  for (const JsonMember& history : MembersOf(MemberOf(quality, "score_history"))) {
    if (gates.Knows(history.key)) continue;
    changes.push_back(
        fmt::format("quality_trajectory: {} of score_history was in no list of gates and was added",
                    history.key));
    if (complete && completed.AsArray() != nullptr) {
      completed.Append(history.key);
    } else {
      remaining.Append(history.key);
    }
  }
  if (changes.empty()) return;
  quality.Set("gates_remaining", std::move(remaining));
  if (!completed.is_null()) quality.Set("gates_completed", std::move(completed));
}

bool OnlyApplied(Json before, const Json& after) {
  const bool was = MemberOf(before, "applied") == Json(true);
  const bool is = MemberOf(after, "applied") == Json(true);
  if (was && !is) return false;
  before.Set("applied", is);
  return before == after;
}

}  // namespace

std::vector<std::string> CheckInvariants(const Resumption& section) {
  std::vector<std::string> broken;
  const Json& quality = section[kQualityTrajectory];
  const Gates gates(quality);
  for (const std::string& gate : gates.completed) {
    if (gates.remaining.contains(gate)) {
      broken.push_back(
          fmt::format("quality_trajectory: {} is in gates_completed and in gates_remaining", gate));
    }
  }
  if (section.State("workflow_status") == Json("COMPLETE") && !gates.remaining.empty()) {
    broken.push_back(fmt::format(
        "recovery_state.workflow_status is COMPLETE, but quality_trajectory.gates_remaining has {}",
        *gates.remaining.begin()));
  }
  for (const JsonMember& history : MembersOf(MemberOf(quality, "score_history"))) {
    if (!gates.Knows(history.key)) {
      broken.push_back(
          fmt::format("quality_trajectory.score_history has {}, which is in neither list of gates",
                      history.key));
    }
  }
  const Json& defects = section[kDefectSummary];
  if (CountIn(defects, "total_defects_resolved") > CountIn(defects, "total_defects_found")) {
    broken.emplace_back("defect_summary: total_defects_resolved is more than total_defects_found");
  }
  CheckIds(ItemsOf(section[kDecisionLog]), "RD-", section.archive.decisions, "decision_log",
           broken);
  CheckIds(EventsOf(section), "CX-", section.archive.compactions, "compaction_events", broken);
  return broken;
}

std::vector<std::string> CheckStep(const Resumption& before, const Resumption& after) {
  std::vector<std::string> broken;
  for (const Json& old : ItemsOf(before[kDecisionLog])) {
    const std::string id = TextIn(old, "id");
    const auto& entries = ItemsOf(after[kDecisionLog]);
    const auto now =
        std::ranges::find_if(entries, [&](const Json& entry) { return TextIn(entry, "id") == id; });
    const bool archived = NumberOfId(id, "RD-").value_or(0) <= after.archive.decisions;
    if (now == entries.end() ? !archived : !OnlyApplied(old, *now)) {
      broken.push_back(fmt::format("decision_log: {} was changed; only applied may change", id));
    }
  }
  const Json& summaries = after[kAgentSummaries];
  std::int64_t missing = 0;
  for (const JsonMember& old : MembersOf(before[kAgentSummaries])) {
    const Json& now = MemberOf(summaries, old.key);
    if (now.is_null()) ++missing;
    if (!now.is_null() && !(now == old.value)) {
      broken.push_back(fmt::format("agent_summaries.{} was changed", old.key));
    }
  }
  if (missing > after.archive.agents - before.archive.agents) {
    broken.emplace_back("agent_summaries: a summary was removed");
  }
  return broken;
}

std::vector<std::string> RepairInvariants(Resumption& section) {
  std::vector<std::string> changes;
  const bool complete = section.State("workflow_status") == Json("COMPLETE");
  RepairGates(section[kQualityTrajectory], complete, changes);
  const Gates gates(section[kQualityTrajectory]);
  if (complete && !gates.remaining.empty()) {
    section[kRecoveryState].Set("workflow_status", "ACTIVE");
    changes.emplace_back(
        "recovery_state.workflow_status was COMPLETE with gates remaining; it is ACTIVE");
  }
  Json& defects = section[kDefectSummary];
  const std::int64_t resolved = CountIn(defects, "total_defects_resolved");
  if (resolved > CountIn(defects, "total_defects_found")) {
    defects.Set("total_defects_found", resolved);
    changes.emplace_back("defect_summary.total_defects_found was less than what is resolved");
  }
  if (!section[kDecisionLog].is_null() && !CheckInvariants(section).empty() &&
      SortById(section[kDecisionLog], "RD-", section.archive.decisions)) {
    changes.emplace_back("decision_log: ids are unique and ascend now");
  }
  Json* events = section[kCompactionEvents].AsObject() == nullptr
                     ? nullptr
                     : section[kCompactionEvents].Find("events");
  if (events != nullptr && !CheckInvariants(section).empty() &&
      SortById(*events, "CX-", section.archive.compactions)) {
    changes.emplace_back("compaction_events: ids are unique and ascend now");
  }
  return changes;
}

}  // namespace belay
