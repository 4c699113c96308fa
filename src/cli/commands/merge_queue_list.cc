#include <fmt/core.h>

#include <algorithm>

#include "app/merge_place.h"
#include "app/settings.h"
#include "cli/commands/commands.h"
#include "cli/merge_view.h"
#include "cli/signal_text.h"
#include "ledger/merge_ledger.h"
#include "store/vault.h"

namespace belay {

Result<int> RunMergeQueueList(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(services));
  BELAY_TRY(CheckVault(services.files, project, VaultUse::kRead));
  MergeLedger ledger(services.files, services.clock, project);
  BELAY_TRY(ledger.CatchUp());
  const bool all = invocation.Has("--all");
  const WallTime now = services.clock.Wall();
  const std::vector<MergeRow> rows = MergeRows(ledger.book(), now, all);
  Io& io = services.io;
  Json::Array entries;
  for (const MergeRow& row : rows) entries.push_back(MergeRowJson(row));
  const bool queued =
      std::ranges::any_of(rows, [](const MergeRow& row) { return row.position.has_value(); });
  const std::string stuck = queued ? WhyNothingLands(services, project) : std::string();
  io.Show(MakeObject({{"entries", std::move(entries)},
                      {"nothing_lands", stuck.empty() ? Json() : Json(stuck)}}),
          rows.empty() ? std::string()
                       : Render(MergeTable(rows, now), {io.screen.columns, io.screen.style}));
  if (rows.empty()) {
    io.Say(all ? "the queue was never used; belay merge-queue add BRANCH"
               : "nothing is queued; --all shows what has landed");
  }
  if (!stuck.empty()) io.Say(stuck);
  for (const auto& [branch, target] : ledger.book().targets()) {
    if (target.paused) io.Say(fmt::format("{} is paused: {}", branch, target.paused_why));
  }
  if (const std::string line = PersonMessagesLine(services, project); !line.empty()) io.Say(line);
  return 0;
}

}  // namespace belay
