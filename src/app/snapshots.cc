#include "app/snapshots.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

#include "adapters/git/fields.h"
#include "adapters/git/status.h"
#include "app/session_place.h"
#include "app/settings.h"
#include "app/task_list.h"
#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "host/launch.h"
#include "ledger/family_table.h"
#include "ledger/identity_ledger.h"
#include "ledger/snapshot_ledger.h"
#include "model/context_file.h"
#include "model/hook.h"
#include "snapshot/saved_snapshot.h"
#include "store/document.h"
#include "store/vault.h"

namespace belay {
namespace {

Result<SnapshotPlace> PlaceOfAgent(const Layout& project, const Identity& agent, Env& env) {
  Result<Repository> found = FindRepository(env.files, agent.worktree_path);
  const bool ours =
      found && Layout(project.Root(), found->common_folder).Vault() == project.Vault();
  if (!ours) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("{} worked in {}, which is no longer a worktree of this repository",
                             agent.id.text(), QuotePath(agent.worktree_path)),
                 "if it was moved, run git worktree repair"};
  }
  return DescribePlace(*std::move(found), KeepName::OfAgent(agent.id.identity()), project, env);
}

TakenEvent TakenEventOf(const SavedSnapshot& snapshot) {
  const SnapshotRecord& record = snapshot.record;
  return {snapshot.id.text(), snapshot.commit.text(), QuotePath(record.worktree),
          record.message,     record.files,           record.bytes};
}

void RecordIfSetUp(
    Env& env, const Layout& project, std::vector<std::string>& warnings,
    const std::function<Result<void>(SnapshotLedger&, const SnapshotLock&)>& record) {
  const auto lock = SnapshotLedger::LockIfSetUp(env.files, project);
  Result<void> outcome = lock ? Result<void>() : Result<void>(lock.error());
  if (lock && *lock) {
    SnapshotLedger ledger(env.files, env.clock, project);
    outcome = record(ledger, **lock);
  }
  if (outcome) return;
  warnings.push_back(fmt::format("belay log won't show it: {}", outcome.error().message));
}

// `agent_id` may be empty.
Result<SnapshotTakeOutcome> TakeIn(Env& env, const SnapshotPlace& place,
                                   const std::string& agent_id,
                                   const std::optional<std::string>& message) {
  BELAY_TRY(CheckNotNewer(env.files, place.project));
  BELAY_TRY_ASSIGN(const SnapshotSettings settings, SnapshotSettingsOrDefaults(env, place.project));
  TakeRequest request{.keep = place.keep, .agent_id = agent_id, .rules = settings.rules};
  if (message) request.message = *message;
  BELAY_TRY_ASSIGN(Taken taken, TakeSnapshot(place.At(env), request));
  SnapshotTakeOutcome now{std::move(taken), place.git, settings.warnings};
  if (!now.taken.is_new) return now;
  RecordIfSetUp(env, place.project, now.warnings,
                [&](SnapshotLedger& ledger, const SnapshotLock& lock) {
                  return ledger.RecordTaken(lock, TakenEventOf(now.taken.snapshot));
                });
  return now;
}

void RecordRestore(Env& env, const SnapshotPlace& place, SnapshotRestoreOutcome& outcome) {
  RestoredEvent event{.id = outcome.snapshot.id.text(),
                      .commit = outcome.snapshot.commit.text(),
                      .worktree = QuotePath(place.repository.worktree),
                      .files = outcome.restored.files.size()};
  if (outcome.into) event.into = QuotePath(*outcome.into);
  std::optional<TakenEvent> rescue;
  if (outcome.restored.rescue) {
    rescue = TakenEventOf(*outcome.restored.rescue);
    event.rescue = rescue->id;
  }
  RecordIfSetUp(env, place.project, outcome.warnings,
                [&](SnapshotLedger& ledger, const SnapshotLock& lock) {
                  return ledger.RecordRestored(lock, event, rescue);
                });
}

Result<SnapshotRestoreOutcome> Restore(Env& env, const SnapshotPlace& place, SavedSnapshot snapshot,
                                       const SnapshotRestoreRequest& asked) {
  if (asked.into) {
    const std::string folder = JoinPath(env.current_folder, *asked.into);
    BELAY_TRY_ASSIGN(Restored restored, RestoreInto(place.At(env), snapshot, folder));
    const Result<std::string> real = env.files.Resolve(folder);
    return SnapshotRestoreOutcome{.snapshot = std::move(snapshot),
                                  .restored = std::move(restored),
                                  .into = real ? *real : folder};
  }
  // It takes a snapshot of the present files.
  BELAY_TRY(CheckNotNewer(env.files, place.project));
  BELAY_TRY_ASSIGN(const SnapshotSettings settings, SnapshotSettingsOrDefaults(env, place.project));
  const RestoreRequest request{.snapshot = snapshot,
                               .keep = place.keep,
                               .rules = settings.rules,
                               .merge = asked.merge,
                               .dry_run = asked.dry_run};
  BELAY_TRY_ASSIGN(Restored restored, RestoreSnapshot(place.At(env), request));
  return SnapshotRestoreOutcome{.snapshot = std::move(snapshot),
                                .restored = std::move(restored),
                                .worktree = place.repository.worktree,
                                .warnings = settings.warnings};
}

Result<SavedSnapshot> FindReadable(const SnapshotPlace& place, const std::string& text) {
  BELAY_TRY_ASSIGN(SavedSnapshot snapshot, FindSnapshotHere(place, text));
  if (snapshot.readable) return snapshot;
  return Error{ErrorCode::kDamaged,
               fmt::format("{} was made by a newer belay or another program", snapshot.id.text()),
               fmt::format("use that belay; git stash show -p --include-untracked {} shows it",
                           snapshot.commit.text())};
}

// The agent with that name; nothing when there is none, or when belay isn't set up.
Result<std::optional<Identity>> FindAgentNamed(const Layout& project, std::string_view text,
                                               Env& env) {
  const std::optional<Identity> none;
  const Result<void> vault = CheckVault(env.files, project, VaultUse::kRead);
  if (IsMissing(vault)) return none;
  BELAY_TRY(vault);
  IdentityLedger ledger(env.files, env.clock, project);
  const Result<AgentId> named = FindIncarnation(ledger, text);
  if (IsMissing(named)) return none;
  if (!named) {
    // Damage elsewhere in the journal must not keep the agent's work from being saved.
    const Result<IdentityName> name = IdentityName::Parse(text);
    const Result<LaunchSpec> launched =
        name ? ReadLaunchSpec(env.files, project, *name) : Result<LaunchSpec>(name.error());
    if (!launched) return named.error();
    return std::optional(Identity{.id = launched->agent, .worktree_path = launched->folder});
  }
  return std::optional<Identity>(*ledger.book().Find(named->identity()));
}

// A name that the user typed must exist.
Result<void> CheckName(const SnapshotPlace& place, const KeepName& keep, const FileSystem& files) {
  std::set<KeepName> names;
  for (KeepName& name : WorktreeNames(place, files)) names.insert(std::move(name));
  BELAY_TRY_ASSIGN(const std::vector<SavedSnapshot> all, ListSnapshots(place.git, std::nullopt));
  for (const SavedSnapshot& snapshot : all) names.insert(snapshot.id.keep);
  if (names.contains(keep)) return {};
  return Error{ErrorCode::kNotFound,
               fmt::format("no agent or worktree is called {}", Quote(keep.text())),
               fmt::format("available: {}",
                           Join(names, ", ", [](const KeepName& one) { return one.text(); }))};
}

// The agent with that name, or else any other owner of that name.
Result<KeepName> KeepNamed(const SnapshotPlace& place, const std::string& text, Env& env) {
  const Result<std::optional<Identity>> agent = FindAgentNamed(place.project, text, env);
  if (agent && *agent) return KeepName::OfAgent((*agent)->id.identity());
  BELAY_TRY_ASSIGN(KeepName keep, KeepName::Parse(text));
  const Result<void> known = CheckName(place, keep, env.files);
  if (known) return keep;
  return agent ? known.error() : agent.error();
}

// The commit of HEAD; empty when there is none yet.
std::string HeadCommit(const Git& git) {
  const Result<GitAnswer> answer = git.Run(
      {.arguments = {"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}, .good_exits = {0, 1}});
  if (!answer || answer->exit_code != 0) return {};
  return answer->out.substr(0, answer->out.find('\n'));
}

}  // namespace

Result<SnapshotTakeOutcome> TakeSnapshotNow(Env& env, const SnapshotTakeRequest& request) {
  BELAY_TRY_ASSIGN(const SnapshotPlace here, FindSnapshotPlace(env));
  if (!request.of) return TakeIn(env, here, "", request.message);
  const Result<std::optional<Identity>> agent = FindAgentNamed(here.project, *request.of, env);
  if (agent && *agent) {
    BELAY_TRY_ASSIGN(const SnapshotPlace place, PlaceOfAgent(here.project, **agent, env));
    return TakeIn(env, place, (*agent)->id.text(), request.message);
  }
  BELAY_TRY_ASSIGN(const KeepName keep, KeepName::Parse(*request.of));
  const Result<SnapshotPlace> place = FindWorktree(here, keep, env);
  if (!place) return agent ? place.error() : agent.error();
  return TakeIn(env, *place, "", request.message);
}

Result<SnapshotTakeOutcome> TakeSnapshotOf(Env& env, const Layout& project, const Identity& agent,
                                           const std::string& message) {
  BELAY_TRY_ASSIGN(const SnapshotPlace place, PlaceOfAgent(project, agent, env));
  return TakeIn(env, place, agent.id.text(), message);
}

Result<SnapshotOutcome> ChangesIn(const SnapshotTakeOutcome& taken) {
  const SavedSnapshot& snapshot = taken.taken.snapshot;
  BELAY_TRY_ASSIGN(const std::vector<SnapshotChange> changes, ReadChanges(taken.git, snapshot));
  SnapshotOutcome outcome{.id = snapshot.id.text(),
                          .is_new = taken.taken.is_new,
                          .paths_count = changes.size(),
                          .head = HeadCommit(taken.git)};
  for (std::size_t i = 0; i < std::min(changes.size(), Hook::kMostFiles); ++i) {
    outcome.paths.push_back(QuotePath(changes[i].path));
  }
  return outcome;
}

std::optional<std::uint64_t> CountUntracked(const SnapshotTakeOutcome& taken) {
  const SavedSnapshot& snapshot = taken.taken.snapshot;
  const TreePair untracked_files{{}, snapshot.untracked};
  const auto compared = CompareCommits(taken.git, {&untracked_files, 1});
  if (!compared) return std::nullopt;
  return std::min<std::uint64_t>((*compared)[0].size(), snapshot.record.files);
}

Result<SnapshotListOutcome> ListSnapshotsNow(Env& env, const SnapshotListRequest& request) {
  BELAY_TRY_ASSIGN(const SnapshotPlace place, FindSnapshotPlace(env));
  SnapshotListOutcome outcome;
  if (request.name) {
    BELAY_TRY_ASSIGN(outcome.keep, KeepNamed(place, *request.name, env));
  } else if (!request.all) {
    outcome.keep = place.keep;
  }
  const bool here = !request.name && !request.all;
  BELAY_TRY_ASSIGN(outcome.snapshots,
                   here ? ListSnapshotsHere(place) : ListSnapshots(place.git, outcome.keep));
  return outcome;
}

Result<SnapshotShowOutcome> ShowSnapshot(Env& env, const SnapshotShowRequest& request) {
  BELAY_TRY_ASSIGN(const SnapshotPlace place, FindSnapshotPlace(env));
  BELAY_TRY_ASSIGN(SavedSnapshot snapshot, FindSnapshotHere(place, request.snapshot));
  SnapshotShowOutcome outcome{.snapshot = std::move(snapshot)};
  if (request.changes) {
    BELAY_TRY_ASSIGN(outcome.changes, ReadChanges(place.git, outcome.snapshot));
  }
  if (request.diff) BELAY_TRY(WriteSnapshotDiff(place.git, outcome.snapshot, request.diff));
  return outcome;
}

Result<SnapshotRestoreOutcome> RestoreSnapshotNow(Env& env, const SnapshotRestoreRequest& request) {
  BELAY_TRY_ASSIGN(const SnapshotPlace place, FindSnapshotPlace(env));
  BELAY_TRY_ASSIGN(SavedSnapshot snapshot, FindReadable(place, request.snapshot));
  BELAY_TRY_ASSIGN(SnapshotRestoreOutcome outcome,
                   Restore(env, place, std::move(snapshot), request));
  if (request.dry_run) return outcome;
  if (!outcome.restored.files.empty()) RecordRestore(env, place, outcome);
  if (!outcome.into && outcome.restored.conflicts.empty() &&
      CheckVault(env.files, place.project, VaultUse::kWrite)) {
    const Result<void> noted = NoteSnapshotRestored(
        env, place.project, outcome.snapshot.commit.text(), place.repository.worktree);
    if (!noted) outcome.warnings.push_back(noted.error().message);
  }
  return outcome;
}

namespace {

// The snapshots that a context file names; none if its task is completed.
std::vector<std::string> NamedByContext(const Env& env, const std::string& path,
                                        const TaskBook& tasks) {
  const Result<std::string> bytes = env.files.Read(path, kLargestDocument);
  const auto read = bytes ? ParseContextFile(*bytes) : Result<ParsedContext>(bytes.error());
  if (!read) return {};
  const Task* task = tasks.Find(read->context.task_id.text());
  if (task != nullptr && task->status == TaskStatus::kCompleted) return {};
  std::vector<std::string> names = read->context.earlier_snapshots;
  if (!read->context.snapshot.empty()) names.push_back(read->context.snapshot);
  return names;
}

// Contexts are documents of their own: one may name a snapshot although no record does. Those of
// completed tasks are over.
void AddNamedByContexts(const Env& env, const Layout& project, const TaskBook& tasks,
                        const std::function<void(std::string_view)>& add) {
  const std::string work = JoinPath(project.Root(), "tmp/work");
  const auto names_in = [&](const std::string& folder) {
    const Result<std::vector<std::string>> names = env.files.List(folder);
    return names ? *names : std::vector<std::string>();
  };
  for (const std::string& run : names_in(work)) {
    const std::string contexts = JoinPath(JoinPath(work, run), "context");
    for (const std::string& arc : names_in(contexts)) {
      const std::string folder = JoinPath(contexts, arc);
      for (const std::string& name : names_in(folder)) {
        for (const std::string& one : NamedByContext(env, JoinPath(folder, name), tasks)) add(one);
      }
    }
  }
}

}  // namespace

Result<std::set<ObjectId>> NamedSnapshots(Env& env, const SnapshotPlace& place) {
  std::set<ObjectId> named;
  std::set<std::string, std::less<>> ids;
  const auto add = [&](std::string_view name) {
    const Result<ObjectId> commit = ObjectId::Parse(name);
    if (commit && !commit->IsNone()) named.insert(*commit);
    if (!commit) ids.emplace(name);
  };
  const Result<void> vault = CheckVault(env.files, place.project, VaultUse::kRead);
  if (!vault && vault.error().code != ErrorCode::kNotFound) return vault.error();
  Ledgers ledgers(env.files, env.clock, place.project);
  if (vault) {
    for (AnyLedger* ledger : ledgers.all()) {
      BELAY_TRY(ledger->CatchUp());
      ledger->EachNamedSnapshot(add);
    }
  }
  AddNamedByContexts(env, place.project, ledgers.Get<TaskFamily>().book(), add);
  if (ids.empty()) return named;
  BELAY_TRY_ASSIGN(const std::vector<SavedSnapshot> all, ListSnapshots(place.git, std::nullopt));
  for (const SavedSnapshot& snapshot : all) {
    if (ids.contains(snapshot.id.text())) named.insert(snapshot.commit);
  }
  return named;
}

Result<std::vector<Expired>> PruneSnapshots(Env& env, const SnapshotPruneRequest& request) {
  BELAY_TRY_ASSIGN(const SnapshotPlace place, FindSnapshotPlace(env));
  BELAY_TRY(CheckFormat(env.files, place.project));
  BELAY_TRY_ASSIGN(const SnapshotSettings settings, ReadSnapshotSettings(env, place.project));
  RetentionLimits limits = settings.limits;
  limits.count = request.keep.value_or(limits.count);
  limits.age = request.older_than.value_or(limits.age);
  const Worktree worktree = place.At(env);
  BELAY_TRY_ASSIGN(const std::set<ObjectId> named, NamedSnapshots(env, place));
  BELAY_TRY_ASSIGN(std::vector<Expired> expired, PlanPrune(worktree, limits, named));
  if (!request.dry_run) BELAY_TRY(DeleteExpired(worktree, place.project, expired));
  return expired;
}

namespace {

constexpr std::size_t kLongestPath = 8192;
constexpr unsigned kMiB = 20;

Error NoWorktree(std::string message) {
  return {ErrorCode::kUsage, std::move(message),
          "cd to a worktree, or name its folder with --root"};
}

// Where to look: $BELAY_STATE counts only outside any repository.
Result<std::string> Start(const Env& env) {
  if (const auto root = env.root) {
    return JoinPath(env.current_folder, *root);
  }
  const Result<Repository> around = FindRepository(env.files, env.current_folder);
  const bool none = IsMissing(around);
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
    return NoWorktree(fmt::format("{} is a bare repository: it has no files to save", start));
  }
  Result<Repository> found = FindRepository(files, start);
  if (IsMissing(found)) {
    return NoWorktree(fmt::format("{} is not in a git repository", start));
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
    return NoWorktree(fmt::format("{} is a bare repository: it has no files to save", worktree));
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
  const std::string names =
      Join(WorktreeNames(place, files), ", ", [](const KeepName& one) { return one.text(); });
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
    return Error{
        ErrorCode::kNotFound,
        fmt::format("the worktree {} is no longer at {}", keep.text(), folder),
        "run git worktree repair if it was moved, or git worktree prune if it was deleted"};
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
  if (own || !IsMissing(own)) return own;
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
      .warnings = {fmt::format("{}; using the defaults", settings.error().message)}};
}

}  // namespace belay
