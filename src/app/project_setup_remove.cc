#include <fmt/core.h>

#include <algorithm>

#include "app/project_setup.h"
#include "app/repairer.h"
#include "app/rules_marker.h"
#include "app/state_files.h"
#include "base/check.h"
#include "base/path.h"
#include "store/archive.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr std::size_t kMostRemoved = std::size_t{1} << 20U;
constexpr int kTries = 5;

}  // namespace

Result<void> ProjectSetup::Remove() {
  return RetryIfGone([&] { return RemoveOnce(); });
}

Result<void> ProjectSetup::RemoveOnce() {
  BELAY_TRY(CheckCanSetUp(files_, project_));
  const bool vault_was_there = Exists(project_.Vault());
  BELAY_TRY_ASSIGN(const bool here, IsHere());
  if (!here) return RemoveFolder(project_.ClaudeFolder(), "it isn't empty");
  BELAY_TRY_ASSIGN(const std::optional<ProjectLock> lock, LockToRemove());
  BELAY_TRY(RemoveLeftovers());
  for (AgentHooksFile& hooks : hooks_) BELAY_TRY(TakeOutHooks(lock, hooks, false));
  BELAY_TRY(TakeOutMarker(lock));
  BELAY_TRY(RemoveState());
  BELAY_TRY(RemoveSettingsIfAsMade());
  BELAY_TRY(RemoveExclude());
  // The lock goes with the vault: after that only empty folders are left to remove.
  BELAY_TRY(RemoveVault(vault_was_there));
  return RemoveFolder(project_.ClaudeFolder(), "it isn't empty");
}

// Whether belay is set up here, at least in part. A marker alone is not: it may come with the
// repository.
Result<bool> ProjectSetup::IsHere() const {
  BELAY_TRY_ASSIGN(const std::optional<std::string> exclude, ExcludeAfter(false));
  BELAY_TRY_ASSIGN(const std::vector<std::string> leftovers, LeftoversOfProject(files_, project_));
  BELAY_TRY_ASSIGN(const bool hooks, HasHooksToRemove());
  return hooks || exclude || !leftovers.empty() || Exists(project_.Vault()) ||
         Exists(project_.StateRoot()) || Exists(project_.ConfigFile());
}

// Nothing in a dry run. The remains of a project whose vault is lost need the lock too: another
// process may be setting it up again.
Result<std::optional<ProjectLock>> ProjectSetup::LockToRemove() {
  if (dry_run_) return std::optional<ProjectLock>();
  BELAY_TRY(EnsureFolder(files_, project_.Vault()));
  BELAY_TRY_ASSIGN(std::optional<ProjectLock> lock, ProjectLedger::Lock(files_, project_));
  // Another belay, perhaps a newer one, may have changed the project while we waited.
  BELAY_TRY(CheckCanSetUp(files_, project_));
  return lock;
}

Result<void> ProjectSetup::RemoveLeftovers() {
  BELAY_TRY_ASSIGN(const std::vector<std::string> paths, LeftoversOfProject(files_, project_));
  for (const std::string& path : paths) BELAY_TRY(RemoveFile(path, false));
  return {};
}

// Read under the lock, just before it is written: the file belongs to the user too.
Result<void> ProjectSetup::RemoveExclude() {
  BELAY_TRY_ASSIGN(const std::optional<std::string> text, ExcludeAfter(false));
  if (!text) return {};
  if (OwnFoldersRemain()) {
    Note(*project_.ExcludeFile(), "kept", "folders that it lists still exist");
    return {};
  }
  // Git's own exclude file is never empty, so an empty one was created for the block.
  if (text->empty()) return RemoveFile(*project_.ExcludeFile(), true);
  Note(*project_.ExcludeFile(), "changed", "what git ignores");
  return dry_run_ ? Result<void>() : WriteExclude(*text);
}

// Read under the lock, just before it is written: the file belongs to the user.
Result<void> ProjectSetup::TakeOutMarker(const std::optional<ProjectLock>& lock) {
  const std::string path = FindMarker(files_, project_);
  if (path.empty()) return {};
  Note(path, "changed", "the reminder of the resumption section");
  return lock ? RemoveMarker(files_, *lock, path) : Result<void>();
}

Result<void> ProjectSetup::RemoveState() {
  const Result<RenderingState> rendering = ledger_.InspectRendering();
  const bool ours = rendering && (*rendering == RenderingState::kCurrent ||
                                  *rendering == RenderingState::kOutdated);
  if (ours) BELAY_TRY(RemoveFile(project_.JournalRendering(kProjectJournal), false));
  return RemoveFolder(project_.StateRoot(), "it holds state");
}

// Whether the vault records nothing but belay's setup.
Result<bool> ProjectSetup::VaultHoldsNothing() const {
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
Result<void> ProjectSetup::RemoveVault(bool noted) {
  if (!Exists(project_.Vault())) return {};
  BELAY_TRY_ASSIGN(const bool nothing, VaultHoldsNothing());
  if (!nothing) {
    Note(project_.Vault(), "kept", "it holds belay's records of this project");
    remarks_.push_back(fmt::format(
        "the records of this project's agents stay; to delete them for good, stop the agents and "
        "remove {} and {}; snapshots stay below refs/belay/",
        project_.StateRoot(), project_.Vault()));
    return {};
  }
  BELAY_TRY(RemoveFile(BeginningOf(project_, kProjectJournal), false));
  BELAY_TRY(RemoveFolder(project_.ArchiveFolder(), "it holds records", noted));
  BELAY_TRY(RemoveFile(project_.JournalFile(kProjectJournal), false));
  BELAY_TRY(RemoveFolder(project_.JournalFolder(), "it holds records", noted));
  BELAY_TRY(RemoveFile(project_.RootFile(), false));
  BELAY_TRY(RemoveFile(project_.FormatFile(), false));
  BELAY_TRY(RemoveFile(project_.LockFile(kProjectJournal), false));
  BELAY_TRY(RemoveFolder(project_.LockFolder(), "other programs use it", noted));
  return RemoveFolder(project_.Vault(), "other programs use it", noted);
}

// Other processes may put something into it or remove it at any moment.
Result<void> ProjectSetup::RemoveFolder(const std::string& path, std::string_view why_kept,
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
    return dry_run_ ? removed : EmptyIfMissing(files_.SyncFolder(std::string(ParentPath(path))));
  }
  return EmptyIfMissing(removed);
}

Result<void> ProjectSetup::RemoveFile(const std::string& path, bool noted) {
  if (!Exists(path)) return {};
  if (!dry_run_) BELAY_TRY(EmptyIfMissing(files_.RemoveFile(path)));
  if (dry_run_) gone_.insert(path);
  if (noted) Note(path, "removed");
  return {};
}

Result<void> ProjectSetup::RemoveSettingsIfAsMade() {
  const std::string path = project_.ConfigFile();
  if (!Exists(path)) return {};
  const Result<std::string> text = files_.Read(path, kMostRemoved);
  if (text && IsSettingsTemplate(*text)) return RemoveFile(path, true);
  Note(path, "kept", "it was changed since init wrote it");
  return {};
}

bool ProjectSetup::IsEmptyFolder(const std::string& path) const {
  const Result<FileInfo> info = files_.Inspect(path);
  if (!info || info->kind != FileKind::kFolder) return false;
  const Result<std::vector<std::string>> names = files_.List(path);
  return names && std::none_of(names->begin(), names->end(), [&](const std::string& name) {
           return Exists(JoinPath(path, name));
         });
}

bool ProjectSetup::OwnFoldersRemain() const {
  const std::vector<std::string> folders = project_.OwnFolders();
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return Exists(folder); });
}

// The steps of belay init for the hooks of agents.

void ProjectSetup::WantHooks(AgentKind kind, HooksWish wish) {
  wanted_ = &HooksOf(kind);
  hooks_wish_ = std::move(wish);
}

AgentHooksFile& ProjectSetup::HooksOf(AgentKind kind) {
  const auto found = std::ranges::find(hooks_, kind, &AgentHooksFile::kind);
  BELAY_CHECK(found != hooks_.end());
  return *found;
}

// Read under the lock, just before it is written: the file belongs to the user.
Result<void> ProjectSetup::MakeHooks(const std::optional<ProjectLock>& lock) {
  BELAY_TRY_ASSIGN(const HooksPlan plan, wanted_->file->PlanInstall(hooks_wish_));
  BELAY_TRY(CarryOut(lock, *wanted_, plan));
  // The process that wrote it may have been killed before the sync.
  if (!lock) return {};
  return files_.SyncFolder(std::string(ParentPath(wanted_->file->path())));
}

Result<void> ProjectSetup::RemoveHooks(AgentKind kind) {
  return RetryIfGone([&] { return RemoveHooksOnce(HooksOf(kind)); });
}

Result<void> ProjectSetup::RemoveHooksOnce(AgentHooksFile& hooks) {
  BELAY_TRY(CheckCanSetUp(files_, project_));
  BELAY_TRY_ASSIGN(const std::optional<HooksPlan> plan, PlanRemovalOfHooks(hooks, true));
  if (dry_run_ || !plan) return TakeOutHooks(std::nullopt, hooks, true);
  BELAY_TRY(EnsureFolder(files_, project_.Vault()));
  BELAY_TRY_ASSIGN(std::optional<ProjectLock> lock, ProjectLedger::Lock(files_, project_));
  BELAY_TRY(CheckCanSetUp(files_, project_));
  BELAY_TRY(RemoveLeftovers());
  return TakeOutHooks(lock, hooks, true);
}

// Nothing when there is nothing to do. When all of belay is removed, settings that can't be parsed
// stop the removal only if they may contain belay's hooks.
Result<std::optional<HooksPlan>> ProjectSetup::PlanRemovalOfHooks(const AgentHooksFile& hooks,
                                                                  bool asked) const {
  const Result<HooksPlan> plan = hooks.file->PlanRemoval();
  const bool passed = !plan && !asked && !hooks.file->MayHoldOurs();
  if (passed || (plan && !plan->Changes())) return std::optional<HooksPlan>();
  if (!plan) return plan.error();
  return std::optional<HooksPlan>(*plan);
}

Result<bool> ProjectSetup::HasHooksToRemove() const {
  for (const AgentHooksFile& hooks : hooks_) {
    BELAY_TRY_ASSIGN(const std::optional<HooksPlan> plan, PlanRemovalOfHooks(hooks, false));
    if (plan) return true;
  }
  return false;
}

Result<void> ProjectSetup::TakeOutHooks(const std::optional<ProjectLock>& lock,
                                        AgentHooksFile& hooks, bool asked) {
  BELAY_TRY_ASSIGN(const std::optional<HooksPlan> plan, PlanRemovalOfHooks(hooks, asked));
  if (plan) return CarryOut(lock, hooks, *plan);
  if (asked) Note(hooks.file->path(), "unchanged", "it contains no belay hooks");
  return {};
}

Result<void> ProjectSetup::CarryOut(const std::optional<ProjectLock>& lock, AgentHooksFile& hooks,
                                    const HooksPlan& plan) {
  const std::string path = hooks.file->path();
  if (plan.ChangesFile() || plan.text) {
    Note(path, std::string(plan.What()),
         plan.What() == "removed" ? "init created it, and it contained nothing else"
                                  : fmt::format("hooks for {}", AdapterFor(hooks.kind).title()));
  }
  if (dry_run_) {
    if (plan.What() == "removed") gone_.insert(path);
    if (!plan.note) gone_.insert(hooks.file->note_path());
    would_keep_ = would_keep_ || plan.copy;
  }
  if (!lock) return {};
  BELAY_TRY_ASSIGN(const std::optional<std::string> copy, hooks.file->CarryOut(*lock, plan));
  if (copy) {
    remarks_.push_back(fmt::format("a copy of the old {} is in {}",
                                   RelativeTo(project_.Root(), path),
                                   RelativeTo(project_.Root(), *copy)));
  }
  return {};
}

}  // namespace belay
