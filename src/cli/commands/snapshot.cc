#include <fmt/core.h>
#include <fmt/format.h>

#include "adapters/git/fields.h"
#include "app/program_outcome.h"
#include "app/snapshots.h"
#include "base/text.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "cli/text.h"
#include "snapshot/saved_snapshot.h"
#include "ui/width.h"

namespace belay {
namespace {

// Whether it is restored elsewhere than where it was taken.
bool IsFromElsewhere(const SnapshotRestoreOutcome& outcome) {
  const std::string& taken_in = outcome.snapshot.record.worktree;
  return !outcome.worktree.empty() && !taken_in.empty() && taken_in != outcome.worktree;
}

void AddRows(Table& table, std::string_view what, Tone tone,
             const std::vector<NotRestored>& paths) {
  for (const NotRestored& path : paths) {
    table.rows.push_back({{std::string(what), tone}, {QuotePath(path.path)}, {path.why}});
  }
}

std::string PathTable(const SnapshotRestoreOutcome& outcome, bool dry_run, const Screen& screen) {
  const Restored& restored = outcome.restored;
  Table table{.columns = {{.title = dry_run ? "would be" : "now"}, {.title = "path"}}};
  if (!restored.conflicts.empty() || !restored.skipped.empty()) {
    table.columns.push_back({.title = "why", .fit = Fit::kWrap, .min_width = 16});
  }
  for (const std::string& path : restored.files) {
    table.rows.push_back({{"restored", Tone::kGood}, {QuotePath(path)}});
  }
  AddRows(table, "in the way", Tone::kBad, restored.conflicts);
  AddRows(table, "left out", Tone::kWarning, restored.skipped);
  for (const std::string& path : restored.kept) {
    table.rows.push_back({{"left alone", Tone::kDim}, {QuotePath(path)}});
  }
  return Render(table, {screen.columns, screen.style});
}

std::string Headline(const SnapshotRestoreOutcome& outcome, bool dry_run) {
  const std::string id = outcome.snapshot.id.text();
  if (!outcome.restored.conflicts.empty()) return {};
  const std::string done = dry_run ? "would be restored" : "restored";
  if (outcome.into) {  // the whole worktree, with files that didn't differ from the base
    return fmt::format("{}: the whole worktree {} into {}, with {}\n", id, done,
                       Printable(*outcome.into),
                       CountText(outcome.restored.files.size(), "changed file"));
  }
  if (outcome.restored.files.empty()) {
    return fmt::format("{}: nothing to restore, everything is already here\n", id);
  }
  return fmt::format("{}: {} {}\n", id, CountText(outcome.restored.files.size(), "file"), done);
}

Json ReasonList(const std::vector<NotRestored>& paths) {
  return MakeArray(paths, [](const NotRestored& path) {
    return MakeObject({{"path", QuotePath(path.path)}, {"reason", path.why}});
  });
}

Json Record(const SnapshotRestoreOutcome& outcome, bool dry_run) {
  const Restored& restored = outcome.restored;
  const std::string& taken_in = outcome.snapshot.record.worktree;
  return MakeObject({{"id", outcome.snapshot.id.text()},
                     {"commit", outcome.snapshot.commit.text()},
                     {"taken_in", taken_in.empty() ? Json() : Json(QuotePath(taken_in))},
                     {"worktree", outcome.into ? Json() : Json(QuotePath(outcome.worktree))},
                     {"into", outcome.into ? Json(QuotePath(*outcome.into)) : Json()},
                     {"dry_run", dry_run},
                     {"restored", MakeArray(restored.files, QuotePath)},
                     {"skipped", ReasonList(restored.skipped)},
                     {"conflicts", ReasonList(restored.conflicts)},
                     {"merges_cleanly", restored.merges_cleanly},
                     {"kept", MakeArray(restored.kept, QuotePath)},
                     {"rescue", restored.rescue ? Json(restored.rescue->id.text()) : Json()},
                     {"warnings", MakeArray(outcome.warnings)}});
}

Error Refusal(const SnapshotRestoreOutcome& outcome) {
  const std::string id = outcome.snapshot.id.text();
  return {
      ErrorCode::kRefused,
      fmt::format("{} changed since {} was taken, so nothing was restored",
                  CountText(outcome.restored.conflicts.size(), "file"), id),
      outcome.restored.merges_cleanly
          ? fmt::format("belay snapshot restore {} --merge merges both", id)
          : fmt::format(
                "belay snapshot restore {} --into DIR restores it into another folder, to compare",
                id)};
}

void SayWarnings(const SnapshotRestoreOutcome& outcome, Io& io) {
  if (IsFromElsewhere(outcome)) {
    io.Say(fmt::format("{} was taken in {}, not in this worktree: {}", outcome.snapshot.id.text(),
                       QuotePath(outcome.snapshot.record.worktree), QuotePath(outcome.worktree)));
  }
  for (const std::string& warning : outcome.warnings) io.Say(Printable(warning));
}

int Refuse(const SnapshotRestoreOutcome& outcome, bool dry_run, Io& io) {
  SayWarnings(outcome, io);
  const Error refusal = Refusal(outcome);
  io.ShowFailure(Record(outcome, dry_run), PathTable(outcome, dry_run, io.screen), refusal);
  if (!io.json) io.ShowError(refusal);
  return ExitCode(refusal.code);
}

}  // namespace

Result<int> RunSnapshotRestore(const Invocation& invocation, Services& services) {
  const SnapshotRestoreRequest request{.snapshot = invocation.operands()[0],
                                       .into = invocation.Value("--into"),
                                       .merge = invocation.Has("--merge"),
                                       .dry_run = invocation.Has("--dry-run")};
  BELAY_TRY_ASSIGN(const SnapshotRestoreOutcome outcome, RestoreSnapshotNow(services, request));
  Io& io = services.io;
  const bool dry_run = request.dry_run;
  if (!outcome.restored.conflicts.empty()) return Refuse(outcome, dry_run, io);
  io.Show(Record(outcome, dry_run),
          Headline(outcome, dry_run) + PathTable(outcome, dry_run, io.screen));
  if (const auto& rescue = outcome.restored.rescue) {
    io.Say(
        fmt::format("saved the previous state as {}; belay snapshot restore {} --into DIR restores "
                    "it into another folder",
                    rescue->id.text(), rescue->id.text()));
  }
  SayWarnings(outcome, io);
  return 0;
}

namespace {

// "10 changed, 5 untracked, 12 KB"
std::string Content(const SnapshotTakeOutcome& now) {
  const SnapshotRecord& record = now.taken.snapshot.record;
  if (record.files == 0) return "no uncommitted changes";
  const std::optional<std::uint64_t> untracked = CountUntracked(now);
  if (!untracked) {
    return fmt::format("{}, {}", CountText(record.files, "file"), SizeText(record.bytes));
  }
  return fmt::format("{} changed, {} untracked, {}", record.files - *untracked, *untracked,
                     SizeText(record.bytes));
}

std::string Text(const SnapshotTakeOutcome& now, const Style& style) {
  const std::string id = style.Paint(Tone::kBold, now.taken.snapshot.id.text());
  if (!now.taken.is_new) return fmt::format("{}  no changes since it was taken\n", id);
  return fmt::format("{}  {}\n", id, Content(now));
}

Json Record(const Taken& taken, const std::vector<std::string>& warnings) {
  Json record = SnapshotJson(taken.snapshot);
  record.Set("new", taken.is_new);
  record.Set("skipped", SkippedJson(taken.snapshot.record.skipped));
  record.Set("unsteady", MakeArray(taken.snapshot.record.unsteady, QuotePath));
  record.Set("warnings", MakeArray(warnings));
  return record;
}

void SayWhatIsMissing(const SnapshotRecord& record, Io& io) {
  for (const SkippedPath& path : record.skipped) {
    if (path.reason == SkipReason::kUnreadable) continue;
    io.Say(fmt::format("not captured: {} ({})", Printable(QuotePath(path.path)),
                       SkipReasonMeaning(path.reason)));
  }
  for (const std::string& path : record.unsteady) {
    io.Say(
        fmt::format("captured while a process was writing to it: {}", Printable(QuotePath(path))));
  }
}

// What is missing from the snapshot.
std::optional<Error> Lacks(const SavedSnapshot& snapshot) {
  std::string names;
  std::size_t count = 0;
  for (const SkippedPath& path : snapshot.record.skipped) {
    if (path.reason != SkipReason::kUnreadable) continue;
    names += (count++ == 0 ? "" : ", ") + QuotePath(path.path);
  }
  if (count == 0) return std::nullopt;
  return Error{ErrorCode::kFailed,
               fmt::format("{} couldn't be read and {} not in {}: {}", CountText(count, "file"),
                           count == 1 ? "is" : "are", snapshot.id.text(), names),
               "make these files readable, then take another snapshot"};
}

}  // namespace

Result<int> RunSnapshotTake(const Invocation& invocation, Services& services) {
  SnapshotTakeRequest request{.message = invocation.Value("--message")};
  if (!invocation.operands().empty()) request.of = invocation.operands()[0];
  BELAY_TRY_ASSIGN(const SnapshotTakeOutcome now, TakeSnapshotNow(services, request));
  const SavedSnapshot& snapshot = now.taken.snapshot;
  Io& io = services.io;
  const std::string text = io.json ? "" : Text(now, io.screen.style);
  Json record = Record(now.taken, now.warnings);
  if (io.json) {
    // For the guardian, which records it. The snapshot is valid even if this fails.
    if (const Result<SnapshotOutcome> changed = ChangesIn(now)) AddOutcome(*changed, record);
  }
  SayWhatIsMissing(snapshot.record, io);
  for (const std::string& warning : now.warnings) io.Say(Printable(warning));
  const std::optional<Error> lacks = Lacks(snapshot);
  if (!lacks) {
    io.Show(std::move(record), text);
    return 0;
  }
  io.ShowFailure(std::move(record), text, *lacks);
  if (!io.json) io.ShowError(*lacks);
  return ExitCode(lacks->code);
}

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
                            {"made by a newer belay or another program", Tone::kWarning}});
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
    return Error{ErrorCode::kUsage, "a name and --all can't be combined", "use only one"};
  }
  BELAY_TRY_ASSIGN(const SnapshotListOutcome found, ListSnapshotsNow(services, request));
  Io& io = services.io;
  io.Show(MakeObject({{"snapshots", MakeArray(found.snapshots, SnapshotJson)}}),
          ListTable(found.snapshots, io.screen));
  if (found.snapshots.empty()) {
    io.Say(fmt::format("no snapshots{}; belay snapshot take takes one, list --all shows all",
                       found.keep ? " of " + found.keep->text() : ""));
  }
  return 0;
}

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
    return text + Line("record", "made by a newer belay or another program", style);
  }
  text += Line("taken", TimeText(record.at) + " UTC", style);
  text += Line("reason", record.message, style);
  if (!record.agent_id.empty()) text += Line("agent", record.agent_id, style);
  text += Line("worktree", QuotePath(record.worktree), style);
  text +=
      Line("branch", record.branch.empty() ? "none (detached)" : QuotePath(record.branch), style);
  text += Line("base", record.has_base ? snapshot.base.text() : "none: no commits yet", style);
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
  record.Set(
      "paths", MakeArray(changes, [](const SnapshotChange& change) {
        return MakeObject({{"path", QuotePath(change.path)}, {"what", MakeArray(change.Words())}});
      }));
  record.Set("skipped", SkippedJson(snapshot.record.skipped));
  return record;
}

// JSON has only text; a patch with other bytes in it would be another patch.
Result<void> CheckIsText(const std::string& diff, const std::string& id) {
  if (FindInvalidUtf8(diff) == std::string::npos) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("some changes in {} aren't UTF-8, and JSON can't hold them", id),
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

namespace {

Result<std::uint64_t> ParseCount(const std::string& text) {
  if (const auto count = ParseNumber<std::uint64_t>(text); count && *count > 0) return *count;
  return Error{ErrorCode::kUsage,
               fmt::format("--keep {} is not a number of snapshots", Quote(text)),
               "give 1 or more: the last snapshot of each worktree always stays"};
}

Result<SnapshotPruneRequest> ParsePruneRequest(const Invocation& invocation) {
  SnapshotPruneRequest request{.dry_run = invocation.Has("--dry-run")};
  if (const auto keep = invocation.Value("--keep")) {
    BELAY_TRY_ASSIGN(request.keep, ParseCount(*keep));
  }
  if (const auto age = invocation.Value("--older-than")) {
    const Result<Duration> length = ParseDuration(*age);
    if (!length) {
      return Error{ErrorCode::kUsage, fmt::format("--older-than {} is not a duration", Quote(*age)),
                   "write it like 12h or 30d"};
    }
    request.older_than = *length;
  }
  return request;
}

std::string PrunedTable(const std::vector<Expired>& expired, bool dry_run, const Screen& screen) {
  Table table{.columns = {{.title = dry_run ? "would delete" : "deleted"},
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
  const auto expired_json = [](const Expired& one) {
    Json json = SnapshotJson(one.snapshot);
    json.Set("why", one.reason);
    return json;
  };
  return MakeObject({{"dry_run", dry_run}, {"pruned", MakeArray(expired, expired_json)}});
}

}  // namespace

Result<int> RunSnapshotPrune(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SnapshotPruneRequest request, ParsePruneRequest(invocation));
  BELAY_TRY_ASSIGN(const std::vector<Expired> expired, PruneSnapshots(services, request));
  const bool dry_run = request.dry_run;
  Io& io = services.io;
  io.Show(Record(expired, dry_run), PrunedTable(expired, dry_run, io.screen));
  if (expired.empty()) io.Say("nothing to prune");
  if (!expired.empty() && !dry_run) io.Say("git gc frees their space later");
  return 0;
}

}  // namespace belay
