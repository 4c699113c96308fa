#include "adapters/claude/hooks.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "adapters/agent/agent_program.h"
#include "adapters/claude/adapter.h"
#include "adapters/claude/events.h"
#include "adapters/claude/hooks_file.h"
#include "adapters/claude/sessions.h"
#include "adapters/claude/settings.h"
#include "base/path.h"
#include "codec/json.h"

namespace belay {
namespace {

std::string LineOf(const Json& answer) { return WriteJson(answer, JsonStyle::kCompact) + "\n"; }

class Hooks final : public AgentHooks {
 public:
  std::optional<EventKind> KindOf(std::string_view event) const override {
    const ClaudeEvent* known = FindClaudeEvent(event);
    return known == nullptr ? std::nullopt : std::optional(known->kind);
  }

  EventReport Digest(EventKind kind, std::string_view input) const override {
    return DigestClaudeHook(kind, input);
  }

  std::optional<AncestorId> ProgramAbove(std::span<const AncestorId> above,
                                         const Environment& environment) const override {
    return ClaudeAbove(above, environment.Get("CLAUDE_PID"));
  }

  std::optional<std::string> ProjectFolder(const Environment& environment) const override {
    return environment.Get("CLAUDE_PROJECT_DIR");
  }

  // For Stop the text is the reason to go on; for the others it is context.
  std::string GiveText(EventKind kind, const std::string& text) const override {
    if (kind == EventKind::kTurnEnded) {
      return LineOf(MakeObject({{"decision", "block"}, {"reason", text}}));
    }
    return LineOf(MakeObject(
        {{"hookSpecificOutput",
          MakeObject({{"hookEventName", NameOfClaudeEvent(kind)}, {"additionalContext", text}})}}));
  }

  // Versions that don't set CLAUDE_PID silently drop the context of PreToolUse.
  bool CarriesMessages(EventKind kind, const Environment& environment) const override {
    if (kind == EventKind::kToolStarting) return environment.Get("CLAUDE_PID").has_value();
    return kind == EventKind::kToolFinished || kind == EventKind::kPromptSubmitted ||
           kind == EventKind::kTurnEnded;
  }

  std::string Refuse(const std::string& reason) const override {
    return LineOf(
        MakeObject({{"hookSpecificOutput",
                     MakeObject({{"hookEventName", NameOfClaudeEvent(EventKind::kToolStarting)},
                                 {"permissionDecision", "deny"},
                                 {"permissionDecisionReason", reason}})}}));
  }

  Result<HooksWish> Wish(std::string program, Programs& programs) const override {
    return WishForInstalledClaude(std::move(program), programs);
  }

  std::unique_ptr<HooksFile> OpenFile(FileSystem& files, const Layout& project) const override {
    return std::make_unique<ClaudeHooksFile>(files, project);
  }

  std::vector<Check> CheckInstalled(const HookEnv& env) const override { return CheckClaude(env); }

  HookVisibility FindVisibility(const FileSystem& files, const Layout& project,
                                const Identity& identity,
                                const Environment::Variables& environment) const override {
    return FindClaudeHookVisibility(files, project, identity, environment);
  }

  std::string ForWorktree(const FileSystem& files, const Layout& project,
                          const std::string& folder) const override {
    return ClaudeHooksForWorktree(files, project, folder);
  }
};

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

const AgentHooks& ClaudeHooks() {
  static const Hooks hooks;
  return hooks;
}

namespace {

// A hook's parent is its shell, or Claude Code itself if the shell replaced itself with the hook.
constexpr std::size_t kNearest = 2;

bool LooksLikeIt(const AncestorId& process) {
  const std::string file = ProgramFileOf(process.pid);
  const std::string_view name = FileName(file);
  return name == "claude" || name == "claude.exe" || name == "node" || name == "bun" ||
         file.find("/claude/versions/") != std::string::npos;
}

}  // namespace

std::optional<AncestorId> ClaudeAbove(std::span<const AncestorId> above,
                                      const std::optional<std::string>& claim) {
  if (!claim) {
    const auto near = above.first(std::min(above.size(), kNearest));
    const auto found = std::ranges::find_if(near, LooksLikeIt);
    return found != near.end() ? std::optional(*found) : std::nullopt;
  }
  pid_t pid = 0;
  const char* const end = claim->data() + claim->size();
  const auto parsed = std::from_chars(claim->data(), end, pid);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  const auto found = std::ranges::find(above, pid, &AncestorId::pid);
  return found != above.end() ? std::optional(*found) : std::nullopt;
}

HookVisibility FindClaudeHookVisibility(const FileSystem& files, const Layout& project,
                                        const Identity& identity,
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
  if (found.off || SwitchesHooksOff(words)) return HookVisibility::kNone;
  if (found.hooks) return HookVisibility::kInstalled;
  const bool elsewhere = !ClaudeHooksForWorktree(files, project, worktree).empty();
  const bool given = ClaudeAdapter().TakesSettings(identity.command);
  if (elsewhere && given) return HookVisibility::kInstalled;
  if (BringsItsOwn(words)) return HookVisibility::kUnknown;
  return elsewhere ? HookVisibility::kNotGiven : HookVisibility::kNone;
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
