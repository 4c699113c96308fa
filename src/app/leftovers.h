#ifndef BELAY_APP_LEFTOVERS_H_
#define BELAY_APP_LEFTOVERS_H_

#include <string>
#include <vector>

#include "base/result.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

// The temporary files that a crash left beside any file which is written under the project's lock.
Result<std::vector<std::string>> LeftoversOfProject(FileSystem& files, const Layout& project);
Result<void> RemoveLeftoversOfProject(FileSystem& files, const StateLock& lock,
                                      const Layout& project);

}  // namespace belay

#endif  // BELAY_APP_LEFTOVERS_H_
