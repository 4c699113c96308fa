// The events of Claude Code that belay's hooks are called for, and which version knows which.
//
// Up to kLastStrict, one unknown event makes the program silently ignore the whole settings file,
// permission rules included. So only events that the installed version knows may be in it. Each
// version number was verified with the real program and the version before it.

#ifndef BELAY_ADAPTERS_CLAUDE_EVENTS_H_
#define BELAY_ADAPTERS_CLAUDE_EVENTS_H_

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/agent/agent_hooks.h"
#include "base/result.h"
#include "model/agent_event.h"
#include "os/program.h"

namespace belay {

struct ClaudeVersion {
  int major = 0;
  int minor = 0;
  int patch = 0;
  auto operator<=>(const ClaudeVersion&) const = default;
  std::string text() const;
};

constexpr ClaudeVersion kOldestClaude{2, 0, 77};  // supported by belay
constexpr ClaudeVersion kLastStrict{2, 1, 100};   // later ones ignore an unknown event

struct ClaudeEvent {
  std::string_view name;
  EventKind kind;
  ClaudeVersion since = kOldestClaude;  // or earlier

  // Whether the event is about a tool, and can be filtered by the tool's name.
  bool has_matcher() const { return IsToolCall(kind); }
};

std::span<const ClaudeEvent> ClaudeEvents();
// Null when it isn't one of ours.
const ClaudeEvent* FindClaudeEvent(std::string_view name);
// Empty when it has no event for it.
std::string_view NameOfClaudeEvent(EventKind kind);

// Whether this version ignores the whole settings file because of an event of that name, ours or
// not.
bool IsFatalEvent(std::string_view name, const ClaudeVersion& version);

// Parses the output of `claude --version`: "2.1.325 (Claude Code)".
std::optional<ClaudeVersion> ParseClaudeVersion(std::string_view text);

// Runs the `claude` in PATH. kNotFound when there is none, kFailed when it prints no version.
Result<ClaudeVersion> AskClaudeVersion(Programs& programs);

// The hooks that belay init installs: for the events that the installed Claude Code knows.

// The events for a version; without one, those that every supported version knows.
std::vector<std::string> EventsFor(const std::optional<ClaudeVersion>& version);

// For the belay at this path. A Claude Code that is too old to be supported is kRefused.
Result<HooksWish> WishForInstalledClaude(std::string program, Programs& programs);

}  // namespace belay

#endif  // BELAY_ADAPTERS_CLAUDE_EVENTS_H_
