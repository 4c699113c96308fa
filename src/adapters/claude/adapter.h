// Claude Code, from 2.0.77 on; what it does was tried with 2.0.77 and 2.1.325.
//
// A text goes in as its prompt, behind the person's own if the command has one; a successor in the
// same conversation gets the person's only if the conversation doesn't have it yet. A wrapper, a
// command that isn't understood (command.h), gets no arguments at all: its Claude Code gets
// the text from the SessionStart hook. So does one whose command takes no prompt of belay's.
//
// A successor goes on in the conversation of its predecessor, with `--resume ID`, when all of this
// holds; otherwise it begins a new one, with the person's prompt and the text:
//
//   must hold                                      because otherwise
//   --------------------------------------------   ----------------------------------------------
//   the command is understood (command.h)   nobody knows where to put the option
//   the agent's hooks or Claude Code's own         there is nothing to resume; another text could
//     session file say which one, a UUID             be an option or a path
//   its transcript is a file of ours in the        "No conversation found", exit 1; or another's
//     agent's own config folder, named after it      conversation
//   its last message is of that conversation       the lines of another were put under its name;
//                                                    Claude Code goes on with them
//   it has a whole message since the last          "No conversation found", exit 1
//     compaction
//   it didn't end because the prompt was too       it fails again at once
//     long
//   no live process is in it                       two would write to one transcript: Claude Code
//                                                    itself lets them
//
// A torn last line is no obstacle: both versions pass over it and go on behind it.
//
// If the command itself says which conversation, that is where the first one began, and no more:
//   going on in the same   --resume, --continue, --session-id, --fork-session, --from-pr and
//                            --teleport are all replaced by --resume ID
//   beginning a new one    --session-id is taken out (one that was used is refused), --continue
//                            (it takes whichever is newest in the folder), and --resume unless it
//                            names another conversation and forks it or nobody is in that one

#ifndef BELAY_ADAPTERS_CLAUDE_ADAPTER_H_
#define BELAY_ADAPTERS_CLAUDE_ADAPTER_H_

#include "adapters/agent/agent_adapter.h"

namespace belay {

const AgentAdapter& ClaudeAdapter();

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_ADAPTER_H_
