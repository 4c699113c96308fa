// Keeps the merge queue going while a guardian runs: whenever somebody is in line,
// `belay merge-queue process --all` is run, by a program of its own, one at a time. A program and
// not a thread, as with snapshots: gates that take long or go wild stay out of our way, and if we
// are killed it goes on. If we are ended, it is too, with its gate.

#ifndef BELAY_GUARDIAN_MERGE_DRIVER_H_
#define BELAY_GUARDIAN_MERGE_DRIVER_H_

#include <functional>
#include <list>
#include <memory>
#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "codec/json.h"
#include "model/merge_book.h"
#include "os/event_loop.h"
#include "os/program.h"
#include "store/layout.h"

namespace belay {

// What MERGE_READY asks for. Empty: not said.
struct MergeRequest {
  std::string agent = {};   // an identity name
  std::string branch = {};  // default: what is checked out where the agent works
  std::string head = {};
  std::string target = {};
};

class MergeDriver {
 public:
  using Say = std::function<void(const std::string&)>;
  using Callback = std::function<void(const Result<Json>&)>;

  // `look` is called when it is time to Drive again, `ask` with what stands in the way and doesn't
  // go by itself. `belay` is the program that does it;
  // ourselves, unless a test says otherwise.
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

  // As whom the programs act: the guardian.
  void ActAs(const AgentId& self) { self_ = self.text(); }

  // Into the queue; calls back in the loop's thread with the entry.
  void Enqueue(const MergeRequest& request, Callback callback);
  // Begins with what is in line, unless that is under way.
  void Drive(const MergeBook& book, WallTime now);
  // A checkout that entries wait for may have changed: they are tried when Drive comes next, which
  // this asks for.
  void TryCheckouts();
  // Lets a program end what a killed one had begun.
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
  bool waits_ = false;  // something stood in the way; tried again by the timer
  std::string trouble_ = {};
  int tries_ = 0;  // with the same trouble
  bool try_checkouts_ = false;
  std::string line_ = {};  // who was in line when it was last begun
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_MERGE_DRIVER_H_
