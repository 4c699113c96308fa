// Updates one rendering of the state root. The state root may be wiped at any moment, so every
// missing folder above it is created.

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
  // An edited file was kept at that path; called before it is replaced.
  std::function<Result<void>(const std::string& kept)> edited = [](const std::string&) {
    return Result<void>();
  };
};

// Writes `record` to the file. It is never torn, and its content is on the disk.
Result<void> UpdateStateFile(FileSystem& files, const StateLock& lock, const Layout& project,
                             const std::string& path, const Json& record,
                             const StateFileRules& rules);

// Removes a file that has no record any more; an edited one is kept first.
Result<void> RemoveStateFile(FileSystem& files, const StateLock& lock, const Layout& project,
                             const std::string& path, const StateFileRules& rules);

// Removes what a crash left of files that were being replaced, in a folder that is written only
// under this lock. A missing folder is fine.
Result<void> RemoveStateLeftovers(FileSystem& files, const StateLock& lock,
                                  const std::string& folder);

// For a loop that goes on after a failure: `first` is the first one.
inline void KeepFirst(Result<void> outcome, Result<void>& first) {
  if (!outcome && first) first = std::move(outcome);
}

}  // namespace belay

#endif  // BELAY_LEDGER_STATE_FILE_H_
