#include "snapshot/diff.h"

#include <string>
#include <vector>

namespace belay {
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
