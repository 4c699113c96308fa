#include <fmt/core.h>

#include "adapters/git/quoted_path.h"
#include "base/path.h"
#include "cli/commands/commands.h"
#include "cli/snapshot_place.h"
#include "cli/snapshot_text.h"
#include "snapshot/restore.h"
#include "ui/width.h"

namespace belay {
namespace {

// What was asked for, and what came of it.
struct Outcome {
  SavedSnapshot snapshot;
  Restored restored;
  std::string worktree = {};  // where it is restored; empty: into a folder
  std::optional<std::string> into = {};
  bool dry_run = false;
  std::vector<std::string> warnings = {};
};

// Whether it is restored elsewhere than it was taken.
bool IsFromElsewhere(const Outcome& outcome) {
  const std::string& taken_in = outcome.snapshot.record.worktree;
  return !outcome.worktree.empty() && !taken_in.empty() && taken_in != outcome.worktree;
}

void AddRows(Table& table, std::string_view what, Tone tone,
             const std::vector<NotRestored>& paths) {
  for (const NotRestored& path : paths) {
    table.rows.push_back({{std::string(what), tone}, {QuotePath(path.path)}, {path.why}});
  }
}

std::string PathTable(const Outcome& outcome, const Screen& screen) {
  const Restored& restored = outcome.restored;
  Table table{.columns = {{.title = outcome.dry_run ? "would be" : "now"}, {.title = "path"}}};
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

std::string Headline(const Outcome& outcome) {
  const std::string id = outcome.snapshot.id.text();
  if (!outcome.restored.conflicts.empty()) return {};
  if (outcome.restored.files.empty()) {
    return fmt::format("{}: everything is here already\n", id);
  }
  const std::string files = CountText(outcome.restored.files.size(), "file");
  const std::string where = outcome.into ? " into " + Printable(*outcome.into) : "";
  return fmt::format("{}: {} {}{}\n", id, files, outcome.dry_run ? "would be restored" : "restored",
                     where);
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

Json Record(const Outcome& outcome) {
  const Restored& restored = outcome.restored;
  const std::string& taken_in = outcome.snapshot.record.worktree;
  return MakeObject({{"id", outcome.snapshot.id.text()},
                     {"commit", outcome.snapshot.commit.text()},
                     {"taken_in", taken_in.empty() ? Json() : Json(QuotePath(taken_in))},
                     {"worktree", outcome.into ? Json() : Json(QuotePath(outcome.worktree))},
                     {"into", outcome.into ? Json(QuotePath(*outcome.into)) : Json()},
                     {"dry_run", outcome.dry_run},
                     {"restored", PathList(restored.files)},
                     {"skipped", ReasonList(restored.skipped)},
                     {"conflicts", ReasonList(restored.conflicts)},
                     {"merges_cleanly", restored.merges_cleanly},
                     {"kept", PathList(restored.kept)},
                     {"rescue", restored.rescue ? Json(restored.rescue->id.text()) : Json()},
                     {"warnings", TextList(outcome.warnings)}});
}

Error Refusal(const Outcome& outcome) {
  const std::string id = outcome.snapshot.id.text();
  return {ErrorCode::kRefused,
          fmt::format("{} changed since {} was taken; nothing was restored",
                      CountText(outcome.restored.conflicts.size(), "file"), id),
          outcome.restored.merges_cleanly
              ? fmt::format("belay snapshot restore {} --merge merges both", id)
              : fmt::format("belay snapshot restore {} --into DIR puts it beside, to compare", id)};
}

void Record(const SnapshotPlace& place, Services& services, Outcome& outcome) {
  RestoredEvent event{.id = outcome.snapshot.id.text(),
                      .commit = outcome.snapshot.commit.text(),
                      .worktree = QuotePath(place.repository.worktree),
                      .files = outcome.restored.files.size()};
  if (outcome.into) event.into = QuotePath(*outcome.into);
  std::optional<TakenEvent> rescue;
  if (outcome.restored.rescue) {
    rescue = TakenEventOf(*outcome.restored.rescue);
    event.rescue = rescue->id;
  }
  const std::vector<std::string> more =
      RecordIfSetUp(services, place.project, [&](auto& ledger, const StateLock& lock) {
        return ledger.RecordRestored(lock, event, rescue);
      });
  outcome.warnings.insert(outcome.warnings.end(), more.begin(), more.end());
}

Result<Outcome> Restore(const Invocation& invocation, const SnapshotPlace& place,
                        SavedSnapshot snapshot, Services& services) {
  if (const auto into = invocation.Value("--into")) {
    const std::string folder = JoinPath(services.current_folder, *into);
    BELAY_TRY_ASSIGN(Restored restored, RestoreInto(place.At(services), snapshot, folder));
    const Result<std::string> real = services.files.Resolve(folder);
    return Outcome{.snapshot = std::move(snapshot),
                   .restored = std::move(restored),
                   .into = real ? *real : folder};
  }
  BELAY_TRY_ASSIGN(const SnapshotSettings settings,
                   SnapshotSettingsOrDefaults(invocation, services, place.project));
  const RestoreRequest request{.snapshot = snapshot,
                               .keep = place.keep,
                               .rules = settings.rules,
                               .merge = invocation.Has("--merge"),
                               .dry_run = invocation.Has("--dry-run")};
  BELAY_TRY_ASSIGN(Restored restored, RestoreSnapshot(place.At(services), request));
  return Outcome{.snapshot = std::move(snapshot),
                 .restored = std::move(restored),
                 .worktree = place.repository.worktree,
                 .dry_run = request.dry_run,
                 .warnings = settings.warnings};
}

void SayWarnings(const Outcome& outcome, Io& io) {
  if (IsFromElsewhere(outcome)) {
    io.Say(fmt::format("{} was taken in {}, another worktree than this: {}",
                       outcome.snapshot.id.text(), QuotePath(outcome.snapshot.record.worktree),
                       QuotePath(outcome.worktree)));
  }
  for (const std::string& warning : outcome.warnings) io.Say(Printable(warning));
}

int Refuse(const Outcome& outcome, Io& io) {
  SayWarnings(outcome, io);
  const Error refusal = Refusal(outcome);
  io.ShowFailure(Record(outcome), PathTable(outcome, io.screen), refusal);
  if (!io.json) io.ShowError(refusal);
  return ExitCode(refusal.code);
}

Result<SavedSnapshot> FindReadable(const SnapshotPlace& place, const std::string& text) {
  BELAY_TRY_ASSIGN(SavedSnapshot snapshot, FindSnapshot(place.git, place.keep, text));
  if (snapshot.readable) return snapshot;
  return Error{ErrorCode::kDamaged,
               fmt::format("{} is of a newer belay, or not belay's", snapshot.id.text()),
               fmt::format("use that belay; git stash show -p --include-untracked {} shows it",
                           snapshot.commit.text())};
}

}  // namespace

Result<int> RunSnapshotRestore(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SnapshotPlace place, FindSnapshotPlace(invocation, services));
  BELAY_TRY_ASSIGN(SavedSnapshot snapshot, FindReadable(place, invocation.operands()[0]));
  BELAY_TRY_ASSIGN(Outcome outcome, Restore(invocation, place, std::move(snapshot), services));
  Io& io = services.io;
  if (!outcome.restored.conflicts.empty()) return Refuse(outcome, io);
  const bool done = !outcome.dry_run && !outcome.restored.files.empty();
  if (done) Record(place, services, outcome);
  io.Show(Record(outcome), Headline(outcome) + PathTable(outcome, io.screen));
  if (const auto& rescue = outcome.restored.rescue) {
    io.Say(fmt::format("what was here before is {}; belay snapshot restore {} --into DIR shows it",
                       rescue->id.text(), rescue->id.text()));
  }
  SayWarnings(outcome, io);
  return 0;
}

}  // namespace belay
