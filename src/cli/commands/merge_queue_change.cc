// remove, retry, pause, unpause: what people do to the queue.

#include <fmt/core.h>

#include <functional>

#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "cli/merge_place.h"
#include "cli/merge_view.h"
#include "merge/enqueue.h"
#include "merge/entry_refs.h"

namespace belay {
namespace {

// An agent may take back its own work, and nobody else's.
Result<void> CheckMayChange(const Caller& caller, MergeLedger& ledger, std::uint64_t number) {
  BELAY_TRY(ledger.CatchUp());
  const MergeEntry* entry = ledger.book().Find(number);
  const bool its =
      entry == nullptr || !caller.agent || caller.agent->identity().text() == entry->identity_name;
  if (its) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} is the work of {}", entry->id(),
                           entry->identity_name.empty() ? "a person" : entry->identity_name),
               "an agent changes only its own entries"};
}

using Change = std::function<Result<MergeEntry>(const MergeDoors&, MergeLedger&, std::uint64_t,
                                                const Caller&)>;

Result<int> ChangeEntry(const Invocation& invocation, Services& services, const Change& change) {
  BELAY_TRY_ASSIGN(const std::uint64_t number, EntryArgument(invocation));
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(invocation, services, VaultUse::kWrite));
  MergeLedger ledger(services.files, services.clock, place.project);
  BELAY_TRY_ASSIGN(const Caller caller, WhoAsks(services, place.project));
  BELAY_TRY(CheckMayChange(caller, ledger, number));
  const MergeDoors doors = place.Doors(services);
  BELAY_TRY_ASSIGN(const MergeEntry entry, change(doors, ledger, number, caller));
  services.io.Show(ToJson(entry), fmt::format("{} ({}) is {}\n", entry.id(), entry.branch,
                                              MergeStatusName(entry.status)));
  return 0;
}

// One that is gone can still be let go on.
Result<void> CheckIsThere(const MergeDoors& doors, const std::string& branch) {
  BELAY_TRY_ASSIGN(const ObjectId tip, BranchTip(doors, branch));
  if (!tip.IsNone()) return {};
  return Error{ErrorCode::kNotFound, fmt::format("there is no branch {}", Quote(branch)),
               "--target is the name of a local branch, as git branch shows it"};
}

Result<int> SetPaused(const Invocation& invocation, Services& services, bool paused) {
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(invocation, services, VaultUse::kWrite));
  BELAY_TRY_ASSIGN(const Caller caller, WhoAsks(services, place.project));
  if (caller.agent) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} may not pause the queue, nor let it go on", caller.Name()),
                 "a person does, outside of any agent"};
  }
  const std::string branch = TargetOf(invocation, place);
  if (paused) BELAY_TRY(CheckIsThere(place.Doors(services), branch));
  MergeLedger ledger(services.files, services.clock, place.project);
  BELAY_TRY_ASSIGN(const StateLock lock, MergeLedger::Lock(services.files, place.project));
  BELAY_TRY_ASSIGN(
      const MergeTarget target,
      ledger.ChangeTarget(lock, branch, paused ? "paused" : "goes on", [&](MergeTarget& changed) {
        changed.paused = paused;
        changed.paused_why = paused ? "by a person" : "";
      }));
  (void)ledger.Render(lock);
  services.io.Show(ToJson(target), paused ? fmt::format("{} is paused: nothing lands until {}\n",
                                                        branch, UnpauseCommand(place, branch))
                                          : fmt::format("{} goes on\n", branch));
  return 0;
}

}  // namespace

Result<int> RunMergeQueueRemove(const Invocation& invocation, Services& services) {
  return ChangeEntry(invocation, services,
                     [](const MergeDoors& doors, MergeLedger& ledger, std::uint64_t number,
                        const Caller&) { return RemoveEntry(doors, ledger, number); });
}
Result<int> RunMergeQueueRetry(const Invocation& invocation, Services& services) {
  const bool gates_change = invocation.Has("--gates-change");
  return ChangeEntry(invocation, services,
                     [&](const MergeDoors& doors, MergeLedger& ledger, std::uint64_t number,
                         const Caller& caller) -> Result<MergeEntry> {
                       if (gates_change) BELAY_TRY(CheckMayChangeGates(caller));
                       return RetryEntry(doors, ledger, {number, !caller.agent, gates_change});
                     });
}
Result<int> RunMergeQueuePause(const Invocation& invocation, Services& services) {
  return SetPaused(invocation, services, true);
}
Result<int> RunMergeQueueUnpause(const Invocation& invocation, Services& services) {
  return SetPaused(invocation, services, false);
}

}  // namespace belay
