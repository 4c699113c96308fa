// The message of any commit is a record or refused; a record survives a round trip.

#include <cstdint>

#include "base/check.h"
#include "snapshot/snapshot_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto record = belay::ParseSnapshotMessage({reinterpret_cast<const char*>(data), size});
  if (!record) {
    BELAY_CHECK(record.error().code == belay::ErrorCode::kDamaged);
    return 0;
  }
  const std::string message = belay::WriteSnapshotMessage(*record);
  const auto again = belay::ParseSnapshotMessage(message);
  BELAY_CHECK(again.ok());
  BELAY_CHECK(belay::WriteSnapshotMessage(*again) == message);
  return 0;
}
