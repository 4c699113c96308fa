// Makes folders accessible to their owner again, and lists their content.

#ifndef BELAY_OS_UNLOCK_TREE_H_
#define BELAY_OS_UNLOCK_TREE_H_

#include <string>
#include <vector>

#include "base/result.h"

namespace belay {

// For the folder and everything below it, without following links: a folder without write
// permission can't be emptied either, except by root. Files are not changed. Anything missing or
// vanishing is fine; folders of other users, and those on another file system, are skipped.
//
// Returns the paths, relative to the folder, of everything that isn't a folder, and with a trailing
// slash those of empty and of skipped folders; sorted.
Result<std::vector<std::string>> UnlockTree(const std::string& folder);

}  // namespace belay

#endif  // BELAY_OS_UNLOCK_TREE_H_
