// Ctrl-C and SIGTERM as something to ask about: the command ends what it has begun, and says so.

#ifndef BELAY_CLI_INTERRUPTION_H_
#define BELAY_CLI_INTERRUPTION_H_

#include <memory>
#include <vector>

#include "base/result.h"
#include "os/event_loop.h"

namespace belay {

class Interruption {
 public:
  // From now on neither ends this process. The loop outlives this.
  static Result<std::unique_ptr<Interruption>> Watch(EventLoop& loop);
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  ~Interruption();

  // Not for callbacks of the loop, as it looks by a round of it. If the loop is running when one
  // comes, it is stopped.
  bool Came();
  int exit_code() const { return 128 + signal_; }  // as a shell has it, once one came

 private:
  explicit Interruption(EventLoop& loop) : loop_(loop) {}
  void Take(int signal);

  EventLoop& loop_;
  std::vector<WatchId> watches_;
  int signal_ = 0;  // the first that came
};

}  // namespace belay

#endif  // BELAY_CLI_INTERRUPTION_H_
