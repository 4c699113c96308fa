// An event loop in simulated time: hours of timers pass in microseconds, and the test fires the
// kernel's events.
//
//   FakeClock clock;
//   SimulatedEventLoop loop(clock);
//   loop.StartTimer(std::chrono::minutes(5), ...);
//   loop.RunFor(std::chrono::hours(24));
//   loop.FireProcess(4711);
//
// Used by one thread. A process is identified by its pid: Process::Adopt(4711, {}) names one that
// need not exist.

#ifndef BELAY_TESTING_SIMULATED_EVENT_LOOP_H_
#define BELAY_TESTING_SIMULATED_EVENT_LOOP_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "os/event_loop.h"
#include "testing/fake_clock.h"

namespace belay {

class SimulatedEventLoop final : public EventLoop {
 public:
  explicit SimulatedEventLoop(FakeClock& clock) : clock_(clock) {}

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
  // Runs until Stop, or until no timer or posted callback is left.
  void Run() override;
  void Stop() override { stopping_ = true; }

  // Advances the clock from timer to timer, and runs what is posted and due on the way. Ends with
  // the clock exactly `duration` later, or at Stop.
  void RunFor(Duration duration);

  // As if this had just happened. False when nothing watches it.
  bool Fire(int fd, Readiness readiness);
  bool FireProcess(pid_t pid);  // ends its watches
  bool FireSignal(int signal);
  bool FireFolder(const std::string& path, const FolderEvent& event);  // kGone ends its watches

 private:
  struct FdSource {
    int fd;
    Readiness readiness;
    bool operator==(const FdSource&) const = default;
  };
  struct ProcessSource {
    pid_t pid;
    bool operator==(const ProcessSource&) const = default;
  };
  struct SignalSource {
    int signal;
    bool operator==(const SignalSource&) const = default;
  };
  struct FolderSource {
    std::string path;
    bool operator==(const FolderSource&) const = default;
  };
  using Source = std::variant<FdSource, ProcessSource, SignalSource, FolderSource>;
  struct Watched {
    Source source;
    std::shared_ptr<FolderCallback> callback;  // only folder watches use the event
  };

  WatchId Add(Source source, FolderCallback callback);
  bool FireAll(const Source& source, const FolderEvent& event, bool last);
  void RunPosted();
  // Runs the round at the next timer, if it is due by `end`.
  bool RunNext(MonotonicTime end);

  FakeClock& clock_;
  TimerQueue timers_;
  std::map<WatchId, Watched> watches_;
  std::vector<Callback> posted_;
  std::uint64_t last_id_ = 0;
  bool stopping_ = false;
};

}  // namespace belay

#endif  // BELAY_TESTING_SIMULATED_EVENT_LOOP_H_
