#include "store/layout.h"

#include <fmt/core.h>

#include "base/path.h"
#include "store/repository.h"

namespace belay {
namespace {

constexpr std::string_view kOwnFolders[] = {".claude/state", "tmp/work", "workshop/sawdust"};
constexpr std::size_t kLongestPath = 8192;

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

// Where init put the state, as long as that is still a worktree of this repository: it may have
// been moved or removed since.
std::optional<std::string> RecordedRoot(const FileSystem& files, const std::string& common) {
  const Result<std::string> text = files.Read(Layout("", common).RootFile(), kLongestPath);
  if (!text || !text->ends_with('\n')) return std::nullopt;
  const std::string root = text->substr(0, text->size() - 1);
  const Result<Repository> found = FindRepository(files, root);
  if (!found || found->common_folder != common || found->worktree != root) return std::nullopt;
  return root;
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

std::string Layout::RootFile() const { return JoinPath(Vault(), "root"); }

std::optional<std::string> Layout::ExcludeFile() const {
  if (!common_folder_) return std::nullopt;
  return JoinPath(*common_folder_, "info/exclude");
}

std::vector<std::string> Layout::OwnFolders() const {
  std::vector<std::string> folders;
  for (const std::string_view name : kOwnFolders) folders.push_back(JoinPath(root_, name));
  return folders;
}

std::vector<std::string> Layout::OwnPatterns() {
  std::vector<std::string> patterns;
  for (const std::string_view name : kOwnFolders) patterns.push_back(fmt::format("/{}/", name));
  return patterns;
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
  const std::string& common = repository->common_folder;
  if (const auto recorded = RecordedRoot(files, common)) return Layout(*recorded, common);
  if (repository->main_worktree) return Layout(*repository->main_worktree, common);
  if (named) return Layout(repository->worktree, common);
  return WrongRoot(fmt::format("{} doesn't say where its main worktree is", common),
                   "run belay init --root DIR once, with the worktree that shall hold .claude/");
}

}  // namespace belay
