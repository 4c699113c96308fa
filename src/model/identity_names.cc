// The names of an identity's values, as they stand in records.

#include "model/identity.h"
#include "model/names.h"

namespace belay {
namespace {

constexpr std::string_view kStatuses[] = {"spawning",    "alive",      "suspect", "waiting",
                                          "handing_off", "terminated", "crashed", "quarantined"};
constexpr std::string_view kCauses[] = {"clean", "stopped",    "crash", "killed",
                                        "oom",   "rate_limit", "auth",  "context_exhausted",
                                        "hung",  "unknown"};
constexpr std::string_view kHosts[] = {"process", "tmux", "external", "self"};
constexpr std::string_view kKinds[] = {"claude", "codex", "generic"};
constexpr std::string_view kSources[] = {"unknown", "given", "command", "hooks", "processes"};

}  // namespace

std::string_view AgentStatusName(AgentStatus status) { return NameIn(kStatuses, status); }
std::optional<AgentStatus> ParseAgentStatus(std::string_view name) {
  return FindIn<AgentStatus>(kStatuses, name);
}

bool IsRunning(AgentStatus status) {
  switch (status) {
    case AgentStatus::kSpawning:
    case AgentStatus::kAlive:
    case AgentStatus::kSuspect:
    case AgentStatus::kWaiting:
    case AgentStatus::kHandingOff:
      return true;
    case AgentStatus::kTerminated:
    case AgentStatus::kCrashed:
    case AgentStatus::kQuarantined:
      return false;
  }
  __builtin_unreachable();
}

std::string_view ExitCauseName(ExitCause cause) { return NameIn(kCauses, cause); }
std::optional<ExitCause> ParseExitCause(std::string_view name) {
  return FindIn<ExitCause>(kCauses, name);
}

std::string_view AgentHostName(AgentHost host) { return NameIn(kHosts, host); }
std::optional<AgentHost> ParseAgentHost(std::string_view name) {
  return FindIn<AgentHost>(kHosts, name);
}

std::string_view AgentKindName(AgentKind kind) { return NameIn(kKinds, kind); }
std::optional<AgentKind> ParseAgentKind(std::string_view name) {
  return FindIn<AgentKind>(kKinds, name);
}

std::string_view KindSourceName(KindSource source) { return NameIn(kSources, source); }
std::optional<KindSource> ParseKindSource(std::string_view name) {
  return FindIn<KindSource>(kSources, name);
}

}  // namespace belay
