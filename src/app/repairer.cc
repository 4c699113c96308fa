#include "app/repairer.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/state_files.h"
#include "base/path.h"
#include "store/archive.h"
#include "store/durable_file.h"
#include "store/timeline.h"
#include "store/vault.h"

namespace belay {
namespace {

std::string Describe(std::uint64_t lines) {
  if (lines == 0) {
    return "its header or a record was missing; all existing records are kept, and the old file is "
           "next to it";
  }
  return fmt::format("{} damaged {} set aside; the damaged file is next to it", lines,
                     lines == 1 ? "line" : "lines");
}

}  // namespace

Result<void> Repairer::Inspect() const {
  BELAY_TRY(CheckCanSetUp(files_, project_));
  return CheckVault(files_, project_, VaultUse::kWrite);
}

Result<std::vector<Repair>> Repairer::Run() {
  BELAY_TRY(Inspect());
  BELAY_TRY_ASSIGN(const ProjectLock lock,
                   RetryIfGone([&] { return ProjectLedger::Lock(files_, project_); }));
  // Another belay, perhaps a newer one, may have changed the project while we waited.
  BELAY_TRY(Inspect());
  BELAY_TRY(RemoveLeftoversOfProject(files_, lock, project_));
  for (const std::string& folder : FoldersToCleanUp(files_, project_)) {
    RemoveOldTemporaries(files_, folder, clock_.Wall());
  }
  BELAY_TRY_ASSIGN(std::vector<std::string> names, KnownJournals(files_, project_));
  for (const UnrecordedRenderings& one : FindUnrecordedRenderings(files_, project_)) {
    if (std::ranges::find(names, one.journal) == names.end()) names.emplace_back(one.journal);
  }
  RepairJournals(lock, names);
  RemoveStrays(lock, Strays::kFolders);
  const Result<void> rendered = RetryIfGone([&] { return RepairRendering(lock); });
  if (!rendered) NoteFailure(project_.JournalRendering(kProjectJournal), rendered.error());
  for (AnyLedger* ledger : ledgers_.all()) {
    if (ledger == &ledger_) continue;  // its lock is held already
    const Result<void> done = RetryIfGone([&] { return RepairRenderings(*ledger); });
    if (!done) NoteFailure(project_.JournalFile(ledger->journal()), done.error());
  }
  RemoveStrays(lock, Strays::kAll);
  return repairs_;
}

// A journal that can't be read was reported already.
void Repairer::RemoveStrays(const ProjectLock& project_lock, Strays which) {
  const Result<std::vector<StrayFile>> strays = FindStrays(files_, project_, ledgers_.all());
  const std::vector<std::string> folders = RenderingFolders(project_);
  for (const StrayFile& stray : strays ? *strays : std::vector<StrayFile>()) {
    const bool folder = std::ranges::find(folders, stray.path) != folders.end();
    if (which == Strays::kFolders && !folder) continue;
    const Result<void> removed = RemoveStray(project_lock, stray);
    if (!removed) {
      NoteFailure(stray.path, removed.error());
    } else {
      Note(stray.path, fmt::format("{}: moved to {}",
                                   stray.ours ? "no longer recorded" : "not written by belay",
                                   RelativeTo(project_.Root(), project_.EditedFolder())));
    }
  }
}

// A file of ours that isn't recorded may be all that is left of a lost record.
Result<void> Repairer::RemoveStray(const ProjectLock& project_lock, const StrayFile& stray) {
  const std::string& path = stray.path;
  if (stray.ours) BELAY_TRY(KeepEdited(files_, path, project_.EditedFolder()));
  for (AnyLedger* ledger : ledgers_.all()) {
    const std::vector<std::string> folders = FindFamily(ledger->journal())->folders(project_);
    if (std::ranges::find(folders, ParentPath(path)) == folders.end()) continue;
    return ledger->RemoveWithin(ProjectLedger::kPatience, path);
  }
  return RemoveStateFile(files_, project_lock, project_, path, {});
}

// The project's own journal first: the repairs of the others are recorded in it.
void Repairer::RepairJournals(const ProjectLock& project_lock,
                              const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == kProjectJournal) RepairJournal(project_lock, name);
  }
  for (const std::string& name : names) {
    if (name != kProjectJournal) RepairJournal(project_lock, name);
  }
}

void Repairer::RepairJournal(const ProjectLock& project_lock, const std::string& name) {
  const Result<void> outcome = RetryIfGone([&] { return TryRepairJournal(project_lock, name); });
  if (!outcome) NoteFailure(project_.JournalFile(name), outcome.error());
}

Result<void> Repairer::TryRepairJournal(const ProjectLock& project_lock, const std::string& name) {
  std::optional<StateLock> own;
  if (name != kProjectJournal) {
    BELAY_TRY_ASSIGN(own, LockJournalUnchecked(files_, project_, name, ProjectLedger::kPatience));
  }
  const StateLock& lock = own ? *own : static_cast<const StateLock&>(project_lock);
  // The archive first: a lost journal is restored from it.
  BELAY_TRY(RepairArchive(lock, name));
  const std::string path = project_.JournalFile(name);
  BELAY_TRY(RemoveLeftoversOf(files_, path));
  const Result<FileInfo> there = files_.Inspect(path);
  const bool empty = there && there->kind == FileKind::kFile && there->bytes == 0;
  const bool lost =
      empty || !CheckNotLost(files_, project_, name) ||
      !CheckRenderingsRecorded(files_, project_, name, RenderingPlaceOf(project_, name));
  if (lost) return Restore(project_lock, lock, name);
  BELAY_TRY_ASSIGN(const std::uint64_t last_known, LastKnownNumber(files_, project_, name));
  Journal journal(files_, path, name);
  Result<void> read = journal.CatchUp({});
  const bool well = read && journal.bad_tail_lines() == 0 && journal.last_seq() >= last_known;
  if (well || (!read && read.error().code != ErrorCode::kDamaged)) return read;
  const Result<bool> others = journal.KeepIfOthers(lock);
  if (others && *others) return Restore(project_lock, lock, name);
  BELAY_TRY_ASSIGN(const std::string kept, KeepStateFiles(name));
  BELAY_TRY_ASSIGN(KnownRecords known, ReadKnownRecords(files_, project_, name));
  if (known.lacks_some) known.records.clear();
  BELAY_TRY_ASSIGN(const std::uint64_t lines, journal.Repair(lock, known.last_seq, known.records));
  // It leaves alone what it finds no fault with; then nothing was repaired.
  BELAY_TRY(Journal(files_, path, name).CatchUp({}));
  BELAY_TRY(NoteLostTaint(lock, name));
  BELAY_TRY(ledger_.RecordRepair(project_lock, RelativeTo(project_.Vault(), path), lines));
  Note(path, Describe(lines) + kept);
  return {};
}

// A lost record may have been a mark of taint. One that can't be read makes every session count as
// tainted (TaintBook::OfKnown).
Result<void> Repairer::NoteLostTaint(const StateLock& lock, std::string_view name) {
  if (name != TaintFamily::kJournal) return {};
  const Json lost = MakeObject({{"at", FormatUtcMicros(clock_.Wall())},
                                {"kind", "lost"},
                                {"why", "lost records may have been taint marks"}});
  Journal journal(files_, project_.JournalFile(name), std::string(name));
  BELAY_TRY(journal.Append(lock, std::span(&lost, 1), {}));
  return {};
}

Result<void> Repairer::RepairArchive(const StateLock& lock, const std::string& name) {
  BELAY_TRY(RemoveUnfinishedCopies(files_, lock, project_, name));
  for (const ArchiveFault& fault : CheckArchive(files_, project_, name)) {
    if (fault.error.code != ErrorCode::kDamaged) {
      NoteFailure(fault.path, fault.error);
      continue;
    }
    Journal archived(files_, fault.path, name);
    const Result<std::uint64_t> lost = archived.RepairArchived(lock, fault.number);
    if (!lost) {
      NoteFailure(fault.path, lost.error());
      continue;
    }
    Note(fault.path,
         fmt::format("{}; belay log shows where records are lost: {}", fault.error.message, *lost));
  }
  return {};
}

// The last state files are all that is left of what isn't in the archive, so they are kept.
Result<void> Repairer::Restore(const ProjectLock& project_lock, const StateLock& lock,
                               const std::string& name) {
  const std::string path = project_.JournalFile(name);
  BELAY_TRY_ASSIGN(const std::string kept, KeepStateFiles(name));
  BELAY_TRY_ASSIGN(const KnownRecords known, ReadKnownRecords(files_, project_, name));
  BELAY_TRY(RestoreLost(files_, lock, project_, name, known));
  BELAY_TRY(NoteLostTaint(lock, name));
  BELAY_TRY(ledger_.RecordRepair(project_lock, RelativeTo(project_.Vault(), path), 0));
  const std::string what =
      known.archived > 0
          ? fmt::format(
                "it was lost; restored from the archive up to record {}; later records are lost",
                known.archived)
          : "it was lost with all its records; started a new one";
  Note(path, what + kept);
  if (name == kProjectJournal && known.archived == 0) repairs_.back().hint = "run belay init";
  return {};
}

// Gives what to say about it.
Result<std::string> Repairer::KeepStateFiles(const std::string& name) {
  BELAY_TRY_ASSIGN(const std::vector<KeptRendering> kept,
                   KeepRenderings(files_, project_, RenderingPlaceOf(project_, name)));
  if (kept.empty()) return std::string();
  return fmt::format("; the old state files are in {}",
                     RelativeTo(project_.Root(), project_.EditedFolder()));
}

// A journal that doesn't record where belay was set up has nothing to show yet.
Result<void> Repairer::RepairRendering(const ProjectLock& project_lock) {
  const std::string path = project_.JournalRendering(kProjectJournal);
  BELAY_TRY_ASSIGN(const ProjectState state, ledger_.Load());
  if (!state.initialised()) return {};
  BELAY_TRY_ASSIGN(const Rendered rendered, ledger_.RenderNoting(project_lock));
  switch (rendered.before) {
    case RenderingState::kCurrent:
      return {};
    case RenderingState::kMissing:
    case RenderingState::kOutdated:
      Note(path, "rewritten");
      return {};
    case RenderingState::kEdited:
    case RenderingState::kReplaced:
      Note(path, fmt::format("rewritten; the edited file is in {}", *rendered.kept_as));
      return {};
  }
  __builtin_unreachable();
}

Result<void> Repairer::RepairRenderings(AnyLedger& ledger) {
  const Result<std::vector<OddRendering>> odd = FindOddRenderings(files_, ledger);
  // Damage was already reported with the journal.
  if (!odd && odd.error().code == ErrorCode::kDamaged) return {};
  if (!odd) return odd.error();
  if (odd->empty()) return {};
  BELAY_TRY(ledger.RenderWithin(ProjectLedger::kPatience));
  for (const OddRendering& one : *odd) {
    const bool edited =
        one.state == RenderingState::kEdited || one.state == RenderingState::kReplaced;
    Note(one.path, edited ? fmt::format("rewritten; the edited file is in {}",
                                        RelativeTo(project_.Root(), project_.EditedFolder()))
                          : "rewritten");
  }
  return {};
}

void Repairer::Note(const std::string& path, std::string what) {
  repairs_.push_back({std::string(RelativeTo(project_.Root(), path)), std::move(what)});
}

void Repairer::NoteFailure(const std::string& path, const Error& error) {
  Note(path, error.message);
  repairs_.back().failure = error.code;
  repairs_.back().hint = error.hint;
}

}  // namespace belay
