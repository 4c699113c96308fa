// A branch that is checked out somewhere was moved in the object store: brings that checkout along,
// if nobody has work in it.
//
// Clean means: the branch is still checked out, at the commit that it was moved to; no operation is
// under way; index and files are as the commit before had them; no file that git doesn't track,
// ignored or not, lies where the new commit has one. Otherwise nothing is touched at all.
//
// Killed in between, it goes on when it is called again: the file `belay-follow` in the worktree's
// git folder tells that files which are neither old nor new, but the beginning of the new one, are
// its own unfinished work. Nothing is synced, as git doesn't for a checkout: after a power cut it
// may be left as it is.

#ifndef BELAY_ADAPTERS_GIT_FOLLOW_CHECKOUT_H_
#define BELAY_ADAPTERS_GIT_FOLLOW_CHECKOUT_H_

#include <optional>
#include <string>
#include <vector>

#include "adapters/git/branch_uses.h"
#include "adapters/git/checkout_facts.h"
#include "adapters/git/git.h"
#include "adapters/git/local_programs.h"
#include "adapters/git/object_id.h"
#include "adapters/git/tree_changes.h"
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
    kAlreadyThere,  // the index is that of the new commit: nothing was done
    kLeft,          // as it is, for good: somebody has work in it
    kLater,         // as it is, because of trouble (a lock of git's, a full disk): ask again
    kUnfinished,    // trouble came halfway: ask again, before the branch moves on
  };

  End end;
  std::string why = {};  // of the last three, in one line
};

// Filters of the repository's own configuration aren't run: a checkout in which files that change
// have one is left alone.
Followed FollowCheckout(const Git& git, FileSystem& files, const GitWorktree& worktree,
                        const FollowRequest& request);

// Looks at a checkout that may follow its branch: what is where, path by path.

struct FollowPlan {
  bool index_is_new;             // all of it
  std::vector<TreeChange> done;  // begun or finished before a kill: to be written again
};

// What is to be done, or an error that says what stands in the way (kRefused, kBusy).
Result<FollowPlan> PlanFollowing(const Checkout& checkout, const FollowRequest& request,
                                 const LocalPrograms& programs);

// A checkout that its branch has left behind: which commit its index and files are of. Git itself
// knows only where the branch is now, and takes what the checkout hasn't got for changes of its
// own.
//
// Kept as `belay-behind` in the worktree's git folder: "refs/heads/main COMMIT".

// Nothing: as far as is known it is where `branch` is.
std::optional<ObjectId> BehindAt(const FileSystem& files, const GitWorktree& worktree,
                                 const std::string& branch);
Result<void> ForgetBehind(FileSystem& files, const GitWorktree& worktree);

// Whether there is any such checkout in the repository, without asking git.
bool IsAnyBehind(const FileSystem& files, const std::string& common_folder);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_FOLLOW_CHECKOUT_H_
