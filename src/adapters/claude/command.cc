#include "adapters/claude/command.h"

#include <algorithm>
#include <iterator>

#include "adapters/agent/agent_program.h"
#include "base/path.h"

namespace belay {
namespace {

// The words after an option: those that certainly belong to it, and those that may.
struct Reach {
  std::size_t surely = 0;
  std::size_t perhaps = 0;  // more words that may
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

bool IsClaudeProgram(std::string_view word) {
  const std::string_view name = FileName(word);
  return name == "claude" || name == "claude.exe" || word.ends_with("claude-code/cli.js") ||
         word.ends_with("claude-code/cli-wrapper.cjs") ||
         word.find("/claude/versions/") != word.npos ||
         IsPackage(word, "@anthropic-ai/claude-code");
}

ClaudeCommand::ClaudeCommand(const std::vector<std::string>& command) {
  std::optional<ShellInvocation> line = ReadShellInvocation(command);
  if (line) shell_ = std::move(line->shell);
  if (line) before_ = std::move(line->before);
  const std::vector<std::string>& words = line ? line->words : command;
  const std::optional<std::size_t> found = FindProgramWord(words, IsClaudeProgram);
  understood_ = found.has_value();
  const std::size_t arguments = understood_ ? *found + 1 : words.size();
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

namespace {

using enum OptionTakes;

constexpr ClaudeOption kOptions[] = {
    {"--add-dir", kSeveral},
    {"--advisor", kOne},
    {"--agent", kOne},
    {"--agents", kOne},
    {"--allow-dangerously-skip-permissions", kNothing},
    {"--allowedTools", kSeveral},
    {"--allowed-tools", kSeveral},
    {"--append-subagent-system-prompt", kOne},
    {"--append-subagent-system-prompt-file", kOne},
    {"--append-system-prompt", kOne},
    {"--append-system-prompt-file", kOne},
    {"--autocompact", kOne},
    {"--ax-screen-reader", kNothing},
    {"--background", kNothing},
    {"--bare", kNothing},
    {"--betas", kSeveral},
    {"--bg", kNothing},
    {"--brief", kNothing},
    {"--channels", kSeveral},
    {"--chrome", kNothing},
    {"--cloud", kPerhapsOne},
    {"--continue", kNothing, "--continue"},
    {"-c", kNothing, "--continue"},
    {"--dangerously-load-development-channels", kSeveral},
    {"--dangerously-skip-permissions", kNothing},
    {"--debug", kPerhapsOne},
    {"-d", kPerhapsOne},
    {"--debug-file", kOne},
    {"--debug-to-stderr", kNothing},
    {"-d2e", kNothing},
    {"--desktop", kNothing},
    {"--disable-slash-commands", kNothing},
    {"--disallowedTools", kSeveral},
    {"--disallowed-tools", kSeveral},
    {"--effort", kOne},
    {"--enable-auto-mode", kNothing},
    {"--environment", kOne},
    {"--exclude-dynamic-system-prompt-sections", kNothing},
    {"--fallback-model", kOne},
    {"--fast-mode", kOne},
    {"--file", kSeveral},
    {"--fork-session", kNothing, "--fork-session"},
    {"--forward-subagent-text", kNothing},
    {"--from-pr", kPerhapsOne, "--from-pr"},
    {"--help", kNothing},
    {"-h", kNothing},
    {"--ide", kNothing},
    {"--include-hook-events", kNothing},
    {"--include-partial-messages", kNothing},
    {"--init", kNothing},
    {"--init-only", kNothing},
    {"--input-format", kOne},
    {"--json-schema", kOne},
    {"--maintenance", kNothing},
    {"--managed-settings", kOne},
    {"--max-budget-usd", kOne},
    {"--max-thinking-tokens", kOne},
    {"--max-turns", kOne},
    {"--mcp-config", kSeveral},
    {"--model", kOne},
    {"--name", kOne},
    {"-n", kOne},
    {"--no-chrome", kNothing},
    {"--no-session-persistence", kNothing},
    {"--output-format", kOne},
    {"--permission-mode", kOne},
    {"--permission-prompt-tool", kOne},
    {"--permission-prompts", kOne},
    {"--plan-mode-instructions", kOne},
    {"--plugin-dir", kOneOrSeveral},
    {"--plugin-dir-no-mcp", kOne},
    {"--plugin-url", kOne},
    {"--prefill", kOne},
    {"--print", kNothing},
    {"-p", kNothing},
    {"--proactivity", kOne},
    {"--project-config-root", kOne},
    {"--prompt-suggestions", kPerhapsOne},
    {"--rc", kPerhapsOne},
    {"--remote", kPerhapsOne},
    {"--remote-control", kPerhapsOne},
    {"--remote-control-session-name-prefix", kOne},
    {"--replay-user-messages", kNothing},
    {"--reply-on-resume", kNothing, "--reply-on-resume"},
    {"--restricted", kNothing},
    {"--resume", kPerhapsOne, "--resume"},
    {"-r", kPerhapsOne, "--resume"},
    {"--resume-drops-turn", kOne, "--resume-drops-turn"},
    {"--resume-session-at", kOne, "--resume-session-at"},
    {"--safe-mode", kNothing},
    {"--session-id", kOne, "--session-id"},
    {"--setting-sources", kOne},
    {"--settings", kOne},
    {"--strict-mcp-config", kNothing},
    {"--system-prompt", kOne},
    {"--system-prompt-file", kOne},
    {"--system-prompt-snapshot", kOne},
    {"--task-budget", kOne},
    {"--teleport", kPerhapsOne, "--teleport"},
    {"--thinking", kOne},
    {"--thinking-display", kOne},
    {"--tmux", kNothing},
    {"--tools", kSeveral},
    {"--verbose", kNothing},
    {"--version", kNothing},
    {"-v", kNothing},
    {"--worktree", kPerhapsOne},
    {"-w", kPerhapsOne},
};

SpelledOption ReadLong(const std::string& word) {
  const std::size_t equals = word.find('=');
  SpelledOption spelled{FindClaudeOption(std::string_view(word).substr(0, equals)), word};
  if (equals != std::string::npos) spelled.value = word.substr(equals + 1);
  return spelled;
}

}  // namespace

const ClaudeOption* FindClaudeOption(std::string_view name) {
  const auto* found = std::ranges::find(kOptions, name, &ClaudeOption::name);
  return found == std::end(kOptions) ? nullptr : found;
}

bool LooksLikeOption(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

std::vector<SpelledOption> ReadOptionWord(const std::string& word) {
  if (word.starts_with("--")) return {ReadLong(word)};
  std::vector<SpelledOption> found;
  for (std::string rest = word;;) {
    const ClaudeOption* whole = FindClaudeOption(rest);
    const ClaudeOption* first = FindClaudeOption(std::string_view(rest).substr(0, 2));
    if (whole != nullptr || first == nullptr) {
      found.push_back({whole, rest});
      return found;
    }
    if (first->takes != kNothing) {
      found.push_back({first, rest, rest.substr(2)});
      return found;
    }
    found.push_back({first, rest.substr(0, 2)});
    rest.erase(1, 1);
  }
}

}  // namespace belay
