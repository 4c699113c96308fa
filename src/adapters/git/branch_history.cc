#include "adapters/git/branch_history.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>

#include "adapters/git/fields.h"
#include "adapters/git/merge_trees.h"
#include "adapters/git/replay.h"
#include "base/text.h"

namespace belay {
namespace {

Error Unrelated(const MergeRoom& room, const ObjectId& head) {
  Error error{ErrorCode::kRefused, fmt::format("commit {} has no common history with {}",
                                               head.Short(), room.target().Short())};
  const auto shallow = room.Run({.arguments = {"rev-parse", "--is-shallow-repository"}});
  if (shallow && shallow->out == "true\n") {
    error.message += ", as far as this shallow clone reaches";
    error.hint = "git fetch --unshallow";
  }
  return error;
}

Result<std::string> ListRange(const MergeRoom& room, const ObjectId& head, Marks marks) {
  BELAY_TRY_ASSIGN(
      GitAnswer answer,
      room.Run({.arguments = {"rev-list", "--parents",
                              marks == Marks::kPatches ? "--cherry-mark" : "--left-right",
                              "--boundary", "--right-only", "--topo-order", "--reverse",
                              fmt::format("{}...{}", room.target().text(), head.text()), "--"}}));
  return std::move(answer.out);
}

// With a commit graph, git also lists the target's commits, although it was asked not to, and their
// bases.
void KeepOwnBases(BranchHistory& history) {
  std::set<ObjectId> parents;
  for (const BranchCommit& commit : history.commits) {
    parents.insert(commit.parents.begin(), commit.parents.end());
  }
  std::erase_if(history.bases, [&](const ObjectId& base) { return !parents.contains(base); });
}

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

bool BranchHistory::StandsOn(const ObjectId& target) const {
  return std::find(bases.begin(), bases.end(), target) != bases.end();
}

bool BranchHistory::HasMerges() const {
  return std::any_of(commits.begin(), commits.end(),
                     [](const BranchCommit& commit) { return commit.parents.size() > 1; });
}

Result<BranchHistory> ParseBranchHistory(std::string_view output) {
  BranchHistory history;
  Fields fields(output, "rev-list");
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const char mark, fields.Next());
    BELAY_TRY_ASSIGN(const std::string_view line, fields.Until('\n'));
    std::vector<ObjectId> ids;
    for (const std::string_view word : Split(line, ' ')) {
      BELAY_TRY_ASSIGN(ObjectId id, ObjectId::Parse(word));
      ids.push_back(std::move(id));
    }
    if (ids.empty() || std::string_view("-+=<>").find(mark) == std::string_view::npos) {
      return fields.Damaged("an unknown line");
    }
    if (mark == '-') {
      history.bases.push_back(ids[0]);
    } else if (mark != '<') {
      history.commits.push_back({ids[0], {ids.begin() + 1, ids.end()}, mark == '='});
    }
  }
  KeepOwnBases(history);
  return history;
}

Result<BranchHistory> ReadBranchHistory(const MergeRoom& room, const ObjectId& head, Marks marks) {
  Result<std::string> output = ListRange(room, head, marks);
  if (!output) {
    const ObjectId both[] = {room.target(), head};
    BELAY_TRY(ReadRawCommits(room, both));  // has the better error message
    return std::move(output).error();
  }
  BELAY_TRY_ASSIGN(BranchHistory history, ParseBranchHistory(*output));
  if (!history.commits.empty() && history.bases.empty()) return Unrelated(room, head);
  return history;
}

Result<CommitMap> ReadHistoryCommits(const MergeRoom& room, const BranchHistory& history,
                                     const ObjectId& head) {
  std::vector<ObjectId> ids = {room.target(), head};
  for (const BranchCommit& commit : history.commits) ids.push_back(commit.id);
  ids.insert(ids.end(), history.bases.begin(), history.bases.end());
  return ReadRawCommits(room, ids);
}

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
