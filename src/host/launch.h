// Starting an agent under `belay exec`. What to start is a file (Layout::LaunchFile), so that
// nothing of it shows in a process list, and so that starting again is the same.

#ifndef BELAY_HOST_LAUNCH_H_
#define BELAY_HOST_LAUNCH_H_

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "codec/json.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/file_system.h"
#include "os/process.h"
#include "store/layout.h"

namespace belay {

struct LaunchSpec {
  AgentId agent;
  std::vector<std::string> command;  // for this incarnation, with the resume text if it goes there
  std::string folder;                // where it works
  Environment::Variables environment;  // all of it, with BELAY_AGENT_ID, BELAY_STATE,
                                       // BELAY_RESUME_FILE, BELAY_RESUME_CONTEXT
  std::string task = {};               // what the person asked for, for those who come after
  std::string typed = {};              // typed into its terminal once it runs

  friend bool operator==(const LaunchSpec&, const LaunchSpec&) = default;
};

// Also the text that it is to go on by, in the file that BELAY_RESUME_FILE names. Durable, 0600: it
// holds the environment of whoever spawned it. The run folder is there.
Result<void> WriteLaunch(FileSystem& files, const Layout& project, const LaunchSpec& spec,
                         std::string_view text, std::string_view settings = {});
Result<LaunchSpec> ReadLaunchSpec(const FileSystem& files, const Layout& project,
                                  const IdentityName& agent);

// Makes sure that nobody starts this incarnation any more: a run record of it, which says that it
// failed, under the run lock. False when somebody who holds the lock is about to say more, or the
// run record is of this or a later incarnation already. Never waits.
Result<bool> ForbidStart(FileSystem& files, const Clock& clock, const Layout& project,
                         const AgentId& agent, const std::string& why);

// Starts `belay exec` for the spec that was written, in a session of its own, so that it outlives
// us. Gives the exec's process, which is our child until we end; whether the agent runs is for the
// run record to say. Doing it twice for the same incarnation starts it once.
Result<Process> StartExec(const Layout& project, const AgentId& agent);

// What the command line of a `belay exec` says; nothing when it is none. A claim: any program can
// have such a command line.
struct ExecCommand {
  std::string root;
  std::string agent;
};
std::optional<ExecCommand> ReadExecCommand(const std::vector<std::string>& words);

// Which agent of this project a process is the `belay exec` of, by its command line; nothing when
// it is none. A claim: any program can have such a command line.
std::optional<std::string> AgentOfExec(pid_t process, const Layout& project);

}  // namespace belay

#endif  // BELAY_HOST_LAUNCH_H_
