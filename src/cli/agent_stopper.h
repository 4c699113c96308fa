// Ends an agent whose stop was recorded: TERM to it and its process group, a grace, then KILL to
// its whole tree, until it and its `belay exec` are gone. Records nothing itself.
//
//   found out              then
//   --------------------   -----------------------------------------------------------------
//   it runs                signal it, wait for its end
//   its exec is starting   wait until it runs
//   its exec is ending     wait until that is gone, so that whoever was left of it is gone too
//   nobody started it      a run record that says so, which keeps everybody from starting it
//   it has ended           done

#ifndef BELAY_CLI_AGENT_STOPPER_H_
#define BELAY_CLI_AGENT_STOPPER_H_

#include <optional>

#include "base/result.h"
#include "guardian/end.h"
#include "guardian/session_doors.h"
#include "os/event_loop.h"
#include "os/process.h"

namespace belay {

class AgentStopper {
 public:
  AgentStopper(EventLoop& loop, const SessionDoors& doors, Identity identity)
      : loop_(loop), doors_(doors), identity_(std::move(identity)) {}

  // Without a grace with `now`. kFailed when it is still there after all that; kBusy when somebody
  // keeps the lock under which it could be started.
  Result<void> Stop(bool now);
  // Whether it had to be killed.
  bool killed() const { return killed_; }

 private:
  void Look();
  Result<void> TryLook();
  Result<void> ForbidStart();
  void WaitForLock();
  void Meet(const RunRecord& run);
  void Follow(std::optional<Process>& process, const ProcessIdentity& identity);
  void Ask();
  void Kill();
  void KillAgain();
  void GiveUp();
  void Finish(Result<void> outcome);

  EventLoop& loop_;
  SessionDoors doors_;
  Identity identity_;
  std::optional<Process> agent_ = {};
  std::optional<Process> exec_ = {};
  std::optional<RunRecord> run_ = {};
  bool now_ = false;
  bool asked_ = false;
  bool killed_ = false;
  int kills_left_ = 0;
  int lock_tries_left_ = 0;
  bool waits_for_lock_ = false;
  Result<void> outcome_ = {};
  bool finished_ = false;
};

}  // namespace belay

#endif  // BELAY_CLI_AGENT_STOPPER_H_
