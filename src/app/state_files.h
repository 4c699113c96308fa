// The files of the state root compared with what the journals say, and what a crash left behind in
// the vault and the state root.

#ifndef BELAY_APP_STATE_FILES_H_
#define BELAY_APP_STATE_FILES_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "ledger/ledger.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/rendering.h"
#include "store/state_lock.h"

namespace belay {

struct OddRendering {
  std::string path;
  RenderingState state;  // never kCurrent
};

// Those of one family that are lost, edited or out of date. A journal that can't be read is
// kDamaged.
Result<std::vector<OddRendering>> FindOddRenderings(const FileSystem& files, AnyLedger& ledger);

struct StrayFile {
  std::string path;
  bool ours;  // belay wrote it, of something that isn't recorded any more
};

// What lies among the renderings and is none.
Result<std::vector<StrayFile>> FindStrays(const FileSystem& files, const Layout& project,
                                          std::span<AnyLedger* const> ledgers);

// The temporary files that a crash left beside any file which is written under the project's lock.
Result<std::vector<std::string>> LeftoversOfProject(FileSystem& files, const Layout& project);
Result<void> RemoveLeftoversOfProject(FileSystem& files, const StateLock& lock,
                                      const Layout& project);

// The folders in which belay replaces files.
std::vector<std::string> FoldersToCleanUp(const FileSystem& files, const Layout& project);

// Temporary files of an hour ago and more: the process that wrote them was killed. In folders that
// other processes write to at this moment; what can't be removed stays.
void RemoveOldTemporaries(FileSystem& files, const std::string& folder, WallTime now);

// Files of a folder that were written before `than` and have a name that is `wanted`.
void RemoveOldFiles(FileSystem& files, const std::string& folder, WallTime than,
                    bool (*wanted)(std::string_view name));

}  // namespace belay

#endif  // BELAY_APP_STATE_FILES_H_
