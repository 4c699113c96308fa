// The history of snapshots: the records of the journal "snapshots". The refs are the truth, and
// nothing is ever decided by these records; they show people what was done, also with snapshots
// that are gone.
//
//   {"at":"...","kind":"taken","id":"main/7","commit":"...","worktree":"/home/me/app",
//    "reason":"taken by hand","files":15,"bytes":12345}
//   {"at":"...","kind":"restored","id":"main/7","commit":"...","worktree":"/home/me/app",
//    "files":15,"rescue":"main/8"}             or "into":"/tmp/x" instead of the worktree
//   {"at":"...","kind":"pruned","id":"main/3","commit":"...","reason":"older than 30d"}
//
// `taken` is recorded after the ref is written, `restored` when it is done, `pruned` before the ref
// is deleted: a pruned snapshot can be restored by its commit as long as git has it. Nothing is
// recorded before a restore: the snapshot taken then, "before restoring main/7", records it itself,
// and needs no vault.

#ifndef BELAY_MODEL_SNAPSHOT_LOG_H_
#define BELAY_MODEL_SNAPSHOT_LOG_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/time.h"
#include "codec/json.h"

namespace belay {

struct TakenEvent {
  std::string id;
  std::string commit;
  std::string worktree;
  std::string reason;
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

struct RestoredEvent {
  std::string id;
  std::string commit;
  std::string worktree = {};  // one of these two
  std::string into = {};
  std::uint64_t files = 0;
  std::string rescue = {};  // empty: nothing to rescue
};

struct PrunedEvent {
  std::string id;
  std::string commit;
  std::string reason;
};

Json TakenRecord(WallTime at, const TakenEvent& event);
Json RestoredRecord(WallTime at, const RestoredEvent& event);
Json PrunedRecord(WallTime at, const PrunedEvent& event);

// The latest of these records, unchanged: compaction keeps them.
class SnapshotBook {
 public:
  static constexpr std::size_t kKept = 1000;

  void Apply(const Json& record);
  void Forget() { *this = {}; }
  const std::deque<Json>& records() const { return records_; }
  // Every record is kept unchanged, also one of a later belay.
  static std::uint64_t unreadable() { return 0; }
  std::vector<Json> Snapshot(WallTime now) const;

 private:
  std::deque<Json> records_;
};

}  // namespace belay

#endif  // BELAY_MODEL_SNAPSHOT_LOG_H_
