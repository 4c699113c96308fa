#include "adapters/git/behind.h"

#include <fmt/core.h>

#include "base/path.h"

namespace belay {
namespace {

constexpr std::size_t kMostBytes = 8192;
constexpr std::string_view kName = "belay-behind";

std::string NotePath(const GitWorktree& worktree) { return JoinPath(worktree.git_folder, kName); }

}  // namespace

std::optional<ObjectId> BehindAt(const FileSystem& files, const GitWorktree& worktree,
                                 const std::string& branch) {
  const Result<std::string> text = files.Read(NotePath(worktree), kMostBytes);
  if (!text || !text->starts_with(branch + " ") || !text->ends_with('\n')) return std::nullopt;
  const std::size_t start = branch.size() + 1;
  const Result<ObjectId> commit = ObjectId::Parse(text->substr(start, text->size() - 1 - start));
  if (!commit || commit->IsNone()) return std::nullopt;
  return *commit;
}

Result<void> NoteBehind(FileSystem& files, const GitWorktree& worktree, const std::string& branch,
                        const ObjectId& commit) {
  BELAY_TRY_ASSIGN(File file, files.OpenForWriting(NotePath(worktree), 0600));
  BELAY_TRY(file.Truncate(0));
  BELAY_TRY(file.Write(fmt::format("{} {}\n", branch, commit.text())));
  return file.Sync();
}

Result<void> ForgetBehind(FileSystem& files, const GitWorktree& worktree) {
  return files.RemoveTree(NotePath(worktree));
}

bool IsAnyBehind(const FileSystem& files, const std::string& common_folder) {
  if (files.Inspect(JoinPath(common_folder, kName))) return true;
  const std::string all = JoinPath(common_folder, "worktrees");
  const auto names = files.List(all);
  if (!names) return false;
  for (const std::string& name : *names) {
    if (files.Inspect(JoinPath(JoinPath(all, name), kName))) return true;
  }
  return false;
}

}  // namespace belay
