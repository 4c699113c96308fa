// What belay is about to do to the checkouts of a target while it moves the target: written to the
// disk before git moves the target or the first index is locked, and removed when the last lock is
// free again. The next run after a kill can tell belay's own locks from others', and finish or
// undo what was begun. A target that no checkout has is moved with a note as well.
//
// The file holds texts, each with a NUL behind it: paths are bytes, and have none.

#ifndef BELAY_MERGE_MOVE_NOTE_H_
#define BELAY_MERGE_MOVE_NOTE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/git/checkout_look.h"
#include "adapters/git/object_id.h"
#include "base/result.h"

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

}  // namespace belay

#endif  // BELAY_MERGE_MOVE_NOTE_H_
