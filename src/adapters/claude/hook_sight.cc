#include "adapters/claude/hook_sight.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "adapters/agent/agent_program.h"
#include "adapters/claude/adapter.h"
#include "adapters/claude/hooks_file.h"
#include "adapters/claude/sessions.h"
#include "adapters/claude/settings.h"
#include "base/path.h"
#include "codec/json.h"

namespace belay {
namespace {

constexpr std::size_t kMostSettings = std::size_t{4} << 20U;

struct FoundHooks {
  bool hooks = false;
  bool off = false;
};

// belay's own plugin, from any marketplace: {"enabledPlugins": {"belay@NAME": true}}.
bool EnablesPlugin(const std::string& text) {
  const Result<Json> settings = ParseJson(text);
  const Json* plugins = settings ? settings->Find("enabledPlugins") : nullptr;
  if (plugins == nullptr || plugins->AsObject() == nullptr) return false;
  return std::ranges::any_of(*plugins->AsObject(), [](const JsonMember& plugin) {
    return plugin.key.starts_with("belay@") && plugin.value.AsBool() != nullptr &&
           *plugin.value.AsBool();
  });
}

Result<std::string> ReadSettingsText(const FileSystem& files, const std::string& path) {
  const Result<std::string> real = files.Resolve(path);
  return real ? files.Read(*real, kMostSettings) : real;
}

void LookInto(const FileSystem& files, const std::string& path, FoundHooks& found) {
  const Result<std::string> text = ReadSettingsText(files, path);
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

// With these options Claude Code runs no hooks at all.
bool SwitchesHooksOff(const std::vector<std::string>& command) {
  return std::ranges::any_of(
      command, [](const std::string& word) { return word == "--bare" || word == "--safe-mode"; });
}

// The words of the command, also inside `sh -c 'claude ...'`.
std::vector<std::string> WordsOf(const Identity& identity) {
  const std::optional<ShellInvocation> shell = ReadShellInvocation(identity.command);
  return shell ? shell->words : identity.command;
}

std::vector<ClaudeHook> OursIn(const FileSystem& files, const std::string& path) {
  const Result<std::string> text = ReadSettingsText(files, path);
  const Result<ClaudeSettings> settings = text ? ClaudeSettings::Open(*text) : text.error();
  if (!settings || settings->HooksAreOff()) return {};
  return settings->OurHooks();
}

}  // namespace

HookSight FindClaudeSight(const FileSystem& files, const Layout& project, const Identity& identity,
                          const Environment::Variables& environment) {
  const std::vector<std::string> words = WordsOf(identity);
  const std::string worktree = WorkFolderOf(identity.command, identity.worktree_path);
  std::vector<std::string> paths = {JoinPath(worktree, ".claude/settings.json"),
                                    JoinPath(worktree, ".claude/settings.local.json"),
                                    "/etc/claude-code/managed-settings.json"};
  const std::string config = ClaudeConfigFolder(environment, worktree);
  if (!config.empty()) paths.push_back(JoinPath(config, "settings.json"));
  FoundHooks found;
  for (const std::string& path : paths) LookInto(files, path, found);
  if (found.off || SwitchesHooksOff(words)) return HookSight::kNone;
  if (found.hooks) return HookSight::kInstalled;
  const bool elsewhere = !ClaudeHooksForWorktree(files, project, worktree).empty();
  const bool given = ClaudeAdapter().TakesSettings(identity.command);
  if (elsewhere && given) return HookSight::kInstalled;
  if (BringsItsOwn(words)) return HookSight::kUnknown;
  return elsewhere ? HookSight::kNotGiven : HookSight::kNone;
}

std::string ClaudeHooksForWorktree(const FileSystem& files, const Layout& project,
                                   const std::string& folder) {
  if (folder == project.Root()) return {};
  const std::vector<ClaudeHook> wanted = OursIn(files, ClaudeSettingsPath(project));
  if (wanted.empty()) return {};
  for (const char* name : {".claude/settings.json", ".claude/settings.local.json"}) {
    if (!OursIn(files, JoinPath(folder, name)).empty()) return {};
  }
  HooksWish wish{wanted.front().command.program, {}};
  for (const ClaudeHook& hook : wanted) {
    if (std::ranges::find(wish.events, hook.event) == wish.events.end()) {
      wish.events.push_back(hook.event);
    }
  }
  Result<ClaudeSettings> settings = ClaudeSettings::Open("");
  FoundBefore nothing;
  if (!settings || !settings->Install(wish, nothing)) return {};
  return settings->Text();
}

}  // namespace belay
