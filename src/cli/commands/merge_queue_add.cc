#include <fmt/core.h>

#include <charconv>

#include "base/utf8.h"
#include "cli/agent_argument.h"
#include "cli/commands/commands.h"
#include "cli/merge_place.h"
#include "cli/merge_view.h"
#include "guardian/caller.h"
#include "ledger/identity_ledger.h"
#include "merge/enqueue.h"
#include "store/repository.h"
#include "ui/width.h"

namespace belay {
namespace {

Result<std::int64_t> Priority(const Invocation& invocation) {
  const std::string text = invocation.Value("--priority").value_or("0");
  std::int64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = end.ec == std::errc() && end.ptr == text.data() + text.size();
  if (whole && number >= -100 && number <= 100) return number;
  return Error{ErrorCode::kUsage, fmt::format("--priority is {}", Quote(text)),
               "it is a number from -100 to 100; more is sooner"};
}

Result<std::vector<std::uint64_t>> After(const Invocation& invocation) {
  std::vector<std::uint64_t> numbers;
  const std::optional<std::string> text = invocation.Value("--after");
  if (!text) return numbers;
  const std::optional<std::uint64_t> number = ParseMergeEntryId(*text);
  if (!number) {
    return Error{ErrorCode::kUsage, fmt::format("--after is {}", Quote(*text)),
                 "it is an entry like m7; belay merge-queue list shows them"};
  }
  numbers.push_back(*number);
  return numbers;
}

// Whose work it is: as named, or whoever asks. The guardian asks for the agent that it names; when
// it names none, for a person.
Result<void> SetWho(const Invocation& invocation, Services& services, const Layout& project,
                    EnqueueRequest& request) {
  IdentityLedger identities(services.files, services.clock, project);
  BELAY_TRY(identities.CatchUp());
  BELAY_TRY_ASSIGN(const Caller caller, FindCaller(identities.book(), services.environment));
  const auto named = invocation.Value("--agent");
  const bool guardian = caller.agent && caller.agent->identity().role() == "guardian";
  request.by_person = !caller.agent || (guardian && !named);
  std::optional<IdentityName> name;
  if (named) {
    BELAY_TRY_ASSIGN(name, ResolvePresent(identities.book(), *named));
  } else if (caller.agent && !guardian) {
    name = caller.agent->identity();
  }
  request.identity_name = name ? name->text() : std::string();
  const Identity* identity = name ? identities.book().Find(*name) : nullptr;
  if (identity != nullptr && request.worktree_path.empty()) {
    request.worktree_path = identity->worktree_path;
  }
  request.gates_change = invocation.Has("--gates-change");
  return request.gates_change ? CheckMayChangeGates(caller) : Result<void>();
}

// A person adds the branch of an agent: the reports about it are for that agent. Its worktree says
// so, if it is one of its own and only this agent's.
Result<void> FindWhoseBranch(Services& services, const Layout& project, EnqueueRequest& request) {
  IdentityLedger identities(services.files, services.clock, project);
  BELAY_TRY(identities.CatchUp());
  const Identity* owner = nullptr;
  for (const auto& [name, entry] : identities.book().entries()) {
    const Identity& identity = entry.present;
    const bool own = !identity.worktree_path.empty() && identity.worktree_path != project.Root() &&
                     identity.host != AgentHost::kSelf;
    if (!own || CheckedOutBranch(services.files, identity.worktree_path) != request.branch)
      continue;
    if (owner != nullptr) return {};
    owner = &identity;
  }
  if (owner == nullptr) return {};
  request.identity_name = owner->id.identity().text();
  if (request.worktree_path.empty()) request.worktree_path = owner->worktree_path;
  services.io.Say(fmt::format("{} is checked out in the worktree of {}, which gets the reports",
                              Printable(request.branch), request.identity_name));
  return {};
}

// What is checked out where the work was made.
Result<std::string> BranchIn(const MergePlace& place, const std::string& worktree) {
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   place.git.In(worktree).Run(
                       {.arguments = {"symbolic-ref", "-q", "HEAD"}, .good_exits = {0, 1}}));
  constexpr std::string_view kBranches = "refs/heads/";
  std::string_view name = answer.out;
  while (name.ends_with('\n')) name.remove_suffix(1);
  if (name.starts_with(kBranches)) return std::string(name.substr(kBranches.size()));
  return Error{ErrorCode::kUsage, fmt::format("no branch is checked out in {}", worktree),
               "name the BRANCH that is to land"};
}

}  // namespace

Result<int> RunMergeQueueAdd(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(invocation, services, VaultUse::kWrite));
  EnqueueRequest request{.branch = {}, .target = TargetOf(invocation, place)};
  request.head = invocation.Value("--head").value_or("");
  request.worktree_path = invocation.Value("--worktree").value_or("");
  request.node_id = invocation.Value("--node").value_or("");
  request.bead_id = invocation.Value("--bead").value_or("");
  request.pr_number = invocation.Value("--pr").value_or("");
  BELAY_TRY_ASSIGN(request.priority, Priority(invocation));
  BELAY_TRY_ASSIGN(request.depends_on, After(invocation));
  BELAY_TRY(SetWho(invocation, services, place.project, request));
  if (!invocation.operands().empty()) {
    request.branch = invocation.operands().front();
  } else {
    BELAY_TRY_ASSIGN(request.branch,
                     BranchIn(place, request.worktree_path.empty() ? services.current_folder
                                                                   : request.worktree_path));
  }
  if (request.identity_name.empty()) {
    BELAY_TRY(FindWhoseBranch(services, place.project, request));
  }
  const MergeDoors doors = place.Doors(services);
  MergeLedger ledger(services.files, services.clock, place.project);
  BELAY_TRY_ASSIGN(const Enqueued done, Enqueue(doors, ledger, request));
  if (!done.notice.empty()) services.io.Say(done.notice);
  const std::vector<MergeRow> rows = MergeRows(ledger.book(), services.clock.Wall(), false);
  for (const MergeRow& row : rows) {
    if (row.entry->number != done.entry.number) continue;
    Json record = MergeRowJson(row);
    record.Set("new", done.is_new);
    const std::string stuck = row.position ? WhyNothingLands(place.settings) : std::string();
    record.Set("nothing_lands", stuck.empty() ? Json() : Json(stuck));
    services.io.Show(
        std::move(record),
        row.position
            ? fmt::format("{}: {} is number {} in line for {}\n", done.entry.id(),
                          done.entry.branch, *row.position, done.entry.target)
            : fmt::format("{}: {}\n", done.entry.id(), MergeStatusName(done.entry.status)));
    if (!stuck.empty()) services.io.Say(stuck);
  }
  return 0;
}

}  // namespace belay
