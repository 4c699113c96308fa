#include "engine/events/open_work.h"

#include <algorithm>

namespace belay {
namespace {

constexpr std::size_t kMostCalls = 200;  // their ends may have been lost

void Open(OpenWork& work, ReportedTurn turn, WallTime at) {
  work.turn = turn;
  work.since = at;
}

void Begin(OpenWork& work, const AgentEvent& event) {
  if (event.detail == EventDetail::kCompacted) return;
  work = {};
  if (event.detail == EventDetail::kResumed || event.detail == EventDetail::kForked) {
    Open(work, ReportedTurn::kResumed, event.at);
  }
}

void AddCall(OpenWork& work, const AgentEvent& event) {
  const OpenCall call{event.call, event.sub_agent};
  const bool known = !call.id.empty() && std::ranges::find(work.calls, call) != work.calls.end();
  if (known) return;  // a guardian that starts in the middle reads the last events twice
  if (work.calls.size() == kMostCalls) work.calls.erase(work.calls.begin());
  work.calls.push_back(call);
}

void EndCall(OpenWork& work, const AgentEvent& event) {
  const auto found = std::ranges::find(work.calls, OpenCall{event.call, event.sub_agent});
  if (found != work.calls.end()) work.calls.erase(found);
}

void EndCallsOf(OpenWork& work, const std::string& sub_agent) {
  std::erase_if(work.calls, [&](const OpenCall& call) { return call.sub_agent == sub_agent; });
}

bool HasOpenSubAgent(const OpenWork& work) {
  return std::ranges::any_of(work.calls,
                             [](const OpenCall& call) { return !call.sub_agent.empty(); });
}

bool HasEndedSince(const OpenWork& work, const ConversationTurn& conversation) {
  return conversation.turn == TurnWritten::kEnded && conversation.at >= work.since;
}

// Another of the user's Stop hooks made the model continue, and no event followed.
bool WentOnAfter(const OpenWork& work, const ConversationTurn& conversation) {
  const bool cut_off =
      conversation.turn == TurnWritten::kWithin || conversation.turn == TurnWritten::kInterrupted;
  return cut_off && conversation.at > work.since;
}

}  // namespace

void AddWork(OpenWork& work, const AgentEvent& event) {
  const bool begins = event.kind == EventKind::kToolStarting;
  if (event.kind == EventKind::kSessionStarted) return Begin(work, event);
  if (begins) AddCall(work, event);
  if (IsToolCall(event.kind) && !begins) EndCall(work, event);
  if (event.kind == EventKind::kSubAgentEnded && event.nested) {
    return EndCallsOf(work, event.sub_agent);
  }
  if (event.nested) return;
  const bool opens = IsToolCall(event.kind) || event.kind == EventKind::kPromptSubmitted ||
                     event.kind == EventKind::kTurnGoesOn;
  if (opens) Open(work, ReportedTurn::kOpen, event.at);
  if (event.kind != EventKind::kTurnEnded && event.kind != EventKind::kTurnFailed) return;
  Open(work, ReportedTurn::kEnded, event.at);
  EndCallsOf(work, "");
}

bool IsUnfinished(const OpenWork& work, const ConversationTurn& conversation, bool person_left) {
  if (HasOpenSubAgent(work) && !person_left) return true;
  switch (work.turn) {
    case ReportedTurn::kEnded:
      return WentOnAfter(work, conversation) && !person_left;
    case ReportedTurn::kNone:
      return conversation.turn == TurnWritten::kWithin && !person_left;
    case ReportedTurn::kResumed:
      return !HasEndedSince(work, conversation) && !person_left;
    case ReportedTurn::kOpen:
      if (HasEndedSince(work, conversation)) return false;
      return conversation.turn == TurnWritten::kWithin || !person_left;
  }
  __builtin_unreachable();
}

}  // namespace belay
