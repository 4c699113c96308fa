// The state of the journal "merge-queue": entries, targets, and how reliable each gate is. Records
// are complete; the last one about an object counts.
//
//   {"at":"...","kind":"entry","why":"the gates passed","entry":{...}}
//   {"at":"...","kind":"target","why":"...","target":{...}}
//   {"at":"...","kind":"gate","name":"test","runs":12,"flakes":1}

#ifndef BELAY_MODEL_MERGE_BOOK_H_
#define BELAY_MODEL_MERGE_BOOK_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "model/merge_entry.h"

namespace belay {

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

#endif  // BELAY_MODEL_MERGE_BOOK_H_
