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

#ifndef BELAY_MERGE_GUARD_HOOK_H_
#define BELAY_MERGE_GUARD_HOOK_H_

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/file_system.h"

namespace belay {

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

}  // namespace belay

#endif  // BELAY_MERGE_GUARD_HOOK_H_
