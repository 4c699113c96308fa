// Any bytes as the input of an agent's hook: the event is small, every text has one line, and it
// survives writing and reading. The first byte chooses the event.

#include <cstdint>
#include <string>

#include "adapters/claude/hooks.h"
#include "base/check.h"
#include "base/utf8.h"
#include "codec/json_lines.h"
#include "engine/events/event_summary.h"
#include "engine/events/judge_report.h"

namespace {

using belay::EventKind;
constexpr EventKind kEvents[] = {EventKind::kToolStarting, EventKind::kToolFinished,
                                 EventKind::kToolFailed,   EventKind::kNotified,
                                 EventKind::kStatusShown,  EventKind::kSessionStarted};

void CheckText(const std::string& text) {
  BELAY_CHECK(belay::CountCodePoints(text) <= belay::AgentEvent::kLongestText);
  BELAY_CHECK(text.find('\n') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const belay::AgentEvent digested =
      belay::JudgeReport(belay::DigestClaudeHook(kEvents[data[0] % std::size(kEvents)], input));
  CheckText(digested.subject);
  CheckText(digested.detail);
  CheckText(digested.tool);
  std::string line;
  if (belay::AppendJsonLine(belay::ToJson(digested), line)) {
    line.pop_back();
    const auto record = belay::ParseJsonLine(line);
    BELAY_CHECK(record.ok());
    const auto event = belay::AgentEventFromJson(*record);
    BELAY_CHECK(event.ok() && belay::ToJson(*event) == belay::ToJson(digested));
  }
  belay::EventSummary summary;
  belay::AddEvent(summary, digested);
  BELAY_CHECK(summary.events == 1);
  return 0;
}
