#include "cli/lost_worktree.h"

#include <fmt/core.h>

#include <optional>

#include "base/split.h"

namespace belay {
namespace {

struct KnownWorktree {
  std::string branch = {};  // empty: on none
  bool locked = false;
};

// The paragraph of `git worktree list --porcelain` that is about the path.
std::optional<KnownWorktree> FindIn(std::string_view list, const std::string& path) {
  constexpr std::string_view kBranch = "branch refs/heads/";
  std::optional<KnownWorktree> found;
  bool inside = false;
  for (const std::string_view line : Split(list, '\n')) {
    if (line.starts_with("worktree ")) inside = line == "worktree " + path;
    if (!inside) continue;
    if (!found) found.emplace();
    if (line.starts_with(kBranch)) found->branch = line.substr(kBranch.size());
    if (line == "locked" || line.starts_with("locked ")) found->locked = true;
  }
  return found;
}

}  // namespace

Result<void> ForgetLostWorktree(const Git& git, const std::string& path,
                                const std::string& branch) {
  BELAY_TRY_ASSIGN(const std::string list, git.Ask({"worktree", "list", "--porcelain"}));
  const std::optional<KnownWorktree> known = FindIn(list, path);
  if (!known) return {};
  const std::string gone = fmt::format("git still knows the worktree {}, which is gone", path);
  if (known->locked) {
    return Error{ErrorCode::kRefused, fmt::format("{}, and is locked", gone),
                 fmt::format("git worktree unlock {} if it won't come back", path)};
  }
  if (known->branch != branch) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{}, {}", gone,
                             known->branch.empty() ? "and was on no branch"
                                                   : "and was on the branch " + known->branch),
                 fmt::format("git worktree remove {} lets git forget it", path)};
  }
  BELAY_TRY(git.Run({.arguments = {"worktree", "remove", path}}));
  return {};
}

}  // namespace belay
