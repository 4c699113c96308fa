#include "adapters/git/landing_proof.h"

#include <algorithm>

#include "adapters/git/branch_history.h"
#include "adapters/git/merge_trees.h"
#include "adapters/git/raw_commit.h"
#include "adapters/git/replay.h"

namespace belay {
namespace {

bool IsEmpty(const CommitMap& commits, const BranchCommit& commit) {
  if (commit.parents.size() != 1) return false;
  return commits.at(commit.id).tree() == commits.at(commit.parents[0]).tree();
}

bool HasAllPatches(const BranchHistory& history, const CommitMap& commits) {
  return !history.HasMerges() && std::all_of(history.commits.begin(), history.commits.end(),
                                             [&](const BranchCommit& commit) {
                                               return commit.marked || IsEmpty(commits, commit);
                                             });
}

// Whether one commit of the target has the patch of the whole branch. For a branch without merges.
Result<bool> HasSquash(MergeRoom& room, const BranchHistory& history, const CommitMap& commits,
                       const ObjectId& head) {
  if (history.bases.size() != 1) return false;
  const std::string person = "belay <belay@localhost> 0 +0000";
  const std::string bytes = CommitBytes(
      {commits.at(head).tree(), {history.bases[0]}, person, person, "a branch as one commit\n"});
  BELAY_TRY_ASSIGN(const std::vector<ObjectId> ids, room.WriteCommits({&bytes, 1}));
  BELAY_TRY_ASSIGN(const BranchHistory squash, ReadBranchHistory(room, ids[0], Marks::kPatches));
  return squash.commits.size() == 1 && squash.commits[0].marked;
}

}  // namespace

std::string_view LandingProofName(LandingProof proof) {
  switch (proof) {
    case LandingProof::kNotLanded:
      return "not landed";
    case LandingProof::kNothingToLand:
      return "nothing to land";
    case LandingProof::kAncestry:
      return "ancestry";
    case LandingProof::kNoChange:
      return "no change";
    case LandingProof::kPatches:
      return "patches";
    case LandingProof::kSquash:
      return "squash";
  }
  return "";
}

bool IsLanded(LandingProof proof) {
  switch (proof) {
    case LandingProof::kNotLanded:
    case LandingProof::kNothingToLand:
    case LandingProof::kNoChange:
      return false;
    case LandingProof::kAncestry:
    case LandingProof::kPatches:
    case LandingProof::kSquash:
      return true;
  }
  return false;
}

Result<LandingProof> ProveLanding(MergeRoom& room, const ObjectId& head, const ObjectId& start) {
  BELAY_TRY_ASSIGN(const BranchHistory history, ReadBranchHistory(room, head, Marks::kPatches));
  BELAY_TRY_ASSIGN(const CommitMap commits, ReadHistoryCommits(room, history, head));
  if (head == start) return LandingProof::kNothingToLand;
  if (history.commits.empty()) return LandingProof::kAncestry;
  if (!HasChanges(history, commits)) return LandingProof::kNothingToLand;
  if (history.HasMerges()) {
    BELAY_TRY_ASSIGN(const MergeOutcome merge, MergeCommits(room, room.target(), head));
    const bool there = merge.clean && merge.tree == commits.at(room.target()).tree();
    return there ? LandingProof::kNoChange : LandingProof::kNotLanded;
  }
  const ReplayRequest request{.head = head, .branch = {}};
  BELAY_TRY_ASSIGN(const BuiltReplay alone, RebaseBranch({room, request, history, commits}));
  if (alone.replay.end != Replay::End::kContained) return LandingProof::kNotLanded;
  if (HasAllPatches(history, commits)) return LandingProof::kPatches;
  BELAY_TRY_ASSIGN(const bool squash, HasSquash(room, history, commits, head));
  return squash ? LandingProof::kSquash : LandingProof::kNoChange;
}

}  // namespace belay
