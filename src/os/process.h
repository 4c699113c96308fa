// A process as a value: a pidfd, which never refers to another process, even when the pid is
// reused. Its death is an event (EventLoop::WatchProcess) and its exit status a value (ExitStatus).
//
//   auto agent = Process::Spawn({.command = {"claude"}, .folder = worktree});
//   if (!agent) return agent.error().AsError();   // {stage, errno}: it never ran
//   agent->Signal(SIGTERM);
//   agent->Wait().text();                         // "killed by SIGTERM"
//
// Our children, and orphans that we adopted as a subreaper, must be reaped by Wait or TryWait; the
// destructor only closes the pidfd. The status of other processes is known while they are zombies,
// and later on kernels with PIDFD_GET_INFO (Linux 6.15); else it is kUnknown.
//
// Use an object from one thread at a time.

#ifndef BELAY_OS_PROCESS_H_
#define BELAY_OS_PROCESS_H_

#include <sys/types.h>

#include <csignal>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "os/environment.h"
#include "os/exit_status.h"
#include "os/fd.h"
#include "os/process_identity.h"

namespace belay {

// Starting a program: the request and the failure, as values. Use Process::Spawn (os/process.h);
// this is the part of it that uses posix_spawn.
//
// posix_spawn and not fork: a fork copies the page tables of a large process. The new process gets
// only the descriptors it is given, even if one of ours lacks close-on-exec; no blocked and no
// ignored signals; and our original limit of descriptors, even if we raised ours
// (os/this_process.h).

enum class SpawnGroup {
  kOurs,        // a Ctrl-C on our terminal reaches it too
  kNewGroup,    // leads a process group, on our terminal
  kNewSession,  // leads a session and a group, without a terminal
};

struct PassedFd {
  int ours;
  int theirs;
};

// Descriptors are borrowed during the call; any numbers in any order.
struct SpawnRequest {
  // command[0] with a slash is a path relative to `folder`; else it is looked up in our PATH.
  std::vector<std::string> command;
  std::string program = {};  // the file to run, if command[0] is only the displayed name
  std::string folder = {};   // empty: ours
  std::optional<Environment::Variables> environment = {};   // all of it; nothing: ours
  std::optional<int> input = {}, output = {}, errors = {};  // nothing: /dev/null
  std::vector<PassedFd> more_fds = {};
  SpawnGroup group = SpawnGroup::kNewGroup;
};

enum class SpawnStage {
  kDescriptors,  // one to pass on isn't open, or there are too many
  kFolder,       // it doesn't exist, isn't a folder, or may not be entered
  kFork,         // too many processes
  // The program doesn't exist, or may not or can't be run. EACCES may also mean that a folder of
  // PATH isn't accessible, and that the program is in no other.
  kExec,
  kPidfd,  // not supported, or too many descriptors; the process was killed
};

std::string_view SpawnStageName(SpawnStage stage);

struct ExecFailure {
  SpawnStage stage;
  int error;           // errno
  std::string object;  // the program, the folder or the number of the descriptor

  // "exec no-such-program: No such file or directory"
  Error AsError() const;
};

// A child that already runs the program; the caller must reap it.
[[nodiscard]] tl::expected<pid_t, ExecFailure> SpawnChild(const SpawnRequest& request);

class Process {
 public:
  [[nodiscard]] static tl::expected<Process, ExecFailure> Spawn(const SpawnRequest& request);
  // The process that has this pid now, also one that is not our child. kNotFound when there is
  // none.
  static Result<Process> Open(pid_t pid);
  // Exactly that process; kNotFound when it has ended, also when its pid is in use again.
  static Result<Process> Open(const ProcessIdentity& identity);
  // From an existing pidfd (PeerOf); without one the process can't be signalled or waited for, only
  // named.
  static Process Adopt(pid_t pid, UniqueFd pidfd) { return {pid, std::move(pidfd)}; }

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }  // readable once it has ended

  // kNotFound when it has ended and was reaped.
  Result<void> Signal(int signal) const;
  // Sends it to every process of the group it leads, also when the leader has ended; kNotFound when
  // there is none. Before Linux 6.9 the group is found by its number: don't use it long after the
  // leader's end.
  Result<void> SignalGroup(int signal) const;

  // Waits until it ends. Later calls return the same status.
  ExitStatus Wait();
  // Nothing while it runs.
  std::optional<ExitStatus> TryWait();
  // Nothing when it still runs after `limit`.
  std::optional<ExitStatus> WaitAtMost(Duration limit);

 private:
  Process(pid_t pid, UniqueFd pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}

  std::optional<ExitStatus> Collect(int wait_flags);

  pid_t pid_;
  UniqueFd pidfd_;
  std::optional<ExitStatus> ended_;
};

// From now on orphans among our descendants become our children instead of init's, and we must reap
// them: setsid or a double fork doesn't leave the process tree. Also undoes a parent's setting that
// makes the kernel reap children automatically and discard their exit status.
Result<void> BecomeSubreaper();

// The same while the object lives; the destructor restores the previous state. At most one at a
// time.
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

// A child of ours that has ended and isn't reaped yet, without reaping it: either one with a
// Process, or an adopted orphan for Process::Open and Wait.
std::optional<pid_t> DeadChild();

// Reaps every child that has ended, adopted orphans too. Returns the exit status of `leader` if it
// was among them; the others' status is discarded.
std::optional<ExitStatus> ReapChildren(Process* leader);

// The signals that other layers name: <csignal> belongs to src/os.

constexpr int kSignalTerminate = SIGTERM;
constexpr int kSignalInterrupt = SIGINT;
constexpr int kSignalHangUp = SIGHUP;
constexpr int kSignalKill = SIGKILL;
constexpr int kSignalContinue = SIGCONT;
constexpr int kSignalChild = SIGCHLD;
constexpr int kSignalWindow = SIGWINCH;

}  // namespace belay

#endif  // BELAY_OS_PROCESS_H_
