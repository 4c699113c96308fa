// How rows look, as a table and as JSON.

#include "cli/views.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/agents_view.h"
#include "base/text.h"
#include "base/utf8.h"
#include "engine/merge/merge_text.h"
#include "engine/supervise/restart_policy.h"
#include "model/json_fields.h"
#include "ui/width.h"

namespace belay {
namespace {

Json NullIfEmpty(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json ExitJson(const std::optional<AgentExit>& exit) {
  if (!exit) return {};
  return MakeObject({{"code", exit->code ? Json(*exit->code) : Json()},
                     {"signal", exit->signal ? Json(*exit->signal) : Json()},
                     {"cause", ExitCauseName(exit->cause)},
                     {"at", FormatUtcMicros(exit->at)}});
}

Tone ToneOf(AgentColor color) {
  switch (color) {
    case AgentColor::kGreen:
      return Tone::kGood;
    case AgentColor::kYellow:
      return Tone::kWarning;
    case AgentColor::kRed:
      return Tone::kBad;
    case AgentColor::kGrey:
      return Tone::kDim;
  }
  __builtin_unreachable();
}

// What comes next, if anything.
std::string NextOf(const AgentRow& row, WallTime now) {
  const Identity& identity = *row.identity;
  if (!row.present) return {};
  if (row.status == AgentStatus::kQuarantined) {
    return fmt::format("belay release {} continues it", identity.id.identity().text());
  }
  const bool waits = identity.status == AgentStatus::kCrashed && identity.restart.due;
  if (!waits) return {};
  const bool now_due = TimeUntil(identity.restart, now) <= Duration();
  if (!now_due) return DueText(identity.restart, now);
  return row.guarded ? "the guardian is about to start it"
                     : "waits to be started; no guardian is running: run belay guard";
}

// Only for an agent that runs; for the others the queue shows it.
std::string BlockedText(const AgentRow& row) {
  const bool blocked = row.present && row.hook && row.hook->status == HookStatus::kBlocked;
  return blocked && row.pid ? "blocked: its branch could not land" : std::string();
}

std::string MessagesText(const AgentRow& row) {
  if (row.messages == 0) return {};
  const std::string count = fmt::format("{} message{}", row.messages, row.messages == 1 ? "" : "s");
  if (row.status != AgentStatus::kQuarantined && !row.needs.empty()) return row.needs;
  return count + (row.messages == 1 ? " waits" : " wait") +
         (row.for_successor ? " for its successor" : " for its next hook");
}

std::string NoteOf(const AgentRow& row, WallTime now) {
  std::string note;
  const std::string task = row.task.empty() ? row.task : "task " + row.task;
  const std::string left = row.timeout_at ? TimeLeftText(*row.timeout_at, now) : "";
  for (const std::string& part :
       {task, left, std::string(row.identity->tainted ? "tainted" : ""), row.reason,
        NextOf(row, now), BlockedText(row), MessagesText(row)}) {
    if (!part.empty()) note += (note.empty() ? "" : "; ") + part;
  }
  return note;
}

std::vector<Cell> CellsOf(const AgentRow& row, WallTime now) {
  const Identity& identity = *row.identity;
  const Tone tone = ToneOf(row.color);
  const std::optional<double>& context = row.context_fill;
  return {{identity.id.text(), row.present ? Tone::kBold : Tone::kDim},
          {std::string(AgentColorName(row.color)), tone},
          {std::string(AgentStatusName(row.status)), tone},
          {row.hook ? std::string(WorkPhaseName(row.hook->work_phase)) : ""},
          {identity.node_id},
          {AgeText(row.last_seen, now)},
          {context ? fmt::format("{:.0f}%", *context) : ""},
          {std::to_string(identity.restart.restarts)},
          {std::string(AgentHostName(identity.host)), Tone::kDim},
          {row.pid ? std::to_string(*row.pid) : "", Tone::kDim},
          {NoteOf(row, now)}};
}

// In the order of the output.
template <class Add>
void EachMember(const AgentRow& row, const Add& add) {
  const Identity& identity = *row.identity;
  const std::string_view phase =
      row.hook ? WorkPhaseName(row.hook->work_phase) : std::string_view();
  add("agent_id", identity.id.text());
  add("role", identity.id.identity().role());
  add("name", identity.id.identity().name());
  add("incarnation", identity.id.incarnation());
  add("status", AgentStatusName(row.status));
  add("color", AgentColorName(row.color));
  add("pid", row.pid ? Json(*row.pid) : Json());
  add("work_phase", phase.empty() ? Json() : Json(phase));
  add("node_id", NullIfEmpty(identity.node_id));
  add("last_seen", FormatUtcMicros(row.last_seen));
  add("context_fill", row.context_fill ? Json::FromDouble(*row.context_fill) : Json());
  add("context_tier", row.context_tier ? Json(ContextTierName(*row.context_tier)) : Json());
  add("restarts", identity.restart.restarts);
  add("host", AgentHostName(identity.host));
  add("predecessor_id", identity.predecessor_id ? Json(*identity.predecessor_id) : Json());
  add("identity_name", identity.id.identity().text());
  add("present", row.present);
  add("recorded_status", AgentStatusName(identity.status));
  add("agent_kind", AgentKindName(identity.agent_kind));
  add("session_id", NullIfEmpty(identity.session_id));
  add("bead_id", NullIfEmpty(identity.bead_id));
  add("worktree_path", NullIfEmpty(identity.worktree_path));
  add("created_at", FormatUtcMicros(identity.created_at));
  add("started_at", TimeOrNull(identity.started_at));
  add("last_activity", TimeOrNull(identity.last_activity));
  add("exit", ExitJson(identity.exit));
  add("due", TimeOrNull(identity.restart.due));
  add("reason", NullIfEmpty(row.reason));
  add("respawn", identity.respawn);
  add("tainted", identity.tainted);
  add("hook_status", row.hook ? Json(HookStatusName(row.hook->status)) : Json());
  add("pending_messages", row.messages);
  add("needs", NullIfEmpty(row.needs));
  add("task", NullIfEmpty(row.task));
  add("timeout_at", TimeOrNull(row.timeout_at));
}

}  // namespace

Json RowJson(const AgentRow& row) {
  Json::Object members;
  EachMember(row, [&](std::string_view key, Json value) {
    members.push_back({std::string(key), std::move(value)});
  });
  return members;
}

void AppendRow(const AgentRow& row, std::string& out) {
  char before = '{';
  EachMember(row, [&](std::string_view key, const Json& value) {
    out += before;
    out += '"';
    out += key;
    out += "\":";
    AppendJson(value, out);
    before = ',';
  });
  out += '}';
}

Table AgentsTable(const std::vector<AgentRow>& rows, WallTime now) {
  Table table{.columns = {{.title = "agent", .fit = Fit::kCut, .min_width = 20},
                          {.title = "colour", .drop_order = 6},
                          {.title = "status"},
                          {.title = "phase", .drop_order = 7},
                          {.title = "node", .fit = Fit::kCut, .drop_order = 3},
                          {.title = "seen", .align = Align::kRight},
                          {.title = "context", .align = Align::kRight, .drop_order = 5},
                          {.title = "restarts", .align = Align::kRight, .drop_order = 4},
                          {.title = "host", .drop_order = 1},
                          {.title = "pid", .align = Align::kRight, .drop_order = 2},
                          {.title = "note", .fit = Fit::kWrap, .min_width = 24}}};
  table.rows.reserve(rows.size());
  for (const AgentRow& row : rows) table.rows.push_back(CellsOf(row, now));
  return table;
}

namespace {

std::string Ids(const std::vector<std::uint64_t>& numbers) {
  return Join(numbers, ", ", [](std::uint64_t number) { return fmt::format("m{}", number); });
}

// A note about the entry, in one line.
std::string NoteOf(const MergeRow& row) {
  const MergeEntry& entry = *row.entry;
  if (entry.status == MergeStatus::kMerged) {
    const std::string pending = entry.delete_pending ? ", its branch is still in use" : "";
    const std::string behind = entry.follow_pending ? ", a checkout of the target is behind" : "";
    return fmt::format("as {}{}{}", entry.merged_as.substr(0, 10), pending, behind);
  }
  if (!row.waits_for.empty()) return fmt::format("waits for {}", Ids(row.waits_for));
  return entry.last_error;
}

void AddLine(std::string_view title, std::string_view value, std::string& text) {
  if (!value.empty()) text += fmt::format("{:<11} {}\n", title, Printable(value));
}

// Drops columns without any text, to leave room for the others.
void DropEmptyColumns(Table& table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    const bool empty = std::ranges::all_of(
        table.rows, [&](const std::vector<Cell>& row) { return row[i].text.empty(); });
    if (!empty || table.rows.empty()) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (std::vector<Cell>& row : table.rows) row.erase(row.begin() + at);
  }
}

}  // namespace

std::string WaitingText(const std::vector<QueuePlace>& places) {
  std::string text;
  for (const QueuePlace& place : places) {
    if (IsWaiting(place.entry->status)) {
      text += fmt::format("{} waits: {}\n", place.entry->id(), Printable(place.entry->last_error));
    }
    if (place.waits_for.empty()) continue;
    text += fmt::format("{} waits for {}\n", place.entry->id(), Ids(place.waits_for));
  }
  return text;
}

Tone MergeTone(MergeStatus status) {
  if (status == MergeStatus::kMerged) return Tone::kGood;
  if (IsParked(status)) return Tone::kBad;
  if (status == MergeStatus::kCancelled) return Tone::kDim;
  return status == MergeStatus::kQueued ? Tone::kPlain : Tone::kAccent;
}

Json MergeRowJson(const MergeRow& row) {
  Json record = ToJson(*row.entry);
  record.Set("position", row.position ? Json(static_cast<std::int64_t>(*row.position)) : Json());
  record.Set("waits_for", MakeArray(row.waits_for, [](std::uint64_t number) {
               return fmt::format("m{}", number);
             }));
  return record;
}

Table MergeTable(const std::vector<MergeRow>& rows, WallTime now) {
  Table table{.columns = {{.title = "#", .align = Align::kRight},
                          {.title = "entry"},
                          {.title = "branch", .fit = Fit::kCut, .min_width = 12},
                          {.title = "target", .drop_order = 2},
                          {.title = "status"},
                          {.title = "by", .fit = Fit::kCut, .min_width = 8, .drop_order = 1},
                          {.title = "age", .align = Align::kRight, .drop_order = 3},
                          {.title = "", .fit = Fit::kCut, .min_width = 16}}};
  for (const MergeRow& row : rows) {
    const MergeEntry& entry = *row.entry;
    table.rows.push_back({{row.position ? std::to_string(*row.position) : "", Tone::kDim},
                          {entry.id(), Tone::kBold},
                          {entry.branch},
                          {entry.target, Tone::kDim},
                          {std::string(MergeStatusName(entry.status)), MergeTone(entry.status)},
                          {entry.identity_name},
                          {AgeText(entry.requested_at, now), Tone::kDim},
                          {NoteOf(row)}});
  }
  DropEmptyColumns(table);
  return table;
}

std::string MergeDetails(const MergeRow& row, WallTime now) {
  const MergeEntry& entry = *row.entry;
  std::string text;
  AddLine("entry", entry.id(), text);
  AddLine("branch", fmt::format("{} onto {}", entry.branch, entry.target), text);
  const std::string place =
      row.position ? fmt::format(", number {} in the queue", *row.position) : "";
  AddLine("status",
          fmt::format("{} for {}{}", MergeStatusName(entry.status), AgeText(entry.changed_at, now),
                      place),
          text);
  AddLine("waits for", Ids(row.waits_for), text);
  AddLine("agent", entry.identity_name, text);
  AddLine("head", entry.head, text);
  AddLine("base", entry.base, text);
  AddLine("candidate", entry.candidate, text);
  AddLine("merged as", entry.merged_as, text);
  AddLine("proof", entry.proof, text);
  if (entry.attempts > 0) AddLine("attempts", std::to_string(entry.attempts), text);
  AddLine("error", entry.last_error, text);
  for (const GateResult& gate : entry.gate_results) {
    AddLine(fmt::format("gate {}", gate.name),
            fmt::format("{} ({} run{}, {}): {}", GateOutcomeName(gate.outcome), gate.runs,
                        gate.runs == 1 ? "" : "s", FormatDuration(gate.took), gate.log),
            text);
  }
  if (!entry.conflict.files.empty()) {
    AddLine("conflicts", ConflictSides(entry), text);
    text += ConflictDetails(entry);
  }
  return text;
}

Result<std::uint64_t> EntryArgument(const Invocation& invocation) {
  const std::string& text = invocation.operands().front();
  if (const std::optional<std::uint64_t> number = ParseMergeEntryId(text)) return *number;
  return Error{ErrorCode::kUsage, fmt::format("{} is not an entry of the queue", Quote(text)),
               "entries look like m7; belay merge-queue list shows them"};
}

}  // namespace belay
