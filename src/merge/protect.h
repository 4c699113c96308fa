// `merge-queue protect` and `unprotect`: puts the guard of a target into force, and takes it out.
//
// The hook is installed first (guard_hook.h), then the names of guarded refs are written, and last
// the journal says that the target is guarded, which is what the guard believes; the other way
// round when it is taken out. So whoever is killed in between leaves a hook that lets pass, never a
// target that is called protected and isn't.

#ifndef BELAY_MERGE_PROTECT_H_
#define BELAY_MERGE_PROTECT_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "merge/guard_hook.h"
#include "merge/merge_doors.h"

namespace belay {

struct GuardPlace {
  FileSystem& files;
  const Layout& project;
  const Git& git;             // in the main worktree
  std::string common_folder;  // of the repository
  std::string program = {};   // belay's own, for the hook
};

// What became of the hook in a folder, or why it is still there.
struct HookRemoval {
  std::string folder;
  Result<HookChange> change;
};

struct Protection {
  struct Place {
    std::string folder;  // of hooks
    HookChange change;
  };

  MergeTarget target;
  std::vector<Place> places = {};
  std::vector<std::string> left = {};  // worktrees in which git can't work, each with the reason
};

// The target must be a branch that is there: kNotFound.
Result<Protection> ProtectTarget(const GuardPlace& place, MergeLedger& ledger,
                                 const std::string& target);
// The hook goes with the last target.
Result<Protection> UnprotectTarget(const GuardPlace& place, MergeLedger& ledger,
                                   const std::string& target);
// All of them, as far as the hooks can be taken out; errors are those of the journal.
Result<std::vector<HookRemoval>> UnprotectAll(const GuardPlace& place, MergeLedger& ledger);
// What that would take out, or put something else back in place of.
Result<std::vector<HookRemoval>> WouldUnprotect(const GuardPlace& place);

// The folders in which git looks for hooks, in any worktree, and wouldn't find the guard.
Result<std::vector<std::string>> UnguardedFolders(const GuardPlace& place);
// Whether the hook asks about it: without a list of names it asks about all.
bool IsGuardedRef(const GuardPlace& place, const std::string& target);

}  // namespace belay

#endif  // BELAY_MERGE_PROTECT_H_
