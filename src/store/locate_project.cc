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

// The root that init recorded, as long as it is still a worktree of this repository: it may have
// been moved or removed since.
std::optional<std::string> RecordedRoot(const FileSystem& files, const std::string& common) {
  const Result<std::string> text = files.Read(Layout("", common).RootFile(), kLongestPath);
  if (!text || !text->ends_with('\n')) return std::nullopt;
  const std::string root = text->substr(0, text->size() - 1);
  const Result<Repository> found = FindRepository(files, root);
  if (!found || found->common_folder != common || found->worktree != root) return std::nullopt;
  return root;
}

// A folder that became a repository later also has two places for its vault.
Result<Layout> InRepository(const FileSystem& files, const std::string& root,
                            const std::string& common) {
  const std::string outside = Layout(root, std::nullopt).Vault();
  if (!files.Inspect(outside)) return Layout(root, common);
  const std::string inside = Layout(root, common).Vault();
  if (files.Inspect(inside)) {
    return WrongRoot(fmt::format("{} has two vaults: {} and {}", root, outside, inside),
                     "move away the one that you don't want");
  }
  return WrongRoot(fmt::format("{} became a repository since belay was set up in it", root),
                   fmt::format("stop all agents, then: mv {} {}", outside, inside));
}

Result<Layout> AroundRepository(const FileSystem& files, const Repository& repository, bool named) {
  const std::string& common = repository.common_folder;
  if (const auto recorded = RecordedRoot(files, common)) {
    return InRepository(files, *recorded, common);
  }
  if (repository.main_worktree) return InRepository(files, *repository.main_worktree, common);
  if (named) return InRepository(files, repository.worktree, common);
  return WrongRoot(fmt::format("{} doesn't name its main worktree", common),
                   "run belay init --root DIR once, with the worktree that will hold .claude/");
}

// In a bare repository git's files lie directly in the folder, or in one above it.
Result<void> RefuseBare(const FileSystem& files, std::string folder) {
  while (!IsBareRepository(files, folder)) {
    if (folder == "/") return {};
    folder = ParentPath(folder);
  }
  return WrongRoot(fmt::format("{} is a bare repository: it has no worktree to work in", folder),
                   "git worktree add DIR BRANCH makes one; then run belay init --root DIR");
}

Result<Layout> LocateNamed(const FileSystem& files, const std::string& named) {
  BELAY_TRY_ASSIGN(const std::string start, NamedFolder(files, named));
  const Result<Repository> repository = FindRepository(files, start);
  if (repository) return AroundRepository(files, *repository, true);
  if (repository.error().code != ErrorCode::kNotFound) return repository.error();
  BELAY_TRY(RefuseBare(files, start));
  return Layout(start, std::nullopt);
}

// Collapses runs of slashes, and removes a trailing one.
std::string WithSingleSlashes(std::string_view path) {
  std::string out;
  for (const char c : path) {
    if (c != '/' || !out.ends_with('/')) out.push_back(c);
  }
  while (out.ends_with('/')) out.pop_back();
  return out;
}

// The folder may be missing, because its content can be written again. Its project may not.
Result<Layout> LocateByState(const FileSystem& files, const std::string& state) {
  constexpr std::string_view kEnd = "/.claude/state";
  std::string path = WithSingleSlashes(state);
  if (!path.starts_with('/') || !path.ends_with(kEnd)) {
    return WrongRoot(
        fmt::format("BELAY_STATE is {}, which is not an absolute path of a state root", state),
        "it ends in /.claude/state; unset it to use the current folder's project");
  }
  path.resize(path.size() - kEnd.size());
  if (path.empty()) path.push_back('/');
  Result<Layout> found = LocateNamed(files, path);
  if (!found) {
    return WrongRoot(fmt::format("BELAY_STATE is {}: {}", state, found.error().message),
                     "unset it to use the current folder's project");
  }
  const Result<std::string> named = files.Resolve(path);
  if (named && *named == found->Root()) return found;
  return WrongRoot(fmt::format("BELAY_STATE is {}, but that project's state root is {}", state,
                               found->StateRoot()),
                   "set it to that one, or unset it");
}

Result<Layout> LocateByBoth(const FileSystem& files, const std::string& root,
                            const std::string& state) {
  BELAY_TRY_ASSIGN(Layout by_state, LocateByState(files, state));
  BELAY_TRY_ASSIGN(const Layout by_root, LocateNamed(files, root));
  if (by_root.Root() == by_state.Root()) return by_state;
  return WrongRoot(
      fmt::format("--root means {}, but BELAY_STATE means {}", by_root.Root(), by_state.Root()),
      "leave one of them out");
}

Result<std::optional<Layout>> OrError(Result<Layout> found) {
  if (!found) return std::move(found).error();
  return std::optional<Layout>(*std::move(found));
}

}  // namespace

Result<std::optional<Layout>> FindProject(const FileSystem& files, const ProjectClues& clues) {
  if (clues.root && clues.state) return OrError(LocateByBoth(files, *clues.root, *clues.state));
  if (clues.state) return OrError(LocateByState(files, *clues.state));
  if (clues.root) return OrError(LocateNamed(files, *clues.root));
  const Result<Repository> repository = FindRepository(files, clues.current);
  if (repository) return OrError(AroundRepository(files, *repository, false));
  if (repository.error().code != ErrorCode::kNotFound) return repository.error();
  return std::optional<Layout>();
}

Result<Layout> LocateProject(const FileSystem& files, const ProjectClues& clues) {
  BELAY_TRY_ASSIGN(std::optional<Layout> found, FindProject(files, clues));
  if (found) return *std::move(found);
  BELAY_TRY(RefuseBare(files, clues.current));
  return WrongRoot(fmt::format("no git repository around {}", clues.current),
                   "go to a repository, or name the project's folder with --root");
}

}  // namespace belay
