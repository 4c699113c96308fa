#include "app/task_worker.h"

#include <fmt/core.h>

#include "adapters/git/fields.h"
#include "adapters/git/status.h"
#include "app/agents_view.h"
#include "app/session_place.h"
#include "app/task_place.h"
#include "base/utf8.h"
#include "ledger/identity_ledger.h"
#include "snapshot/capture_list.h"

namespace belay {
namespace {

Error NoWorkerCalled(const std::string& name) {
  return {ErrorCode::kUsage, fmt::format("no agent {}", Quote(name)),
          "belay agents lists them; a worker that is no agent is written as role-name, such as "
          "worker-a"};
}

}  // namespace

Result<Worker> ResolveWorker(Env& env, const Layout& project,
                             const std::optional<std::string>& given) {
  std::optional<std::string> name = given;
  const bool caller = !name && env.caller && env.caller->agent;
  if (caller) name = env.caller->agent->text();
  if (!name) name = env.environment.Get("BELAY_AGENT_ID");
  if (!name || name->empty()) {
    return Error{ErrorCode::kUsage, "no worker is named", "--worker ROLE-NAME names one"};
  }
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  const IdentityBook& book = identities.book();
  const bool numbered = name->find('#') != std::string::npos;
  const Result<AgentId> agent = ResolveIncarnation(book, name->substr(0, name->find('#')));
  if (agent) {
    if (numbered && !caller) BELAY_TRY(ResolvePresent(book, *name));
    const std::string found = agent->identity().text();
    return Worker{numbered ? found + name->substr(name->find('#')) : found,
                  *book.Find(agent->identity())};
  }
  if (agent.error().code != ErrorCode::kNotFound) return agent.error();
  const Worker by_hand{*name};
  const bool valid =
      IdentityName::Parse(by_hand.owner()).ok() && (!numbered || AgentId::Parse(*name).ok());
  return valid ? Result<Worker>(by_hand) : Result<Worker>(NoWorkerCalled(*name));
}

Result<WorkerState> FindWorker(Env& env, const std::string& worker) {
  WorkerState state;
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(env, VaultUse::kRead, Mistakes::kWarn));
  IdentityLedger identities(env.files, env.clock, place.project);
  BELAY_TRY(identities.CatchUp());
  const Result<IdentityName> name = IdentityName::Parse(worker.substr(0, worker.find('#')));
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

Result<void> CheckStopped(const Env& env, const WorkerState& worker, std::string_view then) {
  if ((!worker.runs && !worker.returns) || IsCaller(env, worker)) return {};
  const std::string& name = worker.identity->id.identity().text();
  return Error{ErrorCode::kRefused,
               fmt::format("{} {}, and may change the files", name,
                           worker.runs ? "still runs" : "will be restarted"),
               fmt::format("belay stop {}, then {}", name, then)};
}

std::string WorktreeOf(const Env& env, const Layout& project, const Task& task,
                       const std::optional<Identity>& worker) {
  if (!task.worktree.empty()) return task.worktree;
  if (worker && !worker->worktree_path.empty()) return worker->worktree_path;
  return WorktreeHere(env, project);
}

Result<std::vector<std::string>> UncommittedFiles(const Git& git) {
  BELAY_TRY_ASSIGN(const GitStatus status, ReadStatus(git));
  std::vector<std::string> files;
  for (const StatusEntry& entry : status.entries) {
    const bool not_work = entry.kind == StatusEntry::Kind::kIgnored || IsOwnPath(entry.path);
    if (!not_work) files.push_back(entry.path);
  }
  return files;
}

}  // namespace belay
