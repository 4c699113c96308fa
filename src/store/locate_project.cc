#include "store/locate_project.h"

#include <fmt/core.h>

#include "base/path.h"
#include "store/repository.h"

namespace belay {
namespace {

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

// Also a folder that was made a repository later has two places for its vault.
Result<Layout> InRepository(const FileSystem& files, const std::string& root,
                            const std::string& common) {
  const std::string outside = Layout(root, std::nullopt).Vault();
  if (!files.Inspect(outside)) return Layout(root, common);
  const std::string inside = Layout(root, common).Vault();
  if (files.Inspect(inside)) {
    return WrongRoot(fmt::format("{} has two vaults: {} and {}", root, outside, inside),
                     "move away the one that is not wanted");
  }
  return WrongRoot(fmt::format("{} became a repository since belay was set up in it", root),
                   fmt::format("stop all agents, then: mv {} {}", outside, inside));
}

Result<Layout> Locate(const FileSystem& files, const std::optional<std::string>& named,
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
  if (const auto recorded = RecordedRoot(files, common)) {
    return InRepository(files, *recorded, common);
  }
  if (repository->main_worktree) return InRepository(files, *repository->main_worktree, common);
  if (named) return InRepository(files, repository->worktree, common);
  return WrongRoot(fmt::format("{} doesn't say where its main worktree is", common),
                   "run belay init --root DIR once, with the worktree that shall hold .claude/");
}

// The folder may be gone: it holds only what can be made anew. Its project may not.
Result<Layout> LocateByState(const FileSystem& files, const std::string& state) {
  constexpr std::string_view kEnd = "/.claude/state";
  std::string_view path = state;
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.starts_with('/') || !path.ends_with(kEnd)) {
    return WrongRoot(
        fmt::format("BELAY_STATE is {}, which is no absolute path of a state root", state),
        "it ends in /.claude/state; unset it to use the current folder's project");
  }
  path.remove_suffix(kEnd.size());
  Result<Layout> found = Locate(files, path.empty() ? "/" : std::string(path), "");
  if (!found) {
    return WrongRoot(fmt::format("BELAY_STATE is {}: {}", state, found.error().message),
                     "unset it to use the current folder's project");
  }
  const Result<std::string> named = files.Resolve(std::string(path));
  if (named && *named == found->Root()) return found;
  return WrongRoot(fmt::format("BELAY_STATE is {}, but that project's state root is {}", state,
                               found->StateRoot()),
                   "set it to that one, or unset it");
}

}  // namespace

Result<Layout> LocateProject(const FileSystem& files, const ProjectClues& clues) {
  if (!clues.state) return Locate(files, clues.root, clues.current);
  BELAY_TRY_ASSIGN(Layout by_state, LocateByState(files, *clues.state));
  if (!clues.root) return by_state;
  BELAY_TRY_ASSIGN(const Layout by_root, Locate(files, clues.root, clues.current));
  if (by_root.Root() == by_state.Root()) return by_state;
  return WrongRoot(
      fmt::format("--root means {}, but BELAY_STATE means {}", by_root.Root(), by_state.Root()),
      "leave one of them out");
}

}  // namespace belay
