// Work that may wait a little, one piece a round of the loop: so that a death which happens
// meanwhile is seen between two pieces and not behind all of them.

#ifndef BELAY_GUARDIAN_DEFERRED_WORK_H_
#define BELAY_GUARDIAN_DEFERRED_WORK_H_

#include <deque>
#include <functional>
#include <set>
#include <string>

#include "os/event_loop.h"

namespace belay {

class DeferredWork {
 public:
  explicit DeferredWork(EventLoop& loop) : loop_(loop) {}
  DeferredWork(const DeferredWork&) = delete;
  DeferredWork& operator=(const DeferredWork&) = delete;

  // In the order of adding. One with the same name as another that still waits is dropped, since
  // that one will do; an empty name is nobody's.
  void Add(std::string name, std::function<void()> work);
  // The same before all that wait.
  void AddFirst(std::string name, std::function<void()> work);
  bool idle() const { return waiting_.empty(); }

 private:
  struct Item {
    std::string name;
    std::function<void()> work;
  };

  void Schedule();
  void RunOne();

  EventLoop& loop_;
  std::deque<Item> waiting_;
  std::set<std::string> names_;
  bool scheduled_ = false;
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_DEFERRED_WORK_H_
