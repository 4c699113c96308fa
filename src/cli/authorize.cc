#include "cli/authorize.h"

#include "app/merge_place.h"
#include "app/session_place.h"
#include "app/settings.h"
#include "app/signals.h"
#include "base/path.h"
#include "cli/merge_view.h"
#include "ledger/identity_ledger.h"
#include "ledger/merge_ledger.h"
#include "model/taint.h"
#include "store/repository.h"
#include "store/vault.h"

namespace belay {
namespace {

Owner Named(const OwnerQuestion& question, std::string name) {
  return {name == question.agent.identity().text(), std::move(name)};
}

Result<Owner> OwnerByName(const OwnerQuestion& question, std::string_view text) {
  BELAY_TRY_ASSIGN(const AgentId named, ResolveIncarnation(question.book, text));
  return Named(question, named.identity().text());
}

std::string NameOrPerson(const std::string& name) { return name.empty() ? "a person" : name; }

// Where `snapshot restore` writes to, as far as it is there already.
std::string RestoreFolder(const OwnerQuestion& question) {
  const std::string& current = question.services.current_folder;
  std::string folder = JoinPath(current, question.invocation.Value("--root").value_or(""));
  if (const auto into = question.invocation.Value("--into")) folder = JoinPath(current, *into);
  while (folder.size() > 1 && !question.services.files.Resolve(folder)) {
    folder = ParentPath(folder);
  }
  return folder;
}

// Nobody is on record where belay isn't set up.
Result<void> ReadIdentities(const Services& services, const Layout& project,
                            IdentityLedger& identities) {
  const Result<void> vault = CheckVault(services.files, project, VaultUse::kRead);
  if (!vault) return vault.error().code == ErrorCode::kNotFound ? Result<void>() : vault;
  return identities.CatchUp();
}

// "note" of "hook note": how the fence calls it.
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
  // The command says what is wrong with it, if it may be run.
  if (!found) {
    return CheckAuthority(rule.operation, FindCaller({}, services.environment, found.error()));
  }
  const std::optional<Layout>& project = *found;
  if (!project) return {};
  IdentityLedger identities(services.files, services.clock, *project);
  const Result<void> read = ReadIdentities(services, *project, identities);
  Result<Caller> caller = FindCaller(identities.book(), services.environment, read);
  const bool agent = caller && caller->agent && !caller->guardian;
  Owner owner;
  if (agent && rule.DependsOnOwner()) {
    BELAY_TRY_ASSIGN(owner, invocation.command().owner({invocation, services, *project,
                                                        identities.book(), *caller->agent}));
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

// A name that is new, or can't be one, is no other agent's.
Result<Owner> OwnerOfNewAgent(const OwnerQuestion& question) {
  const Result<IdentityName> name =
      IdentityName::Make(question.invocation.Value("--role").value_or("orchestrator"),
                         question.invocation.Value("--name").value_or(""));
  if (!name || question.book.Find(*name) == nullptr) return Owner{.is_caller = true};
  return Owner{false, name->text()};
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
  if (const auto named = question.invocation.Value("--agent")) {
    BELAY_TRY_ASSIGN(Owner owner, OwnerByName(question, *named));
    if (!owner.is_caller) return owner;
  }
  const std::vector<std::string>& operands = question.invocation.operands();
  const Identity* owner = operands.empty() ? nullptr
                                           : WhoWorksOn(question.services.files, question.project,
                                                        question.book, operands.front());
  if (owner == nullptr) return Owner{.is_caller = true};
  return Named(question, owner->id.identity().text());
}

// A folder outside of all worktrees is free to use.
Result<Owner> OwnerOfRestored(const OwnerQuestion& question) {
  const Result<Repository> around =
      FindRepository(question.services.files, RestoreFolder(question));
  if (!around) return Owner{.is_caller = around.error().code == ErrorCode::kNotFound};
  const Identity* own = question.book.Find(question.agent.identity());
  if (own != nullptr && own->worktree_path == around->worktree) return Owner{.is_caller = true};
  for (const auto& [name, entry] : question.book.entries()) {
    if (entry.present.worktree_path == around->worktree) return Owner{false, name.text()};
  }
  return Owner{false, "a person"};
}

}  // namespace belay
