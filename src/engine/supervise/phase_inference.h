// Guesses an agent's phase of work from observations, with a memory against flapping.
//
// clang-format off
//   seen                                           means
//   --------------------------------------------   --------------
//   reads and searches                             investigation
//   plan mode, task lists                          planning
//   edits; files changed in the worktree           implementation
//   a test command runs                            testing
//   a commit was made; MERGE_READY                 completion
// clang-format on
//
// A phase set by the agent or the user (`belay hook phase`) counts at once, and is overruled only
// when three samples in a row guess the same other phase; a guessed phase goes forward after one
// sample and back after two in a row. A sample without an opinion is ignored.

#ifndef BELAY_ENGINE_SUPERVISE_PHASE_INFERENCE_H_
#define BELAY_ENGINE_SUPERVISE_PHASE_INFERENCE_H_

#include <optional>
#include <span>
#include <string>

#include "model/hook.h"

namespace belay {

struct WorkEvidence {
  bool test_command_runs = false;  // among its processes
  bool files_changed = false;      // since the last sample
  bool committed = false;          // HEAD moved forward since the last sample
};
// Nullopt: no opinion.
std::optional<WorkPhase> GuessPhase(const WorkEvidence& evidence);

// Setting a phase resets the memory, except for the last member, which becomes true.
struct PhaseMemory {
  std::optional<WorkPhase> guess = {};  // of the last sample
  int samples = 0;                      // in a row with that guess
  bool is_set = false;                  // the current phase was set, not guessed
};
// The phase to move to, if any.
std::optional<WorkPhase> ConsiderPhase(PhaseMemory& memory, WorkPhase present,
                                       std::optional<WorkPhase> guess);

// Whether a process of an agent is a run of tests, judged by its arguments.

// Whether a program with these arguments is a test command: ctest, pytest, `npm test`, `cargo
// test`, `go test`, `make test|check`, ./belay-test and their like; also as the script of an
// interpreter, `python -m pytest`, and the first command of `sh -c`.
bool IsTestCommand(std::span<const std::string> arguments);

}  // namespace belay

#endif  // BELAY_ENGINE_SUPERVISE_PHASE_INFERENCE_H_
