#include "adapters/claude/events.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/utf8.h"

namespace belay {
namespace {

constexpr auto kLimit = std::chrono::seconds(10);

constexpr ClaudeEvent kEvents[] = {
    {"SessionStart", kOldestClaude, false},      {"UserPromptSubmit", kOldestClaude, false},
    {"PreToolUse", kOldestClaude, true},         {"PostToolUse", kOldestClaude, true},
    {"PostToolUseFailure", kOldestClaude, true}, {"PreCompact", kOldestClaude, false},
    {"PostCompact", {2, 1, 76}, false},          {"Stop", kOldestClaude, false},
    {"StopFailure", {2, 1, 78}, false},          {"SubagentStop", kOldestClaude, false},
    {"SessionEnd", kOldestClaude, false},        {"Notification", kOldestClaude, false},
    {"TaskCreated", {2, 1, 84}, false},          {"TaskCompleted", {2, 1, 33}, false},
};

// All others that kLastStrict knows, with the version that was found to be the first; kOldestClaude
// stands where none was looked for.
struct OtherEvent {
  std::string_view name;
  ClaudeVersion since;
};
constexpr OtherEvent kOthers[] = {
    {"SubagentStart", kOldestClaude},     {"PermissionRequest", kOldestClaude},
    {"PermissionDenied", kOldestClaude},  {"Setup", kOldestClaude},
    {"ConfigChange", kOldestClaude},      {"Elicitation", kOldestClaude},
    {"ElicitationResult", kOldestClaude}, {"CwdChanged", kOldestClaude},
    {"FileChanged", kOldestClaude},       {"TeammateIdle", {2, 1, 33}},
    {"WorktreeCreate", {2, 1, 50}},       {"WorktreeRemove", {2, 1, 50}},
    {"InstructionsLoaded", {2, 1, 69}},
};

}  // namespace

std::string ClaudeVersion::text() const { return fmt::format("{}.{}.{}", major, minor, patch); }

std::span<const ClaudeEvent> ClaudeEvents() { return kEvents; }

const ClaudeEvent* FindClaudeEvent(std::string_view name) {
  const auto* found = std::ranges::find(kEvents, name, &ClaudeEvent::name);
  return found == std::end(kEvents) ? nullptr : found;
}

bool IsFatalEvent(std::string_view name, const ClaudeVersion& version) {
  if (version > kLastStrict) return false;
  if (const ClaudeEvent* ours = FindClaudeEvent(name)) return ours->since > version;
  const auto* other = std::ranges::find(kOthers, name, &OtherEvent::name);
  return other == std::end(kOthers) || other->since > version;
}

std::optional<ClaudeVersion> ParseClaudeVersion(std::string_view text) {
  ClaudeVersion version;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int* const part : {&version.major, &version.minor, &version.patch}) {
    if (part != &version.major && (at == end || *at++ != '.')) return std::nullopt;
    const auto [behind, status] = std::from_chars(at, end, *part);
    if (status != std::errc() || *part < 0) return std::nullopt;
    at = behind;
  }
  // Nothing that would make it another number.
  if (at != end && *at != ' ' && *at != '\n' && *at != '-') return std::nullopt;
  return version;
}

Result<ClaudeVersion> AskClaudeVersion(Programs& programs) {
  BELAY_TRY_ASSIGN(const ProgramResult said,
                   programs.Run({.command = {"claude", "--version"}, .limit = kLimit}));
  if (said.exit_code != 0) {
    return Error{ErrorCode::kFailed,
                 fmt::format("claude --version ends with exit code {}", said.exit_code)};
  }
  const std::optional<ClaudeVersion> version = ParseClaudeVersion(said.out);
  if (version) return *version;
  return Error{ErrorCode::kFailed, fmt::format("claude --version says {}", Quote(said.out))};
}

}  // namespace belay
