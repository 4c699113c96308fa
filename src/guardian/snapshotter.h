// Takes snapshots of agents' work without holding up the loop: each by a program of its own,
// `belay snapshot take`, a few at a time. A program and not a thread: git's output and a large tree
// stay out of our memory, and one that hangs can be ended.

#ifndef BELAY_GUARDIAN_SNAPSHOTTER_H_
#define BELAY_GUARDIAN_SNAPSHOTTER_H_

#include <functional>
#include <list>
#include <memory>
#include <string>

#include "app/outcome.h"
#include "base/ids.h"
#include "base/result.h"
#include "os/event_loop.h"
#include "os/program.h"
#include "store/layout.h"

namespace belay {

class Snapshotter {
 public:
  using Callback = std::function<void(const Result<SnapshotOutcome>&)>;

  // Ordinary ones leave room for one of those that somebody waits for, and go behind them.
  enum class Haste { kOrdinary, kWaitedFor };

  // While `held_back` says so none is begun. `belay` is the program that takes them; ourselves,
  // unless a test says otherwise.
  Snapshotter(EventLoop& loop, const Layout& project, std::function<bool()> held_back,
              std::string belay = "/proc/self/exe")
      : loop_(loop),
        project_(project),
        held_back_(std::move(held_back)),
        belay_(std::move(belay)) {}

  // Calls back in the loop's thread when it is done, failed, or took too long. Those under way when
  // this object goes are ended: nothing is lost by that but the snapshot.
  void Take(const IdentityName& agent, std::string message, Haste haste, Callback callback);
  // If one of that agent isn't begun yet, somebody waits for it from now on.
  void Hurry(const IdentityName& agent);
  // Begins those that were held back and no longer are.
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
  Jobs urgent_;  // begun before those that wait
  Jobs waiting_;
  Jobs running_;
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_SNAPSHOTTER_H_
