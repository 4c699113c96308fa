#include "app/repairer.h"

#include <fmt/core.h>

#include "adapters/agents.h"
#include "app/try_again.h"
#include "base/path.h"
#include "store/durable_file.h"
#include "store/timeline.h"
#include "store/vault.h"

namespace belay {
namespace {

std::string Describe(std::uint64_t lines) {
  if (lines == 0) {
    return "its header or a record was missing; every record that is there stays, and the file as "
           "it "
           "was is kept beside it";
  }
  return fmt::format("{} damaged {} set aside; the damaged file is kept beside it", lines,
                     lines == 1 ? "line" : "lines");
}

}  // namespace

Result<void> Repairer::LookAround() const {
  BELAY_TRY(CheckPlace(files_, project_));
  return CheckVault(files_, project_, VaultUse::kWrite);
}

Result<std::vector<Repair>> Repairer::Run() {
  BELAY_TRY(LookAround());
  BELAY_TRY_ASSIGN(const ProjectLock lock,
                   TryAgainIfGone([&] { return ProjectLedger::Lock(files_, project_); }));
  // Another belay, perhaps a newer one, may have been here while we waited.
  BELAY_TRY(LookAround());
  BELAY_TRY(RemoveLeftoversOfProject(files_, lock, project_));
  const auto names = JournalNames(files_, project_.JournalFolder());
  if (!names && names.error().code != ErrorCode::kNotFound) return names.error();
  if (names) RepairJournals(lock, *names);
  const Result<void> rendered = TryAgainIfGone([&] { return RepairRendering(lock); });
  if (!rendered) NoteFailure(project_.JournalRendering(kProjectJournal), rendered.error());
  for (AnyLedger* ledger : ledgers_.all()) {
    if (ledger == &ledger_) continue;  // its lock is held already
    const Result<void> done = TryAgainIfGone([&] { return RepairRenderings(*ledger); });
    if (!done) NoteFailure(project_.JournalFile(ledger->journal()), done.error());
  }
  return repairs_;
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
  const Result<void> outcome = TryAgainIfGone([&] { return TryRepairJournal(project_lock, name); });
  if (!outcome) NoteFailure(project_.JournalFile(name), outcome.error());
}

Result<void> Repairer::TryRepairJournal(const ProjectLock& project_lock, const std::string& name) {
  std::optional<StateLock> own;
  if (name != kProjectJournal) {
    BELAY_TRY_ASSIGN(own, LockJournalUnchecked(files_, project_, name, ProjectLedger::kPatience));
  }
  const StateLock& lock = own ? *own : static_cast<const StateLock&>(project_lock);
  const std::string path = project_.JournalFile(name);
  BELAY_TRY(RemoveLeftoversOf(files_, path));
  Journal journal(files_, path, name);
  Result<void> read = journal.CatchUp({});
  const bool well = read && journal.bad_tail_lines() == 0;
  if (well || (!read && read.error().code != ErrorCode::kDamaged)) return read;
  BELAY_TRY_ASSIGN(const std::uint64_t lines, journal.Repair(lock));
  // It leaves alone what it can't find fault with; then nothing was mended.
  BELAY_TRY(Journal(files_, path, name).CatchUp({}));
  BELAY_TRY(ledger_.RecordRepair(project_lock, RelativeTo(project_.Vault(), path), lines));
  Note(path, Describe(lines));
  return {};
}

// A journal that doesn't say where belay was set up has nothing to show yet.
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
      Note(path, "written anew");
      return {};
    case RenderingState::kEdited:
      Note(path, fmt::format("written anew; what was edited is kept in {}", *rendered.kept_as));
      return {};
  }
  __builtin_unreachable();
}

Result<void> Repairer::RepairRenderings(AnyLedger& ledger) {
  const Result<std::vector<OddRendering>> odd = FindOddRenderings(files_, ledger);
  // What can't be repaired here was reported with its journal.
  if (!odd && odd.error().code == ErrorCode::kDamaged) return {};
  if (!odd) return odd.error();
  if (odd->empty()) return {};
  BELAY_TRY(ledger.RenderWithin(ProjectLedger::kPatience));
  for (const OddRendering& one : *odd) {
    const bool edited = one.state == RenderingState::kEdited;
    Note(one.path, edited ? fmt::format("written anew; what was edited is kept in {}",
                                        RelativeTo(project_.Root(), project_.EditedFolder()))
                          : "written anew");
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

Result<std::vector<OddRendering>> FindOddRenderings(const FileSystem& files, AnyLedger& ledger) {
  BELAY_TRY(ledger.CatchUp());
  std::vector<OddRendering> odd;
  BELAY_TRY(ledger.EachRendering([&](const Rendering& one) -> Result<void> {
    BELAY_TRY_ASSIGN(const RenderingState state, InspectRendering(files, one.path, one.record()));
    if (state != RenderingState::kCurrent) odd.push_back({one.path, state});
    return {};
  }));
  return odd;
}

Result<std::vector<std::string>> LeftoversOfProject(FileSystem& files, const Layout& project) {
  const std::string rendering = project.JournalRendering(kProjectJournal);
  std::vector<std::string> written = {
      project.FormatFile(),
      project.RootFile(),
      project.JournalFile(kProjectJournal),
      JoinPath(project.EditedFolder(), FileName(rendering)),
      rendering,
      project.ConfigFile(),
  };
  for (const AgentHooksFile& hooks : HooksFilesOf(files, project)) {
    const std::string path = hooks.file->path();
    written.insert(written.end(), {path, hooks.file->note_path(),
                                   JoinPath(project.EditedFolder(), FileName(path))});
  }
  if (const auto exclude = project.ExcludeFile()) written.push_back(*exclude);
  std::vector<std::string> leftovers;
  for (const std::string& path : written) {
    BELAY_TRY_ASSIGN(const std::vector<std::string> found, LeftoversOf(files, path));
    leftovers.insert(leftovers.end(), found.begin(), found.end());
  }
  return leftovers;
}

Result<void> RemoveLeftoversOfProject(FileSystem& files, const StateLock&, const Layout& project) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> paths, LeftoversOfProject(files, project));
  for (const std::string& path : paths) {
    const Result<void> removed = files.RemoveFile(path);
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed.error();
  }
  return {};
}

}  // namespace belay
