#include "engine/supervise/agent_color.h"

namespace belay {

std::string_view AgentColorName(AgentColor color) {
  switch (color) {
    case AgentColor::kGreen:
      return "green";
    case AgentColor::kYellow:
      return "yellow";
    case AgentColor::kRed:
      return "red";
    case AgentColor::kGrey:
      return "grey";
  }
  __builtin_unreachable();
}

AgentStatus ShownStatus(const Identity& identity) {
  const bool limited = identity.status == AgentStatus::kCrashed && identity.restart.due &&
                       identity.exit && identity.exit->cause == ExitCause::kRateLimit;
  return limited ? AgentStatus::kWaiting : identity.status;
}

AgentColor ColorOf(AgentStatus status, WallTime last_seen, WallTime now) {
  switch (status) {
    case AgentStatus::kTerminated:
      return AgentColor::kGrey;
    case AgentStatus::kCrashed:
    case AgentStatus::kQuarantined:
      return AgentColor::kRed;
    case AgentStatus::kSpawning:
    case AgentStatus::kSuspect:
    case AgentStatus::kWaiting:
    case AgentStatus::kHandingOff:
      return AgentColor::kYellow;
    case AgentStatus::kAlive:
      break;
  }
  const Duration silence = now - last_seen;
  if (silence <= kFreshFor) return AgentColor::kGreen;
  return silence <= kSilentAfter ? AgentColor::kYellow : AgentColor::kRed;
}

}  // namespace belay
