#include "app/init.h"

#include <algorithm>
#include <iterator>

#include "app/find_program.h"
#include "app/settings.h"
#include "base/path.h"
#include "ledger/merge_ledger.h"
#include "merge/protect.h"
#include "store/repository.h"
#include "store/vault.h"

namespace belay {
namespace {

bool WasProtected(const FileSystem& files, const Layout& project, const MergeBook& book) {
  const bool guarded =
      std::ranges::any_of(book.targets(), [](const auto& target) { return target.second.guarded; });
  return guarded || files.Inspect(project.GuardedRefs()).ok();
}

InitChange ChangeOf(const HookRemoval& removal, const std::string& path) {
  if (!removal.change) return {path, "kept", removal.change.error().message};
  switch (*removal.change) {
    case HookChange::kRemoved:
      return {path, "removed", "asked belay before a protected branch moves"};
    case HookChange::kPutBack:
      return {path, "changed", "the previous hook is restored"};
    case HookChange::kLeft:
      return {path, "kept", "another repository uses it, or it is no longer belay's"};
    case HookChange::kInstalled:
    case HookChange::kChained:
    case HookChange::kUnchanged:
      return {path, "unchanged"};
  }
  __builtin_unreachable();
}

Result<std::vector<HookRemoval>> TakeOut(Env& env, const Layout& project, MergeLedger& ledger,
                                         bool dry_run) {
  BELAY_TRY_ASSIGN(const Repository repository, FindRepository(env.files, project.Root()));
  const Git git(env.programs, env.environment, project.Root());
  const GuardPlace place{env.files, project, git, repository.common_folder};
  return dry_run ? WouldUnprotect(place) : UnprotectAll(place, ledger);
}

// Undoes `merge-queue protect`: removes the hook and restores what was there before it. A hook that
// can't be removed is `kept`, with the reason. Nothing when nothing was protected.
std::vector<InitChange> RemoveProtection(Env& env, const Layout& project, bool dry_run) {
  const bool ours = project.InRepository() && CheckVault(env.files, project, VaultUse::kRead).ok();
  if (!ours) return {};
  MergeLedger ledger(env.files, env.clock, project);
  const Result<void> read = ledger.CatchUp();
  if (!WasProtected(env.files, project, ledger.book())) return {};
  const Result<std::vector<HookRemoval>> removals =
      read ? TakeOut(env, project, ledger, dry_run) : read.error();
  if (!removals) return {{"reference-transaction", "kept", removals.error().message}};
  std::vector<InitChange> changes;
  for (const HookRemoval& removal : *removals) {
    const std::string path = JoinPath(removal.folder, "reference-transaction");
    InitChange change = ChangeOf(removal, std::string(RelativeTo(project.Root(), path)));
    if (change.what != "unchanged") changes.push_back(std::move(change));
  }
  return changes;
}

// Returns a remark for the user beside the changes.
Result<std::string> SetUpProject(std::optional<AgentKind> agent, Initialiser& initialiser,
                                 const Env& env) {
  std::string remark;
  if (agent && HooksFor(*agent) == nullptr) remark = "A generic agent has no hooks to install.";
  if (agent && HooksFor(*agent) != nullptr) {
    BELAY_TRY_ASSIGN(std::string program, OwnProgram(env));
    BELAY_TRY_ASSIGN(HooksWish wish, HooksFor(*agent)->Wish(std::move(program), env.programs));
    remark = wish.remark;
    initialiser.WantHooks(*agent, std::move(wish));
  }
  BELAY_TRY(initialiser.SetUp());
  return remark;
}

// With an agent kind, removes only its hooks.
Result<std::string> RemoveFromProject(std::optional<AgentKind> agent, Initialiser& initialiser) {
  if (agent && HooksFor(*agent) == nullptr) {
    return std::string("A generic agent has no hooks, so nothing is removed.");
  }
  BELAY_TRY(agent ? initialiser.RemoveHooks(*agent) : initialiser.Remove());
  return std::string();
}

}  // namespace

Result<InitOutcome> InitProject(Env& env, const InitRequest& request) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(env));
  Initialiser initialiser(env.files, env.clock, project, request.dry_run);
  InitOutcome outcome{.project = project};
  if (request.remove && !request.agent) {
    outcome.changes = RemoveProtection(env, project, request.dry_run);
  }
  BELAY_TRY_ASSIGN(const std::string remark, request.remove
                                                 ? RemoveFromProject(request.agent, initialiser)
                                                 : SetUpProject(request.agent, initialiser, env));
  std::ranges::copy(initialiser.changes(), std::back_inserter(outcome.changes));
  outcome.remarks = initialiser.remarks();
  if (!remark.empty()) outcome.remarks.push_back(remark);
  return outcome;
}

}  // namespace belay
