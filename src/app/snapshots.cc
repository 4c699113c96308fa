#include "app/snapshots.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <set>

#include "adapters/git/fields.h"
#include "adapters/git/tree_changes.h"
#include "app/session_place.h"
#include "app/snapshot_place.h"
#include "base/path.h"
#include "base/utf8.h"
#include "host/launch.h"
#include "ledger/identity_ledger.h"
#include "ledger/snapshot_ledger.h"
#include "model/hook.h"
#include "snapshot/snapshot_changes.h"
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
                 "git worktree repair, if it was moved"};
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
               fmt::format("{} is of a newer belay, or not belay's", snapshot.id.text()),
               fmt::format("use that belay; git stash show -p --include-untracked {} shows it",
                           snapshot.commit.text())};
}

// The agent with that name; nothing when there is none, or when belay isn't set up.
Result<std::optional<Identity>> FindAgentNamed(const Layout& project, std::string_view text,
                                               Env& env) {
  const std::optional<Identity> none;
  const Result<void> vault = CheckVault(env.files, project, VaultUse::kRead);
  if (!vault && vault.error().code == ErrorCode::kNotFound) return none;
  BELAY_TRY(vault);
  IdentityLedger ledger(env.files, env.clock, project);
  const Result<AgentId> named = FindIncarnation(ledger, text);
  if (!named && named.error().code == ErrorCode::kNotFound) return none;
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
  std::string known;
  for (const KeepName& name : names) known += (known.empty() ? "" : ", ") + name.text();
  return Error{ErrorCode::kNotFound, fmt::format("nothing here is called {}", Quote(keep.text())),
               fmt::format("there are {}", known)};
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
  if (!request.dry_run && !outcome.restored.files.empty()) RecordRestore(env, place, outcome);
  return outcome;
}

Result<std::vector<Expired>> PruneSnapshots(Env& env, const SnapshotPruneRequest& request) {
  BELAY_TRY_ASSIGN(const SnapshotPlace place, FindSnapshotPlace(env));
  BELAY_TRY(CheckFormat(env.files, place.project));
  BELAY_TRY_ASSIGN(const SnapshotSettings settings, ReadSnapshotSettings(env, place.project));
  RetentionLimits limits = settings.limits;
  limits.count = request.keep.value_or(limits.count);
  limits.age = request.older_than.value_or(limits.age);
  const Worktree worktree = place.At(env);
  BELAY_TRY_ASSIGN(std::vector<Expired> expired, PlanPrune(worktree, limits, {}));
  if (!request.dry_run) BELAY_TRY(DeleteExpired(worktree, place.project, expired));
  return expired;
}

}  // namespace belay
