#include "adapters/git/tree_changes.h"

#include <algorithm>

#include "adapters/git/fields.h"

namespace belay {
namespace {

constexpr std::string_view kCommand = "diff-tree";

// "old-mode new-mode old-id new-id status NUL path NUL", behind its colon
Result<TreeChange> ReadChange(Fields& fields) {
  TreeChange change;
  BELAY_TRY_ASSIGN(change.before.mode, fields.ModeUntil(' '));
  BELAY_TRY_ASSIGN(change.after.mode, fields.ModeUntil(' '));
  BELAY_TRY_ASSIGN(change.before.id, fields.IdUntil(' '));
  BELAY_TRY_ASSIGN(change.after.id, fields.IdUntil(' '));
  BELAY_TRY(fields.Until('\0'));
  BELAY_TRY_ASSIGN(change.path, fields.Until('\0'));
  if (change.path.empty()) return fields.Damaged("no path");
  return change;
}

// Before the changes of each pair stands the id of its second commit.
Result<std::vector<std::vector<TreeChange>>> ReadPairs(std::string_view output,
                                                       std::span<const TreePair> pairs) {
  std::vector<std::vector<TreeChange>> all(pairs.size());
  std::size_t next = 0;
  Fields fields(output, kCommand);
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const char first, fields.Next());
    if (first == ':') {
      if (next == 0) return fields.Damaged("no commit");
      BELAY_TRY_ASSIGN(TreeChange change, ReadChange(fields));
      all[next - 1].push_back(std::move(change));
      continue;
    }
    BELAY_TRY_ASSIGN(const std::string_view rest, fields.Until('\0'));
    const std::string id = first + std::string(rest);
    if (next == pairs.size() || id != pairs[next].after.text()) {
      return fields.Damaged("another commit than was asked for");
    }
    ++next;
  }
  if (next != pairs.size()) return fields.Damaged("a commit is missing");
  return all;
}

}  // namespace

Result<std::vector<TreeChange>> ParseTreeChanges(std::string_view output) {
  std::vector<TreeChange> changes;
  Fields fields(output, kCommand);
  while (!fields.AtEnd()) {
    BELAY_TRY_ASSIGN(const char first, fields.Next());
    if (first != ':') return fields.Damaged("no change");
    BELAY_TRY_ASSIGN(TreeChange change, ReadChange(fields));
    changes.push_back(std::move(change));
  }
  return changes;
}

Result<std::vector<std::vector<TreeChange>>> CompareCommits(const Git& git,
                                                            std::span<const TreePair> pairs) {
  std::string input;
  for (const TreePair& pair : pairs) {
    input += pair.after.text();
    if (!pair.before.IsNone()) input += " " + pair.before.text();
    input += "\n";
  }
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"diff-tree", "--stdin", "--root", "--always", "-m", "-r",
                                          "-z", "--no-renames", "--ignore-submodules=none"},
                            .input = InputOf(std::move(input))}));
  return ReadPairs(answer.out, pairs);
}

}  // namespace belay
