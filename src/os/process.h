// A process as a value: a pidfd, which can't come to mean another process, whatever happens to the
// pid. Its death is an event (EventLoop::WatchProcess) and its end a value (ExitStatus).
//
//   auto agent = Process::Spawn({.command = {"claude"}, .folder = worktree});
//   if (!agent) return agent.error().AsError();   // {stage, errno}: it never ran
//   agent->Signal(SIGTERM);
//   agent->Wait().text();                         // "killed by SIGTERM"
//
// Our children, and orphans that we adopted as a subreaper, must be reaped by Wait or TryWait; the
// destructor only closes the pidfd. Of other processes the status is known as long as they are
// zombies, and later on kernels with PIDFD_GET_INFO (Linux 6.15); else it is kUnknown.
//
// An object is used by one thread at a time.

#ifndef BELAY_OS_PROCESS_H_
#define BELAY_OS_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <tl/expected.hpp>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "os/exit_status.h"
#include "os/process_identity.h"
#include "os/spawn.h"
#include "os/unique_fd.h"

namespace belay {

class Process {
 public:
  [[nodiscard]] static tl::expected<Process, ExecFailure> Spawn(const SpawnRequest& request);
  // Whoever has this pid now, also one that is no child of ours. kNotFound when nobody has.
  static Result<Process> Open(pid_t pid);
  // That very process; kNotFound when it has ended, also when its pid is in use again.
  static Result<Process> Open(const ProcessIdentity& identity);
  // From a pidfd that somebody else opened (PeerOf); without one it can't be signalled or waited
  // for, only be named.
  static Process Adopt(pid_t pid, UniqueFd pidfd) { return {pid, std::move(pidfd)}; }

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }  // readable once it has ended

  // kNotFound when it has ended and was reaped.
  Result<void> Signal(int signal) const;
  // To every process of the group it leads, also when it has ended itself; kNotFound when there is
  // none. Before Linux 6.9 the group goes by its number: don't use it long after the leader's end.
  Result<void> SignalGroup(int signal) const;

  // Until it ends. Asked again, it says the same again.
  ExitStatus Wait();
  // Nothing while it runs.
  std::optional<ExitStatus> TryWait();
  // Nothing when it still runs after that time.
  std::optional<ExitStatus> WaitAtMost(Duration limit);

 private:
  Process(pid_t pid, UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  std::optional<ExitStatus> Collect(int wait_flags);

  pid_t pid_;
  UniqueFd pidfd_;
  std::optional<ExitStatus> ended_;
};

// From now on orphans among our descendants become our children instead of init's, and we have to
// reap them: a setsid or a double fork doesn't leave the tree of processes. Also when whoever
// started us had it so that the kernel reaps children by itself, and nobody is told how they ended.
Result<void> BecomeSubreaper();

// The same for as long as the object lives; then it is as it was before. There is one at a time.
class SubreaperScope {
 public:
  static Result<SubreaperScope> Begin();
  SubreaperScope(SubreaperScope&& other) noexcept : ends_(std::exchange(other.ends_, false)) {}
  SubreaperScope& operator=(SubreaperScope&&) = delete;
  ~SubreaperScope();

 private:
  explicit SubreaperScope(bool ends) : ends_(ends) {}

  bool ends_;
};

// A child of ours that has ended and wasn't reaped yet, without reaping it: either one that a
// Process stands for, or an adopted orphan for Process::Open and Wait.
std::optional<pid_t> DeadChild();

// Reaps every child that has ended, adopted orphans too. How `leader` ended, if it was among them;
// of the others nobody will know.
std::optional<ExitStatus> ReapChildren(Process* leader);

}  // namespace belay

#endif  // BELAY_OS_PROCESS_H_
