#include "adapters/git/branch_history.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>

#include "adapters/git/fields.h"
#include "base/text.h"

namespace belay {
namespace {

Error Unrelated(const MergeRoom& room, const ObjectId& head) {
  Error error{ErrorCode::kRefused, fmt::format("commit {} has no history in common with {}",
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

}  // namespace belay
