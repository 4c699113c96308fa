// The locks that git takes when it moves a target: refs/heads/main.lock, which holds the new
// commit, and HEAD.lock, empty, of a checkout that has the target. A git that is killed leaves
// them, and then neither the queue nor a person can commit. The note about the move (move_note.h)
// is on the disk before git starts, and by it the locks of our git are recognised.

#ifndef BELAY_MERGE_REF_LOCKS_H_
#define BELAY_MERGE_REF_LOCKS_H_

#include <cstdint>
#include <string>

#include "merge/move_note.h"
#include "os/file_system.h"

namespace belay {

// Removes what our git has left. One that still lives frees its locks within the second that this
// waits, since no one talks to it any more. `since`: when the note was written, as the file system
// has it. Whether there was something to remove.
bool FreeRefLocks(FileSystem& files, const std::string& common_folder, const MoveNote& note,
                  std::int64_t since);

}  // namespace belay

#endif  // BELAY_MERGE_REF_LOCKS_H_
