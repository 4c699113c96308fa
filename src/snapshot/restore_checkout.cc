#include "snapshot/restore_checkout.h"

#include <chrono>

#include "base/path.h"
#include "snapshot/restore_index.h"

namespace belay {
namespace {

constexpr auto kLimit = std::chrono::hours(2);

std::string Listed(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += path + '\0';
  return text;
}

}  // namespace

Result<std::vector<StagedFile>> StageFromBase(const Worktree& worktree, WorkFolder& staging,
                                              const ObjectId& base,
                                              const std::vector<std::string>& paths) {
  std::vector<StagedFile> staged;
  if (paths.empty()) return staged;
  const Environment::Variables index = {{"GIT_INDEX_FILE", staging.NewPath()}};
  BELAY_TRY(worktree.git.Run(
      {.arguments = {"read-tree", "--no-sparse-checkout", base.text()}, .environment = index}));
  const std::string folder = staging.NewPath() + "/";
  BELAY_TRY(worktree.git.Run({.arguments = {"checkout-index", "-z", "--stdin",
                                            "--ignore-skip-worktree-bits", "--prefix=" + folder},
                              .input = InputOf(Listed(paths)),
                              .environment = index,
                              .limit = kLimit}));
  for (const std::string& path : paths) staged.push_back({folder + path, path});
  return staged;
}

Result<void> CheckOutBase(const Worktree& worktree, WorkFolder& staging, const ObjectId& base,
                          const std::vector<std::string>& left_out, const std::string& folder) {
  const Git git = worktree.git.In(folder);
  const Environment::Variables there = {{"GIT_DIR", worktree.place.git_folder},
                                        {"GIT_WORK_TREE", folder},
                                        {"GIT_INDEX_FILE", staging.NewPath()}};
  BELAY_TRY(git.Run(
      {.arguments = {"read-tree", "--no-sparse-checkout", base.text()}, .environment = there}));
  std::vector<PlannedIndex> gone;
  for (const std::string& path : left_out) gone.push_back({path, {}});
  BELAY_TRY(git.Run({.arguments = {"update-index", "-z", "--index-info"},
                     .input = InputOf(IndexInfo(gone, base.format())),
                     .environment = there}));
  BELAY_TRY(git.Run({.arguments = {"checkout-index", "--all", "--ignore-skip-worktree-bits"},
                     .environment = there,
                     .limit = kLimit}));
  return {};
}

}  // namespace belay
