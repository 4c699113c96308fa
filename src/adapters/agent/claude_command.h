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
// A word behind an option that isn't known here may be its value, and stays where it is. A command
// that starts something else (a script of the person's) isn't understood at all: it is a wrapper,
// and no argument is added to it.

#ifndef BELAY_ADAPTERS_AGENT_CLAUDE_COMMAND_H_
#define BELAY_ADAPTERS_AGENT_CLAUDE_COMMAND_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace belay {

class ClaudeCommand {
 public:
  explicit ClaudeCommand(const std::vector<std::string>& command);

  // Whether the word that starts Claude Code was found (agent_program.h): "claude" itself or its
  // package, also behind env, npx, node and the like, and in `sh -c` with one plain command.
  bool understood() const { return understood_; }
  const std::string& prompt() const { return prompt_; }  // the person's; empty for none

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

  // The words with this prompt instead of the person's; empty: without one.
  std::vector<std::string> WithPrompt(const std::string& prompt) const;

 private:
  struct Part {
    std::vector<std::string> words;
    std::string_view choice = {};  // the long name, if it is one
    std::string value = {};
  };
  void TakeWord(const std::vector<std::string>& words, std::size_t& at);
  void TakeOption(const std::vector<std::string>& words, std::size_t& at);
  void TakePrompt(const std::string& word);

  bool understood_ = false;
  std::vector<std::string> shell_;  // "sh", "-c"; empty: no shell
  std::vector<std::string> program_;
  std::vector<Part> parts_;
  std::string prompt_;
  bool has_prompt_ = false;
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENT_CLAUDE_COMMAND_H_
