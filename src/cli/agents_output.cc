// How the rows of `belay agents` look, as a table and as JSON.

#include <fmt/core.h>

#include "cli/agents_view.h"

namespace belay {
namespace {

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json TimeOrNull(const std::optional<WallTime>& time) {
  return time ? Json(FormatUtcMicros(*time)) : Json();
}

Json ExitJson(const std::optional<AgentExit>& exit) {
  if (!exit) return {};
  return MakeObject({{"code", exit->code ? Json(*exit->code) : Json()},
                     {"signal", exit->signal ? Json(*exit->signal) : Json()},
                     {"cause", ExitCauseName(exit->cause)},
                     {"at", FormatUtcMicros(exit->at)}});
}

std::optional<double> ContextOf(const AgentRow& row) {
  if (row.identity->context_fill) return row.identity->context_fill;
  return row.hook != nullptr ? row.hook->context_fill : std::nullopt;
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

std::string NoteOf(const AgentRow& row) {
  if (!row.identity->tainted) return row.reason;
  return row.reason.empty() ? "tainted" : "tainted; " + row.reason;
}

std::vector<Cell> CellsOf(const AgentRow& row, WallTime now) {
  const Identity& identity = *row.identity;
  const Tone tone = ToneOf(row.color);
  const std::optional<double> context = ContextOf(row);
  return {{identity.id.text(), row.present ? Tone::kBold : Tone::kDim},
          {std::string(AgentColorName(row.color)), tone},
          {std::string(AgentStatusName(row.status)), tone},
          {row.hook != nullptr ? std::string(WorkPhaseName(row.hook->work_phase)) : ""},
          {identity.node_id},
          {AgeText(row.last_seen, now)},
          {context ? fmt::format("{:.0f}%", *context) : ""},
          {std::to_string(identity.restart.restarts)},
          {std::string(AgentHostName(identity.host)), Tone::kDim},
          {row.pid ? std::to_string(*row.pid) : "", Tone::kDim},
          {NoteOf(row)}};
}

}  // namespace

Json RowJson(const AgentRow& row) {
  const Identity& identity = *row.identity;
  const std::optional<double> context = ContextOf(row);
  const std::string_view phase =
      row.hook != nullptr ? WorkPhaseName(row.hook->work_phase) : std::string_view();
  return MakeObject(
      {{"agent_id", identity.id.text()},
       {"role", identity.id.identity().role()},
       {"name", identity.id.identity().name()},
       {"incarnation", identity.id.incarnation()},
       {"status", AgentStatusName(row.status)},
       {"color", AgentColorName(row.color)},
       {"pid", row.pid ? Json(*row.pid) : Json()},
       {"work_phase", phase.empty() ? Json() : Json(phase)},
       {"node_id", TextOrNull(identity.node_id)},
       {"last_seen", FormatUtcMicros(row.last_seen)},
       {"context_fill", context ? Json::FromDouble(*context) : Json()},
       {"restarts", identity.restart.restarts},
       {"host", AgentHostName(identity.host)},
       {"predecessor_id", identity.predecessor_id ? Json(*identity.predecessor_id) : Json()},
       {"identity_name", identity.id.identity().text()},
       {"present", row.present},
       {"recorded_status", AgentStatusName(identity.status)},
       {"agent_kind", AgentKindName(identity.agent_kind)},
       {"bead_id", TextOrNull(identity.bead_id)},
       {"worktree_path", TextOrNull(identity.worktree_path)},
       {"created_at", FormatUtcMicros(identity.created_at)},
       {"started_at", TimeOrNull(identity.started_at)},
       {"last_activity", TimeOrNull(identity.last_activity)},
       {"exit", ExitJson(identity.exit)},
       {"due", TimeOrNull(identity.restart.due)},
       {"reason", TextOrNull(row.reason)},
       {"respawn", identity.respawn},
       {"tainted", identity.tainted}});
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
                          {.title = "note", .fit = Fit::kWrap, .min_width = 16}}};
  table.rows.reserve(rows.size());
  for (const AgentRow& row : rows) table.rows.push_back(CellsOf(row, now));
  return table;
}

}  // namespace belay
