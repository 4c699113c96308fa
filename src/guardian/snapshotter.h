// Takes snapshots of agents' work without blocking the loop: each in its own process,
// `belay snapshot take`, a few at a time. A process and not a thread: git's output and a large tree
// stay out of our memory, and a hanging one can be ended.

#ifndef BELAY_GUARDIAN_SNAPSHOTTER_H_
#define BELAY_GUARDIAN_SNAPSHOTTER_H_

#include <functional>
#include <list>
#include <memory>
#include <string>

#include "app/program_outcome.h"
#include "base/ids.h"
#include "base/result.h"
#include "os/event_loop.h"
#include "os/program.h"
#include "store/layout.h"

namespace belay {

class Snapshotter {
 public:
  using Callback = std::function<void(const Result<SnapshotOutcome>&)>;

  // Ordinary snapshots start after those that are waited for, and leave room for one of them.
  enum class Haste { kOrdinary, kWaitedFor };

  // While `held_back` returns true, none is started. `belay` is the program to start: this one,
  // except in tests.
  Snapshotter(EventLoop& loop, const Layout& project, std::function<bool()> held_back,
              std::string belay = "/proc/self/exe")
      : loop_(loop),
        project_(project),
        held_back_(std::move(held_back)),
        belay_(std::move(belay)) {}

  // Calls back in the loop's thread when it is done, failed, or took too long. The destructor ends
  // running ones; only those snapshots are lost.
  void Take(const IdentityName& agent, std::string message, Haste haste, Callback callback);
  // If a snapshot of that agent has not started yet, it counts as waited for from now on.
  void Hurry(const IdentityName& agent);
  // Starts those that are no longer held back.
  void GoOn() { StartMore(); }
  bool idle() const { return urgent_.empty() && waiting_.empty() && running_.empty(); }

 private:
  struct Job {
    IdentityName agent;
    std::string message;
    Haste haste;
    Callback callback;
    std::unique_ptr<BackgroundProgram> program = {};
  };
  using Jobs = std::list<Job>;

  void StartMore();
  bool HasRoom() const;
  Result<void> Start(Jobs::iterator job);
  void Finish(Jobs::iterator job, const Result<SnapshotOutcome>& outcome);

  EventLoop& loop_;
  const Layout& project_;
  std::function<bool()> held_back_;
  std::string belay_;
  Jobs urgent_;  // started before waiting_
  Jobs waiting_;
  Jobs running_;
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_SNAPSHOTTER_H_
