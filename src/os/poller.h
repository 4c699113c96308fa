// Descriptors and who waits for them, over epoll: the heart of RealEventLoop.

#ifndef BELAY_OS_POLLER_H_
#define BELAY_OS_POLLER_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "os/event_loop.h"
#include "os/unique_fd.h"

namespace belay {

class Poller {
 public:
  static Result<Poller> Create();

  // The descriptor is borrowed until Remove. kFailed for one that can't be waited for, like a file.
  Result<void> Add(WatchId id, int fd, Readiness readiness, EventLoop::Callback callback);
  void Remove(WatchId id);

  // Until something is ready or the time is up (nothing: forever); calls back what is ready.
  // Callbacks may add and remove.
  void Wait(std::optional<Duration> longest);
  // How often nothing was ready at once, so that it had to sleep.
  std::uint64_t sleeps() const { return sleeps_; }

 private:
  struct Watch {
    int fd;
    std::uint32_t events;
    std::shared_ptr<EventLoop::Callback> callback;  // lives while it runs, though removed
  };
  // epoll takes a descriptor once, so those who watch the same one share it. The generation tells
  // an event for a closed descriptor from one for its successor of the same number.
  struct Descriptor {
    std::uint32_t generation;
    std::vector<WatchId> watches;
  };

  explicit Poller(UniqueFd epoll) : epoll_(std::move(epoll)) {}

  int Tell(int operation, int fd, const Descriptor& descriptor) const;
  void Dispatch(std::uint32_t events, std::uint64_t token);
  void Call(WatchId id, std::uint32_t events);

  UniqueFd epoll_;
  std::map<WatchId, Watch> watches_;
  std::map<int, Descriptor> descriptors_;
  std::uint32_t last_generation_ = 0;
  std::uint64_t sleeps_ = 0;
};

}  // namespace belay

#endif  // BELAY_OS_POLLER_H_
