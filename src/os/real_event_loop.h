// The loop that waits for the kernel: epoll for descriptors, and through them pidfds, a signalfd,
// an inotify and an eventfd. os/event_loop.h says what each call promises.

#ifndef BELAY_OS_REAL_EVENT_LOOP_H_
#define BELAY_OS_REAL_EVENT_LOOP_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "os/clock.h"
#include "os/event_loop.h"
#include "os/folder_watcher.h"
#include "os/poller.h"
#include "os/postbox.h"
#include "os/signal_watcher.h"
#include "os/timer_queue.h"
#include "os/unique_fd.h"

namespace belay {

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
