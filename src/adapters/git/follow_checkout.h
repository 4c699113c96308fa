// Updates the checkout of a branch that was moved in the object store, if it holds no unsaved work.
//
// Clean means: the branch is still checked out, at the commit that it was moved to; no operation is
// under way; index and files match the previous commit; no untracked file, ignored or not, is in
// the place of a file of the new commit. Otherwise nothing is touched.
//
// After a kill, the next call continues: the file `belay-follow` in the worktree's git folder
// records that files which are neither old nor new, but the beginning of the new one, are its own
// unfinished work. Nothing is synced, as with git's checkouts: a power cut may leave it half done.

#ifndef BELAY_ADAPTERS_GIT_FOLLOW_CHECKOUT_H_
#define BELAY_ADAPTERS_GIT_FOLLOW_CHECKOUT_H_

#include <optional>
#include <string>
#include <vector>

#include "adapters/git/branch_uses.h"
#include "adapters/git/checkout_facts.h"
#include "adapters/git/git.h"
#include "adapters/git/local_programs.h"
#include "adapters/git/status.h"
#include "base/result.h"
#include "os/file_system.h"

namespace belay {

struct FollowRequest {
  std::string branch;  // "refs/heads/main"; it says `to` already
  ObjectId from;
  ObjectId to;
};

struct Followed {
  enum class End {
    kFollowed,
    kAlreadyThere,  // the index is that of the new commit; nothing was done
    kLeft,          // unchanged, and stays so: the user has work in it
    kLater,         // unchanged because of a problem (a git lock, a full disk): try again
    kUnfinished,    // a problem came halfway: try again before the branch moves on
  };

  End end;
  std::string why = {};  // for the last three, in one line
};

// Filters from the repository's own configuration aren't run: a checkout is left alone if files
// that change have one.
Followed FollowCheckout(const Git& git, FileSystem& files, const GitWorktree& worktree,
                        const FollowRequest& request);

// Inspects a checkout that may follow its branch, path by path.

struct FollowPlan {
  bool index_is_new;             // all of it
  std::vector<TreeChange> done;  // begun or finished before a kill; will be written again
};

// What has to be done, or an error that names the obstacle (kRefused, kBusy).
Result<FollowPlan> PlanFollowing(const Checkout& checkout, const FollowRequest& request,
                                 const LocalPrograms& programs);

// A checkout that its branch has left behind: the commit of its index and files. Git itself knows
// only where the branch is now, and takes what the checkout lacks for local changes.
//
// Kept as `belay-behind` in the worktree's git folder: "refs/heads/main COMMIT".

// Nullopt: it isn't known to be behind `branch`.
std::optional<ObjectId> BehindAt(const FileSystem& files, const GitWorktree& worktree,
                                 const std::string& branch);
Result<void> ForgetBehind(FileSystem& files, const GitWorktree& worktree);

// Whether any checkout of the repository is behind, without running git.
bool IsAnyBehind(const FileSystem& files, const std::string& common_folder);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_FOLLOW_CHECKOUT_H_
