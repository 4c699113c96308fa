// Lands work, one entry after the other: rebuilt on top of the target, tested, and only then the
// target goes from exactly what it stood on to exactly what was tested. engine/merge/landing_step.h
// has the plan; this carries it out, one step at a time, each recorded before the next begins.
//
// Only one at a time does this in a project: it holds a lock, which the kernel frees when it dies.
// Whoever comes next asks git what is true and goes on from there. Agents' branches, worktrees and
// indexes are only read.

#ifndef BELAY_MERGE_LANDING_H_
#define BELAY_MERGE_LANDING_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/git/branch_uses.h"
#include "adapters/git/replay.h"
#include "base/result.h"
#include "merge/gates.h"
#include "merge/merge_doors.h"
#include "store/state_lock.h"

namespace belay {

class Lander {
 public:
  // kBusy when somebody else lands work here, naming the process. Ends what a killed one left.
  static Result<Lander> Begin(const MergeDoors& doors, MergeLedger& ledger);

  // The next in line, to its end: merged, parked or cancelled. Nothing when nobody's turn can come.
  // Trouble of its own, such as lost objects, parks it (merge/blame.h). Other trouble (a full disk,
  // a lock of git's) is an error, and the entry stays where it is; so does one that was interrupted
  // or paused, and nothing is given. A target that moved without the queue is reported first.
  Result<std::optional<MergeEntry>> LandNext(const std::string& target);

  // What is left to do for those that ended: hooks, signals, branches. Killed before, it is done
  // the next time.
  Result<void> SettleAll(const std::string& target);

  // What killed ones left in the repository.
  Result<void> TidyUp();

 private:
  Lander(const MergeDoors& doors, MergeLedger& ledger, StateLock lock)
      : doors_(doors), ledger_(ledger), lock_(std::move(lock)), gates_(doors, ledger) {}

  Result<MergeEntry> Land(MergeEntry entry);
  Result<MergeEntry> TakeStep(const MergeEntry& entry);
  // After a step that failed: parked, to be built again, or the error.
  Result<MergeEntry> AfterTrouble(const MergeEntry& entry, const Error& error);
  Result<MergeEntry> BeginAnew(const MergeEntry& entry);
  Result<MergeEntry> BeginRebuild(const MergeEntry& entry);
  Result<MergeEntry> TakeNewHead(const MergeEntry& entry, const std::string& tip);
  Result<MergeEntry> Build(const MergeEntry& entry, const std::string& target_tip);
  Result<Replay> BuildCandidate(const MergeEntry& entry);
  Result<MergeEntry> KeepCandidate(const MergeEntry& entry, const Replay& replay);
  Result<MergeEntry> Test(const MergeEntry& entry);
  Result<std::vector<GateResult>> AskGates(const MergeEntry& entry);  // none, if it says so
  Result<MergeEntry> Advance(const MergeEntry& entry);
  // landing_steps.cc: of one whose gates passed, when a checkout of the target is in the way.
  Result<MergeEntry> TryCheckout(const MergeEntry& entry, const std::string& target_tip);
  Result<MergeEntry> WaitForCheckout(const MergeEntry& entry, const std::string& why);
  bool HasWaited(const MergeEntry& entry) const {
    return IsWaiting(entry.status) && waited_.contains(entry.number);
  }
  Result<MergeEntry> Finish(const MergeEntry& entry, const std::string& commit,
                            const std::string& proof);
  Result<MergeEntry> Park(const MergeEntry& entry, MergeStatus status, const std::string& error);
  // Unless somebody else changed it since: then as it is now.
  Result<MergeEntry> Update(const MergeEntry& seen, const std::string& why,
                            const MergeLedger::Edit& edit);

  const MergeDoors& doors_;
  MergeLedger& ledger_;
  StateLock lock_;
  Gates gates_;
  std::string whole_;  // the candidate that git has just read with all that it needs
  std::vector<GitWorktree> worktrees_;  // as the target moved
  std::set<std::uint64_t> waited_;      // those that were found waiting: once in a run is enough
};

// Checkouts of a target that an older belay left behind it: to git, what has landed since looks as
// if it had been deleted there. They are brought to the target before anything else lands, with a
// person's changes kept; files that both sides have changed become unmerged there, so that no
// commit undoes what has landed.

// One that can't follow just now is tried again by the next run.
Result<void> BringLeftCheckoutsAlong(const MergeDoors& doors, const std::string& target);

}  // namespace belay

#endif  // BELAY_MERGE_LANDING_H_
