#include "guardian/hook_sight.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "adapters/agent/agent_program.h"
#include "adapters/agent/claude_sessions.h"
#include "adapters/claude/settings.h"
#include "base/path.h"
#include "codec/json.h"
#include "guardian/agent_adapters.h"
#include "guardian/worktree_hooks.h"

namespace belay {
namespace {

constexpr std::size_t kMostSettings = std::size_t{4} << 20U;

struct Found {
  bool hooks = false;
  bool off = false;
};

// belay's own plugin, from whatever marketplace: {"enabledPlugins": {"belay@NAME": true}}.
bool EnablesPlugin(const std::string& text) {
  const Result<Json> settings = ParseJson(text);
  const Json* plugins = settings ? settings->Find("enabledPlugins") : nullptr;
  if (plugins == nullptr || plugins->AsObject() == nullptr) return false;
  return std::ranges::any_of(*plugins->AsObject(), [](const JsonMember& plugin) {
    return plugin.key.starts_with("belay@") && plugin.value.AsBool() != nullptr &&
           *plugin.value.AsBool();
  });
}

void LookInto(const FileSystem& files, const std::string& path, Found& found) {
  const Result<std::string> real = files.Resolve(path);
  const Result<std::string> text = real ? files.Read(*real, kMostSettings) : real;
  const Result<ClaudeSettings> settings = text ? ClaudeSettings::Open(*text) : text.error();
  if (!settings) return;
  found.off = found.off || settings->HooksAreOff();
  found.hooks = found.hooks || !settings->OurHooks().empty() || EnablesPlugin(*text);
}

bool BringsItsOwn(const std::vector<std::string>& command) {
  return std::ranges::any_of(command, [](const std::string& word) {
    return word == "--settings" || word.starts_with("--settings=") || word == "--plugin-dir" ||
           word.starts_with("--plugin-dir=");
  });
}

// Options with which Claude Code runs no hooks at all.
bool SwitchesHooksOff(const std::vector<std::string>& command) {
  return std::ranges::any_of(
      command, [](const std::string& word) { return word == "--bare" || word == "--safe-mode"; });
}

// Also of `sh -c 'claude ...'`.
std::vector<std::string> WordsOf(const Identity& identity) {
  const std::optional<ShellInvocation> shell = ReadShellInvocation(identity.command);
  return shell ? shell->words : identity.command;
}

}  // namespace

HookSight FindHookSight(const FileSystem& files, const Layout& project, const Identity& identity,
                        const Environment::Variables& environment) {
  if (identity.agent_kind != AgentKind::kClaude) return HookSight::kNotAsked;
  const std::vector<std::string> words = WordsOf(identity);
  const std::string worktree = WorkFolderOf(identity.command, identity.worktree_path);
  std::vector<std::string> paths = {JoinPath(worktree, ".claude/settings.json"),
                                    JoinPath(worktree, ".claude/settings.local.json"),
                                    "/etc/claude-code/managed-settings.json"};
  const std::string config = ClaudeConfigFolder(environment, worktree);
  if (!config.empty()) paths.push_back(JoinPath(config, "settings.json"));
  Found found;
  for (const std::string& path : paths) LookInto(files, path, found);
  if (found.off || SwitchesHooksOff(words)) return HookSight::kNone;
  if (found.hooks) return HookSight::kInstalled;
  const bool elsewhere = !HooksForWorktree(files, project, identity.agent_kind, worktree).empty();
  const bool given = AdapterFor(identity.agent_kind).TakesSettings(identity.command);
  if (elsewhere && given) return HookSight::kInstalled;
  if (BringsItsOwn(words)) return HookSight::kUnknown;
  return elsewhere ? HookSight::kNotGiven : HookSight::kNone;
}

}  // namespace belay
