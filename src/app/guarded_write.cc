#include "app/guarded_write.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "adapters/git/git.h"
#include "base/path.h"

namespace belay {
namespace {

GuardedPaths GuardedPathsOf(const Layout& project, const AgentHooks& hooks) {
  GuardedPaths guarded{.root = project.Root(), .paths = {{project.ConfigFile()}}};
  for (std::string& path : hooks.SettingsFiles(project)) {
    guarded.paths.push_back({.path = std::move(path), .common = true});
  }
  guarded.paths.push_back({.path = project.Vault(), .folder = true});
  if (const std::optional<std::string> folder = project.GitHooksFolder()) {
    guarded.paths.push_back({JoinPath(*folder, "reference-transaction")});
  }
  return guarded;
}

// Without links, if the path is known.
std::string ResolvedPath(const FileSystem& files, const std::string& path, bool link_itself) {
  if (!link_itself) {
    if (const Result<std::string> real = files.Resolve(path)) return *real;
  }
  const Result<std::string> folder = files.Resolve(std::string(ParentPath(path)));
  return folder ? JoinPath(*folder, FileName(path)) : path;
}

// A path may lead to a guarded one through a link.
std::optional<std::string> GuardedThroughLink(const FileSystem& files, GuardedPaths guarded,
                                              PathWrite write) {
  const std::string path = ResolvedPath(files, write.path, WritesLinkItself(write));
  if (path == write.path) return std::nullopt;
  guarded.root = ResolvedPath(files, guarded.root, false);
  for (GuardedPath& one : guarded.paths) one.path = ResolvedPath(files, one.path, true);
  write.path = path;
  return GuardedBy(guarded, write, {});
}

// What to ask git, so that it names the files that the write would change.
std::vector<std::vector<std::string>> QuestionsTo(const PathWrite& write) {
  const bool known = IsExact(write.from);
  const std::string from = known ? write.from : "HEAD";
  const std::vector<std::string> others = {"ls-files", "-z", "--others"};
  const std::vector<std::string> not_ignored = {"ls-files", "-z", "--others", "--exclude-standard"};
  const auto diff = [](const std::string& one) {
    return std::vector<std::string>{"diff", "--name-only", "-z", "--end-of-options", one};
  };
  if (write.by == "git clean -x") return {others};
  if (write.by == "git clean") return {not_ignored};
  if (write.by == "git stash pop") {
    return {{"diff", "--name-only", "-z", "--end-of-options", from + "^1", from},
            {"ls-tree", "-r", "-z", "--name-only", "--full-name", "--end-of-options", from + "^3"}};
  }
  if (write.by.starts_with("git stash")) {
    if (from.empty()) return {diff("HEAD")};
    return {diff("HEAD"), from == "-a" ? others : not_ignored};
  }
  if (write.by == "git rm") return {{"ls-files", "-z"}};
  if (from.empty()) return {{"ls-files", "-z", "--modified"}};
  // Of a revision that isn't known, any file may be another one.
  if (!known && write.by != "git reset --hard") return {{"ls-files", "-z"}};
  std::vector<std::string> question = diff(from);
  // What the revision doesn't have stays.
  if (write.by == "git checkout") question.insert(question.begin() + 1, "--diff-filter=a");
  return {question};
}

// The first of these files that git would change or remove; asking takes milliseconds. It is asked
// in the folder of the write, which may be in another worktree: then it fails.
std::optional<std::string> ChangedByGit(Env& env, const Layout& project, const PathWrite& write,
                                        const std::vector<std::string>& paths) {
  if (paths.empty()) return std::nullopt;
  const bool there = env.files.Inspect(write.path + "/.").ok();
  const std::string folder = there ? write.path : project.Root();
  const Git git(env.programs, env.environment, folder);
  constexpr Duration kLimit = std::chrono::seconds(2);
  for (std::vector<std::string>& question : QuestionsTo(write)) {
    const bool by_top = question[0] == "diff";
    question.emplace_back("--");
    question.insert(question.end(), paths.begin(), paths.end());
    const Result<GitAnswer> answer = git.Run({.arguments = std::move(question), .limit = kLimit});
    if (!answer || answer->out.empty()) continue;
    const std::string first = answer->out.substr(0, answer->out.find('\0'));
    return AbsoluteShellPath(by_top ? project.Root() : folder, first);
  }
  return std::nullopt;
}

// By what is on the disk and in git.
std::optional<std::string> GuardedOnDisk(Env& env, const Layout& project,
                                         const GuardedPaths& guarded,
                                         std::span<const PathWrite> writes) {
  constexpr std::size_t kMostResolved = 32;
  for (std::size_t i = 0; i < std::min(writes.size(), kMostResolved); ++i) {
    const PathWrite& write = writes[i];
    const bool absolute = write.path.starts_with('/');
    if (absolute) {
      if (auto path = GuardedThroughLink(env.files, guarded, write)) return path;
    }
    const std::vector<std::string> inside = GuardedFromGit(guarded, write);
    if (auto path = ChangedByGit(env, project, write, inside)) return path;
  }
  return std::nullopt;
}

std::vector<PathWrite> WritesIn(std::span<const ShellEffect> effects) {
  std::vector<PathWrite> writes;
  for (const ShellEffect& one : effects) {
    if (one.kind == EffectKind::kWrite) writes.push_back(WriteOf(one));
  }
  return writes;
}

bool MayWrite(const ShellEffect& effect) {
  return effect.kind == EffectKind::kWrite || !effect.folder.empty() || effect.on_disk;
}

// By a line of a shell.
std::optional<std::string> GuardedByShell(Env& env, const Layout& project,
                                          const GuardedPaths& guarded, const GuardedCall& call,
                                          std::span<const ShellEffect> effects) {
  const std::string text = call.folder + "\n" + call.line;
  const bool on_disk =
      std::ranges::any_of(effects, [](const ShellEffect& one) { return one.on_disk; });
  std::vector<ShellEffect> closer;
  if (on_disk || GuardedByLine(guarded, effects, text)) {
    closer = EffectsOf(call.line, {.folder = call.folder,
                                   .home = env.environment.Get("HOME").value_or(""),
                                   .files = &env.files,
                                   .environment = &env.environment});
    effects = closer;
    if (auto path = GuardedByLine(guarded, effects, text)) return path;
  }
  return GuardedOnDisk(env, project, guarded, WritesIn(effects));
}

}  // namespace

GuardedCall CallOf(const EventReport& report) {
  GuardedCall call{.folder = report.event.folder};
  if (report.event.kind != EventKind::kToolStarting) return call;
  if (report.tool == ToolKind::kShell) call.line = report.event.subject;
  if (report.tool == ToolKind::kEdit) {
    call.writes.push_back({AbsoluteShellPath(call.folder, report.event.subject)});
  }
  for (const std::string& text : report.texts) {
    call.writes.push_back({AbsoluteShellPath(call.folder, text)});
    for (PathWrite& one : WritesIn(EffectsOf(text, {.folder = call.folder}))) {
      call.writes.push_back(std::move(one));
    }
  }
  return call;
}

std::string FindGuardedWrite(Env& env, const Layout& project, const AgentHooks& hooks,
                             const GuardedCall& call, std::span<const ShellEffect> effects) {
  const bool shell = !call.line.empty() && std::ranges::any_of(effects, MayWrite);
  if (call.writes.empty() && !shell) return {};
  const GuardedPaths guarded = GuardedPathsOf(project, hooks);
  for (const PathWrite& write : call.writes) {
    if (auto path = GuardedBy(guarded, write, call.folder)) return *path;
  }
  if (auto path = GuardedOnDisk(env, project, guarded, call.writes)) return *path;
  if (!shell) return {};
  return GuardedByShell(env, project, guarded, call, effects).value_or("");
}

std::string WhyNoWrite(std::string_view path) {
  return fmt::format(
      "{} belongs to belay's settings or records in the main worktree. People write these: they "
      "decide how your work is judged and guarded. Say what you would change, and continue.",
      path);
}

}  // namespace belay
