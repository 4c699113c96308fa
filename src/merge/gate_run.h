// Runs one gate: a shell command in a scratch worktree, with a time limit and its output in a file.
//
// It runs in a session of its own, and we are its subreaper meanwhile: whatever it forks stays
// below us, and is ended when the gate has ended, was cancelled or is late (TERM, two seconds later
// KILL). Should we be killed, the next run finds what is left by the variable BELAY_GATE in its
// environment, and ends it first. The log is bounded: its beginning and its end are kept
// (gate_output.h). Nothing is read from the terminal.
//
// How the shell itself ended decides. Who is still there then is ended and named, and a child that
// holds the output open isn't waited for.

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
  std::string log;     // replaced; its folder is there, and isn't GateWatch::cancel_folder
  Environment::Variables environment;  // all that it gets, beside BELAY_GATE
  std::string mark;  // of the scratch worktree, for BELAY_GATE: nobody else's gates have it
};

struct GateProgress {
  Duration elapsed;
  std::string last_line;  // of the output, as a terminal can show it
};

struct GateWatch {
  // About every 100 ms while there is something new, at least every second.
  std::function<void(const GateProgress&)> progress = [](const GateProgress&) {};
  // Asked before it starts, and whenever a file in this folder changes (empty: never; one that
  // can't be watched: every second): true ends the gate.
  std::string cancel_folder = {};
  std::function<bool()> cancelled = [] { return false; };
};

struct GateRun {
  GateOutcome outcome;
  int exit_code = 0;  // 128 + signal when one ended it
  Duration took = Duration::zero();
  // "exit code 2", "killed by SIGKILL", "no end after 10m", "left 1 process behind: sleep 600";
  // empty when there is nothing to say.
  std::string detail = {};
};

// A command that can't be run is an outcome. An error: the log can't be written (the gate is ended
// then), or the kernel has no room for one more process or descriptor.
//
// Runs the loop. Somebody who stops the loop cancels the gate, and finds the loop stopped
// afterwards: how a command passes on a Ctrl-C, which the gate doesn't get. This process must have
// no other children (kRefused), as they couldn't be told from the gate's.
Result<GateRun> RunGate(FileSystem& files, EventLoop& loop, const GateRequest& request,
                        const GateWatch& watch);

// Kills the processes that an earlier run left, if it was killed, with all who descend from them,
// and waits until they are gone. Gives how many there were; kBusy when one won't go within five
// seconds.
Result<int> EndLeftGates(const Clock& clock, const std::string& mark);

}  // namespace belay

#endif  // BELAY_MERGE_GATE_RUN_H_
