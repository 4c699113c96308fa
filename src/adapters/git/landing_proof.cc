#include "adapters/git/landing_proof.h"

#include <algorithm>

#include "adapters/git/branch_history.h"
#include "adapters/git/merge_trees.h"
#include "adapters/git/raw_commit.h"

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

// Compared with what it was begun on.
bool ChangesNothing(const BranchHistory& history, const CommitMap& commits, const ObjectId& head) {
  return history.bases.size() == 1 &&
         commits.at(head).tree() == commits.at(history.bases[0]).tree();
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
  }
  return "";
}

bool IsLanded(LandingProof proof) {
  return proof != LandingProof::kNotLanded && proof != LandingProof::kNothingToLand;
}

Result<LandingProof> ProveLanding(MergeRoom& room, const ObjectId& head, const ObjectId& start) {
  BELAY_TRY_ASSIGN(const BranchHistory history, ReadBranchHistory(room, head, Marks::kPatches));
  BELAY_TRY_ASSIGN(const CommitMap commits, ReadHistoryCommits(room, history, head));
  if (head == start) return LandingProof::kNothingToLand;
  if (history.commits.empty()) return LandingProof::kAncestry;
  if (ChangesNothing(history, commits, head)) return LandingProof::kNothingToLand;
  BELAY_TRY_ASSIGN(const MergeOutcome merge, MergeCommits(room, room.target(), head));
  const bool there = merge.clean && merge.tree == commits.at(room.target()).tree();
  if (!there) return LandingProof::kNotLanded;
  return HasAllPatches(history, commits) ? LandingProof::kPatches : LandingProof::kNoChange;
}

}  // namespace belay
