// What a ref says, without asking git: a start of git takes longer than all else about it.

#ifndef BELAY_ADAPTERS_GIT_LOOSE_REF_H_
#define BELAY_ADAPTERS_GIT_LOOSE_REF_H_

#include <optional>
#include <string>

#include "adapters/git/object_id.h"
#include "os/file_system.h"

namespace belay {

// By the file of its own that a ref has as long as nobody packed it, which counts more than what is
// packed. Nothing: it has no such file, or that is a symbolic ref; only git knows what it says.
std::optional<ObjectId> ReadLooseRef(const FileSystem& files, const std::string& common_folder,
                                     const std::string& name);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_LOOSE_REF_H_
