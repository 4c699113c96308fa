#include "app/snapshots.h"

#include <fmt/core.h>

#include <functional>

#include "adapters/git/quoted_path.h"
#include "app/agent_argument.h"
#include "app/snapshot_place.h"
#include "base/path.h"
#include "host/launch.h"
#include "ledger/identity_ledger.h"
#include "ledger/snapshot_ledger.h"
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
                 fmt::format("{} worked in {}, which is no worktree of this repository any more",
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
  warnings.push_back(fmt::format("belay log won't tell of it: {}", outcome.error().message));
}

// `agent_id` may be empty.
Result<SnapshotTakeOutcome> TakeIn(Env& env, const SnapshotPlace& place,
                                   const std::string& agent_id,
                                   const std::optional<std::string>& message) {
  BELAY_TRY(CheckFormat(env.files, place.project));
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
  // It takes a snapshot of what is there now.
  BELAY_TRY(CheckFormat(env.files, place.project));
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

}  // namespace

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
    // Damage elsewhere in the journal must not keep its work from being saved.
    const Result<IdentityName> name = IdentityName::Parse(text);
    const Result<LaunchSpec> launched =
        name ? ReadLaunchSpec(env.files, project, *name) : Result<LaunchSpec>(name.error());
    if (!launched) return named.error();
    return std::optional(Identity{.id = launched->agent, .worktree_path = launched->folder});
  }
  return std::optional<Identity>(*ledger.book().Find(named->identity()));
}

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

Result<SnapshotTakeOutcome> TakeWorkOf(Env& env, const Layout& project, const Identity& agent,
                                       const std::string& message) {
  BELAY_TRY_ASSIGN(const SnapshotPlace place, PlaceOfAgent(project, agent, env));
  return TakeIn(env, place, agent.id.text(), message);
}

Result<std::vector<std::string>> ChangedPaths(const Git& git, const SavedSnapshot& snapshot) {
  BELAY_TRY_ASSIGN(const std::vector<SnapshotChange> changes, ReadChanges(git, snapshot));
  std::vector<std::string> paths;
  paths.reserve(changes.size());
  for (const SnapshotChange& change : changes) paths.push_back(QuotePath(change.path));
  return paths;
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
