// Gives the owner back the rights to look into folders and to change them, and says what is there.

#ifndef BELAY_OS_UNLOCK_TREE_H_
#define BELAY_OS_UNLOCK_TREE_H_

#include <string>
#include <vector>

#include "base/result.h"

namespace belay {

// For the folder and all below it, links not followed: a folder that nobody may write to can't be
// emptied either, except by root. Files are left as they are. What isn't there, or goes meanwhile,
// is fine; folders of others, and those on another file system, are passed over.
//
// Gives the paths below the folder of everything that isn't a folder, and with a slash at their end
// those of empty folders and of folders that were passed over; sorted.
Result<std::vector<std::string>> UnlockTree(const std::string& folder);

}  // namespace belay

#endif  // BELAY_OS_UNLOCK_TREE_H_
