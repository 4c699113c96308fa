// The loop that waits for the kernel: epoll for descriptors, including pidfds, a signalfd, an
// inotify and an eventfd. os/event_loop.h has the contract of each call.

#ifndef BELAY_OS_REAL_EVENT_LOOP_H_
#define BELAY_OS_REAL_EVENT_LOOP_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/fd.h"
#include "os/watchers.h"

namespace belay {

// Descriptors and their watches, over epoll.

class Poller {
 public:
  static Result<Poller> Create();

  // The descriptor is borrowed until Remove. kFailed for one that can't be waited for, such as a
  // file.
  Result<void> Add(WatchId id, int fd, Readiness readiness, EventLoop::Callback callback);
  void Remove(WatchId id);

  // Waits until something is ready or `longest` has passed (nothing: forever); calls back for what
  // is ready. Callbacks may add and remove.
  void Wait(std::optional<Duration> longest);
  // How often it had to sleep because nothing was ready.
  std::uint64_t sleeps() const { return sleeps_; }

 private:
  struct Watch {
    int fd;
    std::uint32_t events;
    std::shared_ptr<EventLoop::Callback> callback;  // stays alive while it runs, even if removed
  };
  // epoll takes a descriptor once, so watches of the same one share it. The generation
  // distinguishes an event for a closed descriptor from one for a new descriptor with the same
  // number.
  struct Descriptor {
    std::uint32_t generation;
    std::vector<WatchId> watches;
  };

  explicit Poller(UniqueFd epoll) : epoll_(std::move(epoll)) {}

  int UpdateEpoll(int operation, int fd, const Descriptor& descriptor) const;
  void Dispatch(std::uint32_t events, std::uint64_t token);
  void Call(WatchId id, std::uint32_t events);

  UniqueFd epoll_;
  std::map<WatchId, Watch> watches_;
  std::map<int, Descriptor> descriptors_;
  std::uint32_t last_generation_ = 0;
  std::uint64_t sleeps_ = 0;
};

// Callbacks posted to a loop from any thread.

class Postbox {
 public:
  static Result<UniqueFd> MakeBell();
  explicit Postbox(UniqueFd bell) : bell_(std::move(bell)) {}

  int fd() const { return bell_.get(); }  // readable when something was posted

  // From any thread.
  void Post(EventLoop::Callback callback);
  void Ring();

  // Runs what was posted so far; a later Post rings again.
  void RunAll();

 private:
  UniqueFd bell_;
  std::mutex mutex_;  // for posted_
  std::vector<EventLoop::Callback> posted_;
};

class RealEventLoop final : public EventLoop {
 public:
  static Result<std::unique_ptr<RealEventLoop>> Create();

  MonotonicTime Now() const override { return clock_.Monotonic(); }
  TimerId StartTimerAt(MonotonicTime at, Callback callback) override;
  void CancelTimer(TimerId id) override;
  Result<WatchId> Watch(int fd, Readiness readiness, Callback callback) override;
  Result<WatchId> WatchProcess(const Process& process, Callback callback) override;
  Result<WatchId> WatchSignal(int signal, Callback callback) override;
  Result<WatchId> WatchFolder(const std::string& path, FolderCallback callback) override;
  Result<WatchId> WatchFolderContent(const std::string& path, FolderCallback callback) override;
  void Unwatch(WatchId id) override;
  void Post(Callback callback) override;
  std::uint64_t Sleeps() const override { return poller_.sleeps(); }
  void Run() override;
  void Stop() override;

 private:
  RealEventLoop(Poller poller, UniqueFd bell, UniqueFd signals);

  Result<void> ConnectSources();
  Result<void> NeedFolders();
  Result<WatchId> AddFolder(const std::string& path, FolderDetail detail, FolderCallback callback);
  void RunOnce();
  std::optional<Duration> TimeLeft() const;  // until the next timer
  WatchId NewId() { return WatchId{++last_id_}; }

  SystemClock clock_;
  TimerQueue timers_;
  Poller poller_;
  Postbox postbox_;
  SignalWatcher signals_;
  std::optional<FolderWatcher> folders_;  // once a folder is watched
  std::map<WatchId, UniqueFd> processes_;
  std::uint64_t last_id_ = 0;
  std::atomic<bool> stopping_ = false;
};

}  // namespace belay

#endif  // BELAY_OS_REAL_EVENT_LOOP_H_
