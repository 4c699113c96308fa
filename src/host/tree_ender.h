// Ends all our descendants, which we see as a subreaper: the remaining processes of an agent that
// has ended, or all of a gate's. TERM, and after a grace period KILL, repeatedly, since dying
// processes may start others; but not forever.

#ifndef BELAY_HOST_TREE_ENDER_H_
#define BELAY_HOST_TREE_ENDER_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "os/event_loop.h"

namespace belay {

class TreeEnder {
 public:
  // Called once, with "1234 sh -c ..." for each process that was left.
  using Done = std::function<void(std::vector<std::string>)>;

  static constexpr Duration kGrace = std::chrono::seconds(1);

  TreeEnder(EventLoop& loop, Done done, Duration grace = kGrace)
      : loop_(loop), done_(std::move(done)), grace_(grace) {}
  TreeEnder(const TreeEnder&) = delete;
  TreeEnder& operator=(const TreeEnder&) = delete;
  ~TreeEnder() { loop_.CancelTimer(timer_); }

  void Start();
  // Call it after a process was reaped.
  void Poll();

 private:
  void Signal(std::initializer_list<int> signals);
  void Kill();
  void Finish();

  EventLoop& loop_;
  Done done_;
  Duration grace_;
  TimerId timer_ = {};
  int kills_left_ = 250;
  bool active_ = false;
  std::map<pid_t, std::string> found_;
};

}  // namespace belay

#endif  // BELAY_HOST_TREE_ENDER_H_
