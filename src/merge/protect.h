// `merge-queue protect` and `unprotect`: turns the guard of a target on and off.
//
// On: the hook is installed first, then the names of guarded refs are written, and last the target
// is marked as guarded in the journal, which the guard trusts; off: in reverse order. So a kill in
// between leaves a hook that lets everything pass, never a target that is marked as protected and
// isn't.

#ifndef BELAY_MERGE_PROTECT_H_
#define BELAY_MERGE_PROTECT_H_

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "merge/merge_env.h"
#include "os/file_system.h"

namespace belay {

// The hook through which git asks the guard (ref_guard.h): a small script, `reference-transaction`
// in a hooks folder.
//
// Another hook of that name stays in force: it is moved to `reference-transaction.before-belay`,
// even if it is a link or not executable, and called first with the same arguments and input; if it
// refuses, that counts. Removing the guard moves it back.
//
// The script never blocks git when belay does not work: only belay's exit code 4 refuses anything.
// A folder may serve several repositories (a user's core.hooksPath), so the script lists those that
// it was installed for, and is removed with the last of them.

struct GuardHook {
  std::string folder;      // hooks folder
  std::string program;     // belay; if it is gone, the one in PATH is used
  std::string repository;  // its common folder
};

enum class HookChange {
  kInstalled,
  kChained,    // and another hook is called first
  kUnchanged,  // already there, or already gone
  kRemoved,
  kPutBack,  // and the other hook is back in its place
  kLeft,     // others use it; or the present hook isn't ours
};

std::string GuardHookText(std::string_view program, const std::set<std::string>& repositories);

// The caller holds the queue's lock. After a kill, repeating it finishes it. Two hooks that aren't
// ours, one of them moved aside before: kRefused.
Result<HookChange> InstallGuardHook(FileSystem& files, const GuardHook& hook);
Result<HookChange> RemoveGuardHook(FileSystem& files, const GuardHook& hook);

// Whether git would ask the guard: our hook is there, executable, and installed for this
// repository.
Result<bool> IsGuardHookInForce(const FileSystem& files, const GuardHook& hook);

struct GuardPlace {
  FileSystem& files;
  const Layout& project;
  const Git& git;             // in the main worktree
  std::string common_folder;  // of the repository
  std::string program = {};   // belay itself, for the hook
};

// What happened to the hook in a folder, or why it is still there.
struct HookRemoval {
  std::string folder;
  Result<HookChange> change;
};

struct Protection {
  struct Place {
    std::string folder;  // hooks folder
    HookChange change;
  };

  MergeTarget target;
  std::vector<Place> places = {};
  std::vector<std::string> left = {};  // worktrees in which git can't work, each with the reason
};

// The target must be an existing branch: kNotFound.
Result<Protection> ProtectTarget(const GuardPlace& place, MergeLedger& ledger,
                                 const std::string& target);
// The hook is removed with the last target.
Result<Protection> UnprotectTarget(const GuardPlace& place, MergeLedger& ledger,
                                   const std::string& target);
// Unprotects all targets, and removes the hooks as far as possible; errors are those of the
// journal.
Result<std::vector<HookRemoval>> UnprotectAll(const GuardPlace& place, MergeLedger& ledger);
// What that would remove, or replace by an earlier hook.
Result<std::vector<HookRemoval>> WouldUnprotect(const GuardPlace& place);

// The hooks folders of all worktrees in which git wouldn't find the guard.
Result<std::vector<std::string>> UnguardedFolders(const GuardPlace& place);
// Whether the hook asks about it: without a list of names it asks about all.
bool IsGuardedRef(const GuardPlace& place, const std::string& target);

}  // namespace belay

#endif  // BELAY_MERGE_PROTECT_H_
