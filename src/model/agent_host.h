// Where an agent runs, and what follows from it: one row for each host. Pure; host/host.h handles
// processes and terminals. CONTRIBUTING.md lists what a new host touches.

#ifndef BELAY_MODEL_AGENT_HOST_H_
#define BELAY_MODEL_AGENT_HOST_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace belay {

enum class AgentHost {
  kProcess,   // under `belay exec`, on a terminal of its own
  kTmux,      // under `belay exec` in a tmux session
  kExternal,  // started without belay: watched, never ended and never started again
  kSelf,      // belay itself: the guardian
};

struct HostFacts {
  AgentHost host;
  std::string_view name;  // in records, and of `belay spawn --host`
  bool built = true;
  bool is_agent = true;  // false: it has no work, no hook and gets no messages
  // Belay starts it, under `belay exec`: there is a run record, a log and a terminal, and belay may
  // end and restart it. Otherwise the three texts explain why not, and what the user can do.
  bool launched = true;
  bool named = true;  // false: it has no BELAY_AGENT_ID, and its hooks name its process
  std::string_view not_ours = {};  // "was not started by belay"
  std::string_view end_hint = {};
  std::string_view start_hint = {};
};

inline constexpr std::array kHosts = {
    HostFacts{.host = AgentHost::kProcess, .name = "process"},
    HostFacts{.host = AgentHost::kTmux, .name = "tmux", .built = false},
    HostFacts{.host = AgentHost::kExternal,
              .name = "external",
              .launched = false,
              .named = false,
              .not_ours = "was not started by belay",
              .end_hint = "stop it where it runs",
              .start_hint = "start it again where it ran"},
    HostFacts{
        .host = AgentHost::kSelf,
        .name = "self",
        .is_agent = false,
        .launched = false,
        .not_ours = "is part of belay",
        .end_hint =
            "stop it where it runs, or with systemctl --user stop; agents keep running without it",
        .start_hint = "belay guard starts a guardian"},
};
static_assert([] {
  for (std::size_t i = 0; i < kHosts.size(); ++i) {
    if (kHosts[i].host != static_cast<AgentHost>(i)) return false;
  }
  return true;
}());

constexpr const HostFacts& FactsOf(AgentHost host) {
  return kHosts[static_cast<std::size_t>(host)];
}
constexpr std::string_view AgentHostName(AgentHost host) { return FactsOf(host).name; }
constexpr std::optional<AgentHost> ParseAgentHost(std::string_view name) {
  const auto* const found = std::ranges::find(kHosts, name, &HostFacts::name);
  return found == kHosts.end() ? std::nullopt : std::optional(found->host);
}

}  // namespace belay

#endif  // BELAY_MODEL_AGENT_HOST_H_
