// Moves a target together with every checkout of it, so that no ordinary commit there can undo what
// has landed. A person may be at work in those checkouts at the same time.
//
// `git commit` reads HEAD, then the index, then takes index.lock, and moves the branch only if it
// still says what HEAD said at first. So the order is:
//
//   1. make everything ready beside the checkout: the new index, the new files
//   2. note on the disk what is going to be done (move_note.h)
//   3. take index.lock of each checkout: from here on git refuses to write there
//   4. look whether all is as it was in step 1; if not, start again
//   5. let git lock the ref of the target, if it is at `from`; else start again
//   6. put the files in place by renames, then the index
//   7. let git move the target
//   8. wait for gits that have read the index before step 6 and want to lock it; they find it
//   locked
//   9. free the locks, remove the note
//
// A commit that read HEAD before step 7 fails, since the branch is locked and then has moved; one
// that read it later finds the new index and the new files. Never does the old index meet the new
// HEAD, and what is read of the new index in step 6 can't be committed onto the old one.
//
// Steps 3 to 9 take milliseconds. A kill in between leaves the note: a stand-in process
// (os/stand_in.h) finishes or undoes the move at once; if that was killed too, the next run does.
// Whoever calls this holds the lock of the queue's run, and so does the stand-in.

#ifndef BELAY_MERGE_CHECKOUT_MOVE_H_
#define BELAY_MERGE_CHECKOUT_MOVE_H_

#include <span>
#include <string>

#include "adapters/git/branch_uses.h"
#include "adapters/git/object_id.h"
#include "base/result.h"
#include "merge/merge_doors.h"

namespace belay {

struct TargetAdvance {
  std::string target;  // "main"
  ObjectId from;
  ObjectId to;
  std::string reason = {};    // for git's log of the ref
  bool moves_ref = true;      // false: the target is at `to` already, and a checkout follows
  bool keep_blocked = false;  // paths in a person's work become unmerged there, instead of waiting
};

struct AdvanceEnd {
  enum class Kind {
    kMoved,
    kWaits,       // nothing was changed; `why` names the checkout, the files and what to do
    kCantFollow,  // the same, but because of trouble in the checkout: a filter fails, a folder
                  // can't be written
    kElsewhere,   // the target isn't at `from`
  };

  Kind kind;
  std::string why = {};
};

// Trouble that would stop every other entry too (a full disk, a lock of the ref) is an error, and
// nothing was changed.
Result<AdvanceEnd> AdvanceWithCheckouts(const MergeDoors& doors, const TargetAdvance& advance,
                                        std::span<const GitWorktree> worktrees);

// Whether a checkout would be in the way, looked at without any lock; empty: none. With kStage, for
// a target that is at `from`, the new files are made as well, to see whether that fails: an error.
enum class WaitCheck { kLook, kStage };
Result<std::string> WhyCheckoutsWait(const MergeDoors& doors, const TargetAdvance& advance,
                                     std::span<const GitWorktree> worktrees, WaitCheck check);

// What recovery needs; a part of MergeDoors.
struct RecoveryDoors {
  FileSystem& files;
  const Git& git;
  const Layout& project;
  const std::string& common_folder;
};

// Whether a move was begun and not ended.
bool IsMoveUnfinished(const FileSystem& files, const Layout& project);
// Ends it. The caller holds the lock of the queue's run. What was done, in a line; empty: there was
// nothing to do.
Result<std::string> RecoverMove(const RecoveryDoors& doors);
// The same for others, who take that lock for it. kBusy: work is being landed.
Result<std::string> EndCutOffMove(const RecoveryDoors& doors);

}  // namespace belay

#endif  // BELAY_MERGE_CHECKOUT_MOVE_H_
