// Work that may wait a little, one piece per round of the loop, so that the end of an agent is
// handled between two pieces and not after all of them.

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

  // Runs pieces in the order of adding. Drops a piece whose name is already waiting. An empty name
  // never counts as the same.
  void Add(std::string name, std::function<void()> work);
  // The same, ahead of all waiting pieces.
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
