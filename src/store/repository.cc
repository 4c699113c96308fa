#include "store/repository.h"

#include <fmt/core.h>

#include "base/path.h"
#include "base/text.h"

namespace belay {
namespace {

constexpr std::size_t kMostBytes = 8192;  // of a file that holds one path
constexpr std::size_t kMostConfig = std::size_t{1} << 20U;

// The content of a file that holds one line.
Result<std::string> ReadLine(const FileSystem& files, const std::string& path) {
  BELAY_TRY_ASSIGN(std::string text, files.Read(path, kMostBytes));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// The git folder that a `.git` file points to.
Result<std::string> FollowGitFile(const FileSystem& files, const std::string& git_file) {
  constexpr std::string_view kPrefix = "gitdir: ";
  BELAY_TRY_ASSIGN(const std::string line, ReadLine(files, git_file));
  if (!line.starts_with(kPrefix)) {
    return Error{ErrorCode::kDamaged,
                 fmt::format("read {}: it doesn't start with gitdir:", git_file)};
  }
  const std::string target = JoinPath(ParentPath(git_file), line.substr(kPrefix.size()));
  Result<std::string> folder = files.Resolve(target);
  if (folder) return folder;
  return Error{ErrorCode::kDamaged,
               fmt::format("{} points to {}, which doesn't exist", git_file, target),
               "run: git worktree repair"};
}

struct CoreConfig {
  bool bare = false;
  std::string worktree = {};
};

std::string_view Trim(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r\"");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r\"") - start + 1);
}

// The two settings that we need, from a file that git itself wrote.
CoreConfig ParseCoreConfig(std::string_view text) {
  CoreConfig config;
  bool in_core = false;
  for (const std::string_view line : Split(text, '\n')) {
    const std::string_view trimmed = Trim(line);
    if (trimmed.starts_with('[')) in_core = trimmed == "[core]";
    const std::size_t equals = trimmed.find('=');
    if (!in_core || equals == std::string_view::npos) continue;
    const std::string_view key = Trim(trimmed.substr(0, equals));
    const std::string_view value = Trim(trimmed.substr(equals + 1));
    if (key == "bare") config.bare = value == "true";
    if (key == "worktree") config.worktree = value;
  }
  return config;
}

std::optional<std::string> MainWorktreeOf(const FileSystem& files,
                                          const std::string& common_folder) {
  const Result<std::string> text = files.Read(JoinPath(common_folder, "config"), kMostConfig);
  const CoreConfig config = ParseCoreConfig(text ? *text : std::string());
  if (!config.worktree.empty()) {
    const Result<std::string> found = files.Resolve(JoinPath(common_folder, config.worktree));
    if (found) return *found;
  }
  if (config.bare || FileName(common_folder) != ".git") return std::nullopt;
  return std::string(ParentPath(common_folder));
}

Result<Repository> Describe(const FileSystem& files, const std::string& worktree,
                            const std::string& git_folder) {
  BELAY_TRY_ASSIGN(const std::string common, CommonFolderOf(files, git_folder));
  if (common == git_folder) return Repository{worktree, worktree, git_folder, git_folder};
  return Repository{worktree, MainWorktreeOf(files, common), common, git_folder};
}

}  // namespace

Result<std::string> CommonFolderOf(const FileSystem& files, const std::string& git_folder) {
  const Result<std::string> common = ReadLine(files, JoinPath(git_folder, "commondir"));
  if (!common && !IsMissing(common)) return common.error();
  if (!common) return git_folder;
  Result<std::string> folder = files.Resolve(JoinPath(git_folder, *common));
  if (folder) return folder;
  return Error{ErrorCode::kDamaged, folder.error().message, "git worktree repair"};
}

Result<Repository> FindRepository(const FileSystem& files, const std::string& start) {
  BELAY_TRY_ASSIGN(std::string folder, files.Resolve(start));
  while (true) {
    const std::string git = JoinPath(folder, ".git");
    const Result<FileInfo> info = files.Inspect(git);
    if (info && info->kind == FileKind::kFile) {
      BELAY_TRY_ASSIGN(const std::string git_folder, FollowGitFile(files, git));
      return Describe(files, folder, git_folder);
    }
    // `.git` may be a link to a folder; git follows it, and so do we.
    if (info && (info->kind == FileKind::kFolder || info->kind == FileKind::kLink) &&
        files.Inspect(JoinPath(git, "HEAD"))) {
      BELAY_TRY_ASSIGN(const std::string git_folder, files.Resolve(git));
      return Describe(files, folder, git_folder);
    }
    if (folder == "/") break;
    folder = std::string(ParentPath(folder));
  }
  return Error{ErrorCode::kNotFound, fmt::format("{} is not in a git repository", start)};
}

std::string CheckedOutBranch(const FileSystem& files, const std::string& worktree) {
  constexpr std::string_view kBranch = "ref: refs/heads/";
  const Result<Repository> repository = FindRepository(files, worktree);
  if (!repository || repository->worktree != worktree) return {};
  const Result<std::string> head = ReadLine(files, JoinPath(repository->git_folder, "HEAD"));
  return head && head->starts_with(kBranch) ? head->substr(kBranch.size()) : std::string();
}

bool IsBareRepository(const FileSystem& files, const std::string& folder) {
  for (const char* part : {"HEAD", "objects", "refs"}) {
    if (!files.Inspect(JoinPath(folder, part))) return false;
  }
  return true;
}

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
                     "move away the one you don't want");
  }
  return WrongRoot(fmt::format("{} became a repository after belay was set up in it", root),
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
                   "git worktree add DIR BRANCH creates one; then run belay init --root DIR");
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
        fmt::format("BELAY_STATE is {}, which is not the absolute path of a state root", state),
        "it must end in /.claude/state; unset it to use the current folder's project");
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
                   "set it to that path, or unset it");
}

Result<Layout> LocateByBoth(const FileSystem& files, const std::string& root,
                            const std::string& state) {
  BELAY_TRY_ASSIGN(Layout by_state, LocateByState(files, state));
  BELAY_TRY_ASSIGN(const Layout by_root, LocateNamed(files, root));
  if (by_root.Root() == by_state.Root()) return by_state;
  return WrongRoot(
      fmt::format("--root means {}, but BELAY_STATE means {}", by_root.Root(), by_state.Root()),
      "use only one of them");
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
  if (IsMissing(files.Resolve(clues.current))) {
    return WrongRoot("the current folder no longer exists",
                     "cd to another one, or name the project's folder with --root");
  }
  BELAY_TRY(RefuseBare(files, clues.current));
  return WrongRoot(fmt::format("{} is not in a git repository", clues.current),
                   "cd to a repository, or name the project's folder with --root");
}

}  // namespace belay
