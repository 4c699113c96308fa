// Parses the user's Claude Code command line, as far as that is certain, so that a text and a
// conversation can be put where the program takes them:
//
//  - The prompt is the first argument that is no option, and only that one; a second is ignored. So
//    a text can't just be appended to a command that has a prompt.
//  - An option that takes several values takes all words up to the next option, and a text that
//    begins with a dash is taken for an option. So the prompt goes after "--".
//  - Even there, older versions take a prompt that is the name of a subcommand ("doctor") for that,
//    so a single word gets a trailing space.
//
// Of two positional words the second would be ignored, so there is never a second one. The options
// are known (below), but a newer version may have others, and a bare word after one of those is
// either its value or the prompt:
//
//   the word is                          then
//   ----------------------------------   ---------------------------------------------------------
//   before the first sure positional     the command takes no prompt from belay: it stays as it is
//   after the user's prompt              belay's prompt replaces the user's in its place
//
// A command that starts something else (the user's script) isn't understood at all: it is a
// wrapper, and no argument is added to it.

#ifndef BELAY_ADAPTERS_CLAUDE_COMMAND_H_
#define BELAY_ADAPTERS_CLAUDE_COMMAND_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

// As AgentAdapter::IsProgram.
bool IsClaudeProgram(std::string_view word);

class ClaudeCommand {
 public:
  explicit ClaudeCommand(const std::vector<std::string>& command);

  // Whether the word that starts Claude Code was found (agent_program.h): "claude" itself or its
  // package, also after env, npx, node and the like, and in `sh -c` with one plain command.
  bool understood() const { return understood_; }
  // Whether it is certain which word is the prompt, so that it can be replaced.
  bool TakesPrompt() const { return understood_ && !unsure_; }
  // -p: it prints the answer and exits.
  bool PrintsAndEnds() const;
  // The user's prompt; empty when there is none or it is uncertain.
  std::string prompt() const { return unsure_ ? std::string() : prompt_; }

  // An option that selects a conversation: --resume, --continue, --session-id, --fork-session, ...
  struct Choice {
    std::string_view option;  // the long name
    std::string_view value;   // empty for none
  };
  // Removes the choices for which `unwanted` returns true.
  void TakeOut(const std::function<bool(const Choice&)>& unwanted);
  bool Chooses(std::string_view option) const;

  void Resume(const std::string& id);  // call it once
  // Adds a settings file. Claude Code takes only one: the user's stays.
  void UseSettings(const std::string& path);
  bool HasSettings() const;

  // The words with this prompt instead of the user's; empty: without one. A command that takes no
  // prompt keeps its own.
  std::vector<std::string> WithPrompt(const std::string& prompt) const;

 private:
  enum class PartKind { kOption, kPrompt, kIgnored };
  struct Part {
    PartKind kind = PartKind::kOption;
    std::vector<std::string> words = {};
    std::string_view choice = {};  // the long name, if it is one
    std::string value = {};
  };
  void TakeWord(const std::vector<std::string>& words, std::size_t& at);
  void TakeOption(const std::vector<std::string>& words, std::size_t& at);
  std::vector<std::string> ThroughShell(std::vector<std::string> words) const;

  bool understood_ = false;
  std::vector<std::string> shell_;  // "sh", "-c"; empty: no shell
  std::string before_;              // "cd FOLDER && "; or empty
  std::vector<std::string> program_;
  std::vector<Part> parts_;
  std::string prompt_;
  bool has_prompt_ = false;
  bool unsure_ = false;         // a word before any certain prompt may be a value or the prompt
  bool unsure_behind_ = false;  // the same after the prompt
};

// The options of Claude Code's command line, and how many of the following words each one takes.
//
// From 2.0.77 and 2.1.325: what `claude --help` lists, and hidden options that people use. Options
// that only Anthropic's own programs pass on (deep links, teams, SDK sockets) are left out. An
// unknown option is never guessed at: see the top of this file.

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
  std::string_view choice = {};  // the long name, if it selects a conversation
};

// Null for an unknown option.
const ClaudeOption* FindClaudeOption(std::string_view name);

// "-" alone is a word.
bool LooksLikeOption(std::string_view word);

// An option as it is spelled in a word.
struct SpelledOption {
  const ClaudeOption* option;             // null: unknown
  std::string text;                       // as a word of its own
  std::optional<std::string> value = {};  // in the same word: "--name=value", "-rvalue"
};
// More than one for "-pc": short options in one word. The last one may be unknown.
std::vector<SpelledOption> ReadOptionWord(const std::string& word);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_COMMAND_H_
