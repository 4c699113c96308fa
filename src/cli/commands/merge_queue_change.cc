// remove, retry, pause, unpause: what people do to the queue.

#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/merge_place.h"
#include "cli/merge_view.h"
#include "merge/enqueue.h"

namespace belay {
namespace {

// An agent may take back its own work, and nobody else's.
Result<void> CheckMayChange(Services& services, const MergePlace& place, MergeLedger& ledger,
                            std::uint64_t number) {
  BELAY_TRY(ledger.CatchUp());
  const MergeEntry* entry = ledger.book().Find(number);
  BELAY_TRY_ASSIGN(const Caller caller, WhoAsks(services, place.project));
  const bool its =
      entry == nullptr || !caller.agent || caller.agent->identity().text() == entry->identity_name;
  if (its) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} is the work of {}", entry->id(),
                           entry->identity_name.empty() ? "a person" : entry->identity_name),
               "an agent changes only its own entries"};
}

using Change = Result<MergeEntry> (*)(const MergeDoors&, MergeLedger&, std::uint64_t);

Result<int> ChangeEntry(const Invocation& invocation, Services& services, Change change) {
  BELAY_TRY_ASSIGN(const std::uint64_t number, EntryArgument(invocation));
  BELAY_TRY_ASSIGN(const MergePlace place, FindMergePlace(invocation, services, VaultUse::kWrite));
  MergeLedger ledger(services.files, services.clock, place.project);
  BELAY_TRY(CheckMayChange(services, place, ledger, number));
  const MergeDoors doors = place.Doors(services);
  BELAY_TRY_ASSIGN(const MergeEntry entry, change(doors, ledger, number));
  services.io.Show(ToJson(entry), fmt::format("{} ({}) is {}\n", entry.id(), entry.branch,
                                              MergeStatusName(entry.status)));
  return 0;
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
  MergeLedger ledger(services.files, services.clock, place.project);
  BELAY_TRY_ASSIGN(const StateLock lock, MergeLedger::Lock(services.files, place.project));
  BELAY_TRY_ASSIGN(
      const MergeTarget target,
      ledger.ChangeTarget(lock, branch, paused ? "paused" : "goes on", [&](MergeTarget& changed) {
        changed.paused = paused;
        changed.paused_why = paused ? "by a person" : "";
      }));
  (void)ledger.Render(lock);
  services.io.Show(ToJson(target),
                   paused ? fmt::format("{} is paused: nothing lands until belay merge-queue "
                                        "unpause\n",
                                        branch)
                          : fmt::format("{} goes on\n", branch));
  return 0;
}

}  // namespace

Result<int> RunMergeQueueRemove(const Invocation& invocation, Services& services) {
  return ChangeEntry(invocation, services, RemoveEntry);
}
Result<int> RunMergeQueueRetry(const Invocation& invocation, Services& services) {
  return ChangeEntry(invocation, services, RetryEntry);
}
Result<int> RunMergeQueuePause(const Invocation& invocation, Services& services) {
  return SetPaused(invocation, services, true);
}
Result<int> RunMergeQueueUnpause(const Invocation& invocation, Services& services) {
  return SetPaused(invocation, services, false);
}

}  // namespace belay
