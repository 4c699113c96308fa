// A name is accepted only if it could have been written for a message.

#include <cstdint>

#include "base/check.h"
#include "store/inbox.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  const auto parsed = belay::ParseInboxName(name);
  if (!parsed) return 0;
  switch (parsed->state) {
    case belay::InboxName::State::kWaiting:
      BELAY_CHECK(belay::WaitingName(parsed->id) == name);
      break;
    case belay::InboxName::State::kLeased:
      BELAY_CHECK(belay::LeasedName(parsed->id, parsed->leased_until) == name);
      break;
    case belay::InboxName::State::kDone:
      BELAY_CHECK(belay::DoneName(parsed->id, parsed->acknowledged_at) == name);
      break;
  }
  return 0;
}
