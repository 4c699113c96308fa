#include "merge/target_check.h"

#include <fmt/core.h>

#include "adapters/git/branch_uses.h"
#include "ledger/identity_ledger.h"

namespace belay {
namespace {

std::string Real(const MergeDoors& doors, const std::string& folder) {
  const Result<std::string> real = doors.files.Resolve(folder);
  return real ? *real : folder;
}

// The running agent whose worktree this is; null: nobody's.
const Identity* WhoWorksIn(const MergeDoors& doors, const IdentityBook& book,
                           const std::string& folder) {
  for (const auto& [name, entry] : book.entries()) {
    const Identity& present = entry.present;
    const bool works = IsRunning(present.status) && !present.worktree_path.empty();
    if (works && Real(doors, present.worktree_path) == Real(doors, folder)) return &present;
  }
  return nullptr;
}

Result<void> CheckNobodyWorksOn(const MergeDoors& doors, const std::string& target) {
  BELAY_TRY_ASSIGN(const std::vector<GitWorktree> worktrees,
                   ListWorktrees(doors.git, doors.files, doors.common_folder));
  const std::vector<BranchUse> uses = FindBranchUses(doors.files, worktrees, BranchRef(target));
  if (uses.empty()) return {};
  IdentityLedger identities(doors.files, doors.clock, doors.project);
  BELAY_TRY(identities.CatchUp());
  for (const BranchUse& use : uses) {
    const Identity* agent = WhoWorksIn(doors, identities.book(), use.worktree.folder);
    if (agent == nullptr) continue;
    return Error{ErrorCode::kRefused,
                 fmt::format("{} is the branch that {} works on, in {}", target, agent->id.text(),
                             use.worktree.folder),
                 "nothing lands there until it has ended; belay stop ends it"};
  }
  return {};
}

}  // namespace

Result<void> CheckTarget(const MergeDoors& doors, const MergeBook& book,
                         const EnqueueRequest& request) {
  if (request.target == doors.settings.target) return {};
  const MergeTarget known = book.Target(request.target);
  if (!request.by_person && !known.named && !known.guarded) {
    return Error{ErrorCode::kRefused,
                 fmt::format("an agent's work lands on {}: only a person may land it on {}",
                             doors.settings.target, request.target),
                 fmt::format("a person can: belay merge-queue add {} --target {}", request.branch,
                             request.target)};
  }
  return CheckNobodyWorksOn(doors, request.target);
}

}  // namespace belay
