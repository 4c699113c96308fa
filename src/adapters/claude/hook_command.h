// The command of a hook of ours, as it stands in a settings file: '/usr/bin/belay' event Stop
//
// Ours is a command whose first word, as a shell reads it, names a file called `belay`, wherever
// that is, followed by `event`, a name made of letters, and nothing else. However it came there: by
// belay init, by an older belay elsewhere, or written by a person. Anything more on the line (a
// pipe, a redirection, another argument) makes it somebody else's.

#ifndef BELAY_ADAPTERS_CLAUDE_HOOK_COMMAND_H_
#define BELAY_ADAPTERS_CLAUDE_HOOK_COMMAND_H_

#include <optional>
#include <string>
#include <string_view>

namespace belay {

struct HookCommand {
  std::string word;     // the first one, as it is spelled
  std::string rest;     // what is spelled behind it
  std::string program;  // the first word as the shell reads it; what begins with $ is left as it is
  std::string event;
  // A person wrote it so: found in PATH, or through a variable. Its path isn't ours to change.
  bool by_hand = false;
};

// Nothing when it isn't ours.
std::optional<HookCommand> ReadHookCommand(std::string_view command);

std::string WriteHookCommand(std::string_view program, std::string_view event);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_HOOK_COMMAND_H_
