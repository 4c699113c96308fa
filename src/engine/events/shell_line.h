// A command line as an agent gives it to its shell, taken apart as far as is needed to see which
// programs it runs, and whether its exit code is that of a certain one of them.
//
// It isn't a shell: what it can't make out it says nothing about. Variables aren't known, the text
// of here-documents is passed over, and whoever uses if, while, for or functions gets no verdict.

#ifndef BELAY_ENGINE_EVENTS_SHELL_LINE_H_
#define BELAY_ENGINE_EVENTS_SHELL_LINE_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

struct ShellCommand {
  enum class After { kNothing, kSemicolon, kAnd, kOr, kPipe, kBackground };

  std::vector<std::string> words;  // unquoted, without redirections and what stands before the
                                   // command (above); never empty
  After after = After::kNothing;   // what stands before it
};

struct ShellLine {
  std::vector<ShellCommand> commands;
  bool plain = true;    // nothing in it decides what is run, or turns its exit code round
  bool writes = false;  // the output of something goes to a file, which no device is

  // Whether exit code 0 means that this command ended with it; and whether another one does.
  bool SuccessIsOf(std::size_t command) const;
  bool FailureIsOf(std::size_t command) const;
};

ShellLine ParseShellLine(std::string_view text);

// Words in front of a command that run it as it is, and succeed if it does: `sudo -E timeout 60
// pytest` is pytest.

// How many words stand before the command itself: assignments, and programs such as env, nice,
// timeout or xvfb-run with their options. All of them, if no command follows.
std::size_t WordsBeforeCommand(std::span<const std::string> words);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_SHELL_LINE_H_
