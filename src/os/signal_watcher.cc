#include "os/signal_watcher.h"

#include <fmt/core.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

namespace belay {
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
