#include <algorithm>

#include "app/initialiser.h"
#include "app/repairer.h"
#include "app/retry.h"
#include "base/path.h"
#include "store/archive.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr std::size_t kMostRemoved = std::size_t{1} << 20U;
constexpr int kTries = 5;

// Another process may have removed it already.
Result<void> OrGone(Result<void> outcome) {
  if (!outcome && outcome.error().code == ErrorCode::kNotFound) return {};
  return outcome;
}

}  // namespace

Result<void> Initialiser::Remove() {
  return RetryIfGone([&] { return RemoveOnce(); });
}

Result<void> Initialiser::RemoveOnce() {
  BELAY_TRY(CheckCanSetUp(files_, project_));
  const bool vault_was_there = Exists(project_.Vault());
  BELAY_TRY_ASSIGN(const std::optional<ProjectLock> lock, LockToRemove());
  if (lock || dry_run_) BELAY_TRY(RemoveLeftovers());
  for (AgentHooksFile& hooks : hooks_) BELAY_TRY(TakeOutHooks(lock, hooks, false));
  BELAY_TRY(RemoveState());
  BELAY_TRY(RemoveFileIfAsMade(project_.ConfigFile(), kSettingsTemplate));
  BELAY_TRY(RemoveExclude());
  // The lock goes with the vault: after that only empty folders are left to remove.
  BELAY_TRY(RemoveVault(vault_was_there));
  return RemoveFolder(project_.ClaudeFolder(), "it is not empty");
}

// Nothing in a dry run, and when nothing of belay's is here. The remains of a project whose vault
// is lost need the lock too: another process may be setting it up again.
Result<std::optional<ProjectLock>> Initialiser::LockToRemove() {
  BELAY_TRY_ASSIGN(const std::optional<std::string> exclude, ExcludeAfter(false));
  BELAY_TRY_ASSIGN(const std::vector<std::string> leftovers, LeftoversOfProject(files_, project_));
  BELAY_TRY_ASSIGN(const bool hooks, HasHooksToRemove());
  const bool here = hooks || exclude || !leftovers.empty() || Exists(project_.Vault()) ||
                    Exists(project_.StateRoot()) || Exists(project_.ConfigFile());
  if (dry_run_ || !here) return std::optional<ProjectLock>();
  BELAY_TRY(EnsureFolder(files_, project_.Vault()));
  BELAY_TRY_ASSIGN(std::optional<ProjectLock> lock, ProjectLedger::Lock(files_, project_));
  // Another belay, perhaps a newer one, may have changed the project while we waited.
  BELAY_TRY(CheckCanSetUp(files_, project_));
  return lock;
}

Result<void> Initialiser::RemoveLeftovers() {
  BELAY_TRY_ASSIGN(const std::vector<std::string> paths, LeftoversOfProject(files_, project_));
  for (const std::string& path : paths) BELAY_TRY(RemoveFile(path, false));
  return {};
}

// Read under the lock, just before it is written: the file belongs to the user too.
Result<void> Initialiser::RemoveExclude() {
  BELAY_TRY_ASSIGN(const std::optional<std::string> text, ExcludeAfter(false));
  if (!text) return {};
  if (OwnFoldersRemain()) {
    Note(*project_.ExcludeFile(), "kept", "folders it names are still there");
    return {};
  }
  Note(*project_.ExcludeFile(), "changed", "what git leaves alone");
  return dry_run_ ? Result<void>() : WriteExclude(*text);
}

Result<void> Initialiser::RemoveState() {
  const Result<RenderingState> rendering = ledger_.InspectRendering();
  const bool ours = rendering && (*rendering == RenderingState::kCurrent ||
                                  *rendering == RenderingState::kOutdated);
  if (ours) BELAY_TRY(RemoveFile(project_.JournalRendering(kProjectJournal), false));
  return RemoveFolder(project_.StateRoot(), "it holds state");
}

// Whether the vault records nothing but belay's setup.
Result<bool> Initialiser::VaultHoldsNothing() const {
  const std::set<std::string> known = {project_.FormatFile(),
                                       project_.RootFile(),
                                       project_.JournalFolder(),
                                       project_.LockFolder(),
                                       project_.ArchiveFolder(),
                                       BeginningOf(project_, kProjectJournal),
                                       project_.JournalFile(kProjectJournal),
                                       project_.LockFile(kProjectJournal)};
  if (would_keep_) return false;
  for (const std::string& folder : {project_.Vault(), project_.JournalFolder(),
                                    project_.LockFolder(), project_.ArchiveFolder()}) {
    if (!Exists(folder)) continue;
    BELAY_TRY_ASSIGN(const std::vector<std::string> names, files_.List(folder));
    for (const std::string& name : names) {
      const std::string path = JoinPath(folder, name);
      if (Exists(path) && !known.contains(path)) return false;
    }
  }
  return ProjectLedger(files_, clock_, project_).RecordsOnlySetUp();
}

// The lock goes last of all files: a process that waits for it finds it gone and asks for a new
// one.
Result<void> Initialiser::RemoveVault(bool noted) {
  if (!Exists(project_.Vault())) return {};
  BELAY_TRY_ASSIGN(const bool nothing, VaultHoldsNothing());
  if (!nothing) {
    Note(project_.Vault(), "kept", "it holds belay's records of this project");
    return {};
  }
  BELAY_TRY(RemoveFile(BeginningOf(project_, kProjectJournal), false));
  BELAY_TRY(RemoveFolder(project_.ArchiveFolder(), "it holds records", noted));
  BELAY_TRY(RemoveFile(project_.JournalFile(kProjectJournal), false));
  BELAY_TRY(RemoveFolder(project_.JournalFolder(), "it holds records", noted));
  BELAY_TRY(RemoveFile(project_.RootFile(), false));
  BELAY_TRY(RemoveFile(project_.FormatFile(), false));
  BELAY_TRY(RemoveFile(project_.LockFile(kProjectJournal), false));
  BELAY_TRY(RemoveFolder(project_.LockFolder(), "others use it", noted));
  return RemoveFolder(project_.Vault(), "others use it", noted);
}

// Other processes may put something into it or remove it at any moment.
Result<void> Initialiser::RemoveFolder(const std::string& path, std::string_view why_kept,
                                       bool noted) {
  Result<void> removed;
  for (int i = 0; i < kTries && Exists(path); ++i) {
    if (!IsEmptyFolder(path) && Exists(path)) {
      Note(path, "kept", why_kept);
      return {};
    }
    removed = dry_run_ ? Result<void>() : files_.RemoveEmptyFolder(path);
    if (!removed) continue;
    if (noted) Note(path, "removed");
    if (dry_run_) gone_.insert(path);
    return dry_run_ ? removed : OrGone(files_.SyncFolder(std::string(ParentPath(path))));
  }
  return OrGone(removed);
}

Result<void> Initialiser::RemoveFile(const std::string& path, bool noted) {
  if (!Exists(path)) return {};
  if (!dry_run_) BELAY_TRY(OrGone(files_.RemoveFile(path)));
  if (dry_run_) gone_.insert(path);
  if (noted) Note(path, "removed");
  return {};
}

Result<void> Initialiser::RemoveFileIfAsMade(const std::string& path, std::string_view bytes) {
  if (!Exists(path)) return {};
  const Result<std::string> text = files_.Read(path, kMostRemoved);
  if (text && *text == bytes) return RemoveFile(path, true);
  Note(path, "kept", "it was changed since init wrote it");
  return {};
}

bool Initialiser::IsEmptyFolder(const std::string& path) const {
  const Result<FileInfo> info = files_.Inspect(path);
  if (!info || info->kind != FileKind::kFolder) return false;
  const Result<std::vector<std::string>> names = files_.List(path);
  return names && std::none_of(names->begin(), names->end(), [&](const std::string& name) {
           return Exists(JoinPath(path, name));
         });
}

bool Initialiser::OwnFoldersRemain() const {
  const std::vector<std::string> folders = project_.OwnFolders();
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return Exists(folder); });
}

}  // namespace belay
