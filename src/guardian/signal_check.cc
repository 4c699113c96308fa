#include "guardian/signal_check.h"

#include <fmt/core.h>

namespace belay {
namespace {

Error NotMeant(std::string_view why, std::string hint) {
  return {ErrorCode::kRefused, fmt::format("KILL_ORCHESTRATOR: {}", why), std::move(hint)};
}

Result<void> CheckProof(const Signal& signal, const Caller& caller) {
  const SignalRule& rule = RuleOf(signal.type);
  const bool agents_may = (rule.senders & static_cast<std::uint8_t>(Party::kAgent)) != 0;
  if (agents_may || caller.party != Party::kPerson || caller.proven) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} is for people, and nothing proves that this is one", rule.name),
               "run it from a terminal that no agent opened"};
}

}  // namespace

Result<AgentId> KillTarget(const IdentityBook& book, const Signal& signal) {
  const Json* value = signal.payload.Find("agent_id");
  const bool text = value != nullptr && value->AsString() != nullptr;
  if (!text) return NotMeant("its agent_id is no text", "such as \"orchestrator-login#3\"");
  Result<AgentId> agent = AgentId::Parse(*value->AsString());
  if (!agent) {
    return NotMeant(agent.error().message, "with its incarnation, such as orchestrator-login#3");
  }
  const Identity* present = book.Find(agent->identity());
  if (present == nullptr) {
    return NotMeant(fmt::format("there is no agent {}", agent->identity().text()),
                    "belay agents --all lists them");
  }
  if (present->id == *agent) return agent;
  return NotMeant(
      fmt::format("{} is not the present one, {} is", agent->text(), present->id.text()),
      "belay agents lists those that run");
}

Result<void> CheckSent(const IdentityBook& book, const Signal& signal, const Caller& caller,
                       const Recipient& to) {
  BELAY_TRY(CheckSignal(signal, caller.party, to));
  BELAY_TRY(CheckProof(signal, caller));
  if (signal.type != SignalType::kKillOrchestrator) return {};
  BELAY_TRY(KillTarget(book, signal));
  return {};
}

}  // namespace belay
