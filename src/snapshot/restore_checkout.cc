#include "snapshot/restore_checkout.h"

#include <fmt/core.h>

#include <chrono>

#include "base/path.h"

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

namespace {

void Put(const GitEntry& entry, std::size_t stage, const std::string& path, std::string& out) {
  if (!entry.IsThere()) return;
  out += fmt::format("{:o} {} {}\t", entry.mode, entry.id.text(), stage);
  out += path;
  out += '\0';
}

}  // namespace

// Removals come before additions, so that a file can become a folder.
std::string IndexInfo(const std::vector<PlannedIndex>& changes, ObjectFormat format) {
  const std::string none(format == ObjectFormat::kSha256 ? 64 : 40, '0');
  std::string text;
  for (const PlannedIndex& change : changes) {
    text += fmt::format("0 {}\t", none);
    text += change.path;
    text += '\0';
  }
  for (const PlannedIndex& change : changes) {
    Put(change.state.entry, 0, change.path, text);
    for (std::size_t i = 0; i < change.state.stages.size(); ++i) {
      Put(change.state.stages[i], i + 1, change.path, text);
    }
  }
  return text;
}

Result<void> ChangeIndex(const Git& git, const std::vector<PlannedIndex>& changes,
                         ObjectFormat format) {
  if (changes.empty()) return {};
  BELAY_TRY(git.Run({.arguments = {"update-index", "-z", "--index-info"},
                     .input = InputOf(IndexInfo(changes, format))}));
  std::string intents;
  for (const PlannedIndex& change : changes) {
    if (change.state.intent_to_add) intents += change.path + '\0';
  }
  if (intents.empty()) return {};
  BELAY_TRY(git.Run({.arguments = {"add", "--intent-to-add", "--force", "--sparse",
                                   "--pathspec-from-file=-", "--pathspec-file-nul"},
                     .input = InputOf(std::move(intents))}));
  return {};
}

}  // namespace belay
