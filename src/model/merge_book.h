// What the journal "merge-queue" says: entries, targets, and how reliable each gate was. Records
// are whole; the last one of a thing counts.
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

// A move of the target that the queue is about to make: recorded first, so that a guard of the
// target knows it (MQ-6), and so that after a crash everybody does.
struct TargetMove {
  std::string from;
  std::string to;

  bool operator==(const TargetMove&) const = default;
};

// What a gate said of a target's commit.
struct TargetAnswer {
  std::string commit;
  std::string rule;  // GateResult::rule: asked in another way, it is another question
  bool passed = false;

  bool operator==(const TargetAnswer&) const = default;
};

struct MergeTarget {
  std::string branch;              // "main"
  std::string commit = {};         // its tip, as the queue last left or saw it
  std::optional<bool> green = {};  // what the gates said of that commit; nothing: nobody asked
  std::string red_gate = {};       // which one said no
  bool untested = false;           // it moved without the queue, and is to be tested
  std::string news = {};           // what a person is to be told about it
  std::map<std::string, TargetAnswer, std::less<>> answers = {};  // the last one of each gate
  bool paused = false;
  std::string paused_why = {};
  bool guarded = false;  // `merge-queue protect`
  bool named = false;    // a person has landed, or asked to land, work on it
  std::optional<TargetMove> move = {};
  Json unknown = Json::EmptyObject();

  // What a gate said of the target itself, or of what it has become.
  void Remember(const GateResult& result);
  // Whether that gate, asked in that way, passed that commit; nothing: nobody knows.
  std::optional<bool> Answer(const std::string& gate, const std::string& rule,
                             const std::string& of) const;
  bool operator==(const MergeTarget&) const = default;
};

Json ToJson(const MergeTarget& target);
Result<MergeTarget> MergeTargetFromJson(const Json& record);

// Of all runs of a gate that said no at first, how many said yes when asked again.
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
  // The one of a branch that isn't finished.
  const MergeEntry* FindOpen(std::string_view branch, std::string_view target) const;
  const std::map<std::uint64_t, MergeEntry>& entries() const { return entries_; }
  std::uint64_t NextNumber() const { return last_number_ + 1; }

  // One that was never heard of is as new.
  MergeTarget Target(std::string_view branch) const;
  const std::map<std::string, MergeTarget, std::less<>>& targets() const { return targets_; }
  GateHistory Gate(std::string_view name) const;
  std::uint64_t unreadable() const { return unreadable_; }

  // All that is open, and the latest that are finished.
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

// For merge-queue.json in the state root: all that is open, and the latest that are finished.
Json MergeRendering(const MergeBook& book);

}  // namespace belay

#endif  // BELAY_MODEL_MERGE_BOOK_H_
