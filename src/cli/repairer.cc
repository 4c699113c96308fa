#include "cli/repairer.h"

#include <fmt/core.h>

#include "base/path.h"
#include "store/durable_file.h"
#include "store/timeline.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr std::string_view kProject = "project";
constexpr auto kLockLimit = std::chrono::seconds(2);

}  // namespace

// The project's own journal first: the repairs of the others are recorded in it.
Result<std::vector<Repair>> Repairer::Run() {
  BELAY_TRY(CheckVault(files_, project_, VaultUse::kWrite));
  BELAY_TRY_ASSIGN(const StateLock lock, ProjectLedger::Lock(files_, project_));
  BELAY_TRY(EnsureFolder(files_, project_.JournalFolder()));
  BELAY_TRY_ASSIGN(const std::vector<std::string> names,
                   JournalNames(files_, project_.JournalFolder()));
  for (const std::string& name : names) {
    if (name == kProject) RepairJournal(lock, name);
  }
  for (const std::string& name : names) {
    if (name != kProject) RepairJournal(lock, name);
  }
  if (const Result<void> rendered = RepairRendering(lock); !rendered) {
    NoteFailure(project_.ProjectRendering(), rendered.error());
  }
  return repairs_;
}

void Repairer::RepairJournal(const StateLock& project_lock, const std::string& name) {
  const Result<void> outcome = TryRepairJournal(project_lock, name);
  if (!outcome) NoteFailure(project_.JournalFile(name), outcome.error());
}

Result<void> Repairer::TryRepairJournal(const StateLock& project_lock, const std::string& name) {
  std::optional<StateLock> own;
  if (name != kProject) {
    BELAY_TRY_ASSIGN(own, StateLock::Acquire(files_, project_.LockFile(name), kLockLimit));
  }
  const StateLock& lock = own ? *own : project_lock;
  const std::string path = project_.JournalFile(name);
  BELAY_TRY(RemoveLeftoversOf(files_, path));
  Journal journal(files_, path, name);
  Result<void> read = journal.CatchUp({});
  if (read) return {};
  if (read.error().code != ErrorCode::kDamaged) return read;
  BELAY_TRY_ASSIGN(const std::uint64_t lines, journal.Repair(lock));
  BELAY_TRY(ledger_.RecordRepair(project_lock, RelativeTo(project_.Vault(), path), lines));
  Note(path, fmt::format("{} damaged {} set aside; the damaged file is kept beside it", lines,
                         lines == 1 ? "line" : "lines"));
  return {};
}

Result<void> Repairer::RepairRendering(const StateLock& project_lock) {
  const std::string path = project_.ProjectRendering();
  BELAY_TRY(RemoveLeftoversOf(files_, path));
  BELAY_TRY_ASSIGN(const Rendered rendered, ledger_.Render(project_lock));
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

void Repairer::Note(const std::string& path, std::string what) {
  repairs_.push_back({std::string(RelativeTo(project_.Root(), path)), std::move(what)});
}

void Repairer::NoteFailure(const std::string& path, const Error& error) {
  Note(path, error.message);
  repairs_.back().failure = error.code;
}

}  // namespace belay
