// Any JSON as a signal: a valid one survives a round trip, and checking it doesn't crash.

#include <cstdint>

#include "base/check.h"
#include "model/signal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto record = belay::ParseJson({reinterpret_cast<const char*>(data), size});
  if (!record) return 0;
  const auto signal = belay::SignalFromJson(*record);
  if (!signal) {
    BELAY_CHECK(signal.error().code == belay::ErrorCode::kDamaged);
    return 0;
  }
  const belay::Json json = belay::ToJson(*signal);
  const auto again = belay::SignalFromJson(json);
  BELAY_CHECK(again.ok());
  BELAY_CHECK(belay::ToJson(*again) == json);
  const auto to = belay::Recipient::Parse(signal->to);
  BELAY_CHECK(to.ok());
  using enum belay::Party;
  for (const belay::Party sender : {kAgent, kRunner, kGuardian, kPerson, kCommand}) {
    const auto may = belay::CheckSignal(*signal, sender, *to);
    BELAY_CHECK(may.ok() || may.error().code == belay::ErrorCode::kRefused ||
                may.error().code == belay::ErrorCode::kUsage);
  }
  return 0;
}
