#include "adapters/git/tree_changes.h"

#include <fmt/core.h>

#include "adapters/git/fields.h"

namespace belay {
namespace {

constexpr std::string_view kCommand = "diff-tree";
// Git knows these without storing them.
constexpr std::string_view kEmptyTree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
constexpr std::string_view kLongEmptyTree =
    "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

// "old-mode new-mode old-id new-id status NUL path NUL", after its colon
Result<TreeChange> ReadChange(Fields& fields) {
  TreeChange change;
  BELAY_TRY_ASSIGN(change.before.mode, fields.ModeUntil(' '));
  BELAY_TRY_ASSIGN(change.after.mode, fields.ModeUntil(' '));
  BELAY_TRY_ASSIGN(change.before.id, fields.IdUntil(' '));
  BELAY_TRY_ASSIGN(change.after.id, fields.IdUntil(' '));
  BELAY_TRY(fields.Until('\0'));
  BELAY_TRY_ASSIGN(change.path, fields.PathUntilNul());
  return change;
}

Result<std::vector<ObjectId>> ReadTrees(const Git& git, const std::vector<std::string>& commits) {
  std::string input;
  for (const std::string& commit : commits) input += commit + "^{tree}\n";
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"cat-file", "--batch-check=%(objectname)"},
                            .input = InputOf(std::move(input))}));
  std::vector<ObjectId> trees;
  Fields fields(answer.out, "cat-file");
  for (const std::string& commit : commits) {
    BELAY_TRY_ASSIGN(const std::string_view line, fields.Until('\n'));
    Result<ObjectId> tree = ObjectId::Parse(line);
    if (!tree) return Error{ErrorCode::kFailed, fmt::format("commit {} is missing", commit)};
    trees.push_back(*std::move(tree));
  }
  return trees;
}

// Trees, since git would compare a commit with its parents: those of the object, or those that an
// earlier line named. One line for each pair.
Result<std::vector<std::string>> PairLines(const Git& git, std::span<const TreePair> pairs) {
  std::vector<std::string> commits;
  for (const TreePair& pair : pairs) {
    if (!pair.before.IsNone()) commits.push_back(pair.before.text());
    commits.push_back(pair.after.text());
  }
  BELAY_TRY_ASSIGN(const std::vector<ObjectId> trees, ReadTrees(git, commits));
  std::vector<std::string> lines;
  auto next = trees.begin();
  for (const TreePair& pair : pairs) {
    const bool sha1 = pair.after.format() == ObjectFormat::kSha1;
    std::string line(sha1 ? kEmptyTree : kLongEmptyTree);
    if (!pair.before.IsNone()) line = (next++)->text();
    lines.push_back(line + " " + (next++)->text());
  }
  return lines;
}

// The line of each pair precedes its changes.
Result<std::vector<std::vector<TreeChange>>> ReadPairs(std::string_view output,
                                                       const std::vector<std::string>& lines) {
  std::vector<std::vector<TreeChange>> all(lines.size());
  std::size_t next = 0;
  Fields fields(output, kCommand);
  while (!fields.AtEnd()) {
    if (!fields.rest().starts_with(':')) {
      BELAY_TRY_ASSIGN(const std::string_view line, fields.Until('\n'));
      if (next == lines.size() || line != lines[next]) {
        return fields.Damaged("not the requested trees");
      }
      ++next;
      continue;
    }
    if (next == 0) return fields.Damaged("no trees");
    BELAY_TRY(fields.Next());
    BELAY_TRY_ASSIGN(TreeChange change, ReadChange(fields));
    all[next - 1].push_back(std::move(change));
  }
  if (next != lines.size()) return fields.Damaged("a pair is missing");
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
  BELAY_TRY_ASSIGN(const std::vector<std::string> lines, PairLines(git, pairs));
  std::string input;
  for (const std::string& line : lines) input += line + "\n";
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"diff-tree", "--stdin", "-r", "-z", "--no-renames",
                                          "--ignore-submodules=none"},
                            .input = InputOf(std::move(input))}));
  return ReadPairs(answer.out, lines);
}

}  // namespace belay
