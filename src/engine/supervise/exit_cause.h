// How the end of an agent is judged. Pure.
//
// clang-format off
//   what is known                                        cause       status
//   --------------------------------------------------   ---------   ----------
//   somebody had recorded that it should stop            stopped     terminated
//   the guardian had recorded that it hung               hung        crashed
//   exit code 0                                          clean       terminated
//   no signal ended it, and it said so itself:           what it     crashed
//     rate_limit, auth, context_exhausted                  said
//   killed by SIGKILL while the kernel ran out of memory oom         crashed
//   killed by SIGKILL, SIGTERM, SIGINT, SIGHUP           killed      crashed
//   exit code 129, 130, 143: a program's own way of      killed      crashed
//     saying that it was ended by one of these
//   any other signal, any other exit code                crash       crashed
//   nobody was told how, and it had said goodbye itself  clean       terminated
//   nobody was told                                      unknown     crashed
// clang-format on
//
// The first row that fits counts. An agent can say nothing else about its own end.

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
  std::optional<Intent> intent = {};   // "stop", "hung"
  std::optional<ExitCause> told = {};  // by the agent itself
  bool said_goodbye = false;           // the same, that it was about to end
};

ExitCause JudgeEnd(const EndEvidence& evidence);
AgentStatus StatusAfter(ExitCause cause);  // terminated or crashed

// "exit code 3", "killed by SIGKILL (oom)": with the cause where the exit status doesn't say it.
std::string EndText(const EndEvidence& evidence);

}  // namespace belay

#endif  // BELAY_ENGINE_SUPERVISE_EXIT_CAUSE_H_
