// How the rows of `belay agents` look, as a table and as JSON.

#include "cli/agents_output.h"

#include <fmt/core.h>

#include "engine/supervise/restart_policy.h"
#include "model/json_fields.h"

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
    return fmt::format("belay release {} lifts it", identity.id.identity().text());
  }
  const bool waits = identity.status == AgentStatus::kCrashed && identity.restart.due;
  if (!waits) return {};
  const bool now_due = TimeUntil(identity.restart, now) <= Duration();
  if (!now_due) return DueText(identity.restart, now);
  return row.guarded ? "waits to be started by the guardian"
                     : "waits to be started: no guardian runs, belay guard";
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
  for (const std::string& part : {std::string(row.identity->tainted ? "tainted" : ""), row.reason,
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

}  // namespace belay
