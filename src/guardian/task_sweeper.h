// Runs `belay task sweep` for the guardian, one at a time, in a process of its own: suspending
// tasks takes snapshots and cleans worktrees. If the guardian is killed, the sweep goes on; the
// next guardian starts another one, which continues it or finds nothing to do.

#ifndef BELAY_GUARDIAN_TASK_SWEEPER_H_
#define BELAY_GUARDIAN_TASK_SWEEPER_H_

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/ids.h"
#include "base/result.h"
#include "codec/json.h"
#include "os/event_loop.h"
#include "os/program.h"
#include "store/layout.h"

namespace belay {

class TaskSweeper {
 public:
  using Say = std::function<void(const std::string&)>;

  // `look` is called when it is time to decide again whether a sweep is needed. `say` gets a line
  // for each task that was swept, and `ask` what a person should know. `belay` is the program to
  // start: this one, except in tests.
  TaskSweeper(EventLoop& loop, const Layout& project, Say say, Say ask, std::function<void()> look,
              std::string belay = "/proc/self/exe")
      : loop_(loop),
        project_(project),
        say_(std::move(say)),
        ask_(std::move(ask)),
        look_(std::move(look)),
        belay_(std::move(belay)) {}
  TaskSweeper(const TaskSweeper&) = delete;
  TaskSweeper& operator=(const TaskSweeper&) = delete;
  ~TaskSweeper();

  // The program acts as this agent id: the guardian's.
  void ActAs(const AgentId& self) { self_ = self.text(); }

  // `tasks` names those that need it. While a sweep runs, this does nothing; if the same ones still
  // need it after that, they wait a little, each time longer.
  void Sweep(const std::string& tasks);
  bool idle() const { return !running_; }

 private:
  void Finish(const Result<ProgramResult>& result);
  void ReportRows(const Json& record);
  bool SayOnce(const std::string& text);

  EventLoop& loop_;
  const Layout& project_;
  Say say_;
  Say ask_;
  std::function<void()> look_;
  std::string belay_;
  std::string self_;
  std::unique_ptr<BackgroundProgram> running_;
  TimerId again_ = {};
  bool waits_ = false;
  std::string tasks_;           // of the last sweep
  int tries_ = 0;               // with the same tasks
  std::set<std::string> said_;  // lines
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_TASK_SWEEPER_H_
