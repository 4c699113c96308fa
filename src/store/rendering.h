// A file of the state root: a journal's state as JSON, for people, scripts and jq.
//
// Its last member, `sha256`, is the digest of the others. So a file that belay wrote can be
// distinguished from an edited one without any bookkeeping: belay's own may be out of date and is
// simply replaced; an edited one is copied first, and the caller learns of it. Nothing is ever read
// back from a rendering.

#ifndef BELAY_STORE_RENDERING_H_
#define BELAY_STORE_RENDERING_H_

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "codec/json.h"
#include "os/file_system.h"

namespace belay {

enum class RenderingState {
  kCurrent,
  kMissing,
  kOutdated,  // an older version by belay
  kEdited,    // not as belay wrote it
  kReplaced,  // by a folder, a link or a file that can't be read
};

// What the file must hold. `record` is an object without a member "sha256".
std::string RenderingText(const Json& record);

Result<RenderingState> InspectRendering(const FileSystem& files, const std::string& path,
                                        const Json& record);

// Keeps an edited rendering: a copy in `folder`, which is created if it is missing. Returns its
// path, or that of an older copy with the same content, so that a retry keeps nothing twice. The
// rendering itself stays, for WriteRendering; only one that is too large to copy is moved away,
// which needs `folder` on the same disk.
Result<std::string> KeepEdited(FileSystem& files, const std::string& path,
                               const std::string& folder);
// The same for whatever is in the place of a rendering; nothing where belay wrote it or it is
// missing. What can't be copied is moved away as it is, never followed.
Result<std::optional<std::string>> KeepForeign(FileSystem& files, const std::string& path,
                                               const std::string& folder, RenderingState state);
// The names in `folder` of the copies kept of `path`.
Result<std::vector<std::string>> KeptEdits(const FileSystem& files, const std::string& path,
                                           const std::string& folder);

// Writes `record` to the file, durably. Creates its folder and that one's parent if they are
// missing: both may have been wiped.
Result<void> WriteRendering(FileSystem& files, const std::string& path, const Json& record);

}  // namespace belay

#endif  // BELAY_STORE_RENDERING_H_
