// Starts an agent under `belay exec`. The launch is described in a file (Layout::LaunchFile), so
// that process lists don't show it, and a second start is the same as the first.

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
  std::string folder;                // its working folder
  Environment::Variables environment;  // all of it, with BELAY_AGENT_ID, BELAY_STATE,
                                       // BELAY_RESUME_FILE, BELAY_RESUME_CONTEXT
  std::string task = {};               // what the user asked for; successors get it
  std::string typed = {};              // typed into its terminal after the start

  friend bool operator==(const LaunchSpec&, const LaunchSpec&) = default;
};

// Also writes the resume text, to the file named by BELAY_RESUME_FILE. Durable, 0600: it holds the
// environment of the process that spawned the agent. The run folder must exist.
Result<void> WriteLaunch(FileSystem& files, const Layout& project, const LaunchSpec& spec,
                         std::string_view text, std::string_view settings = {});
Result<LaunchSpec> ReadLaunchSpec(const FileSystem& files, const Layout& project,
                                  const IdentityName& agent);

// Prevents any later start of this incarnation: writes a run record of it as failed, under the run
// lock. False when the lock's holder is about to record more, or the run record is of this or a
// later incarnation already. Never waits.
Result<bool> ForbidStart(FileSystem& files, const Clock& clock, const Layout& project,
                         const AgentId& agent, const std::string& why);

// Starts `belay exec` for the written launch file, in its own session, so that it outlives us.
// Returns the exec's process, which is our child until we exit; the run record shows whether the
// agent runs. A second call for the same incarnation does nothing.
Result<Process> StartExec(const Layout& project, const AgentId& agent);

// What the command line of a `belay exec` says; nullopt when it is none. Only a claim: any program
// can have such a command line.
struct ExecCommand {
  std::string root;
  std::string agent;
};
std::optional<ExecCommand> ReadExecCommand(const std::vector<std::string>& words);

// The agent of this project whose `belay exec` the process is, by its command line; nullopt when it
// is none. Only a claim: any program can have such a command line.
std::optional<std::string> AgentOfExec(pid_t process, const Layout& project);

}  // namespace belay

#endif  // BELAY_HOST_LAUNCH_H_
