#include "testing/simulated_event_loop.h"

#include <algorithm>

namespace belay {
namespace {

EventLoop::FolderCallback IgnoringTheEvent(EventLoop::Callback callback) {
  return [callback = std::move(callback)](const FolderEvent&) { callback(); };
}

}  // namespace

TimerId SimulatedEventLoop::StartTimerAt(MonotonicTime at, Callback callback) {
  return timers_.Start(at, std::move(callback));
}

void SimulatedEventLoop::CancelTimer(TimerId id) { timers_.Cancel(id); }

Result<WatchId> SimulatedEventLoop::Watch(int fd, Readiness readiness, Callback callback) {
  return Add(FdSource{fd, readiness}, IgnoringTheEvent(std::move(callback)));
}

Result<WatchId> SimulatedEventLoop::WatchProcess(const Process& process, Callback callback) {
  return Add(ProcessSource{process.pid()}, IgnoringTheEvent(std::move(callback)));
}

Result<WatchId> SimulatedEventLoop::WatchSignal(int signal, Callback callback) {
  return Add(SignalSource{signal}, IgnoringTheEvent(std::move(callback)));
}

Result<WatchId> SimulatedEventLoop::WatchFolder(const std::string& path, FolderCallback callback) {
  return WatchFolderContent(path, [callback = std::move(callback)](const FolderEvent& event) {
    if (event.change != FolderChange::kWritten) callback(event);
  });
}

Result<WatchId> SimulatedEventLoop::WatchFolderContent(const std::string& path,
                                                       FolderCallback callback) {
  return Add(FolderSource{path}, std::move(callback));
}

void SimulatedEventLoop::Unwatch(WatchId id) { watches_.erase(id); }

void SimulatedEventLoop::Post(Callback callback) { posted_.push_back(std::move(callback)); }

void SimulatedEventLoop::Run() {
  while (!stopping_ && RunNext(MonotonicTime::max())) {
  }
  stopping_ = false;
}

void SimulatedEventLoop::RunFor(Duration duration) {
  const MonotonicTime end = Now() + duration;
  while (!stopping_ && RunNext(end)) {
  }
  if (!stopping_) clock_.Advance(end - Now());
  stopping_ = false;
}

bool SimulatedEventLoop::RunNext(MonotonicTime end) {
  if (!posted_.empty()) {
    RunPosted();
    return true;
  }
  const std::optional<MonotonicTime> next = timers_.Next();
  if (!next || *next > end) return false;
  clock_.Advance(std::max(*next, Now()) - Now());
  timers_.RunDue(Now());
  return true;
}

void SimulatedEventLoop::RunPosted() {
  std::vector<Callback> posted;
  posted.swap(posted_);
  for (const Callback& callback : posted) callback();
}

bool SimulatedEventLoop::Fire(int fd, Readiness readiness) {
  return FireAll(FdSource{fd, readiness}, {}, false);
}

bool SimulatedEventLoop::FireProcess(pid_t pid) { return FireAll(ProcessSource{pid}, {}, true); }

bool SimulatedEventLoop::FireSignal(int signal) { return FireAll(SignalSource{signal}, {}, false); }

bool SimulatedEventLoop::FireFolder(const std::string& path, const FolderEvent& event) {
  return FireAll(FolderSource{path}, event, event.change == FolderChange::kGone);
}

WatchId SimulatedEventLoop::Add(Source source, FolderCallback callback) {
  const WatchId id{++last_id_};
  watches_.emplace(
      id, Watched{std::move(source), std::make_shared<FolderCallback>(std::move(callback))});
  return id;
}

bool SimulatedEventLoop::FireAll(const Source& source, const FolderEvent& event, bool last) {
  std::vector<WatchId> ids;
  for (const auto& [id, watched] : watches_) {
    if (watched.source == source) ids.push_back(id);
  }
  for (const WatchId id : ids) {
    const auto watched = watches_.find(id);
    if (watched == watches_.end()) continue;
    const std::shared_ptr<FolderCallback> callback = watched->second.callback;
    if (last) watches_.erase(watched);
    (*callback)(event);
  }
  return !ids.empty();
}

}  // namespace belay
