// Adds work to the merge queue, and removes it.

#ifndef BELAY_MERGE_ENQUEUE_H_
#define BELAY_MERGE_ENQUEUE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "merge/merge_env.h"

namespace belay {

struct EnqueueRequest {
  std::string branch;
  std::string target;
  std::string head = {};  // the commit that was validated; empty: the current one
  std::string identity_name = {};
  std::string worktree_path = {};
  std::string bead_id = {};
  std::string node_id = {};
  std::string pr_number = {};
  std::int64_t priority = 0;
  std::vector<std::uint64_t> depends_on = {};
  bool no_gates = false;
  bool by_person = false;      // and not by an agent, nor by the guardian for one
  bool gates_change = false;   // a person lets this head change the settings (settings_change.h)
  bool retest_target = false;  // what is known of a red target may be over
};

struct Enqueued {
  MergeEntry entry;
  bool is_new = false;      // false: it was there already
  std::string notice = {};  // for the requester
};

// The branch must have something that the target hasn't. A branch that already has an entry keeps
// it: the entry gets the new head and is queued again if it was parked; a new --after replaces the
// old one.
Result<Enqueued> Enqueue(const MergeEnv& env, MergeLedger& ledger, const EnqueueRequest& request);

// Also while another process works on it, which then stops. kRefused for an entry that has landed,
// kNotFound for one that is already cancelled.
Result<MergeEntry> RemoveEntry(const MergeEnv& env, MergeLedger& ledger, std::uint64_t number);

// Queues the entry again, with the present head of the branch.
struct RetryRequest {
  std::uint64_t number;
  bool by_person = false;
  bool gates_change = false;
};
Result<MergeEntry> RetryEntry(const MergeEnv& env, MergeLedger& ledger,
                              const RetryRequest& request);

// Who may land work where. An agent's work lands on merge.target, or on a target that a person has
// used or protected; no work lands on a branch that a running agent works on.

// kRefused, with the reason.
Result<void> CheckTarget(const MergeEnv& env, const MergeBook& book, const EnqueueRequest& request);

}  // namespace belay

#endif  // BELAY_MERGE_ENQUEUE_H_
