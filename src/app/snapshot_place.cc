#include "app/snapshot_place.h"

#include <fmt/core.h>

#include "app/settings.h"
#include "base/path.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::size_t kLongestPath = 8192;
constexpr unsigned kMiB = 20;

Error NoWorktree(std::string message) {
  return {ErrorCode::kUsage, std::move(message),
          "go to a worktree, or name its folder with --root"};
}

// Where to look: $BELAY_STATE counts only outside any repository.
Result<std::string> Start(const Env& env) {
  if (const auto root = env.root) {
    return JoinPath(env.current_folder, *root);
  }
  const Result<Repository> around = FindRepository(env.files, env.current_folder);
  const bool none = !around && around.error().code == ErrorCode::kNotFound;
  if (none && env.environment.Get("BELAY_STATE")) {
    BELAY_TRY_ASSIGN(const Layout project, LocateProject(env));
    return project.Root();
  }
  return env.current_folder;
}

Result<Repository> FindAround(const FileSystem& files, const std::string& start) {
  const Result<FileInfo> info = files.Inspect(JoinPath(start, "."));
  if (!info) return Error{ErrorCode::kUsage, info.error().message, "--root takes a folder"};
  if (IsBareRepository(files, start) && FileName(start) != ".git") {
    return NoWorktree(fmt::format("{} is a bare repository: it has no files to keep", start));
  }
  Result<Repository> found = FindRepository(files, start);
  if (!found && found.error().code == ErrorCode::kNotFound) {
    return NoWorktree(fmt::format("no git repository around {}", start));
  }
  return found;
}

// Git must see the same worktree: its configuration may set core.bare or core.worktree.
Result<void> CheckWithGit(const Git& git, const std::string& worktree) {
  BELAY_TRY_ASSIGN(const GitAnswer answer, git.Run({.arguments = {"rev-parse", "--show-toplevel"},
                                                    .good_exits = {0, 128}}));
  if (answer.exit_code != 0) {
    if (answer.warnings.find("must be run in a work tree") == std::string::npos) {
      return git.Run({.arguments = {"rev-parse", "--show-toplevel"}}).error();
    }
    return NoWorktree(fmt::format("{} is a bare repository: it has no files to keep", worktree));
  }
  if (answer.out == worktree + "\n") return {};
  return NoWorktree(fmt::format("the worktree of {} is {}", worktree,
                                answer.out.substr(0, answer.out.find('\n'))));
}

Result<SnapshotPlace> Describe(Repository repository, const Layout& project, Env& env) {
  KeepName keep = KeepName::OfWorktree(repository);
  return DescribePlace(std::move(repository), std::move(keep), project, env);
}

std::string LinkedFolder(const SnapshotPlace& place) {
  return JoinPath(place.repository.common_folder, "worktrees");
}

// As git writes it: the path of the file .git in the worktree.
Result<std::string> FolderOfLinked(const SnapshotPlace& place, const std::string& name,
                                   const FileSystem& files) {
  const std::string folder = JoinPath(LinkedFolder(place), name);
  BELAY_TRY_ASSIGN(std::string text, files.Read(JoinPath(folder, "gitdir"), kLongestPath));
  while (text.ends_with('\n')) text.pop_back();
  return std::string(ParentPath(JoinPath(folder, text)));
}

std::vector<std::string> LinkedNames(const SnapshotPlace& place, const FileSystem& files) {
  const Result<std::vector<std::string>> names = files.List(LinkedFolder(place));
  return names ? *names : std::vector<std::string>();
}

KeepName KeepOfLinked(const SnapshotPlace& place, const std::string& name) {
  Repository linked = place.repository;
  linked.git_folder = JoinPath(LinkedFolder(place), name);
  return KeepName::OfWorktree(linked);
}

KeepName KeepOfMain(const SnapshotPlace& place) {
  Repository main = place.repository;
  main.git_folder = main.common_folder;
  return KeepName::OfWorktree(main);
}

Result<std::string> FolderOf(const SnapshotPlace& place, const KeepName& keep,
                             const FileSystem& files) {
  if (place.repository.main_worktree && KeepOfMain(place) == keep) {
    return *place.repository.main_worktree;
  }
  for (const std::string& name : LinkedNames(place, files)) {
    if (KeepOfLinked(place, name) == keep) return FolderOfLinked(place, name, files);
  }
  std::string names;
  for (const KeepName& one : WorktreeNames(place, files)) {
    names += (names.empty() ? "" : ", ") + one.text();
  }
  return Error{ErrorCode::kNotFound,
               fmt::format("this repository has no worktree {}", Quote(keep.text())),
               fmt::format("it has {}", names)};
}

}  // namespace

Result<SnapshotPlace> DescribePlace(Repository repository, KeepName keep, const Layout& project,
                                    Env& env) {
  Git git(env.programs, env.environment, repository.worktree);
  BELAY_TRY(CheckWithGit(git, repository.worktree));
  return SnapshotPlace{std::move(repository), std::move(keep), std::move(git), project};
}

Result<SnapshotPlace> FindSnapshotPlace(Env& env) {
  BELAY_TRY_ASSIGN(const std::string start, Start(env));
  BELAY_TRY_ASSIGN(Repository repository, FindAround(env.files, start));
  const ProjectClues clues{repository.worktree, env.environment.Get("BELAY_STATE"),
                           env.current_folder};
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(env.files, clues));
  return Describe(std::move(repository), project, env);
}

std::vector<KeepName> WorktreeNames(const SnapshotPlace& place, const FileSystem& files) {
  std::vector<KeepName> names;
  if (place.repository.main_worktree) names.push_back(KeepOfMain(place));
  for (const std::string& name : LinkedNames(place, files)) {
    names.push_back(KeepOfLinked(place, name));
  }
  return names;
}

Result<SnapshotPlace> FindWorktree(const SnapshotPlace& place, const KeepName& keep, Env& env) {
  if (keep == place.keep) return place;
  BELAY_TRY_ASSIGN(const std::string folder, FolderOf(place, keep, env.files));
  Result<Repository> found = FindRepository(env.files, folder);
  if (!found || found->common_folder != place.repository.common_folder ||
      KeepName::OfWorktree(*found) != keep) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("the worktree {} is no longer at {}", keep.text(), folder),
                 "git worktree repair, if it was moved; git worktree prune, if it is gone"};
  }
  return Describe(*std::move(found), place.project, env);
}

Result<std::vector<SavedSnapshot>> ListSnapshotsHere(const SnapshotPlace& place) {
  BELAY_TRY_ASSIGN(std::vector<SavedSnapshot> all, ListSnapshots(place.git, std::nullopt));
  std::erase_if(all, [&](const SavedSnapshot& one) {
    return one.id.keep != place.keep && one.record.worktree != place.repository.worktree;
  });
  return all;
}

Result<SavedSnapshot> FindSnapshotHere(const SnapshotPlace& place, std::string_view text) {
  Result<SavedSnapshot> own = FindSnapshot(place.git, place.keep, text);
  if (own || own.error().code != ErrorCode::kNotFound) return own;
  BELAY_TRY_ASSIGN(std::vector<SavedSnapshot> here, ListSnapshotsHere(place));
  std::erase_if(here, [&](const SavedSnapshot& one) {
    return one.id.text() != fmt::format("{}/{}", one.id.keep.text(), text);
  });
  if (here.empty()) return own;
  if (here.size() == 1) return std::move(here.front());
  return Error{ErrorCode::kUsage,
               fmt::format("several agents have a snapshot {} of this worktree", text),
               fmt::format("name it in full, such as {}", here.front().id.text())};
}

Result<SnapshotSettings> ReadSnapshotSettings(const Env& env, const Layout& project) {
  BELAY_TRY_ASSIGN(const auto sources, ConfigSources(env, project));
  ConfigOutcome outcome = ReadConfig(sources);
  for (const Error& warning : outcome.warnings) {
    env.say(fmt::format("not used: {}", warning.message));
  }
  BELAY_TRY_ASSIGN(const Config config, Accept(std::move(outcome)));
  const auto bytes = [&](std::string_view key) {
    return static_cast<std::uint64_t>(config.Integer(key)) << kMiB;
  };
  SnapshotSettings settings;
  settings.rules = {.ignored = config.Boolean("snapshot.ignored"),
                    .nested = config.Boolean("snapshot.nested"),
                    .most_bytes = bytes("snapshot.max_file_mb"),
                    .secrets = config.Patterns("taint.sources")};
  settings.limits = {.count = static_cast<std::uint64_t>(config.Integer("snapshot.keep_count")),
                     .age = config.Length("snapshot.keep_age"),
                     .bytes = bytes("snapshot.keep_mb")};
  return settings;
}

Result<SnapshotSettings> SnapshotSettingsOrDefaults(const Env& env, const Layout& project) {
  Result<SnapshotSettings> settings = ReadSnapshotSettings(env, project);
  if (settings || env.config) return settings;
  return SnapshotSettings{
      .warnings = {fmt::format("{}; the defaults are used", settings.error().message)}};
}

}  // namespace belay
