// The ways in which a branch is put on its target: what replay.cc is made of.

#ifndef BELAY_ADAPTERS_GIT_REPLAY_STEPS_H_
#define BELAY_ADAPTERS_GIT_REPLAY_STEPS_H_

#include "adapters/git/branch_history.h"
#include "adapters/git/raw_commit.h"
#include "adapters/git/replay.h"
#include "adapters/git/sync_objects.h"

namespace belay {

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

#endif  // BELAY_ADAPTERS_GIT_REPLAY_STEPS_H_
