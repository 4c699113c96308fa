// Moves a target together with all its checkouts, so that no ordinary commit there can undo what
// has landed. The user may work in those checkouts at the same time.
//
// `git commit` reads HEAD, then the index, then takes index.lock, and moves the branch only if it
// is still where HEAD was at first. So the order is:
//
//   1. prepare everything beside the checkout: the new index, the new files
//   2. write a note about the planned move to the disk (move_note.h)
//   3. take index.lock of each checkout: from here on git refuses to write there
//   4. check that all is still as in step 1; if not, start again
//   5. let git lock the ref of the target, if it is at `from`; else start again
//   6. put the files in place by renames, then the index
//   7. let git move the target
//   8. wait for gits that read the index before step 6 and want to lock it; they fail
//   9. release the locks, remove the note
//
// A commit that read HEAD before step 7 fails, since the branch is locked and then has moved; a
// later one finds the new index and the new files. The old index never meets the new HEAD, and a
// new index read in step 6 can't be committed onto the old HEAD.
//
// Steps 3 to 9 take milliseconds. A kill in between leaves the note: a stand-in process
// (os/rescue_process.h) finishes or undoes the move at once; if that was killed too, the next run
// does. The caller holds the merge-run lock, and so does the stand-in.

#ifndef BELAY_MERGE_CHECKOUT_MOVE_H_
#define BELAY_MERGE_CHECKOUT_MOVE_H_

#include <span>
#include <string>

#include "adapters/git/branch_uses.h"
#include "adapters/git/git.h"
#include "base/result.h"
#include "merge/merge_env.h"

namespace belay {

struct TargetAdvance {
  std::string target;  // "main"
  ObjectId from;
  ObjectId to;
  std::string reason = {};    // for the reflog
  bool moves_ref = true;      // false: the target is at `to` already, and only a checkout follows
  bool keep_blocked = false;  // blocked paths become unmerged there, instead of waiting
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

// A problem that would also stop every other entry (a full disk, a lock of the ref) is an error,
// and nothing was changed.
Result<AdvanceEnd> AdvanceWithCheckouts(const MergeEnv& env, const TargetAdvance& advance,
                                        std::span<const GitWorktree> worktrees);

// Whether a checkout would block the move, checked without any lock; empty: none. With kStage, for
// a target that is at `from`, the new files are made too, to see whether that fails: an error.
enum class WaitCheck { kInspect, kStage };
Result<std::string> WhyCheckoutsWait(const MergeEnv& env, const TargetAdvance& advance,
                                     std::span<const GitWorktree> worktrees, WaitCheck check);

// What recovery needs; a part of MergeEnv.
struct RecoveryEnv {
  FileSystem& files;
  const Git& git;
  const Layout& project;
  const std::string& common_folder;
};

// Whether a move was begun and not finished.
bool IsMoveUnfinished(const FileSystem& files, const Layout& project);
// Finishes or undoes it. The caller holds the merge-run lock. Returns a line about it; empty: there
// was nothing to do.
Result<std::string> RecoverMove(const RecoveryEnv& env);
// The same, and takes that lock itself. kBusy: another process is landing work.
Result<std::string> FinishInterruptedMove(const RecoveryEnv& env);

}  // namespace belay

#endif  // BELAY_MERGE_CHECKOUT_MOVE_H_
