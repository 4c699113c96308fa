#include <algorithm>

#include "base/path.h"
#include "cli/initialiser.h"
#include "cli/settings_template.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;

}  // namespace

Result<void> Initialiser::Remove() {
  BELAY_TRY_ASSIGN(const std::optional<std::string> exclude, ExcludeAfter(false));
  std::optional<StateLock> lock;
  const bool there = files_.Inspect(project_.Vault()).ok();
  if (there) BELAY_TRY(CheckVault(files_, project_, VaultUse::kWrite));
  if (there && !dry_run_) {
    BELAY_TRY_ASSIGN(lock, ProjectLedger::Lock(files_, project_));
  }
  BELAY_TRY(RemoveState());
  BELAY_TRY(RemoveFileIfAsMade(project_.ConfigFile(), kSettingsTemplate));
  if (exclude) BELAY_TRY(RemoveExclude(*exclude));
  // With the vault goes the lock: behind it only empty folders are left to remove.
  BELAY_TRY(RemoveVault());
  return RemoveFolder(project_.ClaudeFolder(), "others use it too");
}

Result<void> Initialiser::RemoveExclude(const std::string& text) {
  if (OwnFoldersRemain()) {
    Note(*project_.ExcludeFile(), "kept", "folders it names are still there");
    return {};
  }
  Note(*project_.ExcludeFile(), "changed", "what git leaves alone");
  return dry_run_ ? Result<void>() : WriteExclude(text);
}

Result<void> Initialiser::RemoveState() {
  const Result<RenderingState> rendering = ledger_.InspectRendering();
  const bool ours = rendering && (*rendering == RenderingState::kCurrent ||
                                  *rendering == RenderingState::kOutdated);
  if (ours) BELAY_TRY(RemoveFile(project_.ProjectRendering(), false));
  return RemoveFolder(project_.StateRoot(), "it holds state");
}

// Whether the vault knows no more than that belay was set up.
Result<bool> Initialiser::VaultHoldsNothing() const {
  const std::string journal = project_.JournalFile("project");
  const std::set<std::string> known = {project_.FormatFile(), project_.RootFile(),
                                       project_.JournalFolder(), project_.LockFolder()};
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files_.List(project_.Vault()));
  for (const std::string& name : names) {
    if (!known.contains(JoinPath(project_.Vault(), name))) return false;
  }
  const Result<std::vector<std::string>> journals = files_.List(project_.JournalFolder());
  const Result<std::vector<std::string>> locks = files_.List(project_.LockFolder());
  const auto only = [](const Result<std::vector<std::string>>& found, const std::string& path) {
    if (!found) return found.error().code == ErrorCode::kNotFound;
    return std::all_of(found->begin(), found->end(),
                       [&](const std::string& name) { return name == FileName(path); });
  };
  if (!only(journals, journal) || !only(locks, project_.LockFile("project"))) return false;
  ProjectLedger ledger(files_, clock_, project_);
  BELAY_TRY_ASSIGN(const ProjectState state, ledger.Load());
  return state.repairs == 0 && state.edits == 0;
}

// The lock goes last of all files: whoever waits for it finds it gone and asks for a new one.
Result<void> Initialiser::RemoveVault() {
  if (!Exists(project_.Vault())) return {};
  BELAY_TRY_ASSIGN(const bool nothing, VaultHoldsNothing());
  if (!nothing) {
    Note(project_.Vault(), "kept", "it holds belay's memory of this project");
    return {};
  }
  BELAY_TRY(RemoveFile(project_.JournalFile("project"), false));
  BELAY_TRY(RemoveFolder(project_.JournalFolder(), "it holds records"));
  BELAY_TRY(RemoveFile(project_.RootFile(), false));
  BELAY_TRY(RemoveFile(project_.FormatFile(), false));
  BELAY_TRY(RemoveFile(project_.LockFile("project"), false));
  BELAY_TRY(RemoveFolder(project_.LockFolder(), "others use it"));
  return RemoveFolder(project_.Vault(), "it holds belay's memory of this project");
}

Result<void> Initialiser::RemoveFolder(const std::string& path, std::string_view why_kept) {
  if (!Exists(path)) return {};
  if (!IsEmptyFolder(path)) {
    Note(path, "kept", why_kept);
    return {};
  }
  // Somebody may have put something there since.
  if (!dry_run_ && !files_.RemoveEmptyFolder(path) && !IsEmptyFolder(path)) {
    Note(path, "kept", why_kept);
    return {};
  }
  Note(path, "removed");
  gone_.insert(path);
  return dry_run_ ? Result<void>() : files_.SyncFolder(std::string(ParentPath(path)));
}

Result<void> Initialiser::RemoveFile(const std::string& path, bool noted) {
  if (!Exists(path)) return {};
  if (noted) Note(path, "removed");
  gone_.insert(path);
  return dry_run_ ? Result<void>() : files_.RemoveFile(path);
}

Result<void> Initialiser::RemoveFileIfAsMade(const std::string& path, std::string_view bytes) {
  if (!Exists(path)) return {};
  const Result<std::string> text = files_.Read(path, kMostBytes);
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
