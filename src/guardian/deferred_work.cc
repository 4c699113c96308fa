#include "guardian/deferred_work.h"

#include <utility>

namespace belay {

void DeferredWork::Add(std::string name, std::function<void()> work) {
  if (!name.empty() && !names_.insert(name).second) return;
  waiting_.push_back({std::move(name), std::move(work)});
  Schedule();
}

void DeferredWork::AddFirst(std::string name, std::function<void()> work) {
  if (!name.empty() && !names_.insert(name).second) return;
  waiting_.push_front({std::move(name), std::move(work)});
  Schedule();
}

void DeferredWork::Schedule() {
  if (scheduled_ || waiting_.empty()) return;
  scheduled_ = true;
  // A zero timer, not Post: timers run last in a round.
  loop_.StartTimer(Duration::zero(), [this] { RunOne(); });
}

void DeferredWork::RunOne() {
  scheduled_ = false;
  const Item chore = std::move(waiting_.front());
  waiting_.pop_front();
  names_.erase(chore.name);
  chore.work();
  Schedule();
}

}  // namespace belay
