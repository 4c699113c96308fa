// What belay is about to do to the checkouts of a target while it moves the target: written to the
// disk before git moves the target or the first index is locked, and removed when the last lock is
// free again. The next run after a kill can tell belay's own locks from others', and finish or
// undo what was begun. A target that no checkout has is moved with a note as well.
//
// The file holds texts, each with a NUL behind it: paths are bytes, and have none.

#ifndef BELAY_MERGE_MOVE_NOTE_H_
#define BELAY_MERGE_MOVE_NOTE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/checkout_look.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "os/file_system.h"

namespace belay {

struct PathMove {
  std::string path;
  FileMark comes = {};  // the new file, whatever its name; none: the path goes
  FileMark goes = {};   // what was there; none: nothing was

  bool operator==(const PathMove&) const = default;
};

struct CheckoutPlan {
  std::string folder;
  std::string git_folder;
  std::string staging;  // the index and the lock that are ready, and the index as it was
  std::string
      files_folder;  // the new files, and those that had to make room; same disk as `folder`
  std::string lock_text = {};  // of our index.lock; nobody else writes this
  FileMark index = {};         // the new one
  FileMark old_index = {};     // the one that was there, and the copy of it that undoing puts there
  FileMark old_copy = {};
  std::vector<PathMove> moves = {};

  std::string Lock() const;
  std::string Index() const;
  std::string ReadyLock() const;
  std::string ReadyIndex() const;
  std::string OldIndex() const;
  std::string InCheckout(const PathMove& move) const;
  std::string Ready(const PathMove& move) const;
  std::string Aside(std::size_t number) const;

  bool operator==(const CheckoutPlan&) const = default;
};

struct MoveNote {
  std::string ref;  // "refs/heads/main"
  ObjectId from;
  ObjectId to;
  std::string reason;     // for git's log of the ref
  bool moves_ref = true;  // false: it is at `to` already, and only checkouts follow
  std::vector<CheckoutPlan> checkouts = {};

  bool operator==(const MoveNote&) const = default;
};

std::string WriteMoveNote(const MoveNote& note);
// Anything else: kDamaged.
Result<MoveNote> ParseMoveNote(std::string_view text);

// The locks that git takes when it moves a target: refs/heads/main.lock, which holds the new
// commit, and HEAD.lock, empty, of a checkout that has the target. A git that is killed leaves
// them, and then neither the queue nor a person can commit. The note about the move (move_note.h)
// is on the disk before git starts, and by it the locks of our git are recognised.

// Removes what our git has left. One that still lives frees its locks within the second that this
// waits, since no one talks to it any more. `since`: when the note was written, as the file system
// has it. Whether there was something to remove.
bool FreeRefLocks(FileSystem& files, const std::string& common_folder, const MoveNote& note,
                  std::int64_t since);

}  // namespace belay

#endif  // BELAY_MERGE_MOVE_NOTE_H_
