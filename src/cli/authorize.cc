#include "cli/authorize.h"

#include <fmt/core.h>

#include "app/merge_queue.h"
#include "app/session_place.h"
#include "app/settings.h"
#include "app/signals.h"
#include "app/snapshots.h"
#include "app/spawn.h"
#include "base/path.h"
#include "cli/task_view.h"
#include "cli/views.h"
#include "ledger/identity_ledger.h"
#include "ledger/merge_ledger.h"
#include "ledger/task_ledger.h"
#include "model/taint.h"
#include "store/repository.h"
#include "store/vault.h"

namespace belay {
namespace {

Owner Named(const OwnerQuestion& question, std::string name) {
  const std::optional<AgentId>& agent = question.caller.agent;
  return {agent && name == agent->identity().text(), std::move(name)};
}

Result<Owner> OwnerByName(const OwnerQuestion& question, std::string_view text) {
  BELAY_TRY_ASSIGN(const AgentId named, ResolveIncarnation(question.book, text));
  return Named(question, named.identity().text());
}

std::string NameOrPerson(const std::string& name) { return name.empty() ? "a person" : name; }

// Where `snapshot restore` writes, as the command itself finds it. Of --into, the part that already
// exists.
Result<std::string> RestoreFolder(const OwnerQuestion& question) {
  const std::optional<std::string> into = question.invocation.Value("--into");
  if (!into) {
    BELAY_TRY_ASSIGN(const SnapshotPlace place, FindSnapshotPlace(question.services));
    return place.repository.worktree;
  }
  std::string folder = JoinPath(question.services.current_folder, *into);
  while (folder.size() > 1 && !question.services.files.Resolve(folder)) {
    folder = ParentPath(folder);
  }
  return folder;
}

// The owner of the worktree around a folder. Any caller may use a folder outside all worktrees.
Result<Owner> OwnerOfWorktree(const OwnerQuestion& question, const std::string& folder) {
  const Result<Repository> around = FindRepository(question.services.files, folder);
  const bool free = IsMissing(around);
  const Result<std::string> real = question.services.files.Resolve(folder);
  const std::string place = around ? around->worktree : (real ? *real : folder);
  const std::optional<AgentId>& agent = question.caller.agent;
  const Identity* own = agent ? question.book.Find(agent->identity()) : nullptr;
  if (own != nullptr && own->worktree_path == place) return Owner{.is_caller = true};
  for (const auto& [name, entry] : question.book.entries()) {
    if (entry.present.worktree_path == place) return Owner{false, name.text()};
  }
  return free ? Owner{.is_caller = true} : Owner{false, "a person"};
}

// There are no records where belay isn't set up.
Result<void> ReadIdentities(const Services& services, const Layout& project,
                            IdentityLedger& identities) {
  const Result<void> vault = CheckVault(services.files, project, VaultUse::kRead);
  if (!vault) return vault.error().code == ErrorCode::kNotFound ? Result<void>() : vault;
  return identities.CatchUp();
}

// An agent could name a file of its own, with another target for its work.
Result<void> CheckSettings(const Services& services) {
  if (!NamesSettings(services)) return {};
  return Error{ErrorCode::kRefused, "an agent may not choose the settings",
               "omit --config and unset BELAY_CONFIG: the project's own settings apply"};
}

// "note" of "hook note": the fence's name for it.
std::string_view Verb(const AuthorityRule& rule) {
  return rule.name.substr(rule.name.find(' ') + 1);
}

}  // namespace

Operation OperationOf(const Invocation& invocation) {
  for (const Option& option : invocation.command().options) {
    if (option.operation && invocation.Has(option.name)) return *option.operation;
  }
  return invocation.command().operation.value;
}

Result<void> Authorize(const Invocation& invocation, Services& services) {
  const AuthorityRule& rule = RuleOf(OperationOf(invocation));
  if (rule.AllowsAll()) return {};
  const Result<std::optional<Layout>> found = ProjectIfAny(services);
  // The command itself reports the error, if it may be run.
  if (!found) {
    return CheckAuthority(rule.operation, FindCaller({}, {}, services.environment, found.error()));
  }
  const std::optional<Layout>& project = *found;
  // There is nothing to own, and the command itself says that there is no project.
  if (!project) return CheckAuthority(rule.operation, FindCaller({}, {}, services.environment));
  IdentityLedger identities(services.files, services.clock, *project);
  const Result<void> read = ReadIdentities(services, *project, identities);
  Result<Caller> caller =
      FindCaller(identities.book(), MarksHere(services.files, *project, identities.book()),
                 services.environment, read);
  const bool agent = caller && !caller->IsPerson() && !caller->guardian;
  if (agent) BELAY_TRY(CheckSettings(services));
  Owner owner;
  if (agent && rule.DependsOnOwner()) {
    BELAY_TRY_ASSIGN(owner, invocation.command().owner(
                                {invocation, services, *project, identities.book(), *caller}));
    if (!caller->agent) owner.is_caller = false;
  }
  BELAY_TRY(CheckAuthority(rule.operation, caller, owner));
  if (agent && rule.fenced) {
    BELAY_TRY(CheckFence(services.files, *project, identities, *caller, Verb(rule)));
  }
  if (caller) services.caller = *std::move(caller);
  return {};
}

Result<Owner> OwnerOfAgentOperand(const OwnerQuestion& question) {
  return OwnerByName(question, question.invocation.operands().front());
}

// A new or invalid name belongs to no other agent. Where the agent will work is checked separately.
Result<Owner> OwnerOfNewAgent(const OwnerQuestion& question) {
  const Result<IdentityName> name =
      IdentityName::Make(question.invocation.Value("--role").value_or("orchestrator"),
                         question.invocation.Value("--name").value_or(""));
  if (name && question.book.Find(*name) != nullptr) return Owner{false, name->text()};
  const std::optional<std::string> named = question.invocation.Value("--worktree");
  std::string folder = named ? JoinPath(question.services.current_folder, *named)
                             : DefaultWorktree(question.services, question.project);
  if (name && question.invocation.Has("--new-worktree")) {
    folder = question.project.NewWorktree(*name);
    if (!question.services.files.Inspect(folder)) return Owner{.is_caller = true};
  }
  BELAY_TRY_ASSIGN(Owner owner, OwnerOfWorktree(question, folder));
  if (!owner.is_caller) owner.name = fmt::format("an agent in the worktree of {}", owner.name);
  return owner;
}

Result<Owner> OwnerOfInbox(const OwnerQuestion& question) {
  BELAY_TRY_ASSIGN(const Recipient who,
                   FindRecipient(question.book, question.invocation.operands().front()));
  return Named(question, who.text());
}

Result<Owner> OwnerOfTaint(const OwnerQuestion& question) {
  const std::optional<std::string> named = question.invocation.Value("--agent");
  if (!named) return Owner{.is_caller = true};
  if (*named == kManualSession) return Owner{false, *named};
  return OwnerByName(question, *named);
}

Result<Owner> OwnerOfEntry(const OwnerQuestion& question) {
  BELAY_TRY_ASSIGN(const std::uint64_t number, EntryArgument(question.invocation));
  MergeLedger ledger(question.services.files, question.services.clock, question.project);
  BELAY_TRY(ledger.CatchUp());
  const MergeEntry* entry = ledger.book().Find(number);
  if (entry == nullptr) return Owner{.is_caller = true};
  return Named(question, NameOrPerson(entry->identity_name));
}

Result<Owner> OwnerOfQueuedWork(const OwnerQuestion& question) {
  if (!question.caller.agent) return Owner{false, "others"};
  BELAY_TRY_ASSIGN(const QueueAddRequest request, ParseQueueAdd(question.invocation));
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(question.services, VaultUse::kRead));
  return WhoseWork(question.services, place, question.book, *question.caller.agent, request);
}

Result<Owner> OwnerOfRestored(const OwnerQuestion& question) {
  BELAY_TRY_ASSIGN(const std::string folder, RestoreFolder(question));
  return OwnerOfWorktree(question, folder);
}

// The worker that it is claimed for.
Result<Owner> OwnerOfClaim(const OwnerQuestion& question) {
  const std::optional<std::string> worker = WorkerOption(question.invocation);
  if (!worker) return Owner{.is_caller = true};
  const std::string name = worker->substr(0, worker->find('#'));
  const Result<AgentId> agent = ResolveIncarnation(question.book, name);
  return Named(question, agent ? agent->identity().text() : name);
}

// A task that doesn't exist, or that no worker has, belongs to no other agent.
Result<Owner> OwnerOfTask(const OwnerQuestion& question) {
  TaskLedger ledger(question.services.files, question.services.clock, question.project);
  BELAY_TRY(ledger.CatchUp());
  const Task* task = ledger.book().Find(question.invocation.operands().front());
  if (task == nullptr || task->owner.empty()) return Owner{.is_caller = true};
  return Named(question, task->owner);
}

// The worker of one of its tasks: the deadline would stop it, or no longer stop it. So a wave with
// a task of the caller isn't the caller's either.
Result<Owner> OwnerOfWave(const OwnerQuestion& question) {
  TaskLedger ledger(question.services.files, question.services.clock, question.project);
  BELAY_TRY(ledger.CatchUp());
  for (const auto& [id, task] : ledger.book().tasks()) {
    const bool works = task.status == TaskStatus::kInProgress && !task.owner.empty();
    if (works && task.wave == question.invocation.operands().front()) {
      return Owner{false, task.owner};
    }
  }
  return Owner{.is_caller = true};
}

// The worktree that the work is put into. That of a worker that has ended is free for others.
Result<Owner> OwnerOfResumed(const OwnerQuestion& question) {
  TaskLedger ledger(question.services.files, question.services.clock, question.project);
  BELAY_TRY(ledger.CatchUp());
  const Task* task = ledger.book().Find(question.invocation.operands().front());
  const std::optional<std::string> named = question.invocation.Value("--worktree");
  // There is nothing to restore then, and the command reports it.
  const bool suspended = task != nullptr && (named || !task->work.worktree.empty());
  if (!suspended) return Owner{.is_caller = true};
  const std::string folder =
      named ? JoinPath(question.services.current_folder, *named) : task->work.worktree;
  for (const auto& [name, entry] : question.book.entries()) {
    const bool there = entry.present.worktree_path == folder && IsRunning(entry.present.status);
    const bool own = question.caller.agent && question.caller.agent->identity() == name;
    if (there && !own) return Owner{false, name.text()};
  }
  return named ? OwnerOfWorktree(question, folder) : Owner{.is_caller = true};
}

}  // namespace belay
