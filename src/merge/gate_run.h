// Runs one gate: a shell command in a scratch worktree, with a time limit and its output in a file.
//
// It runs in its own session, with us as subreaper: all its descendants stay below us, and are
// ended when the gate has ended, was cancelled or exceeds its time limit (TERM, two seconds later
// KILL). If we are killed, the next run finds the remaining processes by the variable BELAY_GATE in
// their environment, and ends them first. The log is bounded: its beginning and its end are kept
// (BoundedLog). Nothing is read from the terminal.
//
// The exit of the shell itself decides. Remaining processes are then ended and listed, and a child
// that holds the output open isn't waited for.

#ifndef BELAY_MERGE_GATE_RUN_H_
#define BELAY_MERGE_GATE_RUN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

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

// The output of a gate, byte by byte in one bounded file: the beginning, with the first error, and
// the end, with the summary; between them a line that gives the number of omitted bytes.
//
// At every moment, also after kill -9, the file at `path` holds the beginning and the latest end of
// the output. It grows somewhat beyond its limits before its middle is cut out, so that large
// outputs aren't copied often; a second file, `path`.new, exists during that. Nothing is synced: it
// is for people.

class BoundedLog {
 public:
  struct Limits {
    std::uint64_t head = std::uint64_t{1} << 20U;
    std::uint64_t tail = std::uint64_t{7} << 20U;
    std::uint64_t slack = std::uint64_t{24} << 20U;  // allowed on top while it is written
  };

  // Creates an empty file, replacing any other.
  static Result<BoundedLog> Create(FileSystem& files, const std::string& path,
                                   const Limits& limits);
  static Result<BoundedLog> Create(FileSystem& files, const std::string& path) {
    return Create(files, path, Limits{});
  }

  Result<void> Append(std::string_view bytes);
  // Cuts it down to the limits.
  Result<void> Finish();

 private:
  BoundedLog(FileSystem& files, File file, const Limits& limits)
      : files_(files), file_(std::move(file)), limits_(limits) {}

  Result<void> TakeOutMiddle();
  Result<void> WriteShorter(const std::string& path, std::string_view note);
  Result<void> Copy(std::uint64_t from, std::uint64_t count, File& to) const;
  Result<void> MoveOver(const std::string& fresh, const std::string& path);

  FileSystem& files_;
  File file_;
  Limits limits_;
  std::uint64_t total_ = 0;                               // appended bytes
  std::uint64_t size_ = 0;                                // of the file
  std::uint64_t shortest_ = limits_.head + limits_.tail;  // with the line between them, if any
};

// The last line of an output in progress, for people who wait for it.

class LastLine {
 public:
  void Add(std::string_view bytes);

  // The last visible line, also without a line end; for progress bars, their present state. One
  // line of valid UTF-8, at most 200 code points, safe for a terminal: escape sequences, control
  // characters and bidirectional controls are left out.
  std::string Text() const;

 private:
  std::string end_;  // the end of the output, as much as may be needed
};

}  // namespace belay

#endif  // BELAY_MERGE_GATE_RUN_H_
