#include "os/poller.h"

#include <fmt/core.h>
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include "base/check.h"

namespace belay {
namespace {

constexpr std::size_t kEventsPerRound = 64;

std::uint32_t EventsOf(Readiness readiness) {
  switch (readiness) {
    case Readiness::kReadable:
      return EPOLLIN | EPOLLRDHUP;
    case Readiness::kWritable:
      return EPOLLOUT;
  }
  __builtin_unreachable();
}

std::uint64_t Token(int fd, std::uint32_t generation) {
  return std::uint64_t{generation} << 32U | static_cast<std::uint32_t>(fd);
}

// Rounded up: waking a little early would find no timer due.
int Milliseconds(std::optional<Duration> longest) {
  if (!longest) return -1;
  const auto count = std::chrono::ceil<std::chrono::milliseconds>(*longest).count();
  return static_cast<int>(std::clamp<std::int64_t>(count, 0, std::numeric_limits<int>::max()));
}

}  // namespace

Result<Poller> Poller::Create() {
  UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return SystemError("make an epoll", errno);
  return Poller(std::move(epoll));
}

Result<void> Poller::Add(WatchId id, int fd, Readiness readiness, EventLoop::Callback callback) {
  const bool known = descriptors_.contains(fd);
  Descriptor& descriptor = descriptors_[fd];
  if (!known) descriptor.generation = ++last_generation_;
  descriptor.watches.push_back(id);
  watches_.emplace(id, Watch{fd, EventsOf(readiness),
                             std::make_shared<EventLoop::Callback>(std::move(callback))});
  const int error = Tell(known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, descriptor);
  if (error == 0) return {};
  Remove(id);
  return SystemError(fmt::format("watch descriptor {}", fd), error);
}

void Poller::Remove(WatchId id) {
  const auto watch = watches_.find(id);
  if (watch == watches_.end()) return;
  const int fd = watch->second.fd;
  Descriptor& descriptor = descriptors_.at(fd);
  std::erase(descriptor.watches, id);
  watches_.erase(watch);
  // Failures are for descriptors that were closed too early: epoll has forgotten them itself.
  (void)Tell(descriptor.watches.empty() ? EPOLL_CTL_DEL : EPOLL_CTL_MOD, fd, descriptor);
  if (descriptor.watches.empty()) descriptors_.erase(fd);
}

int Poller::Tell(int operation, int fd, const Descriptor& descriptor) const {
  epoll_event event{};
  for (const WatchId id : descriptor.watches) event.events |= watches_.at(id).events;
  event.data.u64 = Token(fd, descriptor.generation);
  return epoll_ctl(epoll_.get(), operation, fd, &event) == 0 ? 0 : errno;
}

void Poller::Wait(std::optional<Duration> longest) {
  std::array<epoll_event, kEventsPerRound> events;
  const auto wait = [&](int limit) {
    return epoll_wait(epoll_.get(), events.data(), kEventsPerRound, limit);
  };
  const int limit = Milliseconds(longest);
  int count = wait(0);
  if (count == 0 && limit != 0) {
    ++sleeps_;
    count = wait(limit);
  }
  BELAY_CHECK(count >= 0 || errno == EINTR);
  for (int i = 0; i < count; ++i) Dispatch(events[i].events, events[i].data.u64);
}

void Poller::Dispatch(std::uint32_t events, std::uint64_t token) {
  const auto found = descriptors_.find(static_cast<int>(token & 0xffffffffU));
  if (found == descriptors_.end() || found->second.generation != token >> 32U) return;
  const std::vector<WatchId> watches = found->second.watches;
  for (const WatchId id : watches) Call(id, events);
}

void Poller::Call(WatchId id, std::uint32_t events) {
  const auto watch = watches_.find(id);
  if (watch == watches_.end()) return;
  if ((events & (watch->second.events | EPOLLHUP | EPOLLERR)) == 0) return;
  const std::shared_ptr<EventLoop::Callback> callback = watch->second.callback;
  (*callback)();
}

}  // namespace belay
