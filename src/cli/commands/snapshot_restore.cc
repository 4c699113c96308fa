#include <fmt/core.h>

#include "adapters/git/fields.h"
#include "app/snapshots.h"
#include "cli/commands/commands.h"
#include "cli/text.h"
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
  if (outcome.restored.files.empty()) {
    return fmt::format("{}: everything is here already\n", id);
  }
  const std::string files = CountText(outcome.restored.files.size(), "file");
  const std::string where = outcome.into ? " into " + Printable(*outcome.into) : "";
  return fmt::format("{}: {} {}{}\n", id, files, dry_run ? "would be restored" : "restored", where);
}

Json PathList(const std::vector<std::string>& paths) {
  Json list = Json::EmptyArray();
  for (const std::string& path : paths) list.Append(QuotePath(path));
  return list;
}

Json ReasonList(const std::vector<NotRestored>& paths) {
  Json list = Json::EmptyArray();
  for (const NotRestored& path : paths) {
    list.Append(MakeObject({{"path", QuotePath(path.path)}, {"reason", path.why}}));
  }
  return list;
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
                     {"restored", PathList(restored.files)},
                     {"skipped", ReasonList(restored.skipped)},
                     {"conflicts", ReasonList(restored.conflicts)},
                     {"merges_cleanly", restored.merges_cleanly},
                     {"kept", PathList(restored.kept)},
                     {"rescue", restored.rescue ? Json(restored.rescue->id.text()) : Json()},
                     {"warnings", TextList(outcome.warnings)}});
}

Error Refusal(const SnapshotRestoreOutcome& outcome) {
  const std::string id = outcome.snapshot.id.text();
  return {ErrorCode::kRefused,
          fmt::format("{} changed since {} was taken; nothing was restored",
                      CountText(outcome.restored.conflicts.size(), "file"), id),
          outcome.restored.merges_cleanly
              ? fmt::format("belay snapshot restore {} --merge merges both", id)
              : fmt::format("belay snapshot restore {} --into DIR puts it beside, to compare", id)};
}

void SayWarnings(const SnapshotRestoreOutcome& outcome, Io& io) {
  if (IsFromElsewhere(outcome)) {
    io.Say(fmt::format("{} was taken in {}, another worktree than this: {}",
                       outcome.snapshot.id.text(), QuotePath(outcome.snapshot.record.worktree),
                       QuotePath(outcome.worktree)));
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
    io.Say(fmt::format("what was here before is {}; belay snapshot restore {} --into DIR shows it",
                       rescue->id.text(), rescue->id.text()));
  }
  SayWarnings(outcome, io);
  return 0;
}

}  // namespace belay
