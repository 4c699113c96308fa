// Any JSON as a hook record: a valid one survives a round trip, also after notes and phases.

#include <cstdint>
#include <string>

#include "base/check.h"
#include "model/hook.h"

namespace {

void CheckRoundTrip(const belay::Hook& hook) {
  const belay::Json json = belay::ToJson(hook);
  const auto again = belay::HookFromJson(json);
  BELAY_CHECK(again.ok());
  BELAY_CHECK(belay::ToJson(*again) == json);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  belay::Hook noted{.identity = *belay::IdentityName::Parse("worker-a")};
  belay::AddNote(noted, {text, {}, 1, text});
  CheckRoundTrip(noted);
  const auto record = belay::ParseJson(text);
  if (!record) return 0;
  auto hook = belay::HookFromJson(*record);
  if (!hook) {
    BELAY_CHECK(hook.error().code == belay::ErrorCode::kDamaged);
    return 0;
  }
  CheckRoundTrip(*hook);
  belay::SetPhase(*hook, belay::WorkPhase::kTesting, {}, "fuzz");
  belay::AddNote(*hook, {text, {}, 1, "person"});
  CheckRoundTrip(*hook);
  return 0;
}
