#include "snapshot/snapshot_changes.h"

#include <map>
#include <string>
#include <vector>

#include "adapters/git/tree_changes.h"

namespace belay {
namespace {

class Collector {
 public:
  void Staged(const TreeChange& change) {
    SnapshotChange& one = Of(change.path);
    one.staged = true;
    one.deleted = !change.after.IsThere();
  }
  void InFiles(const TreeChange& change) {
    SnapshotChange& one = Of(change.path);
    one.changed = change.after.IsThere();
    one.deleted = !one.changed;
  }
  void Untracked(const TreeChange& change) {
    SnapshotChange& one = Of(change.path);
    one.untracked = true;
    one.deleted = false;
  }
  void Rest(std::string_view path) {
    if (path.starts_with(kIntentFolder)) {
      Of(path.substr(kIntentFolder.size())).intent_to_add = true;
    }
    for (const std::string_view folder : kStageFolders) {
      if (path.starts_with(folder)) Of(path.substr(folder.size())).unmerged = true;
    }
  }

  std::vector<SnapshotChange> All() && {
    std::vector<SnapshotChange> all;
    for (auto& [path, change] : changes_) all.push_back(std::move(change));
    return all;
  }

 private:
  SnapshotChange& Of(std::string_view path) {
    SnapshotChange& change = changes_[std::string(path)];
    change.path = path;
    return change;
  }

  std::map<std::string, SnapshotChange> changes_;
};

}  // namespace

std::vector<std::string_view> SnapshotChange::Words() const {
  std::vector<std::string_view> words;
  if (unmerged) words.push_back("unmerged");
  if (intent_to_add) words.push_back("intent to add");
  if (staged && !unmerged) words.push_back("staged");
  if (changed && !unmerged && !intent_to_add) words.push_back("changed");
  if (deleted) words.push_back("deleted");
  if (untracked) words.push_back("untracked");
  return words;
}

Result<std::vector<SnapshotChange>> ReadChanges(const Git& git, const SavedSnapshot& snapshot) {
  std::vector<TreePair> pairs = {
      {snapshot.base, snapshot.index}, {snapshot.index, snapshot.commit}, {{}, snapshot.untracked}};
  if (!snapshot.rest.IsNone()) pairs.push_back({{}, snapshot.rest});
  BELAY_TRY_ASSIGN(const auto compared, CompareCommits(git, pairs));
  Collector collector;
  for (const TreeChange& change : compared[0]) collector.Staged(change);
  for (const TreeChange& change : compared[1]) collector.InFiles(change);
  for (const TreeChange& change : compared[2]) collector.Untracked(change);
  if (compared.size() > 3) {
    for (const TreeChange& change : compared[3]) collector.Rest(change.path);
  }
  return std::move(collector).All();
}

namespace {

Result<void> Compare(const Git& git, std::vector<std::string> trees,
                     const ProgramRequest::Output& output) {
  GitCall call{.arguments = {"diff-tree", "-r", "-p", "--binary", "--full-index", "--no-renames",
                             "--no-ext-diff", "--no-textconv", "--no-color", "--no-commit-id",
                             "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "--root"},
               .output = output};
  for (std::string& tree : trees) call.arguments.push_back(std::move(tree));
  BELAY_TRY(git.Run(call));
  return {};
}

}  // namespace

Result<void> WriteSnapshotDiff(const Git& git, const SavedSnapshot& snapshot,
                               const ProgramRequest::Output& output) {
  BELAY_TRY(Compare(git, {snapshot.base.text(), snapshot.commit.text()}, output));
  return Compare(git, {snapshot.untracked.text()}, output);
}

}  // namespace belay
