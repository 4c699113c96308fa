#include <fmt/core.h>

#include "app/snapshots.h"
#include "cli/commands/commands.h"
#include "cli/text.h"

namespace belay {
namespace {

std::string ListTable(const std::vector<SavedSnapshot>& snapshots, const Screen& screen) {
  Table table{.columns = {{.title = "id"},
                          {.title = "taken (UTC)"},
                          {.title = "files", .align = Align::kRight},
                          {.title = "size", .align = Align::kRight},
                          {.title = "base", .drop_order = 1},
                          {.title = "reason", .fit = Fit::kCut, .min_width = 12}}};
  for (const SavedSnapshot& snapshot : snapshots) {
    const SnapshotRecord& record = snapshot.record;
    if (!snapshot.readable) {
      table.rows.push_back({{snapshot.id.text(), Tone::kAccent},
                            {"?"},
                            {"?"},
                            {"?"},
                            {snapshot.base.Short(), Tone::kDim},
                            {"of a newer belay, or not belay's", Tone::kWarning}});
      continue;
    }
    table.rows.push_back({{snapshot.id.text(), Tone::kAccent},
                          {TimeText(record.at)},
                          {std::to_string(record.files)},
                          {SizeText(record.bytes)},
                          {record.has_base ? snapshot.base.Short() : "none", Tone::kDim},
                          {record.message}});
  }
  return Render(table, {screen.columns, screen.style});
}

}  // namespace

Result<int> RunSnapshotList(const Invocation& invocation, Services& services) {
  SnapshotListRequest request{.all = invocation.Has("--all")};
  if (!invocation.operands().empty()) request.name = invocation.operands()[0];
  if (request.name && request.all) {
    return Error{ErrorCode::kUsage, "a name and --all can't be combined", "leave one out"};
  }
  BELAY_TRY_ASSIGN(const SnapshotListOutcome found, ListSnapshotsNow(services, request));
  Json list = Json::EmptyArray();
  for (const SavedSnapshot& snapshot : found.snapshots) list.Append(SnapshotJson(snapshot));
  Io& io = services.io;
  io.Show(MakeObject({{"snapshots", std::move(list)}}), ListTable(found.snapshots, io.screen));
  if (found.snapshots.empty()) {
    io.Say(fmt::format("no snapshots{}; belay snapshot take takes one, list --all shows all",
                       found.keep ? " of " + found.keep->text() : ""));
  }
  return 0;
}

}  // namespace belay
