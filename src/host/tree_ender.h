// Ends all who descend from us, which as a subreaper we see: whoever is left of an agent's
// processes when the agent itself has ended, or all of a gate's. TERM, and after a grace KILL,
// again and again, since those who are being ended may start others; but not forever.

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
  // Called once, with "1234 sh -c ..." for each that was still there.
  using Done = std::function<void(std::vector<std::string>)>;

  static constexpr Duration kGrace = std::chrono::seconds(1);

  TreeEnder(EventLoop& loop, Done done, Duration grace = kGrace)
      : loop_(loop), done_(std::move(done)), grace_(grace) {}
  TreeEnder(const TreeEnder&) = delete;
  TreeEnder& operator=(const TreeEnder&) = delete;
  ~TreeEnder() { loop_.CancelTimer(timer_); }

  void Start();
  // Somebody was reaped.
  void Look();

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
