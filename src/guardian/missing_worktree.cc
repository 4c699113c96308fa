#include "guardian/missing_worktree.h"

#include <fmt/core.h>

#include "base/path.h"
#include "codec/shell_quote.h"
#include "store/repository.h"

namespace belay {
namespace {

constexpr std::size_t kMostText = 8192;

std::string ReadLine(const FileSystem& files, const std::string& path) {
  const Result<std::string> text = files.Read(path, kMostText);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

// The folder that git keeps about that worktree; empty: git doesn't know it.
std::string GitFolderOf(const FileSystem& files, const std::string& common_folder,
                        const std::string& worktree) {
  const std::string all = JoinPath(common_folder, "worktrees");
  const auto names = files.List(all);
  if (!names) return {};
  for (const std::string& name : *names) {
    std::string folder = JoinPath(all, name);
    const std::string link = JoinPath(folder, ReadLine(files, JoinPath(folder, "gitdir")));
    if (ParentPath(link) == worktree) return folder;
  }
  return {};
}

}  // namespace

bool LacksWorktree(const FileSystem& files, const Identity& identity) {
  if (identity.worktree_path.empty()) return false;
  const Result<FileInfo> info = files.Inspect(identity.worktree_path);
  return !info && info.error().code == ErrorCode::kNotFound;
}

std::string RestoreWorktreeCommand(const SessionDoors& doors, const Identity& identity) {
  constexpr std::string_view kBranch = "ref: refs/heads/";
  const std::string path = ShellQuoted(identity.worktree_path);
  if (!doors.project.InRepository()) return fmt::format("mkdir {}", path);
  const Result<Repository> repository = FindRepository(doors.files, doors.project.Root());
  const std::string known =
      repository ? GitFolderOf(doors.files, repository->common_folder, identity.worktree_path)
                 : std::string();
  if (known.empty()) return fmt::format("git worktree add {} BRANCH", path);
  const std::string head = ReadLine(doors.files, JoinPath(known, "HEAD"));
  const bool on_branch = head.starts_with(kBranch);
  // -f: git still has the branch and the folder down as taken by the one that is gone.
  return fmt::format("git worktree add -f {}{} {}", on_branch ? "" : "--detach ", path,
                     on_branch ? ShellQuoted(head.substr(kBranch.size())) : head);
}

Result<void> CheckHasWorktree(const SessionDoors& doors, const Identity& identity) {
  if (!LacksWorktree(doors.files, identity)) return {};
  const IdentityName& name = identity.id.identity();
  return Error{
      ErrorCode::kNotFound,
      fmt::format("the worktree of {}, {}, is gone", identity.id.text(), identity.worktree_path),
      fmt::format("{} makes it again; belay spawn --continue --role {} --name {} "
                  "--worktree FOLDER continues in another one",
                  RestoreWorktreeCommand(doors, identity), name.role(), name.name())};
}

}  // namespace belay
