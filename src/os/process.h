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
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/result.h"
#include "base/time.h"
#include "os/environment.h"
#include "os/exit_status.h"
#include "os/fd.h"
#include "os/process_identity.h"

namespace belay {

// Starting a program: what is wanted, and what went wrong, as values. Use Process::Spawn
// (os/process.h); this is the part of it that knows posix_spawn.
//
// posix_spawn and not fork: a fork copies the page tables of a large process. The new process gets
// only the descriptors it is given, also if one of ours above those should lack close-on-exec, and
// no blocked and no ignored signals; and the limit of descriptors that we were given, also if we
// raised our own (os/this_process.h).

enum class SpawnGroup {
  kOurs,        // a Ctrl-C on our terminal reaches it too
  kNewGroup,    // leads a process group, on our terminal
  kNewSession,  // leads a session and a group, without a terminal
};

struct PassedFd {
  int ours;
  int theirs;
};

// Descriptors are borrowed for the time of the call, and may be any numbers in any order.
struct SpawnRequest {
  // command[0] with a slash is a path, as seen from `folder`; else it is looked up in our PATH.
  std::vector<std::string> command;
  std::string program = {};  // what is run, if command[0] is only the name that it is shown by
  std::string folder = {};   // empty: ours
  std::optional<Environment::Variables> environment = {};   // all of it; nothing: ours
  std::optional<int> input = {}, output = {}, errors = {};  // nothing: /dev/null
  std::vector<PassedFd> more_fds = {};
  SpawnGroup group = SpawnGroup::kNewGroup;
};

enum class SpawnStage {
  kDescriptors,  // one that was to be passed on isn't open, or there is no room for one more
  kFolder,       // it isn't there, isn't a folder, or may not be entered
  kFork,         // no room for one more process
  // There is no such program, or it may not or can't be run. EACCES may also mean that a folder of
  // PATH may not be looked into, and that the program is in no other.
  kExec,
  kPidfd,  // the kernel has none, or there is no room; the process was killed at once
};

std::string_view SpawnStageName(SpawnStage stage);

struct ExecFailure {
  SpawnStage stage;
  int error;           // errno
  std::string object;  // the program, the folder or the number of the descriptor

  // "exec no-such-program: No such file or directory"
  Error AsError() const;
};

// A child that runs the program already; the caller must reap it.
[[nodiscard]] tl::expected<pid_t, ExecFailure> SpawnChild(const SpawnRequest& request);

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
