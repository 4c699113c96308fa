// The kinds of agents, and their names in records and options. Each kind has an adapter for what
// differs (adapters/agents.h).

#ifndef BELAY_MODEL_AGENT_KIND_H_
#define BELAY_MODEL_AGENT_KIND_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "model/json_fields.h"

namespace belay {

enum class AgentKind { kClaude, kCodex, kGeneric };
constexpr std::string_view kAgentKinds[] = {"claude", "codex", "generic"};  // in the same order

inline std::string_view AgentKindName(AgentKind kind) { return NameIn(kAgentKinds, kind); }
inline std::optional<AgentKind> ParseAgentKind(std::string_view name) {
  return FindIn<AgentKind>(kAgentKinds, name);
}

// "claude|codex|generic", for an option that takes one of them.
constexpr std::size_t kAgentChoicesSize = [] {
  std::size_t size = 0;
  for (const std::string_view name : kAgentKinds) size += name.size() + 1;
  return size - 1;
}();
constexpr std::array<char, kAgentChoicesSize> kAgentChoicesText = [] {
  std::array<char, kAgentChoicesSize> text = {};
  std::size_t at = 0;
  for (const std::string_view name : kAgentKinds) {
    if (at != 0) text[at++] = '|';
    for (const char c : name) text[at++] = c;
  }
  return text;
}();
constexpr std::string_view kAgentChoices(kAgentChoicesText.data(), kAgentChoicesText.size());

}  // namespace belay

#endif  // BELAY_MODEL_AGENT_KIND_H_
