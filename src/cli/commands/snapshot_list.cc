#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "app/snapshot_place.h"
#include "app/snapshots.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "cli/snapshot_text.h"

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

// A name that was typed must be that of something.
Result<void> CheckName(const SnapshotPlace& place, const KeepName& keep, const FileSystem& files) {
  std::set<KeepName> names;
  for (KeepName& name : WorktreeNames(place, files)) names.insert(std::move(name));
  BELAY_TRY_ASSIGN(const std::vector<SavedSnapshot> all, ListSnapshots(place.git, std::nullopt));
  for (const SavedSnapshot& snapshot : all) names.insert(snapshot.id.keep);
  if (names.contains(keep)) return {};
  std::string known;
  for (const KeepName& name : names) known += (known.empty() ? "" : ", ") + name.text();
  return Error{ErrorCode::kNotFound, fmt::format("nothing here is called {}", Quote(keep.text())),
               fmt::format("there are {}", known)};
}

// An agent that is called so, or else whatever has that name.
Result<KeepName> KeepNamed(const SnapshotPlace& place, const std::string& text,
                           Services& services) {
  const Result<std::optional<Identity>> agent = FindAgentNamed(place.project, text, services);
  if (agent && *agent) return KeepName::OfAgent((*agent)->id.identity());
  BELAY_TRY_ASSIGN(KeepName keep, KeepName::Parse(text));
  const Result<void> known = CheckName(place, keep, services.files);
  if (known) return keep;
  return agent ? known.error() : agent.error();
}

// Whose to list; nothing: everybody's.
Result<std::optional<KeepName>> Whose(const Invocation& invocation, const SnapshotPlace& place,
                                      Services& services) {
  const bool named = !invocation.operands().empty();
  const bool all = invocation.Has("--all");
  if (named && all) {
    return Error{ErrorCode::kUsage, "a name and --all can't stand together", "leave one out"};
  }
  if (all) return std::optional<KeepName>();
  if (!named) return std::optional<KeepName>(place.keep);
  BELAY_TRY_ASSIGN(KeepName keep, KeepNamed(place, invocation.operands()[0], services));
  return std::optional<KeepName>(std::move(keep));
}

}  // namespace

Result<int> RunSnapshotList(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SnapshotPlace place, FindSnapshotPlace(services));
  BELAY_TRY_ASSIGN(const std::optional<KeepName> keep, Whose(invocation, place, services));
  const bool here = invocation.operands().empty() && keep;
  BELAY_TRY_ASSIGN(const std::vector<SavedSnapshot> snapshots,
                   here ? ListSnapshotsHere(place) : ListSnapshots(place.git, keep));
  Json list = Json::EmptyArray();
  for (const SavedSnapshot& snapshot : snapshots) list.Append(SnapshotJson(snapshot));
  Io& io = services.io;
  io.Show(MakeObject({{"snapshots", std::move(list)}}), ListTable(snapshots, io.screen));
  if (snapshots.empty()) {
    io.Say(fmt::format("no snapshots{}; belay snapshot take takes one, list --all shows all",
                       keep ? " of " + keep->text() : ""));
  }
  return 0;
}

}  // namespace belay
