// Words in front of a command that run it as it is, and succeed if it does: `sudo -E timeout 60
// pytest` is pytest.

#ifndef BELAY_ENGINE_EVENTS_COMMAND_PREFIX_H_
#define BELAY_ENGINE_EVENTS_COMMAND_PREFIX_H_

#include <cstddef>
#include <span>
#include <string>

namespace belay {

// How many words stand before the command itself: assignments, and programs such as env, nice,
// timeout or xvfb-run with their options. All of them, if no command follows.
std::size_t WordsBeforeCommand(std::span<const std::string> words);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_COMMAND_PREFIX_H_
