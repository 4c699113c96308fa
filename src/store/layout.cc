#include "store/layout.h"

#include <fmt/core.h>

#include "base/path.h"
#include "store/repository.h"

namespace belay {
namespace {

Error WrongRoot(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

Result<std::string> NamedFolder(const FileSystem& files, const std::string& named) {
  const Result<std::string> resolved = files.Resolve(named);
  if (!resolved) return WrongRoot(resolved.error().message, "--root takes an existing folder");
  const Result<FileInfo> info = files.Inspect(*resolved);
  if (!info || info->kind != FileKind::kFolder) {
    return WrongRoot(fmt::format("{} is not a folder", named), "--root takes an existing folder");
  }
  return *resolved;
}

}  // namespace

std::string Layout::ClaudeFolder() const { return JoinPath(root_, ".claude"); }
std::string Layout::ConfigFile() const { return JoinPath(root_, ".claude/belay.yml"); }
std::string Layout::TalismanFile() const { return JoinPath(root_, ".claude/talisman.yml"); }
std::string Layout::StateRoot() const { return JoinPath(root_, ".claude/state"); }

std::string Layout::Vault() const {
  return common_folder_ ? JoinPath(*common_folder_, "belay")
                        : JoinPath(root_, ".claude/.belay-vault");
}

std::optional<std::string> Layout::ExcludeFile() const {
  if (!common_folder_) return std::nullopt;
  return JoinPath(*common_folder_, "info/exclude");
}

std::vector<std::string> Layout::OwnPatterns() {
  return {"/.claude/state/", "/tmp/work/", "/workshop/sawdust/"};
}

Result<Layout> LocateProject(const FileSystem& files, const std::optional<std::string>& named,
                             const std::string& current) {
  std::string start = current;
  if (named) {
    BELAY_TRY_ASSIGN(start, NamedFolder(files, *named));
  }
  const Result<Repository> repository = FindRepository(files, start);
  if (!repository && repository.error().code != ErrorCode::kNotFound) return repository.error();
  if (!repository && named) return Layout(start, std::nullopt);
  if (!repository) {
    return WrongRoot(repository.error().message,
                     "go to a repository, or name the project's folder with --root");
  }
  if (repository->main_worktree)
    return Layout(*repository->main_worktree, repository->common_folder);
  if (named) return Layout(start, repository->common_folder);
  return WrongRoot(fmt::format("{} is bare: it has no main worktree", repository->common_folder),
                   "name the folder that shall hold .claude/ with --root");
}

}  // namespace belay
