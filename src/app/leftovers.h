#ifndef BELAY_APP_LEFTOVERS_H_
#define BELAY_APP_LEFTOVERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

// The temporary files that a crash left beside any file which is written under the project's lock.
Result<std::vector<std::string>> LeftoversOfProject(FileSystem& files, const Layout& project);
Result<void> RemoveLeftoversOfProject(FileSystem& files, const StateLock& lock,
                                      const Layout& project);

// The folders in which belay replaces files.
std::vector<std::string> FoldersToTidy(const FileSystem& files, const Layout& project);

// Temporary files of an hour ago and more: the process that wrote them was killed. In folders that
// other processes write to at this moment; what can't be removed stays.
void RemoveOldTemporaries(FileSystem& files, const std::string& folder, WallTime now);

// Files of a folder that were written before `than` and have a name that is `wanted`.
void RemoveOldFiles(FileSystem& files, const std::string& folder, WallTime than,
                    bool (*wanted)(std::string_view name));

}  // namespace belay

#endif  // BELAY_APP_LEFTOVERS_H_
