#include "adapters/agent/claude_command.h"

#include <algorithm>
#include <optional>

#include "adapters/agent/agent_program.h"
#include "adapters/agent/claude_options.h"

namespace belay {
namespace {

// The words behind an option that are its own for sure, and those that may be.
struct Reach {
  std::size_t surely = 0;
  std::size_t perhaps = 0;  // beyond those
};

std::size_t BareWordsFrom(const std::vector<std::string>& words, std::size_t at) {
  std::size_t count = 0;
  while (at + count < words.size() && !LooksLikeOption(words[at + count])) ++count;
  return count;
}

Reach ReachOf(const SpelledOption& spelled, const std::vector<std::string>& words, std::size_t at) {
  if (spelled.value) return {};
  const std::size_t bare = BareWordsFrom(words, at);
  if (spelled.option == nullptr) return {0, bare};
  const std::size_t next = at < words.size() ? 1 : 0;
  const std::size_t behind = next + BareWordsFrom(words, at + next);
  switch (spelled.option->takes) {
    case OptionTakes::kNothing:
      return {};
    case OptionTakes::kOne:
      return {next};
    case OptionTakes::kPerhapsOne:
      return {std::min<std::size_t>(bare, 1)};
    case OptionTakes::kSeveral:
      return {behind};
    case OptionTakes::kOneOrSeveral:
      return {next, behind - next};
  }
  __builtin_unreachable();
}

std::string AsPrompt(const std::string& text) {
  const bool single_word = text.find_first_of(" \t\r\n") == std::string::npos;
  return single_word ? text + " " : text;
}

}  // namespace

ClaudeCommand::ClaudeCommand(const std::vector<std::string>& command) {
  std::optional<ShellInvocation> line = ReadShellInvocation(command);
  if (line) shell_ = std::move(line->shell);
  if (line) before_ = std::move(line->before);
  const std::vector<std::string>& words = line ? line->words : command;
  const std::optional<FoundProgram> found = FindAgentProgram(words);
  understood_ = found && found->program == AgentProgram::kClaude;
  const std::size_t arguments = understood_ ? found->at + 1 : words.size();
  program_.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(arguments));
  for (std::size_t at = arguments; at < words.size();) TakeWord(words, at);
}

void ClaudeCommand::TakeWord(const std::vector<std::string>& words, std::size_t& at) {
  if (words[at] != "--" && LooksLikeOption(words[at])) return TakeOption(words, at);
  Part part{.kind = PartKind::kIgnored};
  const std::size_t end = words[at] == "--" ? words.size() : at + 1;
  if (words[at] == "--") part.words.push_back(words[at++]);
  // Only the first positional is the prompt; the program ignores the others.
  if (at < end && !has_prompt_) {
    has_prompt_ = true;
    prompt_ = words[at];
    part.kind = PartKind::kPrompt;
  }
  for (; at < end; ++at) part.words.push_back(words[at]);
  parts_.push_back(std::move(part));
}

void ClaudeCommand::TakeOption(const std::vector<std::string>& words, std::size_t& at) {
  for (const SpelledOption& spelled : ReadOptionWord(words[at++])) {
    Part part{.words = {spelled.text}};
    if (spelled.option != nullptr) part.choice = spelled.option->choice;
    const Reach reach = ReachOf(spelled, words, at);
    part.value = spelled.value.value_or(reach.surely > 0 ? words[at + reach.surely - 1] : "");
    const std::size_t end = at + reach.surely + reach.perhaps;
    for (; at < end; ++at) part.words.push_back(words[at]);
    if (reach.perhaps > 0) (has_prompt_ ? unsure_behind_ : unsure_) = true;
    parts_.push_back(std::move(part));
  }
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

bool ClaudeCommand::PrintsAndEnds() const {
  return understood_ && std::ranges::any_of(parts_, [](const Part& part) {
           return part.kind == PartKind::kOption &&
                  (part.words[0] == "-p" || part.words[0] == "--print");
         });
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
  const bool as_given = unsure_ || (unsure_behind_ && prompt.empty());
  std::vector<std::string> words = program_;
  for (const Part& part : parts_) {
    if (part.kind == PartKind::kOption || as_given) {
      words.insert(words.end(), part.words.begin(), part.words.end());
    } else if (unsure_behind_ && part.kind == PartKind::kPrompt) {
      words.push_back(AsPrompt(prompt.starts_with('-') ? " " + prompt : prompt));
    }
  }
  if (!as_given && !unsure_behind_ && !prompt.empty()) {
    words.emplace_back("--");
    words.push_back(AsPrompt(prompt));
  }
  return ThroughShell(std::move(words));
}

std::vector<std::string> ClaudeCommand::ThroughShell(std::vector<std::string> words) const {
  if (shell_.empty()) return words;
  std::vector<std::string> through_shell = shell_;
  through_shell.push_back(before_ + ShellLineOf(words));
  return through_shell;
}

}  // namespace belay
