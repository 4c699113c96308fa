#include "adapters/claude/events.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/utf8.h"

namespace belay {
namespace {

constexpr auto kLimit = std::chrono::seconds(10);

constexpr ClaudeEvent kEvents[] = {
    {"SessionStart", EventKind::kSessionStarted},
    {"UserPromptSubmit", EventKind::kPromptSubmitted},
    {"PreToolUse", EventKind::kToolStarting},
    {"PostToolUse", EventKind::kToolFinished},
    {"PostToolUseFailure", EventKind::kToolFailed},
    {"PreCompact", EventKind::kCompactionStarting},
    {"PostCompact", EventKind::kCompactionFinished, {2, 1, 76}},
    {"Stop", EventKind::kTurnEnded},
    {"StopFailure", EventKind::kTurnFailed, {2, 1, 78}},
    {"SubagentStop", EventKind::kSubAgentEnded},
    {"SessionEnd", EventKind::kSessionEnded},
    {"Notification", EventKind::kNotified},
    {"TaskCreated", EventKind::kTaskCreated, {2, 1, 84}},
    {"TaskCompleted", EventKind::kTaskCompleted, {2, 1, 33}},
};

// The other events that kLastStrict knows, with the first version found to know them; kOldestClaude
// where older ones were not tried.
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

std::string_view NameOfClaudeEvent(EventKind kind) {
  const auto* found = std::ranges::find(kEvents, kind, &ClaudeEvent::kind);
  return found == std::end(kEvents) ? std::string_view() : found->name;
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
  // The number must end here.
  if (at != end && *at != ' ' && *at != '\n' && *at != '-') return std::nullopt;
  return version;
}

Result<ClaudeVersion> AskClaudeVersion(Programs& programs) {
  BELAY_TRY_ASSIGN(const ProgramResult said,
                   programs.Run({.command = {"claude", "--version"}, .limit = kLimit}));
  if (said.exit_code != 0) {
    return Error{ErrorCode::kFailed,
                 fmt::format("claude --version exits with code {}", said.exit_code)};
  }
  const std::optional<ClaudeVersion> version = ParseClaudeVersion(said.out);
  if (version) return *version;
  return Error{ErrorCode::kFailed, fmt::format("claude --version prints {}", Quote(said.out))};
}

namespace {

std::vector<std::string> EventsSince(const ClaudeVersion& version) {
  std::vector<std::string> names;
  for (const ClaudeEvent& event : ClaudeEvents()) {
    if (event.since > version) names.emplace_back(event.name);
  }
  return names;
}

}  // namespace

std::vector<std::string> EventsFor(const std::optional<ClaudeVersion>& version) {
  std::vector<std::string> names;
  for (const ClaudeEvent& event : ClaudeEvents()) {
    if (event.since <= version.value_or(kOldestClaude)) names.emplace_back(event.name);
  }
  return names;
}

Result<HooksWish> WishForInstalledClaude(std::string program, Programs& programs) {
  HooksWish wish{.program = std::move(program), .events = {}};
  const Result<ClaudeVersion> version = AskClaudeVersion(programs);
  if (!version) {
    wish.events = EventsFor(std::nullopt);
    wish.remark = fmt::format(
        "The version of Claude Code is unknown ({}), so only the events that every version since "
        "{} supports are installed; run belay init --agent claude again when it is in PATH.",
        version.error().message, kOldestClaude.text());
    return wish;
  }
  if (*version < kOldestClaude) {
    return Error{ErrorCode::kRefused,
                 fmt::format("Claude Code {} is older than {}, the oldest that belay supports",
                             version->text(), kOldestClaude.text()),
                 "update it: claude update"};
  }
  wish.events = EventsFor(*version);
  wish.unwanted = EventsSince(*version);
  if (!wish.unwanted.empty()) {
    wish.remark = fmt::format(
        "Claude Code {} doesn't support all events; run belay init --agent claude again after an "
        "update.",
        version->text());
  }
  return wish;
}

}  // namespace belay
