// The steps of belay init that are about the hooks of Claude Code.

#include <fmt/core.h>

#include "base/path.h"
#include "cli/initialiser.h"
#include "cli/try_again.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr std::string_view kAbout = "hooks for Claude Code";

}  // namespace

// Looked at under the lock and just before it is written: it is other people's file.
Result<void> Initialiser::MakeHooks(const std::optional<StateLock>& lock) {
  BELAY_TRY_ASSIGN(const HooksPlan plan, hooks_.PlanInstall(*hooks_wish_));
  BELAY_TRY(CarryOut(lock, plan));
  // Whoever wrote it may have been killed before its name was safe.
  return lock ? files_.SyncFolder(project_.ClaudeFolder()) : Result<void>();
}

Result<void> Initialiser::RemoveHooks() {
  return TryAgainIfGone([&] { return RemoveHooksOnce(); });
}

Result<void> Initialiser::RemoveHooksOnce() {
  BELAY_TRY(CheckPlace(files_, project_));
  BELAY_TRY_ASSIGN(const std::optional<HooksPlan> plan, PlanRemovalOfHooks(true));
  if (dry_run_ || !plan) return TakeOutHooks(std::nullopt, true);
  BELAY_TRY(EnsureFolder(files_, project_.Vault()));
  BELAY_TRY_ASSIGN(std::optional<StateLock> lock, ProjectLedger::Lock(files_, project_));
  BELAY_TRY(CheckPlace(files_, project_));
  BELAY_TRY(RemoveLeftovers());
  return TakeOutHooks(lock, true);
}

// Nothing when there is nothing to do. When it is the whole of belay that goes, settings that can't
// be understood are in the way only if something of belay's may be in them.
Result<std::optional<HooksPlan>> Initialiser::PlanRemovalOfHooks(bool asked) const {
  const Result<HooksPlan> plan = hooks_.PlanRemoval();
  const bool passed = !plan && !asked && !hooks_.MayHoldOurs();
  if (passed || (plan && !plan->Changes())) return std::optional<HooksPlan>();
  if (!plan) return plan.error();
  return std::optional<HooksPlan>(*plan);
}

Result<void> Initialiser::TakeOutHooks(const std::optional<StateLock>& lock, bool asked) {
  BELAY_TRY_ASSIGN(const std::optional<HooksPlan> plan, PlanRemovalOfHooks(asked));
  if (plan) return CarryOut(lock, *plan);
  if (asked) Note(project_.ClaudeSettings(), "unchanged", "no hooks of belay's are in it");
  return {};
}

Result<void> Initialiser::CarryOut(const std::optional<StateLock>& lock, const HooksPlan& plan) {
  const std::string path = project_.ClaudeSettings();
  if (plan.ChangesFile() || plan.text) {
    Note(path, std::string(plan.What()),
         plan.What() == "removed" ? "init made it, and nothing else was in it" : kAbout);
  }
  if (dry_run_) {
    if (plan.What() == "removed") gone_.insert(path);
    if (!plan.note) gone_.insert(project_.ClaudeSettingsBefore());
    would_keep_ = would_keep_ || plan.copy;
  }
  if (!lock) return {};
  BELAY_TRY_ASSIGN(const std::optional<std::string> copy, hooks_.CarryOut(*lock, plan));
  if (copy) {
    remarks_.push_back(fmt::format("{} as it was is kept in {}", RelativeTo(project_.Root(), path),
                                   RelativeTo(project_.Root(), *copy)));
  }
  return {};
}

}  // namespace belay
