#include "adapters/claude/process_above.h"

#include <algorithm>
#include <charconv>

#include "base/path.h"
#include "os/this_process.h"

namespace belay {
namespace {

// A hook's parent is its shell, or the program itself where the shell made way for the hook.
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

bool RunsInsideAnother(std::span<const ProcessAbove> above, const ProcessAbove& claude) {
  const std::string belay = ProgramFileOf(static_cast<pid_t>(ThisProcess()));
  const std::string its = ProgramFileOf(claude.pid);
  auto outer = std::ranges::find(above, claude);
  if (its.empty() || outer == above.end()) return false;
  while (++outer != above.end()) {
    const std::string file = ProgramFileOf(outer->pid);
    if (file == belay) return false;
    if (file == its) return true;
  }
  return false;
}

}  // namespace belay
