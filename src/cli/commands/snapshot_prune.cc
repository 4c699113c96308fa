#include <fmt/core.h>

#include <charconv>

#include "app/snapshots.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "cli/text.h"

namespace belay {
namespace {

Result<std::uint64_t> ParseCount(const std::string& text) {
  std::uint64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, count);
  if (problem == std::errc() && stop == end && count > 0) return count;
  return Error{ErrorCode::kUsage, fmt::format("--keep {}: not a number of snapshots", Quote(text)),
               "from 1 on: the last one of each worktree always stays"};
}

Result<SnapshotPruneRequest> ParsePruneRequest(const Invocation& invocation) {
  SnapshotPruneRequest request{.dry_run = invocation.Has("--dry-run")};
  if (const auto keep = invocation.Value("--keep")) {
    BELAY_TRY_ASSIGN(request.keep, ParseCount(*keep));
  }
  if (const auto age = invocation.Value("--older-than")) {
    const Result<Duration> length = ParseDuration(*age);
    if (!length) {
      return Error{ErrorCode::kUsage,
                   fmt::format("--older-than {}: not a length of time", Quote(*age)),
                   "such as 12h or 30d"};
    }
    request.older_than = *length;
  }
  return request;
}

std::string PrunedTable(const std::vector<Expired>& expired, bool dry_run, const Screen& screen) {
  Table table{.columns = {{.title = dry_run ? "would go" : "deleted"},
                          {.title = "taken (UTC)"},
                          {.title = "size", .align = Align::kRight},
                          {.title = "why"},
                          {.title = "commit", .drop_order = 1}}};
  for (const auto& [snapshot, reason] : expired) {
    table.rows.push_back({{snapshot.id.text(), Tone::kAccent},
                          {TimeText(snapshot.record.at)},
                          {SizeText(snapshot.record.bytes)},
                          {reason},
                          {snapshot.commit.text(), Tone::kDim}});
  }
  return Render(table, {screen.columns, screen.style});
}

Json Record(const std::vector<Expired>& expired, bool dry_run) {
  Json list = Json::EmptyArray();
  for (const auto& [snapshot, reason] : expired) {
    Json one = SnapshotJson(snapshot);
    one.Set("why", reason);
    list.Append(std::move(one));
  }
  return MakeObject({{"dry_run", dry_run}, {"pruned", std::move(list)}});
}

}  // namespace

Result<int> RunSnapshotPrune(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SnapshotPruneRequest request, ParsePruneRequest(invocation));
  BELAY_TRY_ASSIGN(const std::vector<Expired> expired, PruneSnapshots(services, request));
  const bool dry_run = request.dry_run;
  Io& io = services.io;
  io.Show(Record(expired, dry_run), PrunedTable(expired, dry_run, io.screen));
  if (expired.empty()) io.Say("nothing to prune");
  if (!expired.empty() && !dry_run) io.Say("git gc frees their space in time");
  return 0;
}

}  // namespace belay
