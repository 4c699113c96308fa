#include "app/agent_worktree.h"

#include <fmt/core.h>

#include <optional>

#include "adapters/git/git.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "store/repository.h"

namespace belay {
namespace {

bool IsInside(const std::string& folder, const std::string& path) {
  return path == folder || path.starts_with(folder + "/");
}

Error NoWorktree(const std::string& path, std::string_view why) {
  return {ErrorCode::kUsage, fmt::format("{} {}", path, why),
          "git worktree list shows the worktrees; --new-worktree BRANCH creates one"};
}

// The repository of the project itself.
Result<std::string> CommonFolder(const FileSystem& files, const Layout& project) {
  BELAY_TRY_ASSIGN(const Repository own, FindRepository(files, project.Root()));
  return own.common_folder;
}

Result<void> CheckIsWorktree(const FileSystem& files, const Layout& project,
                             const std::string& path) {
  const Result<Repository> found = FindRepository(files, path);
  if (!found) return NoWorktree(path, "is not in a git repository");
  BELAY_TRY_ASSIGN(const std::string common, CommonFolder(files, project));
  if (found->common_folder != common) {
    return NoWorktree(path, "is not a worktree of this repository");
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
  return Error{ErrorCode::kUsage, fmt::format("{} is not a valid branch name", Quote(branch)),
               "git help check-ref-format has the rules"};
}

// A new branch starts where HEAD is.
Result<void> CheckHasCommit(const Git& git) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   git.Run({.arguments = {"rev-parse", "--verify", "--quiet", "HEAD^{commit}"},
                            .good_exits = {0, 1}}));
  if (answer.exit_code == 0) return {};
  return Error{ErrorCode::kUsage, "--new-worktree: this repository has no commit to start from",
               "commit something first, or omit --new-worktree"};
}

// Whether the existing worktree is the one that was asked for.
Result<void> CheckCanBeUsed(const Env& env, const Layout& project, const Git& git,
                            const std::string& path, const std::string& branch) {
  BELAY_TRY(CheckIsWorktree(env.files, project, path));
  BELAY_TRY_ASSIGN(const GitAnswer head,
                   git.In(path).Run({.arguments = {"symbolic-ref", "--quiet", "--short", "HEAD"},
                                     .good_exits = {0, 1}}));
  // git locks a worktree while it creates it.
  BELAY_TRY_ASSIGN(const Repository place, FindRepository(env.files, path));
  const Result<std::string> lock = env.files.Read(JoinPath(place.git_folder, "locked"), 100);
  if (lock && lock->starts_with("initializing")) {
    return Error{ErrorCode::kRefused, fmt::format("{} is incomplete: git was interrupted", path),
                 fmt::format("git worktree remove -f -f {}, then try again", path)};
  }
  const std::string on = head.out.substr(0, head.out.find('\n'));
  if (on == branch) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} already exists, {}", path,
                           on.empty() ? "on no branch" : "on the branch " + on),
               fmt::format("--worktree {} uses it as it is", path)};
}

// From `git worktree list --porcelain`; empty: checked out nowhere.
std::string WorktreeOn(std::string_view list, const std::string& branch) {
  constexpr std::string_view kWorktree = "worktree ";
  std::string_view path;
  for (const std::string_view line : Split(list, '\n')) {
    if (line.starts_with(kWorktree)) path = line.substr(kWorktree.size());
    if (line == "branch refs/heads/" + branch) return std::string(path);
  }
  return {};
}

// git allows a branch in only one worktree at a time.
Result<void> CheckIsFree(const FileSystem& files, const Git& git, const std::string& branch) {
  BELAY_TRY_ASSIGN(const std::string list, git.Ask({"worktree", "list", "--porcelain"}));
  const std::string path = WorktreeOn(list, branch);
  if (path.empty()) return {};
  const bool gone = !files.Inspect(path);
  return Error{
      ErrorCode::kRefused,
      fmt::format("the branch {} is checked out in {}{}", branch, path,
                  gone ? ", which no longer exists" : ""),
      gone ? "git worktree prune lets git forget it"
           : fmt::format("choose another branch, or use --worktree {} to work there", path)};
}

struct KnownWorktree {
  std::string branch = {};  // empty: on none
  bool locked = false;
};

// The paragraph of `git worktree list --porcelain` that is about the path.
std::optional<KnownWorktree> FindIn(std::string_view list, const std::string& path) {
  constexpr std::string_view kBranch = "branch refs/heads/";
  std::optional<KnownWorktree> found;
  bool inside = false;
  for (const std::string_view line : Split(list, '\n')) {
    if (line.starts_with("worktree ")) inside = line == "worktree " + path;
    if (!inside) continue;
    if (!found) found.emplace();
    if (line.starts_with(kBranch)) found->branch = line.substr(kBranch.size());
    if (line == "locked" || line.starts_with("locked ")) found->locked = true;
  }
  return found;
}

// `path` doesn't exist. If git knows a worktree at that path, git forgets that one and no other;
// its branch stays. Only if it was on `branch`, since the HEAD of any other worktree may be
// recorded nowhere else, and only if it isn't locked: else kRefused, with a hint.
Result<void> ForgetLostWorktree(const Git& git, const std::string& path,
                                const std::string& branch) {
  BELAY_TRY_ASSIGN(const std::string list, git.Ask({"worktree", "list", "--porcelain"}));
  const std::optional<KnownWorktree> known = FindIn(list, path);
  if (!known) return {};
  const std::string gone =
      fmt::format("git still lists the worktree {}, which no longer exists", path);
  if (known->locked) {
    return Error{ErrorCode::kRefused, fmt::format("{}, and is locked", gone),
                 fmt::format("git worktree unlock {}, if it won't come back", path)};
  }
  if (known->branch != branch) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{}, {}", gone,
                             known->branch.empty() ? "and was on no branch"
                                                   : "and was on the branch " + known->branch),
                 fmt::format("git worktree remove {} lets git forget it", path)};
  }
  BELAY_TRY(git.Run({.arguments = {"worktree", "remove", path}}));
  return {};
}

constexpr std::size_t kMostText = 8192;

std::string ReadLine(const FileSystem& files, const std::string& path) {
  const Result<std::string> text = files.Read(path, kMostText);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

// The folder in which git keeps its data about that worktree; empty: git doesn't know it.
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

Result<std::string> FindAgentWorktree(const Env& env, const Layout& project,
                                      const std::string& path) {
  const std::string wanted = JoinPath(env.current_folder, path);
  const Result<std::string> real = env.files.Resolve(wanted);
  if (!real) return Error{ErrorCode::kUsage, real.error().message, "--worktree takes a folder"};
  BELAY_TRY_ASSIGN(const FileInfo info, env.files.Inspect(*real));
  if (info.kind != FileKind::kFolder) return NoWorktree(*real, "is not a folder");
  if (project.InRepository()) {
    BELAY_TRY(CheckIsWorktree(env.files, project, *real));
  } else if (!IsInside(project.Root(), *real)) {
    return Error{ErrorCode::kUsage, fmt::format("{} is not inside {}", *real, project.Root()),
                 "agents must work inside the project's folder"};
  }
  return *real;
}

Result<MadeWorktree> MakeAgentWorktree(Env& env, const Layout& project, const IdentityName& agent,
                                       const std::string& branch) {
  if (!project.InRepository()) {
    return Error{ErrorCode::kUsage, "--new-worktree needs a git repository", "run git init"};
  }
  const Git git(env.programs, env.environment, project.Root());
  BELAY_TRY(CheckBranchName(git, branch));
  const std::string path = project.NewWorktree(agent);
  if (env.files.Inspect(path)) {
    BELAY_TRY(CheckCanBeUsed(env, project, git, path, branch));
    return MadeWorktree{path, false};
  }
  BELAY_TRY(ForgetLostWorktree(git, path, branch));
  BELAY_TRY_ASSIGN(const bool known, HasBranch(git, branch));
  BELAY_TRY(known ? CheckIsFree(env.files, git, branch) : CheckHasCommit(git));
  std::vector<std::string> arguments = {"worktree", "add", "--quiet"};
  if (!known) arguments.insert(arguments.end(), {"-b", branch});
  arguments.push_back(path);
  if (known) arguments.push_back(branch);
  // In a partial clone git may have to fetch its files, as in a `git worktree add` by hand.
  BELAY_TRY(git.Run({.arguments = std::move(arguments),
                     .environment = {{"GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"}}}));
  return MadeWorktree{path, true, !known};
}

// git refuses to remove a worktree with changes, and to delete a branch with commits of its own.
Result<void> RemoveFreshWorktree(const Env& env, const Layout& project, const MadeWorktree& made,
                                 const std::string& branch) {
  const Git git(env.programs, env.environment, project.Root());
  BELAY_TRY(git.Run({.arguments = {"worktree", "remove", made.path}}));
  if (made.branch_is_new) BELAY_TRY(git.Run({.arguments = {"branch", "-q", "-d", "--", branch}}));
  return {};
}

bool LacksWorktree(const FileSystem& files, const Identity& identity) {
  return !identity.worktree_path.empty() && IsMissing(files.Inspect(identity.worktree_path));
}

std::string RestoreWorktreeCommand(const SessionEnv& session, const Identity& identity) {
  constexpr std::string_view kBranch = "ref: refs/heads/";
  const std::string path = ShellQuoted(identity.worktree_path);
  if (!session.project.InRepository()) return fmt::format("mkdir {}", path);
  const Result<Repository> repository = FindRepository(session.files, session.project.Root());
  const std::string known =
      repository ? GitFolderOf(session.files, repository->common_folder, identity.worktree_path)
                 : std::string();
  if (known.empty()) return fmt::format("git worktree add {} BRANCH", path);
  const std::string head = ReadLine(session.files, JoinPath(known, "HEAD"));
  const bool on_branch = head.starts_with(kBranch);
  // -f: git still records the branch and the folder as used by the worktree that is gone.
  return fmt::format("git worktree add -f {}{} {}", on_branch ? "" : "--detach ", path,
                     on_branch ? ShellQuoted(head.substr(kBranch.size())) : head);
}

Result<void> CheckHasWorktree(const SessionEnv& session, const Identity& identity) {
  if (!LacksWorktree(session.files, identity)) return {};
  const IdentityName& name = identity.id.identity();
  return Error{ErrorCode::kNotFound,
               fmt::format("the worktree of {}, {}, no longer exists", identity.id.text(),
                           identity.worktree_path),
               fmt::format("{} creates it again; belay spawn --continue --role {} --name {} "
                           "--worktree FOLDER continues in another one",
                           RestoreWorktreeCommand(session, identity), name.role(), name.name())};
}

}  // namespace belay
