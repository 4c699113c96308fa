// Who may send what to whom; docs/signals.md has the same table.

#include <algorithm>
#include <vector>

#include "base/suggest.h"
#include "base/utf8.h"
#include "model/signal.h"

namespace belay {
namespace {

template <class... Parties>
constexpr std::uint8_t Bits(Parties... parties) {
  return static_cast<std::uint8_t>((0U | ... | static_cast<unsigned>(parties)));
}

constexpr Party kA = Party::kAgent;
constexpr Party kR = Party::kRunner;
constexpr Party kG = Party::kGuardian;
constexpr Party kP = Party::kPerson;
constexpr Party kC = Party::kCommand;

using enum SignalType;

// In the order of SignalType.
// clang-format off
constexpr SignalRule kRules[] = {
    {kAgentRegistered, "AGENT_REGISTERED", Bits(kG), Bits(kG, kP), "agent_id",
     "an agent is known from now on"},
    {kAgentCrashed, "AGENT_CRASHED", Bits(kG), Bits(kG, kP), "agent_id cause",
     "an agent ended and was not meant to"},
    {kAgentTerminated, "AGENT_TERMINATED", Bits(kG), Bits(kG, kP), "agent_id cause",
     "an agent ended as it was meant to"},
    {kHookUpdated, "HOOK_UPDATED", Bits(kA, kR, kG, kP), Bits(kG), "hook_path sha256",
     "what an agent is working on has changed"},
    {kMergeReady, "MERGE_READY", Bits(kA, kP), Bits(kG), "",
     "the work is done and may be merged"},
    {kMergeConflict, "MERGE_CONFLICT", Bits(kG), Bits(kA, kP), "files ours theirs",
     "the work doesn't fit what was merged before"},
    {kMergeComplete, "MERGE_COMPLETE", Bits(kG), Bits(kA, kG, kP), "commit",
     "the work is merged"},
    {kMergeFailed, "MERGE_FAILED", Bits(kG), Bits(kA, kP), "reason",
     "the work could not be merged"},
    {kContextWarning, "CONTEXT_WARNING", Bits(kR, kG), Bits(kA, kG, kP), "urgency evidence",
     "an agent's context is filling up"},
    {kHandoffRequested, "HANDOFF_REQUESTED", Bits(kG), Bits(kA, kG), "correlation_id",
     "an agent is to save its work and end"},
    {kHandoffComplete, "HANDOFF_COMPLETE", Bits(kG), Bits(kG, kP), "correlation_id",
     "its successor works"},
    {kHandoffTimeout, "HANDOFF_TIMEOUT", Bits(kG), Bits(kG, kP), "correlation_id",
     "it did not end in time"},
    {kOrchestratorStuck, "ORCHESTRATOR_STUCK", Bits(kR, kG), Bits(kG, kP), "agent_id evidence",
     "an agent runs and does nothing"},
    {kOrchestratorCrashed, "ORCHESTRATOR_CRASHED", Bits(kG), Bits(kG, kP), "agent_id cause",
     "another name of AGENT_CRASHED"},
    {kNeedsReview, "NEEDS_REVIEW", Bits(kA, kP), Bits(kG, kP), "",
     "somebody should look at the work"},
    {kNeedsInput, "NEEDS_INPUT", Bits(kA, kR), Bits(kG, kP), "question",
     "an agent waits for an answer"},
    {kNodeComplete, "NODE_COMPLETE", Bits(kA, kP), Bits(kG), "node_id",
     "the work on a node is done"},
    {kValidationPassed, "VALIDATION_PASSED", Bits(kP, kC), Bits(kG), "node_id head",
     "the work on a node was checked and is right"},
    {kValidationFailed, "VALIDATION_FAILED", Bits(kP, kC), Bits(kA, kG), "node_id reason",
     "the work on a node was checked and is wrong"},
    {kGuidance, "GUIDANCE", Bits(kG, kP), Bits(kA), "text",
     "something that an agent should know"},
    {kInputResponse, "INPUT_RESPONSE", Bits(kG, kP), Bits(kA), "text",
     "the answer to NEEDS_INPUT"},
    {kKillOrchestrator, "KILL_ORCHESTRATOR", Bits(kG, kP), Bits(kG), "agent_id",
     "an agent is to be ended"},
    {kEscalate, "ESCALATE", Bits(kA, kR, kG), Bits(kG, kP), "reason",
     "a person has to decide"},
    {kTaskSuspended, "TASK_SUSPENDED", Bits(kA, kG), Bits(kG, kP), "task_id context_path reason",
     "the work on a task was put aside"},
};
// clang-format on

constexpr bool InOrder() {
  for (std::size_t i = 0; i < std::size(kRules); ++i) {
    if (static_cast<std::size_t>(kRules[i].type) != i) return false;
  }
  return std::size(kRules) == static_cast<std::size_t>(kTaskSuspended) + 1;
}
static_assert(InOrder());

}  // namespace

std::span<const SignalRule> SignalRules() { return kRules; }

const SignalRule& RuleOf(SignalType type) { return kRules[static_cast<std::size_t>(type)]; }

Result<SignalType> ParseSignalType(std::string_view name) {
  const auto* const rule = std::find_if(std::begin(kRules), std::end(kRules),
                                        [&](const SignalRule& one) { return one.name == name; });
  if (rule != std::end(kRules)) {
    return rule->type == kOrchestratorCrashed ? kAgentCrashed : rule->type;
  }
  std::vector<std::string_view> known;
  for (const SignalRule& one : kRules) known.push_back(one.name);
  return Error{ErrorCode::kUsage, "no signal " + Quote(name),
               DidYouMean(name, known, "belay help signal lists them")};
}

}  // namespace belay
