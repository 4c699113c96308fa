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

#include <string>

#include "adapters/git/branch_uses.h"
#include "adapters/git/git.h"
#include "adapters/git/object_id.h"
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

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_FOLLOW_CHECKOUT_H_
