// Work that may wait a little, one piece a round of the loop: so that a death which happens
// meanwhile is seen between two pieces and not behind all of them.

#ifndef BELAY_GUARDIAN_CHORES_H_
#define BELAY_GUARDIAN_CHORES_H_

#include <deque>
#include <functional>
#include <set>
#include <string>

#include "os/event_loop.h"

namespace belay {

class Chores {
 public:
  explicit Chores(EventLoop& loop) : loop_(loop) {}
  Chores(const Chores&) = delete;
  Chores& operator=(const Chores&) = delete;

  // In the order of adding. One with the same name as another that still waits is dropped, since
  // that one will do; an empty name is nobody's.
  void Add(std::string name, std::function<void()> work);
  // The same before all that wait.
  void AddFirst(std::string name, std::function<void()> work);
  bool idle() const { return waiting_.empty(); }

 private:
  struct Chore {
    std::string name;
    std::function<void()> work;
  };

  void Schedule();
  void RunOne();

  EventLoop& loop_;
  std::deque<Chore> waiting_;
  std::set<std::string> names_;
  bool scheduled_ = false;
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_CHORES_H_
