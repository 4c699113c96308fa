#include <fmt/core.h>
#include <fmt/format.h>

#include "adapters/git/fields.h"
#include "app/snapshots.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "cli/text.h"
#include "snapshot/snapshot_changes.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::size_t kFlushShownAt = std::size_t{64} << 10U;

std::string Line(std::string_view name, std::string_view value, const Style& style) {
  return fmt::format("{}{}\n", style.Paint(Tone::kDim, fmt::format("{:<10}", name)),
                     Printable(value));
}

std::string Head(const SavedSnapshot& snapshot, const Style& style) {
  const SnapshotRecord& record = snapshot.record;
  std::string text = Line("snapshot", snapshot.id.text(), style);
  text += Line("commit", snapshot.commit.text(), style);
  if (!snapshot.readable) {
    return text + Line("record", "of a newer belay, or not belay's", style);
  }
  text += Line("taken", TimeText(record.at) + " UTC", style);
  text += Line("reason", record.message, style);
  if (!record.agent_id.empty()) text += Line("agent", record.agent_id, style);
  text += Line("worktree", QuotePath(record.worktree), style);
  text +=
      Line("branch", record.branch.empty() ? "none (detached)" : QuotePath(record.branch), style);
  text +=
      Line("base", record.has_base ? snapshot.base.text() : "none: nothing was committed", style);
  return text + Line("captured",
                     fmt::format("{}, {}", CountText(record.files, "file"), SizeText(record.bytes)),
                     style);
}

Tone ToneOf(const SnapshotChange& change) {
  if (change.unmerged) return Tone::kBad;
  return change.deleted ? Tone::kWarning : change.untracked ? Tone::kAccent : Tone::kGood;
}

std::string PathTable(const SavedSnapshot& snapshot, const std::vector<SnapshotChange>& changes,
                      const Screen& screen) {
  Table table{.columns = {{.title = "what"}, {.title = "path"}}};
  for (const SnapshotChange& change : changes) {
    table.rows.push_back({{fmt::format("{}", fmt::join(change.Words(), ", ")), ToneOf(change)},
                          {QuotePath(change.path)}});
  }
  for (const SkippedPath& path : snapshot.record.skipped) {
    table.rows.push_back(
        {{"not captured", Tone::kWarning},
         {fmt::format("{} ({})", QuotePath(path.path), SkipReasonMeaning(path.reason))}});
  }
  const std::string text = Render(table, {screen.columns, screen.style});
  return text.empty() ? text : "\n" + text;
}

Json Record(const SavedSnapshot& snapshot, const std::vector<SnapshotChange>& changes) {
  Json record = SnapshotJson(snapshot);
  Json paths = Json::EmptyArray();
  for (const SnapshotChange& change : changes) {
    Json what = Json::EmptyArray();
    for (const std::string_view word : change.Words()) what.Append(word);
    paths.Append(MakeObject({{"path", QuotePath(change.path)}, {"what", std::move(what)}}));
  }
  record.Set("paths", std::move(paths));
  record.Set("skipped", SkippedJson(snapshot.record.skipped));
  return record;
}

// JSON has only text; a patch with other bytes in it would be another patch.
Result<void> CheckIsText(const std::string& diff, const std::string& id) {
  if (FindInvalidUtf8(diff) == std::string::npos) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("the changes of {} aren't all UTF-8, and JSON can't hold them", id),
               fmt::format("belay snapshot show {} --diff, without --json, prints them", id)};
}

}  // namespace

Result<int> RunSnapshotShow(const Invocation& invocation, Services& services) {
  Io& io = services.io;
  const bool diff = invocation.Has("--diff");
  std::string patch;
  SnapshotShowRequest request{.snapshot = invocation.operands()[0], .changes = io.json || !diff};
  if (diff) {
    // As git prints it, for `git apply` and the like, so nothing is escaped.
    request.diff = [&](std::string_view piece) -> Result<void> {
      (io.json ? patch : io.out) += piece;
      return io.out.size() < kFlushShownAt ? Result<void>() : io.Flush();
    };
  }
  BELAY_TRY_ASSIGN(const SnapshotShowOutcome shown, ShowSnapshot(services, request));
  if (!request.changes) return 0;
  Json record = Record(shown.snapshot, shown.changes);
  if (diff) {
    BELAY_TRY(CheckIsText(patch, shown.snapshot.id.text()));
    record.Set("diff", std::move(patch));
  }
  io.Show(std::move(record), Head(shown.snapshot, io.screen.style) +
                                 PathTable(shown.snapshot, shown.changes, io.screen));
  return 0;
}

}  // namespace belay
