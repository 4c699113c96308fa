// Bringing one rendering of the state root up to date. The state root may be wiped at any moment,
// so every folder above it is made where it is missing.

#ifndef BELAY_LEDGER_STATE_FILE_H_
#define BELAY_LEDGER_STATE_FILE_H_

#include <functional>
#include <string>

#include "base/result.h"
#include "codec/json.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

enum class Previous { kGone, kKept };  // the version before, as PATH.prev

struct StateFileRules {
  Previous previous = Previous::kGone;
  // One that was edited by hand was kept at that path; called before it is replaced.
  std::function<Result<void>(const std::string& kept)> edited = [](const std::string&) {
    return Result<void>();
  };
};

// Makes the file say `record`. It is never torn, and its content is on the disk.
Result<void> UpdateStateFile(FileSystem& files, const StateLock& lock, const Layout& project,
                             const std::string& path, const Json& record,
                             const StateFileRules& rules);

// Takes one away for which there is no record any more; one that was edited is kept first.
Result<void> RemoveStateFile(FileSystem& files, const StateLock& lock, const Layout& project,
                             const std::string& path, const StateFileRules& rules);

// What a crash left of files that were being replaced, in a folder that is written under this lock
// only. One that isn't there holds none.
Result<void> RemoveStateLeftovers(FileSystem& files, const StateLock& lock,
                                  const std::string& folder);

// For a loop that goes on after a failure: `first` is the first one.
inline void KeepFirst(Result<void> outcome, Result<void>& first) {
  if (!outcome && first) first = std::move(outcome);
}

}  // namespace belay

#endif  // BELAY_LEDGER_STATE_FILE_H_
