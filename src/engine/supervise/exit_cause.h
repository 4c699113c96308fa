// Determines why an agent ended. Pure.
//
// clang-format off
//   what is known                                        cause       status
//   --------------------------------------------------   ---------   ----------
//   a stop was recorded before, also at its deadline     stopped     terminated
//   the guardian had recorded that it hung               hung        crashed
//   exit code 0, nothing unfinished                      clean       terminated
//   no signal ended it, and it reported why:             what it     crashed
//     rate_limit, auth, context_exhausted                  reported
//   exit code 0, within a turn or a tool call            unknown     crashed
//   killed by SIGKILL while the kernel ran out of memory oom         crashed
//   killed by SIGKILL, SIGTERM, SIGINT, SIGHUP           killed      crashed
//   exit code 129, 130, 143: a program's report that     killed      crashed
//     one of these signals ended it
//   any other signal, any other exit code                crash       crashed
//   exit status unknown, nothing unfinished, the         clean       terminated
//     user left its session, and none started
//     after it
//   exit status unknown, nothing unfinished, any         clean       terminated
//     end of its session, and belay did not start it
//   exit status unknown                                  unknown     crashed
// clang-format on
//
// The first matching row counts. open_work.h defines unfinished work. An agent can report nothing
// else about its own end.
//
// The end of a session alone proves nothing: an agent program also reports one when its terminal is
// closed (SIGHUP), on SIGTERM and on Ctrl-C, in the middle of a turn; and its exit code may be 0
// after Ctrl-C. A program that prints its answer and exits reports the same: its exit code 0 and
// its ended turn make it clean. If its `belay exec` was killed at that very moment, belay can't
// distinguish it from a closed terminal, and continues the conversation, which has nothing left to
// do. For a session that belay did not start, the exit status is unknown and nothing is restarted:
// there an ended turn and the end of its session are enough. An agent without hooks reports
// nothing, so it never has unfinished work: its exit status decides.

#ifndef BELAY_ENGINE_SUPERVISE_EXIT_CAUSE_H_
#define BELAY_ENGINE_SUPERVISE_EXIT_CAUSE_H_

#include <optional>
#include <string>

#include "model/identity.h"
#include "os/exit_status.h"

namespace belay {

struct EndEvidence {
  ExitStatus exit = {};
  bool out_of_memory = false;
  std::optional<Intent> intent = {};       // "stop", "deadline", "hung"
  std::optional<ExitCause> reported = {};  // by the agent itself
  std::string session_end = {};            // why its last session ended; empty: it hasn't
  bool unfinished = false;                 // it ended within a turn or a tool call
  bool external = false;                   // belay did not start it
};

ExitCause JudgeEnd(const EndEvidence& evidence);
AgentStatus StatusAfter(ExitCause cause);  // terminated or crashed

// "exit code 3", "killed by SIGKILL (oom)", "exit code 0 in the middle of its work": with the cause
// if the exit status doesn't imply it.
std::string EndText(const EndEvidence& evidence);

}  // namespace belay

#endif  // BELAY_ENGINE_SUPERVISE_EXIT_CAUSE_H_
