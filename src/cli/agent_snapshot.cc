#include "cli/agent_snapshot.h"

#include <fmt/core.h>

#include "adapters/git/quoted_path.h"
#include "cli/agent_argument.h"
#include "cli/snapshot_text.h"
#include "ledger/identity_ledger.h"
#include "snapshot/snapshot_changes.h"
#include "store/vault.h"

namespace belay {

Result<std::optional<Identity>> FindAgentNamed(const Layout& project, std::string_view text,
                                               Services& services) {
  const std::optional<Identity> none;
  const Result<void> vault = CheckVault(services.files, project, VaultUse::kRead);
  if (!vault && vault.error().code == ErrorCode::kNotFound) return none;
  BELAY_TRY(vault);
  IdentityLedger ledger(services.files, services.clock, project);
  const Result<AgentId> named = FindIncarnation(ledger, text);
  if (!named && named.error().code == ErrorCode::kNotFound) return none;
  if (!named) return named.error();
  return std::optional<Identity>(*ledger.book().Find(named->identity()));
}

Result<SnapshotPlace> PlaceOfAgent(const Layout& project, const Identity& agent,
                                   Services& services) {
  Result<Repository> found = FindRepository(services.files, agent.worktree_path);
  const bool ours =
      found && Layout(project.Root(), found->common_folder).Vault() == project.Vault();
  if (!ours) {
    return Error{ErrorCode::kNotFound,
                 fmt::format("{} worked in {}, which is no worktree of this repository any more",
                             agent.id.text(), QuotePath(agent.worktree_path)),
                 "git worktree repair, if it was moved"};
  }
  return DescribePlace(*std::move(found), KeepName::OfAgent(agent.id.identity()), project,
                       services);
}

Result<TakenNow> TakeNow(const Invocation& invocation, Services& services,
                         const SnapshotPlace& place, const std::string& agent_id,
                         const std::optional<std::string>& message) {
  BELAY_TRY_ASSIGN(const SnapshotSettings settings,
                   SnapshotSettingsOrDefaults(invocation, services, place.project));
  TakeRequest request{.keep = place.keep, .agent_id = agent_id, .rules = settings.rules};
  if (message) request.message = *message;
  BELAY_TRY_ASSIGN(Taken taken, TakeSnapshot(place.At(services), request));
  TakenNow now{.taken = std::move(taken), .warnings = settings.warnings};
  if (!now.taken.is_new) return now;
  const auto record = [&](SnapshotLedger& ledger, const StateLock& lock) {
    return ledger.RecordTaken(lock, TakenEventOf(now.taken.snapshot));
  };
  for (std::string& warning : RecordIfSetUp(services, place.project, record)) {
    now.warnings.push_back(std::move(warning));
  }
  return now;
}

Result<TakenNow> TakeWorkOf(const Invocation& invocation, Services& services, const Layout& project,
                            const Identity& agent, const std::string& message) {
  BELAY_TRY_ASSIGN(const SnapshotPlace place, PlaceOfAgent(project, agent, services));
  return TakeNow(invocation, services, place, agent.id.text(), message);
}

Result<std::vector<std::string>> ChangedPaths(const Git& git, const SavedSnapshot& snapshot) {
  BELAY_TRY_ASSIGN(const std::vector<SnapshotChange> changes, ReadChanges(git, snapshot));
  std::vector<std::string> paths;
  paths.reserve(changes.size());
  for (const SnapshotChange& change : changes) paths.push_back(QuotePath(change.path));
  return paths;
}

}  // namespace belay
