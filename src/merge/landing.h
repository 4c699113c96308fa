// Lands entries one after the other: each is rebuilt on top of the target and tested, and only then
// the target moves from exactly the tested base to exactly the tested commit.
// engine/merge/landing_step.h has the plan; this carries it out, one step at a time, each recorded
// before the next begins.
//
// Only one process at a time does this in a project: it holds a lock, which the kernel releases
// when it dies. The next process reads git's state and continues from there. Agents' branches,
// worktrees and indexes are only read.

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
#include "merge/merge_env.h"
#include "store/state_lock.h"

namespace belay {

class Lander {
 public:
  // kBusy when another process lands work here, naming it. Finishes what a killed one left.
  static Result<Lander> Begin(const MergeEnv& env, MergeLedger& ledger);

  // Processes the next entry to its end: merged, parked or cancelled. Nullopt when no entry can be
  // processed. An entry with a problem of its own, such as lost objects, is parked
  // (merge/failure_cause.h). Other problems (a full disk, a git lock) are errors, and the entry
  // stays as it is; the same after an interruption or a pause, which return nullopt. A target that
  // moved without the queue is reported first.
  Result<std::optional<MergeEntry>> LandNext(const std::string& target);

  // Completes ended entries: hook records, signals, branches. After a kill, the next run does it.
  Result<void> FinalizeAll(const std::string& target);

  // Removes what killed processes left in the repository.
  Result<void> CleanUp();

 private:
  Lander(const MergeEnv& env, MergeLedger& ledger, StateLock lock)
      : env_(env), ledger_(ledger), lock_(std::move(lock)), gates_(env, ledger) {}

  Result<MergeEntry> Land(MergeEntry entry);
  Result<MergeEntry> TakeStep(const MergeEntry& entry);
  // After a failed step: parks the entry, lets it be built again, or returns the error.
  Result<MergeEntry> AfterFailure(const MergeEntry& entry, const Error& error);
  Result<MergeEntry> StartOver(const MergeEntry& entry);
  Result<MergeEntry> BeginRebuild(const MergeEntry& entry);
  Result<MergeEntry> TakeNewHead(const MergeEntry& entry, const std::string& tip);
  Result<MergeEntry> Build(const MergeEntry& entry, const std::string& target_tip);
  Result<Replay> BuildCandidate(const MergeEntry& entry);
  Result<MergeEntry> KeepCandidate(const MergeEntry& entry, const Replay& replay);
  Result<MergeEntry> Test(const MergeEntry& entry);
  Result<std::vector<GateResult>> RunGates(const MergeEntry& entry);  // none, if the entry says so
  Result<MergeEntry> Advance(const MergeEntry& entry);
  // landing_actions.cc: for an entry whose gates passed, when a checkout of the target blocks it.
  Result<MergeEntry> TryCheckout(const MergeEntry& entry, const std::string& target_tip);
  Result<MergeEntry> WaitForCheckout(const MergeEntry& entry, const std::string& why);
  bool HasWaited(const MergeEntry& entry) const {
    return IsWaiting(entry.status) && waited_.contains(entry.number);
  }
  Result<MergeEntry> Finish(const MergeEntry& entry, const std::string& commit,
                            const std::string& proof);
  Result<MergeEntry> Park(const MergeEntry& entry, MergeStatus status, const std::string& error);
  // Unless another process changed it since: then returns its present state.
  Result<MergeEntry> Update(const MergeEntry& seen, const std::string& why,
                            const MergeLedger::Edit& edit);

  const MergeEnv& env_;
  MergeLedger& ledger_;
  StateLock lock_;
  Gates gates_;
  std::string whole_;                   // the candidate that git has just read completely
  std::vector<GitWorktree> worktrees_;  // when the target moved
  std::set<std::uint64_t> waited_;      // entries already found waiting: once in a run is enough
};

// Notices moves of the target that the queue didn't make, reports who and what, and tests the
// target again (MQ-6).

// Such a move is not an error; the next entry is built on it. A missing target: kNotFound.
Result<void> NoticeDrift(const MergeEnv& env, MergeLedger& ledger, Gates& gates,
                         const std::string& target);

// Checkouts that an older belay left behind their target: for git, everything that landed since
// looks deleted there. They are updated before anything else lands, and keep the user's changes;
// files that both sides changed become unmerged there, so that no commit undoes what has landed.

// The next run retries a checkout that can't follow now.
Result<void> UpdateLeftBehindCheckouts(const MergeEnv& env, const std::string& target);

}  // namespace belay

#endif  // BELAY_MERGE_LANDING_H_
