#include "os/real_event_loop.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

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
  if (!epoll) return SystemError("create an epoll", errno);
  return Poller(std::move(epoll));
}

Result<void> Poller::Add(WatchId id, int fd, Readiness readiness, EventLoop::Callback callback) {
  const bool known = descriptors_.contains(fd);
  Descriptor& descriptor = descriptors_[fd];
  if (!known) descriptor.generation = ++last_generation_;
  descriptor.watches.push_back(id);
  watches_.emplace(id, Watch{fd, EventsOf(readiness),
                             std::make_shared<EventLoop::Callback>(std::move(callback))});
  const int error = UpdateEpoll(known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, descriptor);
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
  // Fails only for descriptors that were closed too early: epoll has already dropped them.
  (void)UpdateEpoll(descriptor.watches.empty() ? EPOLL_CTL_DEL : EPOLL_CTL_MOD, fd, descriptor);
  if (descriptor.watches.empty()) descriptors_.erase(fd);
}

int Poller::UpdateEpoll(int operation, int fd, const Descriptor& descriptor) const {
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

Result<UniqueFd> Postbox::MakeBell() {
  UniqueFd bell(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!bell) return SystemError("create an eventfd", errno);
  return bell;
}

void Postbox::Post(EventLoop::Callback callback) {
  {
    const std::scoped_lock lock(mutex_);
    posted_.push_back(std::move(callback));
  }
  Ring();
}

// Can only fail after 2^64 rings.
void Postbox::Ring() { (void)eventfd_write(bell_.get(), 1); }

void Postbox::RunAll() {
  eventfd_t rings = 0;
  // Reset before reading the list, so that no ring is missed.
  (void)eventfd_read(bell_.get(), &rings);
  std::vector<EventLoop::Callback> posted;
  {
    const std::scoped_lock lock(mutex_);
    posted.swap(posted_);
  }
  for (const EventLoop::Callback& callback : posted) callback();
}

Result<std::unique_ptr<RealEventLoop>> RealEventLoop::Create() {
  BELAY_TRY_ASSIGN(Poller poller, Poller::Create());
  BELAY_TRY_ASSIGN(UniqueFd bell, Postbox::MakeBell());
  BELAY_TRY_ASSIGN(UniqueFd signals, SignalWatcher::MakeSignalFd());
  std::unique_ptr<RealEventLoop> loop(
      new RealEventLoop(std::move(poller), std::move(bell), std::move(signals)));
  BELAY_TRY(loop->ConnectSources());
  return loop;
}

RealEventLoop::RealEventLoop(Poller poller, UniqueFd bell, UniqueFd signals)
    : poller_(std::move(poller)), postbox_(std::move(bell)), signals_(std::move(signals)) {}

Result<void> RealEventLoop::ConnectSources() {
  BELAY_TRY(Watch(postbox_.fd(), Readiness::kReadable, [this] { postbox_.RunAll(); }));
  BELAY_TRY(Watch(signals_.fd(), Readiness::kReadable, [this] { signals_.Dispatch(); }));
  return {};
}

TimerId RealEventLoop::StartTimerAt(MonotonicTime at, Callback callback) {
  return timers_.Start(at, std::move(callback));
}

void RealEventLoop::CancelTimer(TimerId id) { timers_.Cancel(id); }

Result<WatchId> RealEventLoop::Watch(int fd, Readiness readiness, Callback callback) {
  const WatchId id = NewId();
  BELAY_TRY(poller_.Add(id, fd, readiness, std::move(callback)));
  return id;
}

Result<WatchId> RealEventLoop::WatchProcess(const Process& process, Callback callback) {
  // A copy, so that neither has to outlive the other.
  UniqueFd pidfd(fcntl(process.pidfd(), F_DUPFD_CLOEXEC, 0));
  if (!pidfd) return SystemError(fmt::format("watch process {}", process.pid()), errno);
  const WatchId id = NewId();
  BELAY_TRY(poller_.Add(id, pidfd.get(), Readiness::kReadable,
                        [this, id, callback = std::move(callback)] {
                          Unwatch(id);
                          callback();
                        }));
  processes_.emplace(id, std::move(pidfd));
  return id;
}

Result<WatchId> RealEventLoop::WatchSignal(int signal, Callback callback) {
  const WatchId id = NewId();
  BELAY_TRY(signals_.Add(id, signal, std::move(callback)));
  return id;
}

Result<WatchId> RealEventLoop::WatchFolder(const std::string& path, FolderCallback callback) {
  return AddFolder(path, FolderDetail::kNames, std::move(callback));
}

Result<WatchId> RealEventLoop::WatchFolderContent(const std::string& path,
                                                  FolderCallback callback) {
  return AddFolder(path, FolderDetail::kNamesAndContent, std::move(callback));
}

Result<WatchId> RealEventLoop::AddFolder(const std::string& path, FolderDetail detail,
                                         FolderCallback callback) {
  BELAY_TRY(NeedFolders());
  const WatchId id = NewId();
  BELAY_TRY(folders_->Add(id, path, detail, std::move(callback)));
  return id;
}

Result<void> RealEventLoop::NeedFolders() {
  if (folders_) return {};
  BELAY_TRY_ASSIGN(FolderWatcher folders, FolderWatcher::Create());
  BELAY_TRY(Watch(folders.fd(), Readiness::kReadable, [this] { folders_->Dispatch(); }));
  folders_ = std::move(folders);
  return {};
}

void RealEventLoop::Unwatch(WatchId id) {
  poller_.Remove(id);
  signals_.Remove(id);
  if (folders_) folders_->Remove(id);
  processes_.erase(id);
}

void RealEventLoop::Post(Callback callback) { postbox_.Post(std::move(callback)); }

void RealEventLoop::Run() {
  while (!stopping_.exchange(false)) RunOnce();
}

void RealEventLoop::RunOnce() {
  poller_.Wait(TimeLeft());
  timers_.RunDue(Now());
}

std::optional<Duration> RealEventLoop::TimeLeft() const {
  const std::optional<MonotonicTime> next = timers_.Next();
  if (!next) return std::nullopt;
  const MonotonicTime now = Now();
  return *next <= now ? Duration(0) : *next - now;
}

void RealEventLoop::Stop() {
  stopping_ = true;
  postbox_.Ring();
}

}  // namespace belay
