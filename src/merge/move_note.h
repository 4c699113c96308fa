// What belay is about to do to the checkouts of a target while it moves the target: written to the
// disk before git moves the target or the first index is locked, and removed after the last unlock.
// After a kill, the next run can distinguish belay's own locks from others', and finish or undo the
// move. A target without checkouts is moved with a note too.
//
// The file holds texts, each ended by a NUL: paths are bytes, and contain none.

#ifndef BELAY_MERGE_MOVE_NOTE_H_
#define BELAY_MERGE_MOVE_NOTE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/checkout_facts.h"
#include "adapters/git/git.h"
#include "base/result.h"
#include "os/file_system.h"

namespace belay {

struct PathMove {
  std::string path;
  FileMark comes = {};  // the new file, under any name; none: the path is removed
  FileMark goes = {};   // the previous file; none: there was none

  bool operator==(const PathMove&) const = default;
};

struct CheckoutPlan {
  std::string folder;
  std::string git_folder;
  std::string staging;  // the prepared index and lock, and the previous index
  std::string
      files_folder;  // the new files, and those that had to make room; same disk as `folder`
  std::string lock_text = {};  // of our index.lock; unique to us
  FileMark index = {};         // the new one
  FileMark old_index = {};     // the previous one, and its copy that an undo restores
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
  std::string reason;     // for the reflog
  bool moves_ref = true;  // false: it is at `to` already, and only checkouts follow
  std::vector<CheckoutPlan> checkouts = {};

  bool operator==(const MoveNote&) const = default;
};

std::string WriteMoveNote(const MoveNote& note);
// Anything else: kDamaged.
Result<MoveNote> ParseMoveNote(std::string_view text);

// The locks that git takes when it moves a target: refs/heads/main.lock, which holds the new
// commit, and HEAD.lock, empty, of a checkout that has the target. A killed git leaves them, and
// then neither the queue nor the user can commit. The note about the move (move_note.h) is on the
// disk before git starts, and identifies the locks of our git.

// Removes the locks that our git has left. If that git still lives, it releases its locks within
// the second that this waits, since its input has ended. `since`: when the note was written, by the
// file system's clock. Returns whether there was a lock to remove.
bool FreeRefLocks(FileSystem& files, const std::string& common_folder, const MoveNote& note,
                  std::int64_t since);

}  // namespace belay

#endif  // BELAY_MERGE_MOVE_NOTE_H_
