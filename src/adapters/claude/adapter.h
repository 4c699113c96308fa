// Claude Code, from 2.0.77 on; tested with 2.0.77 and 2.1.325.
//
// A text is passed as the prompt, after the user's own if the command has one; a successor in the
// same conversation gets the user's prompt only if the conversation doesn't have it yet. A wrapper
// (a command that isn't understood, command.h) gets no arguments at all: its Claude Code gets the
// text from the SessionStart hook. So does a command that takes no prompt from belay.
//
// A successor continues its predecessor's conversation, with `--resume ID`, when all of this holds;
// otherwise it begins a new one, with the user's prompt and the text:
//
//   must hold                                      because otherwise
//   --------------------------------------------   ----------------------------------------------
//   the command is understood (command.h)          it is unknown where to put the option
//   the agent's hooks or Claude Code's own         there is nothing to resume; another text could
//     session file say which one, a UUID             be an option or a path
//   its transcript is a file of our user in the    "No conversation found", exit 1; or another's
//     agent's own config folder, named after it      conversation
//   its last message is of that conversation       another's lines were stored under its name;
//                                                    Claude Code goes on with them
//   it has a whole message since the last          "No conversation found", exit 1
//     compaction
//   it didn't end because the prompt was too       it fails again at once
//     long
//   no live process is in it                       two would write to one transcript: Claude Code
//                                                    itself lets them
//
// A torn last line is no obstacle: both versions skip it and append after it.
//
// If the command itself names a conversation, that only decides where the first agent started:
//   same conversation      --resume, --continue, --session-id, --fork-session, --from-pr and
//                            --teleport are all replaced by --resume ID
//   new conversation       --session-id is removed (a used one is refused), --continue
//                            (it takes the newest in the folder), and --resume unless it
//                            names another conversation that it forks or that is unused

#ifndef BELAY_ADAPTERS_CLAUDE_ADAPTER_H_
#define BELAY_ADAPTERS_CLAUDE_ADAPTER_H_

#include "adapters/agent/agent_adapter.h"

namespace belay {

const AgentAdapter& ClaudeAdapter();

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_ADAPTER_H_
