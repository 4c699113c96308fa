// The options of Claude Code's command line: how many of the following words each one takes.
//
// Of 2.0.77 and 2.1.325: what `claude --help` lists, and the hidden ones that people use. Options
// that only Anthropic's own programs pass on (deep links, teams, SDK sockets) are left out. An
// option that isn't here is never guessed at: see claude_command.h.

#ifndef BELAY_ADAPTERS_AGENT_CLAUDE_OPTIONS_H_
#define BELAY_ADAPTERS_AGENT_CLAUDE_OPTIONS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

enum class OptionTakes {
  kNothing,
  kOne,           // the next word, whatever it is
  kPerhapsOne,    // the next word, unless it looks like an option
  kSeveral,       // the next word, and all after it up to an option
  kOneOrSeveral,  // kSeveral in older versions, kOne in newer ones
};

struct ClaudeOption {
  std::string_view name;
  OptionTakes takes;
  std::string_view choice = {};  // the long name, if it says which conversation
};

// Null for one that isn't known.
const ClaudeOption* FindClaudeOption(std::string_view name);

// "-" alone is a word.
bool LooksLikeOption(std::string_view word);

// A word that looks like an option.
struct SpelledOption {
  const ClaudeOption* option;             // null: not known
  std::string text;                       // as a word of its own
  std::optional<std::string> value = {};  // in the same word: "--name=value", "-rvalue"
};
// More than one for "-pc": short options in one word. The last one may be unknown.
std::vector<SpelledOption> ReadOptionWord(const std::string& word);

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENT_CLAUDE_OPTIONS_H_
