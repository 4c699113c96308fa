#include "adapters/agent/claude_options.h"

#include <algorithm>
#include <iterator>

namespace belay {
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
