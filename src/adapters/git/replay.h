// Builds what is to land: a branch put on top of its target, in the object store alone. No ref, no
// worktree and no index is touched, so it can be done again at any time, and gives the same ids.
//
//   rebase   the branch's commits one by one, each with its author, author date, committer,
//   encoding
//            and message byte for byte; the committer date is the one of the request, if it has
//            one. A branch that stands on the target already lands as it is, with its dates and
//            signatures. One that contains merges can't be taken apart without redoing them: it
//            lands by a merge commit, which Replay::strategy says.
//   squash   one commit, with the author of the last one and all messages; a single commit that
//            stands on the target lands as it is
//   merge    a merge commit, always
//
// What the target has already is left out, commit by commit as with `git rebase --empty=drop`: one
// that changes nothing on top of what was put there so far, and no others. So work that was taken
// back in the target lands again, and commits that cancel out land. Commits that were empty from
// the start are kept; a branch of nothing else has nothing to land. A squash or a merge that leaves
// the target's files as they are has nothing to land either.

#ifndef BELAY_ADAPTERS_GIT_REPLAY_H_
#define BELAY_ADAPTERS_GIT_REPLAY_H_

#include <optional>
#include <string>
#include <vector>

#include "adapters/git/branch_history.h"
#include "adapters/git/merge_room.h"
#include "adapters/git/merge_trees.h"
#include "adapters/git/object_id.h"
#include "adapters/git/objects.h"
#include "adapters/git/raw_commit.h"
#include "base/result.h"
#include "base/time.h"

namespace belay {

enum class LandingStrategy { kRebase, kSquash, kMerge };

struct ReplayRequest {
  ObjectId head;
  std::string branch;  // how it is called, for messages of commits
  LandingStrategy strategy = LandingStrategy::kRebase;
  ObjectId start = {};                        // as for ProveLanding
  std::optional<WallTime> committed_at = {};  // of the commits that are written; none: as they had
};

struct ReplayedCommit {
  ObjectId original;
  ObjectId now;  // none: left out, the target has it

  bool operator==(const ReplayedCommit&) const = default;
};

struct ReplayConflict {
  ObjectId commit;                    // of the branch: the one that couldn't be put on top
  std::vector<ConflictedFile> files;  // with line ranges; "ours" is the target's side
  // The commits of each side that touched these files, the newest first, at most
  // kMostNamedCommits. Of a rebase, the branch's side is `commit` alone.
  std::vector<ObjectId> in_target;
  std::vector<ObjectId> in_branch;
};
constexpr int kMostNamedCommits = 20;

struct Replay {
  enum class End {
    kBuilt,      // `candidate` is in the repository and on the disk, with all it holds
    kConflict,   // `conflict` says where
    kContained,  // `landing` proves that the target has it already
    kEmpty,      // it has nothing to land; `landing` says what is known of that
  };

  End end;
  LandingStrategy strategy;  // by which it was built
  ObjectId candidate = {};
  std::vector<ReplayedCommit> commits = {};
  std::optional<ReplayConflict> conflict = {};
  LandingProof landing = LandingProof::kNotLanded;
  // Of kBuilt: the file that keeps git from collecting the candidate; for ReleasePack, once a ref
  // holds it. Empty: the candidate is the branch's own head.
  std::string keep_file = {};
};

// Onto the room's target. Errors as of ReadBranchHistory.
Result<Replay> ReplayBranch(MergeRoom& room, const ReplayRequest& request);

// The ways in which a branch is put on its target: what replay.cc is made of.

// What all of them go by; everything is borrowed.
struct ReplayScene {
  MergeRoom& room;
  const ReplayRequest& request;
  const BranchHistory& history;
  const CommitMap& commits;  // the target, the head, the branch's, and those they stand on

  const RawCommit& target() const { return commits.at(room.target()); }
  const RawCommit& head() const { return commits.at(request.head); }
};

struct BuiltReplay {
  Replay replay;  // kBuilt, kConflict or kContained: nothing is left to land, whatever the reason
  std::vector<CommitToSync> to_sync;  // of kBuilt: the branch's own commits that land as they are
};

// Whether one of its commits changes anything, compared with what it stands on.
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
