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
  if (!common && common.error().code != ErrorCode::kNotFound) return common.error();
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
  return Error{ErrorCode::kNotFound, fmt::format("no git repository around {}", start)};
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

}  // namespace belay
