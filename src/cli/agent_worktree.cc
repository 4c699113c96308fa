#include "cli/agent_worktree.h"

#include <fmt/core.h>

#include "adapters/git/git.h"
#include "base/path.h"
#include "base/split.h"
#include "base/utf8.h"
#include "cli/lost_worktree.h"
#include "store/repository.h"

namespace belay {
namespace {

bool IsInside(const std::string& folder, const std::string& path) {
  return path == folder || path.starts_with(folder + "/");
}

Error NoWorktree(const std::string& path, std::string_view why) {
  return {ErrorCode::kUsage, fmt::format("{} {}", path, why),
          "git worktree list names them; --new-worktree BRANCH makes one"};
}

// The repository of the project itself.
Result<std::string> CommonFolder(const FileSystem& files, const Layout& project) {
  BELAY_TRY_ASSIGN(const Repository own, FindRepository(files, project.Root()));
  return own.common_folder;
}

Result<void> CheckIsWorktree(const FileSystem& files, const Layout& project,
                             const std::string& path) {
  const Result<Repository> found = FindRepository(files, path);
  if (!found) return NoWorktree(path, "is in no git repository");
  BELAY_TRY_ASSIGN(const std::string common, CommonFolder(files, project));
  if (found->common_folder != common) {
    return NoWorktree(path, "is no worktree of this repository");
  }
  if (found->worktree != path) {
    return NoWorktree(path, fmt::format("is inside the worktree {}", found->worktree));
  }
  return {};
}

Result<bool> HasBranch(const Git& git, const std::string& branch) {
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      git.Run({.arguments = {"show-ref", "--verify", "--quiet", "refs/heads/" + branch},
               .good_exits = {0, 1}}));
  return answer.exit_code == 0;
}

Result<void> CheckBranchName(const Git& git, const std::string& branch) {
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      git.Run({.arguments = {"check-ref-format", "--branch", branch}, .good_exits = {0, 1, 128}}));
  if (answer.exit_code == 0 && !branch.starts_with('-')) return {};
  return Error{ErrorCode::kUsage, fmt::format("{} can't be the name of a branch", Quote(branch)),
               "git help check-ref-format says what can"};
}

// A new branch starts where HEAD is.
Result<void> CheckHasCommit(const Git& git) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"rev-parse", "--verify", "--quiet", "HEAD^{commit}"},
                            .good_exits = {0, 1}}));
  if (answer.exit_code == 0) return {};
  return Error{ErrorCode::kUsage, "--new-worktree: this repository has no commit to start from",
               "git commit something first, or leave --new-worktree out"};
}

// Whether what is there is what was asked for.
Result<void> CheckCanBeUsed(const Services& services, const Layout& project, const Git& git,
                            const std::string& path, const std::string& branch) {
  BELAY_TRY(CheckIsWorktree(services.files, project, path));
  BELAY_TRY_ASSIGN(const GitAnswer head,
                   git.In(path).Run({.arguments = {"symbolic-ref", "--quiet", "--short", "HEAD"},
                                     .good_exits = {0, 1}}));
  // git locks one for as long as it makes it.
  BELAY_TRY_ASSIGN(const Repository place, FindRepository(services.files, path));
  const Result<std::string> lock = services.files.Read(JoinPath(place.git_folder, "locked"), 100);
  if (lock && lock->starts_with("initializing")) {
    return Error{ErrorCode::kRefused, fmt::format("{} is only half made: git was cut short", path),
                 fmt::format("git worktree remove -f -f {}, then try again", path)};
  }
  const std::string on = head.out.substr(0, head.out.find('\n'));
  if (on == branch) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} is there already, {}", path,
                           on.empty() ? "on no branch" : "on the branch " + on),
               fmt::format("--worktree {} uses it as it is", path)};
}

// Of `git worktree list --porcelain`; empty: nowhere.
std::string WorktreeOn(std::string_view list, const std::string& branch) {
  constexpr std::string_view kWorktree = "worktree ";
  std::string_view path;
  for (const std::string_view line : Split(list, '\n')) {
    if (line.starts_with(kWorktree)) path = line.substr(kWorktree.size());
    if (line == "branch refs/heads/" + branch) return std::string(path);
  }
  return {};
}

// git has a branch in one worktree at a time.
Result<void> CheckIsFree(const FileSystem& files, const Git& git, const std::string& branch) {
  BELAY_TRY_ASSIGN(const std::string list, git.Ask({"worktree", "list", "--porcelain"}));
  const std::string path = WorktreeOn(list, branch);
  if (path.empty()) return {};
  const bool gone = !files.Inspect(path);
  return Error{ErrorCode::kRefused,
               fmt::format("the branch {} is checked out in {}{}", branch, path,
                           gone ? ", which is gone" : ""),
               gone ? "git worktree prune lets git forget it"
                    : fmt::format("name another branch, or --worktree {} to work there", path)};
}

}  // namespace

Result<std::string> FindAgentWorktree(const Services& services, const Layout& project,
                                      const std::string& path) {
  const std::string wanted = JoinPath(services.current_folder, path);
  const Result<std::string> real = services.files.Resolve(wanted);
  if (!real) return Error{ErrorCode::kUsage, real.error().message, "--worktree takes a folder"};
  BELAY_TRY_ASSIGN(const FileInfo info, services.files.Inspect(*real));
  if (info.kind != FileKind::kFolder) return NoWorktree(*real, "is no folder");
  if (project.InRepository()) {
    BELAY_TRY(CheckIsWorktree(services.files, project, *real));
  } else if (!IsInside(project.Root(), *real)) {
    return Error{ErrorCode::kUsage, fmt::format("{} is not inside {}", *real, project.Root()),
                 "agents of a project work inside it"};
  }
  return *real;
}

Result<MadeWorktree> MakeAgentWorktree(Services& services, const Layout& project,
                                       const IdentityName& agent, const std::string& branch) {
  if (!project.InRepository()) {
    return Error{ErrorCode::kUsage, "--new-worktree needs a git repository", "run git init"};
  }
  const Git git(services.programs, services.environment, project.Root());
  BELAY_TRY(CheckBranchName(git, branch));
  const std::string path = project.NewWorktree(agent);
  if (services.files.Inspect(path)) {
    BELAY_TRY(CheckCanBeUsed(services, project, git, path, branch));
    return MadeWorktree{path, false};
  }
  BELAY_TRY(ForgetLostWorktree(git, path, branch));
  BELAY_TRY_ASSIGN(const bool known, HasBranch(git, branch));
  BELAY_TRY(known ? CheckIsFree(services.files, git, branch) : CheckHasCommit(git));
  std::vector<std::string> arguments = {"worktree", "add", "--quiet"};
  if (!known) arguments.insert(arguments.end(), {"-b", branch});
  arguments.push_back(path);
  if (known) arguments.push_back(branch);
  // In a partial clone its files may have to be fetched, as for whoever makes one by hand.
  BELAY_TRY(git.Run({.arguments = std::move(arguments),
                     .environment = {{"GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"}}}));
  return MadeWorktree{path, true, !known};
}

// git refuses to remove a worktree with changes, and to delete a branch with commits of its own.
Result<void> RemoveFreshWorktree(const Services& services, const Layout& project,
                                 const MadeWorktree& made, const std::string& branch) {
  const Git git(services.programs, services.environment, project.Root());
  BELAY_TRY(git.Run({.arguments = {"worktree", "remove", made.path}}));
  if (made.branch_is_new) BELAY_TRY(git.Run({.arguments = {"branch", "-q", "-d", "--", branch}}));
  return {};
}

}  // namespace belay
