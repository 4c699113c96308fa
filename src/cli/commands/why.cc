#include "app/why.h"

#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/text.h"
#include "cli/views.h"
#include "ui/width.h"

namespace belay {
namespace {

// All are of one identity, so the incarnation is enough.
std::string IncarnationText(const std::string& agent_id) {
  const std::size_t hash = agent_id.find('#');
  return hash == std::string::npos ? std::string() : agent_id.substr(hash);
}

// The rows of an agent have a column for the incarnation; the status of an entry has its colour.
std::string HistoryTable(const WhyOutcome& why, const Screen& screen) {
  Table table{.columns = {{.title = "time (UTC)"},
                          {.title = "what"},
                          {.title = "why", .fit = Fit::kWrap, .min_width = 24}}};
  if (why.agent) table.columns.insert(table.columns.begin() + 1, {.title = "life"});
  for (const HistoryRecord& record : why.history.records) {
    const std::optional<MergeStatus> status =
        why.agent ? std::nullopt : ParseMergeStatus(record.kind);
    std::vector<Cell> row = {{TimeText(record.at), Tone::kDim},
                             {record.kind, status ? MergeTone(*status) : Tone::kBold},
                             {record.why}};
    if (why.agent) row.insert(row.begin() + 1, {IncarnationText(record.agent_id), Tone::kDim});
    table.rows.push_back(std::move(row));
  }
  return Render(table, {screen.columns, screen.style});
}

std::string NowOfAgent(const AgentRow& row, const std::string& next, WallTime now,
                       const Screen& screen) {
  const std::string reason = row.reason.empty() ? "" : fmt::format(" ({})", row.reason);
  const std::string pid = row.pid ? fmt::format(", pid {}", *row.pid) : "";
  const std::string task = row.task.empty() ? "" : fmt::format(", its task is {}", row.task);
  const std::string left = row.timeout_at ? ", " + TimeLeftText(*row.timeout_at, now) : "";
  return "\n" +
         Wrap(Printable(fmt::format("now: {} is {}{}{}{}{}. Next: {}.", row.identity->id.text(),
                                    AgentStatusName(row.status), pid, task, left, reason, next)),
              screen.ProseColumns(), 0, 2);
}

std::string NowOfEntry(const MergeEntry& entry, const std::string& next, const Screen& screen) {
  const std::string as =
      entry.merged_as.empty() ? "" : fmt::format(" as {}", entry.merged_as.substr(0, 10));
  const std::string tries =
      entry.attempts == 0 ? "" : fmt::format(", attempts: {}", entry.attempts);
  return "\n" + Wrap(Printable(fmt::format("now: {} ({} onto {}) is {}{}{}. Next: {}.", entry.id(),
                                           entry.branch, entry.target,
                                           MergeStatusName(entry.status), as, tries, next)),
                     screen.ProseColumns(), 0, 2);
}

}  // namespace

Result<int> RunWhy(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const WhyOutcome why, ExplainWhy(services, invocation.operands()[0]));
  Io& io = services.io;
  Json now = why.agent ? RowJson(*why.agent) : MergeRowJson(*why.place);
  now.Set("next", why.next);
  now.Set("guarded", why.guarded);
  for (const std::string& warning : why.history.warnings) io.Say(Printable(warning));
  io.Show(MakeObject({{"records", MakeArray(why.history.records, HistoryRecordJson)},
                      {"now", std::move(now)},
                      {"warnings", MakeArray(why.history.warnings)}}),
          HistoryTable(why, io.screen) +
              (why.agent ? NowOfAgent(*why.agent, why.next, services.clock.Wall(), io.screen)
                         : NowOfEntry(*why.entry, why.next, io.screen)));
  return why.history.failure ? ExitCode(why.history.failure->code) : 0;
}

}  // namespace belay
