#include "adapters/git/branch_uses.h"

#include <map>
#include <optional>

#include "adapters/git/fields.h"
#include "base/path.h"
#include "base/text.h"

namespace belay {
namespace {

constexpr std::size_t kMostText = 1U << 20U;

// A small file without its final newline; empty: it doesn't exist.
std::string ReadText(const FileSystem& files, const std::string& path) {
  Result<std::string> text = files.Read(path, kMostText);
  if (!text) return {};
  while (text->ends_with('\n')) text->pop_back();
  return *std::move(text);
}

Result<void> ReadAttribute(std::string_view line, GitWorktree& worktree) {
  const std::string_view name = line.substr(0, line.find(' '));
  const std::string_view value = line.size() > name.size() ? line.substr(name.size() + 1) : "";
  if (name == "worktree") worktree.folder = value;
  if (name == "branch") worktree.branch = value;
  if (name == "bare") worktree.is_bare = true;
  if (name == "prunable") worktree.is_prunable = true;
  if (name == "HEAD") {
    BELAY_TRY_ASSIGN(worktree.head, ObjectId::Parse(value));
  }
  return {};
}

// Git's folders for linked worktrees, by worktree folder. The file `gitdir` in each names the
// worktree.
std::map<std::string, std::string> LinkedFolders(const FileSystem& files,
                                                 const std::string& common_folder) {
  std::map<std::string, std::string> folders;
  const std::string all = JoinPath(common_folder, "worktrees");
  const auto names = files.List(all);
  if (!names) return folders;
  for (const std::string& name : *names) {
    const std::string git_folder = JoinPath(all, name);
    const std::string link = JoinPath(git_folder, ReadText(files, JoinPath(git_folder, "gitdir")));
    folders.emplace(ParentPath(link), git_folder);
  }
  return folders;
}

// Whether `folder` is the main worktree of `common_folder`, judged by its .git.
bool LeadsTo(const FileSystem& files, const std::string& folder, const std::string& common_folder) {
  std::string target = JoinPath(folder, ".git");
  const std::string text = ReadText(files, target);
  constexpr std::string_view kStart = "gitdir: ";
  if (text.starts_with(kStart)) target = JoinPath(folder, text.substr(kStart.size()));
  const Result<std::string> real = files.Resolve(target);
  const Result<std::string> common = files.Resolve(common_folder);
  return real && common && *real == *common;
}

// Git derives the main worktree from the place of the git folder, which is wrong with
// core.worktree, in a submodule, or with a separate git folder. Empty: unknown.
Result<std::string> MainFolder(const Git& git, const FileSystem& files,
                               const std::string& common_folder, const std::string& listed) {
  for (const char* const file : {"config", "config.worktree"}) {
    // Running git costs a process, and very few repositories have this setting.
    if (ReadText(files, JoinPath(common_folder, file)).find("worktree") == std::string::npos) {
      continue;
    }
    GitCall call{.arguments = {"config", "--get", "core.worktree"}, .good_exits = {0, 1}};
    call.environment.insert_or_assign("GIT_DIR", common_folder);
    BELAY_TRY_ASSIGN(const GitAnswer answer, git.Run(call));
    const std::string set = answer.out.substr(0, answer.out.find('\n'));
    if (set.empty()) break;
    return files.Resolve(JoinPath(common_folder, set));
  }
  if (LeadsTo(files, listed, common_folder)) return listed;
  return LeadsTo(files, git.folder(), common_folder) ? git.folder() : std::string();
}

bool IsRebased(const FileSystem& files, const std::string& git_folder, std::string_view branch) {
  for (const char* const file : {"rebase-merge/head-name", "rebase-apply/head-name"}) {
    if (ReadText(files, JoinPath(git_folder, file)) == branch) return true;
  }
  // Branches that the rebase will also move: a name and two ids, each on its own line.
  const std::string others = ReadText(files, JoinPath(git_folder, "rebase-merge/update-refs"));
  for (const std::string_view line : Split(others, '\n')) {
    if (line == branch) return true;
  }
  return false;
}

bool IsBisected(const FileSystem& files, const std::string& git_folder, std::string_view branch) {
  const std::string start = ReadText(files, JoinPath(git_folder, "BISECT_START"));
  return !start.empty() && "refs/heads/" + start == branch;
}

std::optional<BranchUse::Kind> UseOf(const FileSystem& files, const GitWorktree& worktree,
                                     std::string_view branch) {
  if (!worktree.is_bare && worktree.branch == branch) return BranchUse::Kind::kCheckedOut;
  if (worktree.git_folder.empty()) return std::nullopt;
  if (IsRebased(files, worktree.git_folder, branch)) return BranchUse::Kind::kRebased;
  if (IsBisected(files, worktree.git_folder, branch)) return BranchUse::Kind::kBisected;
  return std::nullopt;
}

}  // namespace

Result<std::vector<GitWorktree>> ParseWorktrees(std::string_view output) {
  std::vector<GitWorktree> worktrees;
  Fields fields(output, "worktree");
  while (!fields.AtEnd()) {
    GitWorktree worktree{.folder = {}, .git_folder = {}, .is_main = worktrees.empty()};
    for (;;) {
      BELAY_TRY_ASSIGN(const std::string_view line, fields.Until('\0'));
      if (line.empty()) break;
      BELAY_TRY(ReadAttribute(line, worktree));
    }
    if (worktree.folder.empty()) return fields.Damaged("a worktree without a folder");
    worktrees.push_back(std::move(worktree));
  }
  return worktrees;
}

Result<std::vector<GitWorktree>> ListWorktrees(const Git& git, const FileSystem& files,
                                               const std::string& common_folder) {
  BELAY_TRY_ASSIGN(const std::string output, git.Ask({"worktree", "list", "--porcelain", "-z"}));
  BELAY_TRY_ASSIGN(std::vector<GitWorktree> worktrees, ParseWorktrees(output));
  const std::map<std::string, std::string> linked = LinkedFolders(files, common_folder);
  for (GitWorktree& worktree : worktrees) {
    const auto found = linked.find(worktree.folder);
    if (worktree.is_main) {
      worktree.git_folder = common_folder;
      if (worktree.is_bare) continue;
      BELAY_TRY_ASSIGN(const std::string folder,
                       MainFolder(git, files, common_folder, worktree.folder));
      worktree.is_hidden = folder.empty();
      if (!folder.empty()) worktree.folder = folder;
    } else if (found != linked.end()) {
      worktree.git_folder = found->second;
    }
  }
  return worktrees;
}

std::vector<BranchUse> FindBranchUses(const FileSystem& files,
                                      std::span<const GitWorktree> worktrees,
                                      std::string_view branch) {
  std::vector<BranchUse> uses;
  for (const GitWorktree& worktree : worktrees) {
    if (const auto kind = UseOf(files, worktree, branch)) uses.push_back({*kind, worktree});
  }
  return uses;
}

}  // namespace belay
