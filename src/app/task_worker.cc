#include "app/task_worker.h"

#include "adapters/git/fields.h"
#include "adapters/git/status.h"
#include "app/agents_view.h"
#include "app/session_place.h"
#include "ledger/identity_ledger.h"
#include "snapshot/capture_list.h"
#include "store/repository.h"

namespace belay {

Result<std::string> WorkerName(const Env& env, const std::optional<std::string>& worker) {
  std::optional<std::string> name = worker;
  if (!name && env.caller && env.caller->agent) name = env.caller->agent->text();
  if (!name) name = env.environment.Get("BELAY_AGENT_ID");
  if (!name || name->empty()) {
    return Error{ErrorCode::kUsage, "no worker is named", "--worker ROLE-NAME names one"};
  }
  const std::string identity = OwnerName(*name);
  BELAY_TRY(IdentityName::Parse(identity));
  if (identity.size() < name->size()) BELAY_TRY(AgentId::Parse(*name));
  return *name;
}

std::string OwnerName(const std::string& worker) { return worker.substr(0, worker.find('#')); }

Result<WorkerState> FindWorker(Env& env, const std::string& worker) {
  WorkerState state;
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(env, VaultUse::kRead, Mistakes::kWarn));
  IdentityLedger identities(env.files, env.clock, place.project);
  BELAY_TRY(identities.CatchUp());
  const Result<IdentityName> name = IdentityName::Parse(OwnerName(worker));
  const Identity* identity = name ? identities.book().Find(*name) : nullptr;
  if (identity == nullptr) return state;
  state.identity = *identity;
  const AgentRow row = MakeAgentRow(place.MakeEnv(env), *identity, {});
  if (!row.ours) return state;
  const bool unrecorded = IsRunning(identity->status) && identity->respawn;
  state.returns = row.status == AgentStatus::kSpawning ||
                  (row.status == AgentStatus::kCrashed && (identity->restart.due || unrecorded));
  // Also one that is just ending: its last processes may still write.
  state.runs = !state.returns && (row.pid || IsRunning(row.status));
  return state;
}

bool IsCaller(const Env& env, const WorkerState& worker) {
  return worker.identity && env.caller && env.caller->agent &&
         env.caller->agent->identity() == worker.identity->id.identity();
}

std::string WorktreeOf(const Env& env, const Layout& project, const WorkerState& worker) {
  if (worker.identity && !worker.identity->worktree_path.empty()) {
    return worker.identity->worktree_path;
  }
  const Result<Repository> here = FindRepository(env.files, env.current_folder);
  return here ? here->worktree : project.Root();
}

Result<std::vector<std::string>> UncommittedFiles(const Git& git) {
  BELAY_TRY_ASSIGN(const GitStatus status, ReadStatus(git));
  std::vector<std::string> files;
  for (const StatusEntry& entry : status.entries) {
    const bool not_work = entry.kind == StatusEntry::Kind::kIgnored || IsOwnPath(entry.path);
    if (!not_work) files.push_back(QuotePath(entry.path));
  }
  return files;
}

}  // namespace belay
