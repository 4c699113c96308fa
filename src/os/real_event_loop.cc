#include "os/real_event_loop.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <utility>

namespace belay {

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
