// A task, the waves that tasks run in, and the book of the journal "tasks".
//
// clang-format off
//   status        what holds
//   -----------   ----------------------------------------------------------------------------------
//   pending       no worker has it. With `resuming`, the work of an earlier worker is back in its
//                 worktree, and waits for the next worker
//   in_progress   `owner` works on it. With `suspended`, no worker does: its context file says where the
//                 worker stopped, and no worker can claim it until it is resumed. With `resuming`, its
//                 worker was started for it and hasn't acknowledged that it has the earlier work
//   completed     done
//   failed        it won't be done; with `permanently_failed`, it was suspended too often
// clang-format on
//
// A worktree has the work of one task at a time: TaskBook::OccupantOf.
//
// Where the work of a suspended task is: in the snapshot `work.snapshot`, from the record that
// makes it suspended to the one that makes it resuming. With `work.cleaning`, the tree isn't
// cleaned yet, or only in part; the sweep continues. Without a snapshot, the work never left the
// tree.

#ifndef BELAY_MODEL_TASK_H_
#define BELAY_MODEL_TASK_H_

#include <compare>
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

// "login", "7", "bd-3.1": letters, digits, _ and -, with single dots inside; 64 characters at most.
class TaskId {
 public:
  static Result<TaskId> Parse(std::string_view text);

  const std::string& text() const { return text_; }
  bool operator==(const TaskId&) const = default;
  std::strong_ordering operator<=>(const TaskId& other) const { return text_ <=> other.text_; }

 private:
  explicit TaskId(std::string_view text) : text_(text) {}
  std::string text_;
};

// The same without dots. A task outside of any arc has the arc "standalone".
class ArcId {
 public:
  static Result<ArcId> Parse(std::string_view text);
  static ArcId Standalone();

  const std::string& text() const { return text_; }
  bool is_standalone() const { return *this == Standalone(); }
  bool operator==(const ArcId&) const = default;

 private:
  explicit ArcId(std::string_view text) : text_(text) {}
  std::string text_;
};

enum class TaskStatus { kPending, kInProgress, kCompleted, kFailed };
std::string_view TaskStatusName(TaskStatus status);  // "in_progress"
std::optional<TaskStatus> ParseTaskStatus(std::string_view name);
constexpr bool IsFinished(TaskStatus status) {
  return status == TaskStatus::kCompleted || status == TaskStatus::kFailed;
}

enum class SuspendReason { kTurnLimit, kBudgetExceeded, kWaveTimeout, kSignal };
constexpr std::string_view kSuspendReasons = "turn_limit|budget_exceeded|wave_timeout|signal";
std::string_view SuspendReasonName(SuspendReason reason);  // "turn_limit"
std::optional<SuspendReason> ParseSuspendReason(std::string_view name);

// What a suspension stored, and where.
struct SuspendedWork {
  std::optional<SuspendReason> reason = {};
  std::string worker = {};       // "worker-a#2", or a name without incarnation
  std::string worktree = {};     // where the work was; absolute
  std::string base_commit = {};  // HEAD there; empty: no commit yet
  std::string snapshot = {};     // its commit; empty: the work stayed in the tree
  std::string snapshot_id = {};  // "agent-worker-a/3"
  std::string message = {};      // of the stash entry
  bool cleaning = false;         // it is suspended, and the steps after that aren't finished
  bool tainted = false;          // the worker had read something sensitive
  bool restored = false;         // resuming: the work is back in the tree `worktree`

  bool operator==(const SuspendedWork&) const = default;
};

struct Task {
  TaskId id;
  std::string title = {};
  std::string description = {};
  TaskStatus status = TaskStatus::kPending;
  std::string owner = {};                    // "worker-a"; empty: none
  std::string worktree = {};                 // where the owner works; absolute; empty: unknown
  std::vector<std::string> files = {};       // that it is about
  std::vector<std::string> depends_on = {};  // ids of tasks
  ArcId arc = ArcId::Standalone();
  std::string wave = {};
  std::optional<WallTime> deadline = {};
  std::string run = {};  // "20261118-120000": when its run began; names the folder of its context
  WallTime created_at = {};
  WallTime changed_at = {};
  bool suspended = false;
  bool resuming = false;
  bool permanently_failed = false;
  std::uint32_t resume_count = 0;
  std::string context_path = {};  // below the project's root; empty: none
  std::string failure = {};       // why it failed, or was started over
  SuspendedWork work = {};
  std::vector<std::string> kept = {};  // commits of snapshots with work that was never put back
  // By a person; contexts written before that no longer count.
  std::optional<WallTime> reopened_at = {};
  // The latest deadline that had passed before its worker claimed it; it doesn't count for that
  // one.
  std::optional<WallTime> missed_deadline = {};
  Json unknown = Json::EmptyObject();
  Json unknown_metadata = Json::EmptyObject();

  bool operator==(const Task&) const = default;
};

// It was resumed, and no worker has it yet.
bool IsWaitingForResumer(const Task& task);
// Its worker has the earlier work, which is back in the tree.
bool IsAcknowledged(const Task& task);
// Makes it pending: no worker has it.
void GiveBack(Task& task);
// The worktree with its work no longer exists: only the snapshot of its last suspension has work.
void LoseWorktree(Task& task);
// Remembers the snapshot of its last suspension if its work wasn't put back.
void KeepUnrestored(Task& task);

Json ToJson(const Task& task);  // {"id", "title", "status", "owner", ..., "metadata": {...}}
Result<Task> TaskFromJson(const Json& record);

// "20261118-120000" in UTC.
std::string RunName(WallTime start);
bool IsRunName(std::string_view text);

Json TaskRecord(WallTime at, std::string_view why, const Task& task);
Json WaveRecord(WallTime at, std::string_view why, std::string_view wave,
                std::optional<WallTime> deadline);

class TaskBook {
 public:
  using Tasks = std::map<std::string, Task, std::less<>>;
  using Waves = std::map<std::string, WallTime, std::less<>>;

  void Apply(const Json& record);
  void Forget() { *this = {}; }

  const Task* Find(std::string_view id) const;
  const Tasks& tasks() const { return tasks_; }
  const Waves& waves() const { return waves_; }  // those with a deadline
  // The first free one of t1, t2, ...
  std::string NextId() const;

  // The earlier of its own deadline and its wave's, of those that count for its worker.
  std::optional<WallTime> DeadlineOf(const Task& task) const;
  // The same for a worker that gets it now: what has passed doesn't count.
  std::optional<WallTime> DeadlineAfter(const Task& task, WallTime now) const;
  // The later one that has passed, for `missed_deadline`.
  std::optional<WallTime> PassedDeadline(const Task& task, WallTime now) const;
  // The dependencies that aren't completed. One that is no longer on record was completed long ago.
  std::vector<const Task*> Waiting(const Task& task) const;
  // The unfinished tasks that depend on it, directly or not.
  std::vector<const Task*> DependentsOf(const Task& task) const;
  // Another task than `id` whose uncommitted work is in that worktree, or comes into it; null:
  // none.
  const Task* OccupantOf(std::string_view worktree, const TaskId& id) const;
  // What an agent works on, or else what it has suspended; null: nothing.
  const Task* OfOwner(std::string_view identity) const;

  // Unfinished and failed tasks, what they depend on, and the latest completed ones.
  static constexpr std::size_t kKeptCompleted = 10'000;
  std::vector<Json> Snapshot(WallTime now) const;
  std::uint64_t unreadable() const { return unreadable_; }

 private:
  std::vector<WallTime> DeadlinesOf(const Task& task) const;  // earliest first
  bool ApplyTask(const Json& record);
  bool ApplyWave(const Json& record);

  Tasks tasks_;
  Waves waves_;
  std::uint64_t last_number_ = 0;
  std::uint64_t unreadable_ = 0;
};

// For tasks.json in the state root.
Json TaskRendering(const TaskBook& book);

}  // namespace belay

#endif  // BELAY_MODEL_TASK_H_
