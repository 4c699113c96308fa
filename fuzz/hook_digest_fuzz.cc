// Any bytes as what an agent hands its hook: an event comes of it that is small, one line in every
// text, and the same when it is written down and read again. The first byte chooses the event.

#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/utf8.h"
#include "codec/json_lines.h"
#include "engine/events/hearing.h"
#include "engine/events/hook_digest.h"

namespace {

constexpr std::string_view kEvents[] = {"PreToolUse",   "PostToolUse", "PostToolUseFailure",
                                        "Notification", "StatusLine",  "SessionStart"};

void CheckText(const std::string& text) {
  BELAY_CHECK(belay::CountCodePoints(text) <= belay::AgentEvent::kLongestText);
  BELAY_CHECK(text.find('\n') == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const belay::HookDigest digest = belay::DigestHook(kEvents[data[0] % std::size(kEvents)], input);
  CheckText(digest.event.subject);
  CheckText(digest.event.detail);
  CheckText(digest.event.tool);
  std::string line;
  if (belay::AppendJsonLine(belay::ToJson(digest.event), line)) {
    line.pop_back();
    const auto record = belay::ParseJsonLine(line);
    BELAY_CHECK(record.ok());
    const auto event = belay::AgentEventFromJson(*record);
    BELAY_CHECK(event.ok() && belay::ToJson(*event) == belay::ToJson(digest.event));
  }
  belay::Hearing hearing;
  belay::Hear(hearing, digest.event);
  BELAY_CHECK(hearing.events == 1);
  return 0;
}
