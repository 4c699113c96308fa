// Processes the merge queue while a guardian is running: whenever an entry is queued, it starts
// `belay merge-queue process --all`, one at a time. A separate program and not a thread, as with
// snapshots: slow or broken gates can't harm the guardian, and if the guardian is killed, the
// program continues. When the guardian ends normally, it ends the program and its gate.

#ifndef BELAY_GUARDIAN_MERGE_DRIVER_H_
#define BELAY_GUARDIAN_MERGE_DRIVER_H_

#include <functional>
#include <list>
#include <memory>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "codec/json.h"
#include "model/merge_entry.h"
#include "os/event_loop.h"
#include "os/program.h"
#include "store/layout.h"

namespace belay {

// The request in a MERGE_READY. Empty: not given.
struct MergeRequest {
  std::string agent = {};   // an identity name
  std::string branch = {};  // default: the branch that is checked out in the agent's worktree
  std::string head = {};
  std::string target = {};
};

class MergeDriver {
 public:
  using Say = std::function<void(const std::string&)>;
  using Callback = std::function<void(const Result<Json>&)>;

  // `look` is called when it is time to Drive again, `ask` with a problem that needs a person.
  // `belay` is the program to start: this one, except in tests.
  MergeDriver(EventLoop& loop, const Layout& project, Say say, Say ask, std::function<void()> look,
              std::string belay = "/proc/self/exe")
      : loop_(loop),
        project_(project),
        say_(std::move(say)),
        ask_(std::move(ask)),
        look_(std::move(look)),
        belay_(std::move(belay)) {}
  MergeDriver(const MergeDriver&) = delete;
  MergeDriver& operator=(const MergeDriver&) = delete;
  // Ends the program that lands work, and lets it end its gate.
  ~MergeDriver();

  // The programs act as this agent id: the guardian's.
  void ActAs(const AgentId& self) { self_ = self.text(); }

  // Queues the work; calls back in the loop's thread with the entry.
  void Enqueue(const MergeRequest& request, Callback callback);
  // Starts processing what is queued, unless it already is.
  void Drive(const MergeBook& book, WallTime now);
  // A checkout that entries wait for may have changed: asks for a Drive, which tries them again.
  void TryCheckouts();
  // Starts a program that completes what a killed one had begun.
  void Recover();
  bool idle() const { return !processing_ && adding_.empty(); }

 private:
  struct Adding {
    Callback callback;
    std::unique_ptr<BackgroundProgram> program = {};
  };

  Result<std::unique_ptr<BackgroundProgram>> Start(std::vector<std::string> words, Duration limit,
                                                   BackgroundProgram::Callback callback);
  void Process(const std::string& target);
  void Processed(const Result<ProgramResult>& result);
  void WaitALittle(const std::string& why, bool ask = true);

  EventLoop& loop_;
  const Layout& project_;
  Say say_;
  Say ask_;
  std::function<void()> look_;
  std::string belay_;
  std::string self_;
  std::list<Adding> adding_;
  std::unique_ptr<BackgroundProgram> processing_;
  TimerId again_ = {};
  bool waits_ = false;  // after a problem; the timer tries again
  std::string trouble_ = {};
  int tries_ = 0;  // with the same problem
  bool try_checkouts_ = false;
  std::string line_ = {};  // the queued entries when processing last started
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_MERGE_DRIVER_H_
