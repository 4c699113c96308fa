// Whether an agent had unfinished work when it ended. Pure.
//
// The hooks report, event by event:
//
// clang-format off
//   event                                          the turn        open tool calls
//   --------------------------------------------   -------------   --------------------------------
//   session started (resumed, forked)              resumed         none
//   session started (compacted)                    as it was       as they were
//   session started (any other)                    none            none
//   prompt submitted                               open
//   tool starting, of the agent itself             open            one more
//   tool starting, of a sub-agent                                  one more, of that sub-agent
//   tool finished, tool failed                     open            that one is done
//   turn ended, turn failed                        ended           those of the agent itself: done
//   turn goes on                                   open
//   sub-agent ended                                                those of that sub-agent: done
// clang-format on
//
// Calls are identified by their ids; calls without one are counted. A refused call never finishes:
// the end of the turn closes it. A turn can end while a sub-agent works in the background, so the
// calls of sub-agents are counted separately.
//
// Hooks can be lost at the very end, so the conversation is read too where they leave a doubt.
// "User left" means that the last session ended with that detail.
//
// clang-format off
//   the hooks report      the conversation shows                       user left         otherwise
//   -------------------   ------------------------------------------   ---------------   ----------
//   a sub-agent's call                                                 finished          unfinished
//     is open
//   the turn has ended    a prompt, a tool call or an interruption     finished          unfinished
//                           after that
//   the turn has ended    anything else                                finished          finished
//   nothing of a turn     it ends within a turn                        finished          unfinished
//   nothing of a turn     anything else                                finished          finished
//   resumed               it has ended a turn since then               finished          finished
//   resumed               anything else                                finished          unfinished
//   open                  it has ended a turn since then               finished          finished
//   open                  it ends within a turn                        unfinished        unfinished
//   open                  the user interrupted the turn, or            finished          unfinished
//                           nothing since then (an interrupted prompt
//                           is removed again)
// clang-format on

#ifndef BELAY_ENGINE_EVENTS_OPEN_WORK_H_
#define BELAY_ENGINE_EVENTS_OPEN_WORK_H_

#include <string>
#include <vector>

#include "base/time.h"
#include "model/agent_event.h"

namespace belay {

enum class ReportedTurn { kNone, kResumed, kOpen, kEnded };

struct OpenCall {
  std::string id = {};         // empty: not reported
  std::string sub_agent = {};  // empty: the agent itself

  bool operator==(const OpenCall&) const = default;
};

struct OpenWork {
  ReportedTurn turn = ReportedTurn::kNone;
  WallTime since = {};  // time of the last event that opened or ended it
  std::vector<OpenCall> calls = {};

  bool operator==(const OpenWork&) const = default;
};

void AddWork(OpenWork& work, const AgentEvent& event);

// The end of a conversation, from its transcript.
enum class TurnWritten {
  kNothing,      // no transcript, or no message in it
  kWithin,       // a prompt without an answer, a tool call or its result
  kInterrupted,  // by the user
  kEnded,        // the model finished, the API failed, or a local command ran
};
struct ConversationTurn {
  TurnWritten turn = TurnWritten::kNothing;
  WallTime at = {};  // of the last message
};

bool IsUnfinished(const OpenWork& work, const ConversationTurn& conversation, bool person_left);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_OPEN_WORK_H_
