// The steps of belay init for the hooks of agents.

#include <fmt/core.h>

#include <algorithm>

#include "app/initialiser.h"
#include "app/retry.h"
#include "base/check.h"
#include "base/path.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {

void Initialiser::WantHooks(AgentKind kind, HooksWish wish) {
  wanted_ = &HooksOf(kind);
  hooks_wish_ = std::move(wish);
}

AgentHooksFile& Initialiser::HooksOf(AgentKind kind) {
  const auto found = std::ranges::find(hooks_, kind, &AgentHooksFile::kind);
  BELAY_CHECK(found != hooks_.end());
  return *found;
}

// Read under the lock, just before it is written: the file belongs to the user.
Result<void> Initialiser::MakeHooks(const std::optional<ProjectLock>& lock) {
  BELAY_TRY_ASSIGN(const HooksPlan plan, wanted_->file->PlanInstall(hooks_wish_));
  BELAY_TRY(CarryOut(lock, *wanted_, plan));
  // The process that wrote it may have been killed before the sync.
  if (!lock) return {};
  return files_.SyncFolder(std::string(ParentPath(wanted_->file->path())));
}

Result<void> Initialiser::RemoveHooks(AgentKind kind) {
  return RetryIfGone([&] { return RemoveHooksOnce(HooksOf(kind)); });
}

Result<void> Initialiser::RemoveHooksOnce(AgentHooksFile& hooks) {
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
// stop the removal only if they may contain something of belay's.
Result<std::optional<HooksPlan>> Initialiser::PlanRemovalOfHooks(const AgentHooksFile& hooks,
                                                                 bool asked) const {
  const Result<HooksPlan> plan = hooks.file->PlanRemoval();
  const bool passed = !plan && !asked && !hooks.file->MayHoldOurs();
  if (passed || (plan && !plan->Changes())) return std::optional<HooksPlan>();
  if (!plan) return plan.error();
  return std::optional<HooksPlan>(*plan);
}

Result<bool> Initialiser::HasHooksToRemove() const {
  for (const AgentHooksFile& hooks : hooks_) {
    BELAY_TRY_ASSIGN(const std::optional<HooksPlan> plan, PlanRemovalOfHooks(hooks, false));
    if (plan) return true;
  }
  return false;
}

Result<void> Initialiser::TakeOutHooks(const std::optional<ProjectLock>& lock,
                                       AgentHooksFile& hooks, bool asked) {
  BELAY_TRY_ASSIGN(const std::optional<HooksPlan> plan, PlanRemovalOfHooks(hooks, asked));
  if (plan) return CarryOut(lock, hooks, *plan);
  if (asked) Note(hooks.file->path(), "unchanged", "no hooks of belay's are in it");
  return {};
}

Result<void> Initialiser::CarryOut(const std::optional<ProjectLock>& lock, AgentHooksFile& hooks,
                                   const HooksPlan& plan) {
  const std::string path = hooks.file->path();
  if (plan.ChangesFile() || plan.text) {
    Note(path, std::string(plan.What()),
         plan.What() == "removed" ? "init made it, and nothing else was in it"
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
    remarks_.push_back(fmt::format("the old {} is kept in {}", RelativeTo(project_.Root(), path),
                                   RelativeTo(project_.Root(), *copy)));
  }
  return {};
}

}  // namespace belay
