// The locks that git takes when it moves a target: refs/heads/main.lock, which holds the new
// commit, and HEAD.lock, empty, of a checkout that has the target. A killed git leaves them, and
// then neither the queue nor the user can commit. The note about the move (move_note.h) is on the
// disk before git starts, and identifies the locks of our git.

#ifndef BELAY_MERGE_REF_LOCKS_H_
#define BELAY_MERGE_REF_LOCKS_H_

#include <cstdint>
#include <string>

#include "merge/move_note.h"
#include "os/file_system.h"

namespace belay {

// Removes the locks that our git has left. If that git still lives, it releases its locks within
// the second that this waits, since its input has ended. `since`: when the note was written, by the
// file system's clock. Returns whether there was a lock to remove.
bool FreeRefLocks(FileSystem& files, const std::string& common_folder, const MoveNote& note,
                  std::int64_t since);

}  // namespace belay

#endif  // BELAY_MERGE_REF_LOCKS_H_
