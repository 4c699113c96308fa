// One finished branch on its way to a target branch: a record of the queue's journal
// (model/merge_entry.h), and of merge-queue.json for people and scripts.
//
// clang-format off
//   status            what holds
//   ---------------   ------------------------------------------------------------------------------
//   queued            it waits for its turn; `head` is the commit to land
//   rebasing          it is being rebased onto `base`, which was the target's tip
//   testing           `candidate` is the result, and its gates run
//   merging           they passed: the target moves from `base` to `candidate`, or has moved
//   merged            it is in the target, as `merged_as`; `proof` names how that is known
//   conflict          it doesn't fit `base`: `conflicts` shows where      parked: it waits for new work,
//   gate_failed       a gate failed                                       for `retry` or `remove`, and
//   gate_unrunnable   a gate could not be run, so nothing is known; or    doesn't hold up others
//                     it changes the gates, and the user has to allow that
//   target_moved      the target has moved: as queued, and first
//   waiting_checkout  its gates passed, and a checkout of the target can't follow: the user has changes
//                     in the same files there, or git is running. It lands when that is over
//   cancelled         it won't land: removed, or nothing is left to land
// clang-format on

#ifndef BELAY_MODEL_MERGE_ENTRY_H_
#define BELAY_MODEL_MERGE_ENTRY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"

namespace belay {

enum class MergeStatus {
  kQueued,
  kRebasing,
  kTesting,
  kMerging,
  kMerged,
  kConflict,
  kGateFailed,
  kGateUnrunnable,
  kTargetMoved,
  kCancelled,
  kWaitingCheckout,
};
std::string_view MergeStatusName(MergeStatus status);  // "gate_failed"
std::optional<MergeStatus> ParseMergeStatus(std::string_view name);

constexpr bool IsFinished(MergeStatus status) {
  return status == MergeStatus::kMerged || status == MergeStatus::kCancelled;
}
constexpr bool IsParked(MergeStatus status) {
  return status == MergeStatus::kConflict || status == MergeStatus::kGateFailed ||
         status == MergeStatus::kGateUnrunnable;
}
// Queued or being landed.
constexpr bool IsInQueue(MergeStatus status) { return !IsFinished(status) && !IsParked(status); }
// A process was landing it; if it died, the landing continues from here.
constexpr bool IsBegun(MergeStatus status) {
  return status == MergeStatus::kRebasing || status == MergeStatus::kTesting ||
         status == MergeStatus::kMerging;
}

// No process works on it, and it is tried again from time to time.
constexpr bool IsWaiting(MergeStatus status) { return status == MergeStatus::kWaitingCheckout; }

// Lines of a file, counted from 1; `count` 0: before line `first`.
struct ConflictLines {
  std::uint64_t first = 0;
  std::uint64_t count = 0;

  bool operator==(const ConflictLines&) const = default;
};

struct ConflictHunk {
  ConflictLines target;  // in the target's file
  ConflictLines branch;  // in the branch's

  bool operator==(const ConflictHunk&) const = default;
};

struct ConflictFile {
  std::string path;  // with invalid UTF-8 replaced
  std::string what;  // "content", "modify/delete", ...
  std::vector<ConflictHunk> hunks = {};

  bool operator==(const ConflictFile&) const = default;
};

// Where the work and the target conflict.
struct ConflictReport {
  std::string commit = {};          // of the branch, at which it stopped
  std::vector<std::string> target;  // commits of the target that touched the same files
  std::vector<ConflictFile> files = {};

  bool operator==(const ConflictReport&) const = default;
};

enum class GateOutcome {
  kPassed,
  kFailed,
  kTimedOut,    // counts as failed
  kUnrunnable,  // the program doesn't exist or may not be run: nothing is known
  kCancelled,
};
std::string_view GateOutcomeName(GateOutcome outcome);
std::optional<GateOutcome> ParseGateOutcome(std::string_view name);

struct GateResult {
  std::string name;
  GateOutcome outcome = GateOutcome::kPassed;
  int exit_code = 0;
  std::uint32_t runs = 1;            // including retries
  Duration took = Duration::zero();  // of the last run
  std::string commit = {};           // the tested commit
  std::string log = {};              // the path of its output
  std::string detail = {};           // "exit code 2"
  std::string rule = {};             // a digest of its command and limits
  bool target_is_red = false;        // it fails on the target, too: the work isn't the cause

  bool operator==(const GateResult&) const = default;
};

struct MergeEntry {
  std::uint64_t number = 0;   // in the order of adding, from 1
  std::string identity_name;  // "orchestrator-login"; empty: no agent's
  std::string branch;         // "login", below refs/heads/
  std::string target;         // "main"
  std::string worktree_path = {};
  std::string pr_number = {};
  std::string bead_id = {};
  std::string node_id = {};
  WallTime requested_at = {};
  MergeStatus status = MergeStatus::kQueued;
  std::string head = {};       // the branch's commit to land
  std::string base = {};       // the target's tip below the candidate
  std::string candidate = {};  // the tested commit
  // When the rebase onto `base` began: the committer date of the new commits, so that they are the
  // same when they have to be built again. Zero: not yet, or by a belay that didn't record it.
  WallTime built_at = {};
  std::uint32_t attempts = 0;  // that ended in a conflict or a red gate
  std::int64_t priority = 0;   // higher goes first
  std::vector<std::uint64_t> depends_on = {};
  bool no_gates = false;
  std::string settings_allowed = {};  // the head whose settings change the user allowed
  std::string last_error = {};
  ConflictReport conflict = {};
  std::vector<GateResult> gate_results = {};
  std::string merged_as = {};   // the target's commit that contains it
  std::string proof = {};       // "landed", "ancestry", "patches"
  WallTime changed_at = {};     // its status
  bool delete_pending = false;  // merged, but the branch is still in use
  bool follow_pending = false;  // merged, but a checkout of the target isn't updated yet
  bool reported = false;        // this status; its key is "told"
  Json unknown = Json::EmptyObject();

  std::string id() const;  // "m7"
  bool IsPending() const;  // it has landed, but some work is left
  bool operator==(const MergeEntry&) const = default;
};

// "m7" or "7".
std::optional<std::uint64_t> ParseMergeEntryId(std::string_view text);

Json ToJson(const MergeEntry& entry);  // with entry_id, and conflict_files as a list of paths
Result<MergeEntry> MergeEntryFromJson(const Json& record);

// The state of the journal "merge-queue": entries, targets, and how reliable each gate is. Records
// are complete; the last one about an object counts.
//
//   {"at":"...","kind":"entry","why":"the gates passed","entry":{...}}
//   {"at":"...","kind":"target","why":"...","target":{...}}
//   {"at":"...","kind":"gate","name":"test","runs":12,"flakes":1}

// A planned move of the target by the queue: recorded first, so that the target's guard allows it
// (MQ-6), and so that it is known after a crash.
struct TargetMove {
  std::string from;
  std::string to;

  bool operator==(const TargetMove&) const = default;
};

// The verdict of a gate on a target's commit.
struct TargetAnswer {
  std::string commit;
  std::string rule;  // GateResult::rule: another command or limit is another question
  bool passed = false;

  bool operator==(const TargetAnswer&) const = default;
};

struct MergeTarget {
  std::string branch;              // "main"
  std::string commit = {};         // its tip, as the queue last left or saw it
  std::optional<bool> green = {};  // the gates' verdict on that commit; nothing: not tested
  std::string red_gate = {};       // the gate that failed
  bool untested = false;           // it moved without the queue, and must be tested
  std::string news = {};           // a report for the user that isn't sent yet
  std::map<std::string, TargetAnswer, std::less<>> answers = {};  // the last one of each gate
  bool paused = false;
  std::string paused_why = {};
  bool guarded = false;  // `merge-queue protect`
  bool named = false;    // the user has landed, or asked to land, work on it
  std::optional<TargetMove> move = {};
  Json unknown = Json::EmptyObject();

  // Stores the verdict of a gate on the target itself, or on what it became.
  void Remember(const GateResult& result);
  // Whether that gate under that rule passed that commit; nothing: unknown.
  std::optional<bool> Answer(const std::string& gate, const std::string& rule,
                             const std::string& of) const;
  bool operator==(const MergeTarget&) const = default;
};

Json ToJson(const MergeTarget& target);
Result<MergeTarget> MergeTargetFromJson(const Json& record);

// How many failed runs of a gate passed when they were repeated.
struct GateHistory {
  std::uint64_t runs = 0;
  std::uint64_t flakes = 0;

  bool operator==(const GateHistory&) const = default;
};

Json EntryRecord(WallTime at, std::string_view why, const MergeEntry& entry);
Json TargetRecord(WallTime at, std::string_view why, const MergeTarget& target);
Json GateRecord(WallTime at, std::string_view name, const GateHistory& history);

class MergeBook {
 public:
  void Apply(const Json& record);
  void Forget() { *this = {}; }

  const MergeEntry* Find(std::uint64_t number) const;
  // The unfinished entry of a branch.
  const MergeEntry* FindOpen(std::string_view branch, std::string_view target) const;
  const std::map<std::uint64_t, MergeEntry>& entries() const { return entries_; }
  std::uint64_t NextNumber() const { return last_number_ + 1; }

  // An unknown target counts as new.
  MergeTarget Target(std::string_view branch) const;
  const std::map<std::string, MergeTarget, std::less<>>& targets() const { return targets_; }
  GateHistory Gate(std::string_view name) const;
  std::uint64_t unreadable() const { return unreadable_; }

  // All open entries, and the latest finished ones.
  static constexpr std::size_t kKeptFinished = 1000;
  std::vector<Json> Snapshot(WallTime now) const;

 private:
  bool ApplyEntry(const Json& record);
  bool ApplyTarget(const Json& record);
  bool ApplyGate(const Json& record);

  std::map<std::uint64_t, MergeEntry> entries_;
  std::map<std::string, MergeTarget, std::less<>> targets_;
  std::map<std::string, GateHistory, std::less<>> gates_;
  std::uint64_t last_number_ = 0;
  std::uint64_t unreadable_ = 0;
};

// For merge-queue.json in the state root: all open entries, and the latest finished ones.
Json MergeRendering(const MergeBook& book);

}  // namespace belay

#endif  // BELAY_MODEL_MERGE_ENTRY_H_
