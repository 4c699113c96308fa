// Builds the commits that will land: a branch on top of its target, in the object store only. No
// ref, worktree or index is touched, so it can be repeated at any time, with the same ids.
//
//   rebase   the branch's commits one by one, each with its author, author date, committer,
//            encoding and message byte for byte; the committer date is the request's, if it has
//            one. A branch that is based on the target's head lands unchanged, with its dates and
//            signatures. A branch with merges can't be split up without redoing them: it lands by
//            a merge commit, and Replay::strategy shows that.
//   squash   one commit, with the author of the last one and all messages; a single commit based
//            on the target's head lands unchanged
//   merge    a merge commit, always
//
// Work that the target has already is left out, commit by commit as with `git rebase --empty=drop`:
// a commit is dropped only if it changes nothing on top of those before it. So work that was
// reverted in the target lands again, and commits that cancel out land. Commits that were empty
// from the start are kept; a branch with no other commits has nothing to land. Neither has a squash
// or a merge that leaves the target's files unchanged.

#ifndef BELAY_ADAPTERS_GIT_REPLAY_H_
#define BELAY_ADAPTERS_GIT_REPLAY_H_

#include <optional>
#include <string>
#include <vector>

#include "adapters/git/branch_history.h"
#include "adapters/git/git.h"
#include "adapters/git/merge_room.h"
#include "adapters/git/merge_trees.h"
#include "adapters/git/objects.h"
#include "base/result.h"
#include "base/time.h"

namespace belay {

enum class LandingStrategy { kRebase, kSquash, kMerge };

struct ReplayRequest {
  ObjectId head;
  std::string branch;  // its name in commit messages
  LandingStrategy strategy = LandingStrategy::kRebase;
  ObjectId start = {};                        // as for ProveLanding
  std::optional<WallTime> committed_at = {};  // date of the written commits; nullopt: unchanged
};

struct ReplayedCommit {
  ObjectId original;
  ObjectId now;  // none: left out, the target has it

  bool operator==(const ReplayedCommit&) const = default;
};

struct ReplayConflict {
  ObjectId commit;                    // of the branch: the one that didn't apply
  std::vector<ConflictedFile> files;  // with line ranges; "ours" is the target's side
  // The commits of each side that touched these files, newest first, at most kMostNamedCommits. For
  // a rebase, the branch's side is `commit` alone.
  std::vector<ObjectId> in_target;
  std::vector<ObjectId> in_branch;
};
constexpr int kMostNamedCommits = 20;

struct Replay {
  enum class End {
    kBuilt,      // `candidate` is in the repository and on the disk, complete
    kConflict,   // `conflict` has the details
    kContained,  // `landing` proves that the target has it already
    kEmpty,      // it has nothing to land; `landing` has what is known about that
  };

  End end;
  LandingStrategy strategy;  // that it was built with
  ObjectId candidate = {};
  std::vector<ReplayedCommit> commits = {};
  std::optional<ReplayConflict> conflict = {};
  LandingProof landing = LandingProof::kNotLanded;
  // For kBuilt: the file that keeps git from collecting the candidate; pass it to ReleasePack once
  // a ref holds the candidate. Empty: the candidate is the branch's own head.
  std::string keep_file = {};
};

// Onto the room's target. Errors as for ReadBranchHistory.
Result<Replay> ReplayBranch(MergeRoom& room, const ReplayRequest& request);

// The strategies to put a branch on its target: the parts of replay.cc.

// Their common input; everything is borrowed.
struct ReplayScene {
  MergeRoom& room;
  const ReplayRequest& request;
  const BranchHistory& history;
  const CommitMap& commits;  // the target, the head, the branch's, and their bases

  const RawCommit& target() const { return commits.at(room.target()); }
  const RawCommit& head() const { return commits.at(request.head); }
};

struct BuiltReplay {
  Replay replay;  // kBuilt, kConflict or kContained: nothing left to land, for any reason
  std::vector<CommitToSync> to_sync;  // for kBuilt: the branch's own commits that land unchanged
};

// Whether one of its commits changes anything, compared with its parent.
bool HasChanges(const BranchHistory& history, const CommitMap& commits);

Result<BuiltReplay> RebaseBranch(const ReplayScene& scene);
Result<BuiltReplay> SquashBranch(const ReplayScene& scene);
Result<BuiltReplay> MergeBranch(const ReplayScene& scene);

// The branch's own commits.
std::vector<CommitToSync> OwnCommits(const ReplayScene& scene);

// The report of a conflict at `commit`.
Result<BuiltReplay> ReportConflict(const ReplayScene& scene, LandingStrategy strategy,
                                   const ObjectId& commit, MergeOutcome outcome);

}  // namespace belay

#endif  // BELAY_ADAPTERS_GIT_REPLAY_H_
