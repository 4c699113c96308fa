// The message of any commit is a record or refused; what is a record stays the same one.

#include <cstdint>

#include "base/check.h"
#include "snapshot/snapshot_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto record = belay::ParseSnapshotMessage({reinterpret_cast<const char*>(data), size});
  if (!record) {
    BELAY_CHECK(record.error().code == belay::ErrorCode::kDamaged);
    return 0;
  }
  const auto again = belay::ParseSnapshotMessage(belay::WriteSnapshotMessage(*record));
  BELAY_CHECK(again.ok());
  belay::SnapshotRecord same = *record;
  same.message = again->message;  // it is made one plain line
  BELAY_CHECK(*again == same);
  return 0;
}
