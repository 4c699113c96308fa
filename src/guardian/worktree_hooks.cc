#include "guardian/worktree_hooks.h"

#include <algorithm>

#include "adapters/claude/settings.h"
#include "base/path.h"

namespace belay {
namespace {

constexpr std::size_t kMostSettings = std::size_t{4} << 20U;

std::vector<ClaudeHook> OursIn(const FileSystem& files, const std::string& path) {
  const Result<std::string> real = files.Resolve(path);
  const Result<std::string> text = real ? files.Read(*real, kMostSettings) : real;
  if (!text) return {};
  const Result<ClaudeSettings> settings = ClaudeSettings::Open(*text);
  if (!settings || settings->HooksAreOff()) return {};
  return settings->OurHooks();
}

}  // namespace

std::string HooksForWorktree(const FileSystem& files, const Layout& project, AgentKind kind,
                             const std::string& folder) {
  if (kind != AgentKind::kClaude || folder == project.Root()) return {};
  const std::vector<ClaudeHook> wanted = OursIn(files, project.ClaudeSettings());
  if (wanted.empty()) return {};
  for (const char* name : {".claude/settings.json", ".claude/settings.local.json"}) {
    if (!OursIn(files, JoinPath(folder, name)).empty()) return {};
  }
  ClaudeHooksWish wish{wanted.front().command.program, {}};
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
