// Starting a program: what is wanted, and what went wrong, as values. Use Process::Spawn
// (os/process.h); this is the part of it that knows posix_spawn.
//
// posix_spawn and not fork: a fork copies the page tables of a large process. The new process gets
// only the descriptors it is given, also if one of ours above those should lack close-on-exec, and
// no blocked and no ignored signals; and the limit of descriptors that we were given, also if we
// raised our own (os/file_limit.h).

#ifndef BELAY_OS_SPAWN_H_
#define BELAY_OS_SPAWN_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/error.h"
#include "os/environment.h"

namespace belay {

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

}  // namespace belay

#endif  // BELAY_OS_SPAWN_H_
