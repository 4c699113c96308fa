// Waits for events and calls back. Never polls: an idle loop sleeps until the next timer or event.
//
// One thread owns a loop and runs its callbacks one after the other; other threads may only call
// Post and Stop. A callback may start and cancel timers and watches, including itself and those due
// in the same round: a cancelled one is never called again.
//
// A round is: wait; then ready descriptors and posted callbacks; then the due timers, earliest
// first, those of the same moment in the order they were started. A timer started by a timer fires
// in the next round at the earliest, so a timer of zero can't starve the others.
//
// RealEventLoop (os/real_event_loop.h) waits for the kernel, SimulatedEventLoop (testing/) runs on
// simulated time.

#ifndef BELAY_OS_EVENT_LOOP_H_
#define BELAY_OS_EVENT_LOOP_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "os/process.h"

namespace belay {

// Numbers are never reused in the same loop; zero is never given out.
enum class TimerId : std::uint64_t {};
enum class WatchId : std::uint64_t {};

// End of file or an error on the other side counts as both: the next read or write reports it.
enum class Readiness { kReadable, kWritable };

enum class FolderChange {
  kCreated,   // the name exists; its content may still be incomplete
  kMovedIn,   // renamed into the folder, or over something in it: complete
  kDeleted,   // deleted, or moved out
  kWritten,   // a file in it was written to or cut; only for WatchFolderContent
  kOverflow,  // the kernel dropped events, there is no name: read the folder again
  kGone,      // the folder itself was deleted or moved; this watch has ended
};

struct FolderEvent {
  FolderChange change;
  std::string name;  // within the folder

  bool operator==(const FolderEvent&) const = default;
};

class EventLoop {
 public:
  using Callback = std::function<void()>;
  using FolderCallback = std::function<void(const FolderEvent&)>;

  virtual ~EventLoop() = default;

  virtual MonotonicTime Now() const = 0;

  // Fires once. A time in the past is due in the next round.
  virtual TimerId StartTimerAt(MonotonicTime at, Callback callback) = 0;
  TimerId StartTimer(Duration wait, Callback callback);
  // Does nothing when it has fired or was already cancelled.
  virtual void CancelTimer(TimerId id) = 0;

  // Calls back in every round in which it is ready. The descriptor is borrowed: Unwatch, then
  // close. It may be watched several times.
  virtual Result<WatchId> Watch(int fd, Readiness readiness, Callback callback) = 0;
  // Calls back once, when the process ends, or in the next round if it has ended. The object isn't
  // needed after this call; a caller that wants the exit status keeps it and calls TryWait.
  virtual Result<WatchId> WatchProcess(const Process& process, Callback callback) = 0;
  // Calls back on every signal; the kernel merges several in quick succession. The signal is
  // blocked for this thread and those it starts later: watch signals before starting threads.
  virtual Result<WatchId> WatchSignal(int signal, Callback callback) = 0;
  // Reports changes to the names in a folder from now on. Watch first, then list the folder.
  virtual Result<WatchId> WatchFolder(const std::string& path, FolderCallback callback) = 0;
  // Also reports writes to the files in the folder: for files that grow.
  virtual Result<WatchId> WatchFolderContent(const std::string& path, FolderCallback callback) = 0;
  // Ends a watch of any kind; does nothing when it has ended already.
  virtual void Unwatch(WatchId id) = 0;

  // Calls back in the loop's thread, in the order of posting. From any thread.
  virtual void Post(Callback callback) = 0;

  // How often it slept because there was nothing to do: the cost of being idle.
  virtual std::uint64_t Sleeps() const { return 0; }

  virtual void Run() = 0;
  // Run returns at the end of the current round; if it isn't running, the next Run returns
  // immediately. From any thread.
  virtual void Stop() = 0;
};

// For a program that writes continuously: the writing end of a pipe becomes readable only when the
// reader has gone. Does nothing without a pipe.
Result<void> StopWhenReaderIsGone(EventLoop& loop, std::optional<int> out_pipe);

// Timers in the order they are due; those of the same moment in the order they were started. Reads
// no clock: the loop passes the time in.
class TimerQueue {
 public:
  TimerId Start(MonotonicTime at, EventLoop::Callback callback);
  void Cancel(TimerId id);

  std::optional<MonotonicTime> Next() const;
  // Runs the timers that are due at `now` and were started before this call; callbacks may start
  // and cancel timers.
  void RunDue(MonotonicTime now);

 private:
  using Key = std::pair<MonotonicTime, TimerId>;

  std::map<Key, EventLoop::Callback> timers_;
  std::unordered_map<TimerId, MonotonicTime> due_;
  std::uint64_t last_id_ = 0;
};

}  // namespace belay

#endif  // BELAY_OS_EVENT_LOOP_H_
