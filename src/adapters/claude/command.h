// Claude Code's command line, as a person gave it, taken apart as far as that is certain, so that a
// text and a conversation can be put where the program takes them:
//
//  - The prompt is the first argument that is no option, and only that one; a second is ignored.
//    So a text can't just be appended to a command that has a prompt.
//  - An option that takes several values takes all up to the next option, and a text that begins
//    with a dash is taken for an option. So the prompt stands behind "--".
//  - Even there, older versions take a prompt that is the name of a subcommand ("doctor") for that,
//    so a single word gets a space behind it.
//
// Two positional words would be the person's prompt and an ignored text, so there is never a second
// one. The options are known (below), but a newer version may have others, and a bare
// word behind one of those is either its value or the prompt:
//
//   the word stands                      then
//   ----------------------------------   ---------------------------------------------------------
//   before the first sure positional     the command takes no prompt of belay's: it stays as it is
//   behind the person's prompt           belay's prompt stands where the person's stood
//
// A command that starts something else (a script of the person's) isn't understood at all: it is a
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
  // package, also behind env, npx, node and the like, and in `sh -c` with one plain command.
  bool understood() const { return understood_; }
  // Whether it is certain which word is the prompt, so that another one can take its place.
  bool TakesPrompt() const { return understood_ && !unsure_; }
  // It prints the answer and ends: -p.
  bool PrintsAndEnds() const;
  // The person's; empty for none, or when that isn't certain.
  std::string prompt() const { return unsure_ ? std::string() : prompt_; }

  // An option that says which conversation: --resume, --continue, --session-id, --fork-session, ...
  struct Choice {
    std::string_view option;  // the long name
    std::string_view value;   // empty for none
  };
  // Takes out those for which it says true.
  void TakeOut(const std::function<bool(const Choice&)>& unwanted);
  bool Chooses(std::string_view option) const;

  void Resume(const std::string& id);  // once
  // A file of settings besides those that it finds by itself. It takes only one: a person's stays.
  void UseSettings(const std::string& path);
  bool HasSettings() const;

  // The words with this prompt instead of the person's; empty: without one. A command that takes no
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
  bool unsure_ = false;  // a word that may be a value or the prompt stands before any sure prompt
  bool unsure_behind_ = false;  // one stands behind the prompt
};

// The options of Claude Code's command line: how many of the following words each one takes.
//
// Of 2.0.77 and 2.1.325: what `claude --help` lists, and the hidden ones that people use. Options
// that only Anthropic's own programs pass on (deep links, teams, SDK sockets) are left out. An
// option that isn't here is never guessed at: see claude_command.h.

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

#endif  // BELAY_ADAPTERS_CLAUDE_COMMAND_H_
