#include "app/init.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "app/find_program.h"
#include "app/resumption.h"
#include "app/settings.h"
#include "base/path.h"
#include "engine/resumption/orientation.h"
#include "ledger/merge_ledger.h"
#include "merge/protect.h"
#include "store/document.h"
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

// The files with rules for agents that belay knows, as they are here.
std::vector<std::string> RulesFiles(const FileSystem& files, const Layout& project) {
  std::vector<std::string> found;
  const auto add = [&](const std::string& path) {
    const Result<FileInfo> info = files.Inspect(path);
    if (info && info->kind == FileKind::kFile) found.push_back(path);
  };
  for (const char* name : {"CLAUDE.md", "AGENTS.md", ".claude/CLAUDE.md"}) {
    add(JoinPath(project.Root(), name));
  }
  const std::string folder = JoinPath(project.ClaudeFolder(), "rules");
  const Result<std::vector<std::string>> names = files.List(folder);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (name.ends_with(".md")) add(JoinPath(folder, name));
  }
  return found;
}

constexpr std::size_t kMostRules = std::size_t{4} << 20U;

Result<void> AddMarker(Env& env, const Layout& project, const std::string& path) {
  const Document rules{.root = std::string(ParentPath(path)), .name = std::string(FileName(path))};
  BELAY_TRY_ASSIGN(const ProjectLock lock, ProjectLedger::Lock(env.files, project));
  BELAY_TRY_ASSIGN(const DocumentText text, ReadDocument(env.files, rules, kMostRules));
  std::string bytes = text.bytes.value_or("");
  if (bytes.find(ReinjectMarker()) != std::string::npos) return {};
  if (!bytes.empty() && !bytes.ends_with('\n')) bytes += '\n';
  bytes += std::string(ReinjectMarker()) + "\n";
  BELAY_TRY_ASSIGN(const DocumentChange change,
                   ReplaceDocument(env.files, lock, rules, text.stamp, bytes));
  if (change == DocumentChange::kReplaced) return {};
  return Error{ErrorCode::kBusy, fmt::format("{} was changed just now", path), "run it again"};
}

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
  if (!request.dry_run) BELAY_TRY(AddMarker(env, project, rules.front()));
  outcome.changes.push_back({name, "changed", "a reminder of the resumption section"});
  return {};
}

}  // namespace

Result<InitOutcome> InitProject(Env& env, const InitRequest& request) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(env));
  ProjectSetup setup(env.files, env.clock, project, request.dry_run);
  InitOutcome outcome{.project = project};
  if (request.remove && !request.agent) {
    outcome.changes = RemoveProtection(env, project, request.dry_run);
  }
  BELAY_TRY_ASSIGN(const std::string remark, request.remove
                                                 ? RemoveFromProject(request.agent, setup)
                                                 : SetUpProject(request.agent, setup, env));
  std::ranges::copy(setup.changes(), std::back_inserter(outcome.changes));
  outcome.remarks = setup.remarks();
  if (!remark.empty()) outcome.remarks.push_back(remark);
  if (!request.remove) BELAY_TRY(OfferMarker(env, request, outcome));
  return outcome;
}

}  // namespace belay
