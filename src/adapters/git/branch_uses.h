// Which worktrees use a branch, by the rules that git uses to refuse to delete it.

#ifndef BELAY_ADAPTERS_GIT_BRANCH_USES_H_
#define BELAY_ADAPTERS_GIT_BRANCH_USES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/git.h"
#include "base/result.h"
#include "os/file_system.h"

namespace belay {

struct GitWorktree {
  std::string folder;
  std::string git_folder;  // with its HEAD and index; empty: unknown
  bool is_main = false;    // the first one, which may be bare
  bool is_bare = false;
  ObjectId head = {};
  std::string branch = {};   // "refs/heads/x"; empty: detached
  bool is_prunable = false;  // its folder is gone
  bool is_hidden = false;    // the main worktree, but its files are not in `folder`
};

// The main one comes first.
Result<std::vector<GitWorktree>> ListWorktrees(const Git& git, const FileSystem& files,
                                               const std::string& common_folder);

struct BranchUse {
  enum class Kind { kCheckedOut, kRebased, kBisected };

  Kind kind;
  GitWorktree worktree;
};

// Searches these worktrees. `branch` is a full name, "refs/heads/x". A worktree with a rebase or
// bisection of the branch under way uses it too, although its HEAD differs.
std::vector<BranchUse> FindBranchUses(const FileSystem& files,
                                      std::span<const GitWorktree> worktrees,
                                      std::string_view branch);

// Parses `git worktree list --porcelain -z`, without git folders. Anything else: kDamaged.
Result<std::vector<GitWorktree>> ParseWorktrees(std::string_view output);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_BRANCH_USES_H_
