#include "os/watchers.h"

#include <fmt/core.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace belay {
namespace {

constexpr std::uint32_t kSelfGone = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT;
constexpr std::uint32_t kInteresting = IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM |
                                       IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

std::optional<FolderChange> ChangeOf(std::uint32_t mask) {
  if ((mask & IN_Q_OVERFLOW) != 0) return FolderChange::kOverflow;
  if ((mask & kSelfGone) != 0) return FolderChange::kGone;
  if ((mask & IN_CREATE) != 0) return FolderChange::kCreated;
  if ((mask & IN_MOVED_TO) != 0) return FolderChange::kMovedIn;
  if ((mask & (IN_DELETE | IN_MOVED_FROM)) != 0) return FolderChange::kDeleted;
  if ((mask & IN_MODIFY) != 0) return FolderChange::kWritten;
  return std::nullopt;
}

// These errnos don't mean a full disk or too many files here: the user's inotify limits are used
// up.
Error WatchError(std::string_view what, int error) {
  Error watch = SystemError(what, error);
  if (error == ENOSPC) watch.hint = "raise sysctl fs.inotify.max_user_watches";
  if (error == EMFILE) watch.hint = "raise sysctl fs.inotify.max_user_instances";
  return watch;
}

}  // namespace

Result<FolderWatcher> FolderWatcher::Create() {
  UniqueFd inotify(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!inotify) return WatchError("create an inotify", errno);
  return FolderWatcher(std::move(inotify));
}

Result<void> FolderWatcher::Add(WatchId id, const std::string& path, FolderDetail detail,
                                EventLoop::FolderCallback callback) {
  // Keeps what other watches of the same folder asked for.
  const std::uint32_t content = detail == FolderDetail::kNamesAndContent ? IN_MODIFY : 0U;
  const int number =
      inotify_add_watch(inotify_.get(), path.c_str(), kInteresting | content | IN_MASK_ADD);
  if (number < 0) return WatchError("watch " + path, errno);
  by_number_[number].push_back(id);
  watches_.emplace(
      id, Watch{number, detail, std::make_shared<EventLoop::FolderCallback>(std::move(callback))});
  return {};
}

void FolderWatcher::Remove(WatchId id) {
  const auto watch = watches_.find(id);
  if (watch == watches_.end()) return;
  const int number = watch->second.number;
  watches_.erase(watch);
  std::vector<WatchId>& others = by_number_.at(number);
  std::erase(others, id);
  if (!others.empty()) return;
  by_number_.erase(number);
  // Fails when the folder is gone, and the kernel's watch with it.
  (void)inotify_rm_watch(inotify_.get(), number);
}

void FolderWatcher::Dispatch() {
  char buffer[16384];
  const ssize_t count = read(inotify_.get(), buffer, sizeof(buffer));
  for (ssize_t at = 0; at < count;) {
    inotify_event event{};
    std::memcpy(&event, buffer + at, sizeof(event));
    const char* name = buffer + at + sizeof(event);
    Handle(event, {name, strnlen(name, event.len)});
    at += static_cast<ssize_t>(sizeof(event) + event.len);
  }
}

void FolderWatcher::Handle(const inotify_event& event, std::string_view name) {
  const std::optional<FolderChange> change = ChangeOf(event.mask);
  if (!change) return;
  const bool overflow = *change == FolderChange::kOverflow;
  const auto found = by_number_.find(event.wd);
  if (!overflow && found == by_number_.end()) return;
  const std::vector<WatchId> ids = overflow ? All() : found->second;
  Call(ids, {*change, std::string(name)});
  if (*change != FolderChange::kGone) return;
  for (const WatchId id : ids) Remove(id);
}

void FolderWatcher::Call(const std::vector<WatchId>& ids, const FolderEvent& event) {
  for (const WatchId id : ids) {
    const auto watch = watches_.find(id);
    if (watch == watches_.end()) continue;
    const bool unwanted = watch->second.detail == FolderDetail::kNames;
    if (event.change == FolderChange::kWritten && unwanted) continue;
    const std::shared_ptr<EventLoop::FolderCallback> callback = watch->second.callback;
    (*callback)(event);
  }
}

std::vector<WatchId> FolderWatcher::All() const {
  std::vector<WatchId> ids;
  for (const auto& [id, watch] : watches_) ids.push_back(id);
  return ids;
}

namespace {

sigset_t NoSignals() {
  sigset_t set;
  (void)sigemptyset(&set);
  return set;
}

sigset_t Only(int signal) {
  sigset_t set = NoSignals();
  (void)sigaddset(&set, signal);
  return set;
}

bool CanBeCaught(int signal) {
  return signal > 0 && signal <= SIGRTMAX && signal != SIGKILL && signal != SIGSTOP;
}

}  // namespace

Result<UniqueFd> SignalWatcher::MakeSignalFd() {
  const sigset_t none = NoSignals();
  UniqueFd signals(signalfd(-1, &none, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!signals) return SystemError("create a signalfd", errno);
  return signals;
}

SignalWatcher::SignalWatcher(UniqueFd signals)
    : signals_(std::move(signals)), wanted_(NoSignals()), blocked_(NoSignals()) {}

SignalWatcher::~SignalWatcher() { (void)pthread_sigmask(SIG_UNBLOCK, &blocked_, nullptr); }

Result<void> SignalWatcher::Add(WatchId id, int signal, EventLoop::Callback callback) {
  if (!CanBeCaught(signal)) {
    return Error{ErrorCode::kRefused, fmt::format("watch signal {}: it can't be caught", signal)};
  }
  const sigset_t only = Only(signal);
  sigset_t before = NoSignals();
  (void)pthread_sigmask(SIG_BLOCK, &only, &before);
  if (sigismember(&before, signal) == 0) (void)sigaddset(&blocked_, signal);
  (void)sigaddset(&wanted_, signal);
  const int error = Listen();
  if (error != 0) return SystemError(fmt::format("watch signal {}", signal), error);
  watches_.emplace(id, Watch{signal, std::make_shared<EventLoop::Callback>(std::move(callback))});
  return {};
}

void SignalWatcher::Remove(WatchId id) {
  const auto watch = watches_.find(id);
  if (watch == watches_.end()) return;
  const int signal = watch->second.signal;
  watches_.erase(watch);
  if (IsWatched(signal)) return;
  (void)sigdelset(&wanted_, signal);
  (void)Listen();
  if (sigismember(&blocked_, signal) == 0) return;
  const sigset_t only = Only(signal);
  (void)sigdelset(&blocked_, signal);
  (void)pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
}

bool SignalWatcher::IsWatched(int signal) const {
  return std::any_of(watches_.begin(), watches_.end(),
                     [&](const auto& entry) { return entry.second.signal == signal; });
}

int SignalWatcher::Listen() const {
  return signalfd(signals_.get(), &wanted_, SFD_CLOEXEC | SFD_NONBLOCK) < 0 ? errno : 0;
}

void SignalWatcher::Dispatch() {
  signalfd_siginfo came[8];
  // Signals that don't fit stay queued, and wake us again.
  const ssize_t bytes = read(signals_.get(), came, sizeof(came));
  const ssize_t count = bytes / static_cast<ssize_t>(sizeof(came[0]));
  for (ssize_t i = 0; i < count; ++i) Call(static_cast<int>(came[i].ssi_signo));
}

void SignalWatcher::Call(int signal) {
  std::vector<WatchId> ids;
  for (const auto& [id, watch] : watches_) {
    if (watch.signal == signal) ids.push_back(id);
  }
  for (const WatchId id : ids) {
    const auto watch = watches_.find(id);
    if (watch == watches_.end()) continue;
    const std::shared_ptr<EventLoop::Callback> callback = watch->second.callback;
    (*callback)();
  }
}

}  // namespace belay
