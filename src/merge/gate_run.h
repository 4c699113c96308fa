// Runs one gate: a shell command in a scratch worktree, with a time limit and its output in a file.
//
// It runs in its own session, with us as subreaper: all its descendants stay below us, and are
// ended when the gate has ended, was cancelled or exceeds its time limit (TERM, two seconds later
// KILL). If we are killed, the next run finds the remaining processes by the variable BELAY_GATE in
// their environment, and ends them first. The log is bounded: its beginning and its end are kept
// (gate_output.h). Nothing is read from the terminal.
//
// The exit of the shell itself decides. Remaining processes are then ended and listed, and a child
// that holds the output open isn't waited for.

#ifndef BELAY_MERGE_GATE_RUN_H_
#define BELAY_MERGE_GATE_RUN_H_

#include <functional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "engine/merge/settings.h"
#include "model/merge_entry.h"
#include "os/clock.h"
#include "os/environment.h"
#include "os/event_loop.h"
#include "os/file_system.h"

namespace belay {

struct GateRequest {
  GateRule rule;
  std::string folder;  // the scratch worktree
  std::string log;     // replaced; its folder must exist, and isn't GateWatch::cancel_folder
  Environment::Variables environment;  // complete, except for BELAY_GATE
  std::string mark;  // of the scratch worktree, for BELAY_GATE: unique to its gates
};

struct GateProgress {
  Duration elapsed;
  std::string last_line;  // of the output, safe for a terminal
};

struct GateWatch {
  // About every 100 ms while there is news, at least every second.
  std::function<void(const GateProgress&)> progress = [](const GateProgress&) {};
  // Called before the start, and whenever a file in this folder changes (empty: never; if it can't
  // be watched: every second): true ends the gate.
  std::string cancel_folder = {};
  std::function<bool()> cancelled = [] { return false; };
};

struct GateRun {
  GateOutcome outcome;
  int exit_code = 0;  // 128 + signal when a signal ended it
  Duration took = Duration::zero();
  // "exit code 2", "killed by SIGKILL", "no end after 10m", "left 1 process behind: sleep 600"; may
  // be empty.
  std::string detail = {};
};

// A command that can't be run is an outcome. An error: the log can't be written (then the gate is
// ended), or the kernel is out of processes or descriptors.
//
// Runs the loop. Stopping the loop cancels the gate, and the loop stays stopped: so a command
// passes on a Ctrl-C, which the gate doesn't get. This process must have no other children
// (kRefused), as they couldn't be distinguished from the gate's.
Result<GateRun> RunGate(FileSystem& files, EventLoop& loop, const GateRequest& request,
                        const GateWatch& watch);

// Kills the processes that an earlier, killed run left, with all descendants, and waits until they
// are gone. Returns their number; kBusy when one doesn't exit within five seconds.
Result<int> EndLeftGates(const Clock& clock, const std::string& mark);

}  // namespace belay

#endif  // BELAY_MERGE_GATE_RUN_H_
