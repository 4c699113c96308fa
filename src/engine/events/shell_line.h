// Parses an agent's shell command line as far as needed to see which programs it runs, and whether
// its exit code is that of a certain one of them.
//
// It isn't a shell: where it can't understand something, it gives no verdict. Variables are
// unknown, the text of here-documents is skipped, and lines with if, while, for or functions get no
// verdict.

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

  std::vector<std::string> words;  // unquoted, without redirections and the words before the
                                   // command (below); never empty
  After after = After::kNothing;   // the operator before it
};

struct ShellLine {
  std::vector<ShellCommand> commands;
  bool plain = true;    // nothing in it decides what is run, or inverts its exit code
  bool writes = false;  // some output goes to a file that isn't a device

  // Whether exit code 0 means that this command succeeded; and whether another code means that it
  // failed.
  bool SuccessIsOf(std::size_t command) const;
  bool FailureIsOf(std::size_t command) const;
};

ShellLine ParseShellLine(std::string_view text);

// Words before a command that run it unchanged, and succeed if it does: `sudo -E timeout 60 pytest`
// is pytest.

// The number of words before the command itself: assignments, and programs such as env, nice,
// timeout or xvfb-run with their options. All words, if no command follows.
std::size_t WordsBeforeCommand(std::span<const std::string> words);

}  // namespace belay

#endif  // BELAY_ENGINE_EVENTS_SHELL_LINE_H_
