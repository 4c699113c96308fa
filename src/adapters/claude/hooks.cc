#include "adapters/claude/hooks.h"

#include <algorithm>
#include <charconv>

#include "adapters/claude/checks.h"
#include "adapters/claude/digest.h"
#include "adapters/claude/events.h"
#include "adapters/claude/hook_sight.h"
#include "adapters/claude/hooks_file.h"
#include "base/path.h"

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

  std::optional<ProcessAbove> ProgramAbove(std::span<const ProcessAbove> above,
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

  std::vector<Check> CheckInstalled(const HookDoors& doors) const override {
    return CheckClaude(doors);
  }

  HookSight FindSight(const FileSystem& files, const Layout& project, const Identity& identity,
                      const Environment::Variables& environment) const override {
    return FindClaudeSight(files, project, identity, environment);
  }

  std::string ForWorktree(const FileSystem& files, const Layout& project,
                          const std::string& folder) const override {
    return ClaudeHooksForWorktree(files, project, folder);
  }
};

}  // namespace

const AgentHooks& ClaudeHooks() {
  static const Hooks hooks;
  return hooks;
}

namespace {

// A hook's parent is its shell, or Claude Code itself if the shell replaced itself with the hook.
constexpr std::size_t kNearest = 2;

bool LooksLikeIt(const ProcessAbove& process) {
  const std::string file = ProgramFileOf(process.pid);
  const std::string_view name = FileName(file);
  return name == "claude" || name == "claude.exe" || name == "node" || name == "bun" ||
         file.find("/claude/versions/") != std::string::npos;
}

}  // namespace

std::optional<ProcessAbove> ClaudeAbove(std::span<const ProcessAbove> above,
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
  const auto found = std::ranges::find(above, pid, &ProcessAbove::pid);
  return found != above.end() ? std::optional(*found) : std::nullopt;
}

}  // namespace belay
