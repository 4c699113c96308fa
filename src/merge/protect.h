// `merge-queue protect` and `unprotect`: puts the guard of a target into force, and takes it out.
//
// The hook is installed first, then the names of guarded refs are written, and last
// the journal says that the target is guarded, which is what the guard believes; the other way
// round when it is taken out. So whoever is killed in between leaves a hook that lets pass, never a
// target that is called protected and isn't.

#ifndef BELAY_MERGE_PROTECT_H_
#define BELAY_MERGE_PROTECT_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "merge/merge_doors.h"
#include "os/file_system.h"

namespace belay {

// The hook by which git asks the guard (ref_guard.h): a small script, `reference-transaction` in a
// folder of hooks.
//
// What somebody else has there stays in force: it is moved to `reference-transaction.before-belay`,
// also when it is a link or can't be run, and called first with the same arguments and the same
// input; if it refuses, that counts. Taking the guard out puts it back as it was.
//
// The script never stands in git's way when belay does not work: only the exit code 4 of belay's
// refuses anything. A folder may serve several repositories (core.hooksPath of a user), so the
// script names those that it was put there for, and goes with the last of them.

struct GuardHook {
  std::string folder;      // of hooks
  std::string program;     // belay's; if it is gone, the one in PATH counts
  std::string repository;  // its common folder
};

enum class HookChange {
  kInstalled,
  kChained,    // and somebody else's is called first
  kUnchanged,  // it was there, or not there, already
  kRemoved,
  kPutBack,  // and somebody else's is in its place again
  kLeft,     // others use it; or what is there now isn't ours
};

std::string GuardHookText(std::string_view program, const std::set<std::string>& repositories);

// The caller holds the queue's lock. Killed in between, it is finished by doing it again. Two that
// aren't ours, one of them moved aside before: kRefused.
Result<HookChange> InstallGuardHook(FileSystem& files, const GuardHook& hook);
Result<HookChange> RemoveGuardHook(FileSystem& files, const GuardHook& hook);

// Whether git would ask the guard: ours is there, can be run, and is there for this repository.
Result<bool> IsGuardHookInForce(const FileSystem& files, const GuardHook& hook);

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
