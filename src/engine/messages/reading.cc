#include "engine/messages/reading.h"

namespace belay {
namespace {

constexpr std::string_view kStop = "Stop";

bool IsToolEvent(std::string_view name) {
  return name == "PreToolUse" || name == "PostToolUse" || name == "PostToolUseFailure";
}

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

bool EventsShowReading(const Delivery& given, std::span<const AgentEvent> events) {
  const bool at_call = IsToolEvent(given.by);
  const bool in_text = given.by == kByResumeText;
  for (const AgentEvent& event : events) {
    if (!IsLater(given, event)) continue;
    if (event.name == kStop || event.name == "PreToolUse") return true;
    if (IsToolEvent(event.name) && !at_call) return true;
    if (event.name == "UserPromptSubmit" && !in_text) return false;
  }
  return false;
}

Reading JudgeReading(const Delivery& given, const ReadingEvidence& evidence) {
  const bool shown = evidence.answered || evidence.event;
  if (given.by == kByResumeText) {
    const bool finished = evidence.ended && !evidence.hooks && evidence.clean;
    return ReadOr(shown || finished, evidence.ended);
  }
  if (!evidence.readable) return ReadOr(evidence.event, evidence.ended);
  const bool kept = evidence.ended && evidence.last && evidence.written && given.by != kStop;
  return ReadOr(evidence.answered || kept, evidence.ended);
}

}  // namespace belay
