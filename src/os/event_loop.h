// Waits for whatever happens first, and calls back. Nothing polls: with nothing to do it sleeps
// until the next timer or event.
//
// One thread owns a loop and runs its callbacks, one after the other; only Post and Stop may be
// called by others. A callback may start and cancel timers and watches, also its own, also those
// that are due in the same round: what was cancelled is never called again.
//
// A round is: wait; then what is ready and what was posted; then the timers that are due, earliest
// first, and of the same moment in the order they were started. A timer that another one starts is
// due in the next round at the earliest, so that one of zero can't keep the others waiting.
//
// RealEventLoop (os/real_event_loop.h) waits for the kernel, SimulatedEventLoop (testing/) for the
// test.

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

// Numbers are never used again in the same loop; zero is nobody's.
enum class TimerId : std::uint64_t {};
enum class WatchId : std::uint64_t {};

// An end or a failure at the other side counts as both: the next read or write will tell.
enum class Readiness { kReadable, kWritable };

enum class FolderChange {
  kCreated,   // the name is there; what it holds may still be on its way
  kMovedIn,   // renamed into the folder, or over something in it: complete
  kDeleted,   // deleted, or moved out
  kWritten,   // a file in it was written to or cut; only for WatchFolderContent
  kOverflow,  // more happened than the kernel kept, there is no name: look for yourself
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

  // Once. A time in the past is due in the next round.
  virtual TimerId StartTimerAt(MonotonicTime at, Callback callback) = 0;
  TimerId StartTimer(Duration wait, Callback callback);
  // Nothing happens when it has fired or was cancelled already.
  virtual void CancelTimer(TimerId id) = 0;

  // As long as it is ready, in every round. The descriptor is borrowed: Unwatch, then close. It may
  // be watched several times.
  virtual Result<WatchId> Watch(int fd, Readiness readiness, Callback callback) = 0;
  // Once, when it ends, or in the next round if it has. The object isn't needed any longer then;
  // whoever wants the status keeps it and asks TryWait.
  virtual Result<WatchId> WatchProcess(const Process& process, Callback callback) = 0;
  // Whenever it comes; the kernel makes one of several in quick succession. The signal is blocked
  // for this thread and those it starts later: watch signals before starting threads.
  virtual Result<WatchId> WatchSignal(int signal, Callback callback) = 0;
  // What happens to the names in a folder from now on. Watch first, then look what is there.
  virtual Result<WatchId> WatchFolder(const std::string& path, FolderCallback callback) = 0;
  // Also what is written into the files of the folder: for those that grow.
  virtual Result<WatchId> WatchFolderContent(const std::string& path, FolderCallback callback) = 0;
  // Ends a watch of any kind; nothing happens when it has ended already.
  virtual void Unwatch(WatchId id) = 0;

  // Calls back in the loop's thread, in the order of posting. From any thread.
  virtual void Post(Callback callback) = 0;

  // How often there was nothing to do and it slept: what being idle costs.
  virtual std::uint64_t Sleeps() const { return 0; }

  virtual void Run() = 0;
  // Run comes back at the end of the present round; if it isn't running, the next Run does so at
  // once. From any thread.
  virtual void Stop() = 0;
};

// For a program that writes on and on: the writing end of a pipe becomes readable only when nobody
// reads any more. Nothing to do without a pipe.
Result<void> StopWhenReaderIsGone(EventLoop& loop, std::optional<int> out_pipe);

// Timers in the order they are due; those of the same moment in the order they were started. Knows
// no clock: the loops of os/event_loop.h say what time it is.
class TimerQueue {
 public:
  TimerId Start(MonotonicTime at, EventLoop::Callback callback);
  void Cancel(TimerId id);

  std::optional<MonotonicTime> Next() const;
  // Runs what is due at `now` and was started before; callbacks may start and cancel.
  void RunDue(MonotonicTime now);

 private:
  using Key = std::pair<MonotonicTime, TimerId>;

  std::map<Key, EventLoop::Callback> timers_;
  std::unordered_map<TimerId, MonotonicTime> due_;
  std::uint64_t last_id_ = 0;
};

}  // namespace belay

#endif  // BELAY_OS_EVENT_LOOP_H_
