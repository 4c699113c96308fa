#include <fmt/core.h>

#include "app/find_program.h"
#include "app/merge_place.h"
#include "cli/commands/commands.h"
#include "cli/merge_view.h"
#include "merge/protect.h"
#include "ui/width.h"

namespace belay {
namespace {

std::string_view ChangeText(HookChange change) {
  switch (change) {
    case HookChange::kInstalled:
      return "installed";
    case HookChange::kChained:
      return "installed; the hook that was there is called first";
    case HookChange::kUnchanged:
      return "unchanged";
    case HookChange::kRemoved:
      return "removed";
    case HookChange::kPutBack:
      return "removed; the hook that was there before is in its place again";
    case HookChange::kLeft:
      return "left: another repository uses it, or it isn't belay's any more";
  }
  __builtin_unreachable();
}

void Show(Services& services, const Protection& done, const std::string& text) {
  Json record = ToJson(done.target);
  Json::Array hooks;
  for (const Protection::Place& hook : done.places) {
    const std::string_view change = ChangeText(hook.change);
    hooks.push_back(MakeObject({{"folder", hook.folder}, {"change", change}}));
    if (hook.change == HookChange::kUnchanged) continue;
    services.io.Say(Printable(fmt::format("{}/reference-transaction: {}", hook.folder, change)));
  }
  record.Set("hooks", std::move(hooks));
  for (const std::string& worktree : done.left) {
    services.io.Say(Printable(fmt::format(
        "left out, since git can't work there: {}; git worktree remove, or repair", worktree)));
  }
  const bool several = done.target.guarded && done.places.size() > 1;
  if (several) {
    services.io.Say(
        "core.hooksPath means another folder in each worktree: protect again after making one");
  }
  services.io.Show(std::move(record), Printable(text) + "\n");
}

}  // namespace

Result<int> RunMergeQueueProtect(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(services, VaultUse::kWrite));
  BELAY_TRY_ASSIGN(const std::string program, OwnProgram(services));
  const GuardPlace guard{services.files, place.project, place.git, place.common_folder, program};
  MergeLedger ledger(services.files, services.clock, place.project);
  BELAY_TRY_ASSIGN(const Protection done,
                   ProtectTarget(guard, ledger, TargetOf(invocation, place)));
  Show(
      services, done,
      fmt::format("{} is protected: git asks belay before it moves. A guard rail, not a wall: what "
                  "gets around it is noticed at the next belay merge-queue process",
                  done.target.branch));
  return 0;
}

Result<int> RunMergeQueueUnprotect(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(services, VaultUse::kWrite));
  BELAY_TRY_ASSIGN(const std::string program, OwnProgram(services));
  const GuardPlace guard{services.files, place.project, place.git, place.common_folder, program};
  MergeLedger ledger(services.files, services.clock, place.project);
  BELAY_TRY_ASSIGN(const Protection done,
                   UnprotectTarget(guard, ledger, TargetOf(invocation, place)));
  Show(services, done, fmt::format("{} is not protected", done.target.branch));
  return 0;
}

}  // namespace belay
