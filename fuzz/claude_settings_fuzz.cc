// Any settings: our hooks are added once, and removed without a trace.

#include <cstdint>
#include <string_view>

#include "adapters/claude/settings.h"
#include "base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  belay::Result<belay::ClaudeSettings> settings = belay::ClaudeSettings::Open(text);
  if (!settings || !settings->OurHooks().empty()) return 0;
  const belay::HooksWish wish{.program = "/usr/bin/belay",
                              .events = {"PreToolUse", "Stop", "SessionEnd"}};
  belay::FoundBefore before;
  if (!settings->Install(wish, before)) return 0;
  BELAY_CHECK(settings->OurHooks().size() == wish.events.size());
  const std::string installed = settings->Text();
  belay::FoundBefore again = before;
  settings = belay::ClaudeSettings::Open(installed);
  BELAY_CHECK(settings.ok() && settings->Install(wish, again).ok());
  BELAY_CHECK(settings->Text() == installed && again == before);
  const auto after = settings->TakeOut(before);
  BELAY_CHECK(after.ok() && *after == text);
  return 0;
}
