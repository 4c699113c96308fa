#include "app/doctor_protection.h"

#include <fmt/core.h>

#include <vector>

#include "codec/shell_quote.h"
#include "ledger/merge_ledger.h"
#include "merge/protect.h"
#include "store/repository.h"

namespace belay {
namespace {

std::string FixFor(const std::string& target) {
  return fmt::format("belay merge-queue protect --target {}", ShellQuoted(target));
}

Check Lost(const std::string& target, const std::string& what) {
  return {"protection", Verdict::kLacking, fmt::format("{} is protected, but {}", target, what),
          "git moves it without asking; that is only noticed at the next belay merge-queue process",
          FixFor(target)};
}

std::vector<std::string> GuardedTargets(const MergeBook& book) {
  std::vector<std::string> names;
  for (const auto& [branch, target] : book.targets()) {
    if (target.guarded) names.push_back(branch);
  }
  return names;
}

}  // namespace

std::optional<Check> CheckProtection(const Layout& project, const Env& env) {
  MergeLedger ledger(env.files, env.clock, project);
  if (!ledger.CatchUp()) return std::nullopt;
  const std::vector<std::string> targets = GuardedTargets(ledger.book());
  if (targets.empty()) return std::nullopt;
  const Result<Repository> repository = FindRepository(env.files, project.Root());
  if (!repository) return Lost(targets.front(), repository.error().message);
  const Git git(env.programs, env.environment, project.Root());
  const GuardPlace place{env.files, project, git, repository->common_folder};
  const Result<std::vector<std::string>> unguarded = UnguardedFolders(place);
  if (!unguarded) return Lost(targets.front(), unguarded.error().message);
  if (!unguarded->empty()) {
    return Lost(targets.front(),
                fmt::format("belay's hook reference-transaction isn't in {}", unguarded->front()));
  }
  std::string names;
  for (const std::string& target : targets) {
    if (!IsGuardedRef(place, target)) return Lost(target, "its hook isn't told so");
    names += (names.empty() ? "" : ", ") + target;
  }
  return Check{"protection", Verdict::kFine, names};
}

}  // namespace belay
