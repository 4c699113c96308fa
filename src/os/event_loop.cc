#include "os/event_loop.h"

#include <vector>

namespace belay {

TimerId EventLoop::StartTimer(Duration wait, Callback callback) {
  const MonotonicTime now = Now();
  const bool never = wait > MonotonicTime::max() - now;
  return StartTimerAt(never ? MonotonicTime::max() : now + wait, std::move(callback));
}

Result<void> StopWhenReaderIsGone(EventLoop& loop, std::optional<int> out_pipe) {
  if (!out_pipe) return {};
  BELAY_TRY(loop.Watch(*out_pipe, Readiness::kReadable, [&loop] { loop.Stop(); }));
  return {};
}

TimerId TimerQueue::Start(MonotonicTime at, EventLoop::Callback callback) {
  const TimerId id{++last_id_};
  timers_.emplace(Key{at, id}, std::move(callback));
  due_.emplace(id, at);
  return id;
}

void TimerQueue::Cancel(TimerId id) {
  const auto due = due_.find(id);
  if (due == due_.end()) return;
  timers_.erase(Key{due->second, id});
  due_.erase(due);
}

std::optional<MonotonicTime> TimerQueue::Next() const {
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first.first;
}

void TimerQueue::RunDue(MonotonicTime now) {
  std::vector<Key> due;
  for (const auto& [key, callback] : timers_) {
    if (key.first > now) break;
    due.push_back(key);
  }
  for (const Key& key : due) {
    auto timer = timers_.extract(key);
    if (timer.empty()) continue;
    due_.erase(key.second);
    timer.mapped()();
  }
}

}  // namespace belay
