#include "adapters/agent/claude_command.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "adapters/agent/agent_program.h"

namespace belay {
namespace {

enum class Takes { kNothing, kOne, kSeveral, kPerhapsOne };

struct Option {
  std::string_view name;
  Takes takes;
  std::string_view choice = {};  // the long name, if it says which conversation
};

// Of 2.0.77 and 2.1.325; what they don't agree on is left out.
constexpr Option kOptions[] = {
    {"--add-dir", Takes::kSeveral},
    {"--agent", Takes::kOne},
    {"--agents", Takes::kOne},
    {"--allow-dangerously-skip-permissions", Takes::kNothing},
    {"--allowedTools", Takes::kSeveral},
    {"--allowed-tools", Takes::kSeveral},
    {"--append-system-prompt", Takes::kOne},
    {"--betas", Takes::kSeveral},
    {"--continue", Takes::kNothing, "--continue"},
    {"-c", Takes::kNothing, "--continue"},
    {"--dangerously-skip-permissions", Takes::kNothing},
    {"--debug", Takes::kPerhapsOne},
    {"-d", Takes::kPerhapsOne},
    {"--disable-slash-commands", Takes::kNothing},
    {"--disallowedTools", Takes::kSeveral},
    {"--disallowed-tools", Takes::kSeveral},
    {"--effort", Takes::kOne},
    {"--fallback-model", Takes::kOne},
    {"--fork-session", Takes::kNothing, "--fork-session"},
    {"--from-pr", Takes::kPerhapsOne, "--from-pr"},
    {"--ide", Takes::kNothing},
    {"--include-hook-events", Takes::kNothing},
    {"--include-partial-messages", Takes::kNothing},
    {"--input-format", Takes::kOne},
    {"--json-schema", Takes::kOne},
    {"--max-budget-usd", Takes::kOne},
    {"--mcp-config", Takes::kSeveral},
    {"--model", Takes::kOne},
    {"--name", Takes::kOne},
    {"-n", Takes::kOne},
    {"--output-format", Takes::kOne},
    {"--permission-mode", Takes::kOne},
    {"--print", Takes::kNothing},
    {"-p", Takes::kNothing},
    {"--replay-user-messages", Takes::kNothing},
    {"--resume", Takes::kPerhapsOne, "--resume"},
    {"-r", Takes::kPerhapsOne, "--resume"},
    {"--session-id", Takes::kOne, "--session-id"},
    {"--setting-sources", Takes::kOne},
    {"--settings", Takes::kOne},
    {"--strict-mcp-config", Takes::kNothing},
    {"--system-prompt", Takes::kOne},
    {"--teleport", Takes::kPerhapsOne, "--teleport"},
    {"--tools", Takes::kSeveral},
    {"--verbose", Takes::kNothing},
};

const Option* FindOption(std::string_view name) {
  const auto* found = std::find_if(std::begin(kOptions), std::end(kOptions),
                                   [&](const Option& option) { return option.name == name; });
  return found == std::end(kOptions) ? nullptr : found;
}

bool LooksLikeOption(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

// "--name=value" and "-rvalue" in one word.
struct Spelled {
  const Option* option;
  std::optional<std::string> value;
};

Spelled ReadSpelling(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (word.starts_with("--")) {
    const Option* option = FindOption(std::string_view(word).substr(0, equals));
    if (equals == std::string::npos) return {option, std::nullopt};
    return {option, word.substr(equals + 1)};
  }
  if (word.size() == 2) return {FindOption(word), std::nullopt};
  const Option* option = FindOption(std::string_view(word).substr(0, 2));
  // Several short ones in one word aren't told apart.
  if (option == nullptr || option->takes == Takes::kNothing) return {nullptr, std::nullopt};
  return {option, word.substr(2)};
}

std::size_t MostValues(Takes takes) {
  switch (takes) {
    case Takes::kNothing:
      return 0;
    case Takes::kOne:
    case Takes::kPerhapsOne:
      return 1;
    case Takes::kSeveral:
      return std::string::npos;
  }
  __builtin_unreachable();
}

}  // namespace

ClaudeCommand::ClaudeCommand(const std::vector<std::string>& command) {
  std::optional<ShellInvocation> line = ReadShellInvocation(command);
  if (line) shell_ = std::move(line->shell);
  const std::vector<std::string>& words = line ? line->words : command;
  const std::optional<FoundProgram> found = FindAgentProgram(words);
  understood_ = found && found->program == AgentProgram::kClaude;
  const std::size_t arguments = understood_ ? found->at + 1 : words.size();
  program_.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(arguments));
  for (std::size_t at = arguments; at < words.size();) TakeWord(words, at);
}

void ClaudeCommand::TakeWord(const std::vector<std::string>& words, std::size_t& at) {
  if (words[at] == "--") {
    for (++at; at < words.size(); ++at) TakePrompt(words[at]);
  } else if (LooksLikeOption(words[at])) {
    TakeOption(words, at);
  } else {
    TakePrompt(words[at++]);
  }
}

// Only the first is one; the program ignores the others.
void ClaudeCommand::TakePrompt(const std::string& word) {
  if (!has_prompt_) prompt_ = word;
  has_prompt_ = true;
}

void ClaudeCommand::TakeOption(const std::vector<std::string>& words, std::size_t& at) {
  const Spelled spelled = ReadSpelling(words[at]);
  Part part{.words = {words[at++]}};
  if (spelled.option != nullptr) part.choice = spelled.option->choice;
  if (spelled.value) part.value = *spelled.value;
  // What follows one that isn't known may be its.
  std::size_t most =
      MostValues(spelled.option == nullptr ? Takes::kSeveral : spelled.option->takes);
  if (spelled.value && most == 1) most = 0;
  const bool any = spelled.option != nullptr && spelled.option->takes == Takes::kOne;
  for (; most > 0 && at < words.size() && (any || !LooksLikeOption(words[at])); --most) {
    part.value = words[at];
    part.words.push_back(words[at++]);
  }
  parts_.push_back(std::move(part));
}

void ClaudeCommand::TakeOut(const std::function<bool(const Choice&)>& unwanted) {
  std::erase_if(parts_, [&](const Part& part) {
    return !part.choice.empty() && unwanted({part.choice, part.value});
  });
}

bool ClaudeCommand::Chooses(std::string_view option) const {
  return std::any_of(parts_.begin(), parts_.end(),
                     [&](const Part& part) { return part.choice == option; });
}

void ClaudeCommand::Resume(const std::string& id) {
  parts_.insert(parts_.begin(), Part{.words = {"--resume", id}, .choice = "--resume", .value = id});
}

bool ClaudeCommand::HasSettings() const {
  return std::ranges::any_of(parts_, [](const Part& part) {
    return !part.words.empty() &&
           (part.words[0] == "--settings" || part.words[0].starts_with("--settings="));
  });
}

void ClaudeCommand::UseSettings(const std::string& path) {
  if (!HasSettings()) parts_.insert(parts_.begin(), Part{.words = {"--settings", path}});
}

std::vector<std::string> ClaudeCommand::WithPrompt(const std::string& prompt) const {
  std::vector<std::string> words = program_;
  for (const Part& part : parts_) words.insert(words.end(), part.words.begin(), part.words.end());
  if (!prompt.empty()) {
    words.emplace_back("--");
    const bool single_word = prompt.find_first_of(" \t\r\n") == std::string::npos;
    words.push_back(single_word ? prompt + " " : prompt);
  }
  if (shell_.empty()) return words;
  std::vector<std::string> through_shell = shell_;
  through_shell.push_back(ShellLineOf(words));
  return through_shell;
}

}  // namespace belay
