#include "app/init.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/agents_view.h"
#include "app/find_program.h"
#include "app/resumption.h"
#include "app/rules_marker.h"
#include "app/settings.h"
#include "base/path.h"
#include "base/utf8.h"
#include "engine/merge/settings.h"
#include "engine/resumption/orientation.h"
#include "ledger/identity_ledger.h"
#include "ledger/merge_ledger.h"
#include "merge/protect.h"
#include "merge/target_branch.h"
#include "store/repository.h"
#include "store/vault.h"

namespace belay {
namespace {

bool WasProtected(const FileSystem& files, const Layout& project, const MergeBook& book) {
  const bool guarded =
      std::ranges::any_of(book.targets(), [](const auto& target) { return target.second.guarded; });
  return guarded || files.Inspect(project.GuardedRefs()).ok();
}

InitChange ChangeOf(const HookRemoval& removal, const std::string& path) {
  if (!removal.change) return {path, "kept", removal.change.error().message};
  switch (*removal.change) {
    case HookChange::kRemoved:
      return {path, "removed", "asked belay before moving a protected branch"};
    case HookChange::kPutBack:
      return {path, "changed", "the previous hook is restored"};
    case HookChange::kLeft:
      return {path, "kept", "another repository uses it, or it was replaced"};
    case HookChange::kInstalled:
    case HookChange::kChained:
    case HookChange::kUnchanged:
      return {path, "unchanged"};
  }
  __builtin_unreachable();
}

Result<std::vector<HookRemoval>> TakeOut(Env& env, const Layout& project, MergeLedger& ledger,
                                         bool dry_run) {
  BELAY_TRY_ASSIGN(const Repository repository, FindRepository(env.files, project.Root()));
  const Git git(env.programs, env.environment, project.Root());
  const GuardPlace place{env.files, project, git, repository.common_folder};
  return dry_run ? WouldUnprotect(place) : UnprotectAll(place, ledger);
}

// Undoes `merge-queue protect`: removes the hook and restores what was there before it. A hook that
// can't be removed is `kept`, with the reason. Nothing when nothing was protected.
std::vector<InitChange> RemoveProtection(Env& env, const Layout& project, bool dry_run) {
  const bool ours = project.InRepository() && CheckVault(env.files, project, VaultUse::kRead).ok();
  if (!ours) return {};
  MergeLedger ledger(env.files, env.clock, project);
  const Result<void> read = ledger.CatchUp();
  if (!WasProtected(env.files, project, ledger.book())) return {};
  const Result<std::vector<HookRemoval>> removals =
      read ? TakeOut(env, project, ledger, dry_run) : read.error();
  if (!removals) return {{"reference-transaction", "kept", removals.error().message}};
  std::vector<InitChange> changes;
  for (const HookRemoval& removal : *removals) {
    const std::string path = JoinPath(removal.folder, "reference-transaction");
    InitChange change = ChangeOf(removal, std::string(RelativeTo(project.Root(), path)));
    if (change.what != "unchanged") changes.push_back(std::move(change));
  }
  return changes;
}

constexpr std::size_t kMostNamed = 5;

// What removing belay, or only the hooks of one kind of agent, would take from under an agent.
bool NeedsBelay(const AgentRow& row, const std::optional<AgentKind>& only) {
  const Identity& identity = *row.identity;
  if (!row.present || !row.ours || !FactsOf(identity.host).is_agent) return false;
  if (only && identity.agent_kind != *only) return false;
  // Its crash may not be recorded yet.
  const bool unrecorded = IsRunning(identity.status) && identity.respawn;
  const bool restarted =
      row.status == AgentStatus::kCrashed && (identity.restart.due || unrecorded);
  return IsRunning(row.status) || restarted;
}

std::string HowToStop(const Identity& identity) {
  const HostFacts& facts = FactsOf(identity.host);
  const std::string& name = identity.id.identity().text();
  return facts.launched ? fmt::format("belay stop {}", name)
                        : fmt::format("end {} where it runs", name);
}

Result<void> CheckNoAgentRuns(Env& env, const Layout& project,
                              const std::optional<AgentKind>& only) {
  if (!CheckVault(env.files, project, VaultUse::kRead)) return {};  // removal refuses what is wrong
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  const SuperviseSettings settings;
  const SessionEnv session{env.files, env.clock, env.random, env.programs, project, settings};
  std::vector<std::string> ids;
  std::vector<std::string> stops;
  for (const AgentRow& row : AgentRows(session, identities.book(), HookBook(), false)) {
    if (!NeedsBelay(row, only)) continue;
    ids.push_back(row.identity->id.text());
    stops.push_back(HowToStop(*row.identity));
  }
  if (ids.empty()) return {};
  const std::size_t more = ids.size() - std::min(ids.size(), kMostNamed);
  ids.resize(ids.size() - more);
  stops.resize(ids.size());
  return Error{
      ErrorCode::kRefused,
      fmt::format("agents need belay's hooks and settings here: {}{}", fmt::join(ids, ", "),
                  more == 0 ? "" : fmt::format(" and {} more", more)),
      fmt::format("stop them first: {}{}; or add --force", fmt::join(stops, "; "),
                  more == 0 ? "" : "; belay agents lists the others")};
}

// The target for new settings; a remark when existing ones name a branch that doesn't exist.
std::string ChooseTarget(const Env& env, const Layout& project, ProjectSetup& setup) {
  const Result<ConfigRead> config = ReadConfigHere(env);
  if (!project.InRepository() || !config || !config->outcome.problems.empty()) return {};
  const std::string target = ReadMergeSettings(config->outcome.config).target;
  const Result<TargetBranch> found =
      InspectTargetBranch(Git(env.programs, env.environment, project.Root()), target);
  if (!found || found->exists) return {};
  const bool is_new = IsMissing(env.files.Inspect(project.ConfigFile())) && !NamesSettings(env);
  if (is_new && !found->likely.empty()) {
    setup.WantTarget(found->likely);
    return fmt::format("Work lands on {} (merge.target in .claude/belay.yml).", found->likely);
  }
  return fmt::format("There is no branch {}, so no work can land; {}.", Quote(target),
                     TargetHint(*found));
}

// Returns a remark for the user beside the changes.
Result<std::string> SetUpProject(std::optional<AgentKind> agent, ProjectSetup& setup,
                                 const Env& env) {
  std::string remark;
  if (agent && HooksFor(*agent) == nullptr) remark = "A generic agent has no hooks to install.";
  if (agent && HooksFor(*agent) != nullptr) {
    BELAY_TRY_ASSIGN(std::string program, OwnProgram(env));
    BELAY_TRY_ASSIGN(HooksWish wish, HooksFor(*agent)->Wish(std::move(program), env.programs));
    remark = wish.remark;
    setup.WantHooks(*agent, std::move(wish));
  }
  BELAY_TRY(setup.SetUp());
  return remark;
}

// With an agent kind, removes only its hooks.
Result<std::string> RemoveFromProject(std::optional<AgentKind> agent, ProjectSetup& setup) {
  if (agent && HooksFor(*agent) == nullptr) {
    return std::string("A generic agent has no hooks, so nothing is removed.");
  }
  BELAY_TRY(agent ? setup.RemoveHooks(*agent) : setup.Remove());
  return std::string();
}

constexpr std::size_t kMostRules = std::size_t{4} << 20U;

// Where there is a resumption document and a file with rules: the line that reminds agents of it,
// once, as long as all such lines stay within their budget.
Result<void> OfferMarker(Env& env, const InitRequest& request, InitOutcome& outcome) {
  const Layout& project = outcome.project;
  if (!FindDocumentQuickly(env.files, project, project.Root())) return {};
  const std::vector<std::string> rules = RulesFiles(env.files, project);
  if (rules.empty()) return {};
  std::int64_t tokens = 0;
  for (const std::string& path : rules) {
    const Result<std::string> text = env.files.Read(path, kMostRules);
    if (!text) continue;
    if (text->find(ReinjectMarker()) != std::string::npos) return {};
    tokens += ReinjectTokens(*text);
  }
  const std::int64_t with = tokens + ReinjectTokens(ReinjectMarker());
  const std::string name(RelativeTo(project.Root(), rules.front()));
  if (with > kReinjectBudget) {
    outcome.remarks.push_back(fmt::format(
        "The L2-REINJECT markers in your rules have {} tokens; with the one about the resumption "
        "section they would have {}, more than {}, so it is not offered.",
        tokens, with, kReinjectBudget));
    return {};
  }
  if (!request.yes) {
    outcome.remarks.push_back(fmt::format(
        "This line in {} reminds agents of the resumption section ({} of {} tokens); belay init "
        "--yes adds it: {}",
        name, with, kReinjectBudget, ReinjectMarker()));
    return {};
  }
  if (!request.dry_run) {
    BELAY_TRY_ASSIGN(const ProjectLock lock, ProjectLedger::Lock(env.files, project));
    BELAY_TRY(AddMarker(env.files, lock, rules.front()));
  }
  outcome.changes.push_back({name, "changed", "a reminder of the resumption section"});
  return {};
}

}  // namespace

Result<InitOutcome> InitProject(Env& env, const InitRequest& request) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(env));
  ProjectSetup setup(env.files, env.clock, project, request.dry_run);
  InitOutcome outcome{.project = project};
  if (request.remove && !request.force) BELAY_TRY(CheckNoAgentRuns(env, project, request.agent));
  const std::string target = request.remove ? "" : ChooseTarget(env, project, setup);
  if (request.remove && !request.agent) {
    outcome.changes = RemoveProtection(env, project, request.dry_run);
  }
  BELAY_TRY_ASSIGN(const std::string remark, request.remove
                                                 ? RemoveFromProject(request.agent, setup)
                                                 : SetUpProject(request.agent, setup, env));
  std::ranges::copy(setup.changes(), std::back_inserter(outcome.changes));
  outcome.remarks = setup.remarks();
  for (const std::string& one : {remark, target}) {
    if (!one.empty()) outcome.remarks.push_back(one);
  }
  if (!request.remove) BELAY_TRY(OfferMarker(env, request, outcome));
  return outcome;
}

}  // namespace belay
