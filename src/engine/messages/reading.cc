#include "engine/messages/reading.h"

namespace belay {
namespace {

bool IsLater(const Delivery& given, const AgentEvent& event) {
  const bool same =
      given.session.empty() || event.session.empty() || given.session == event.session;
  return same && !event.nested && given.delivered_at && event.at > *given.delivered_at;
}

Reading ReadOr(bool read, bool ended) {
  if (read) return Reading::kRead;
  return ended ? Reading::kUnread : Reading::kUnknown;
}

}  // namespace

bool EventsShowReading(const Delivery& given, std::optional<EventKind> by,
                       std::span<const AgentEvent> events) {
  const bool at_call = by && IsToolCall(*by);
  const bool in_text = given.by == kByResumeText;
  for (const AgentEvent& event : events) {
    if (!IsLater(given, event)) continue;
    const bool answers =
        event.kind == EventKind::kTurnEnded || event.kind == EventKind::kToolStarting;
    if (answers || (IsToolCall(event.kind) && !at_call)) return true;
    if (event.kind == EventKind::kPromptSubmitted && !in_text) return false;
  }
  return false;
}

Reading JudgeReading(const Delivery& given, std::optional<EventKind> by,
                     const ReadingEvidence& evidence) {
  const bool shown = evidence.answered || evidence.event;
  if (given.by == kByResumeText) {
    const bool finished = evidence.ended && !evidence.hooks && evidence.clean;
    return ReadOr(shown || finished, evidence.ended);
  }
  if (!evidence.readable) return ReadOr(evidence.event, evidence.ended);
  const bool kept =
      evidence.ended && evidence.last && evidence.written && by != EventKind::kTurnEnded;
  return ReadOr(evidence.answered || kept, evidence.ended);
}

}  // namespace belay
