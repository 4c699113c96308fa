// Any lines as records of identities: a valid one survives a round trip, and a book is the same
// after compaction.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/identity_book.h"

namespace {

using belay::Json;

void Check(const Json& record) {
  const auto identity = belay::IdentityFromJson(record);
  if (!identity) {
    BELAY_CHECK(identity.error().code == belay::ErrorCode::kDamaged);
    return;
  }
  const Json json = belay::ToJson(*identity);
  const auto again = belay::IdentityFromJson(json);
  BELAY_CHECK(again.ok());
  BELAY_CHECK(belay::ToJson(*again) == json);
}

void CheckSnapshot(const belay::IdentityBook& book) {
  belay::IdentityBook again;
  for (const Json& record : book.Snapshot({}, {})) again.Apply(record);
  BELAY_CHECK(again.unreadable() == 0);
  BELAY_CHECK(again.entries().size() == book.entries().size());
  for (const auto& [name, entry] : book.entries()) {
    const belay::IdentityEntry* same = again.FindEntry(name);
    BELAY_CHECK(same != nullptr && same->history.size() == entry.history.size());
    BELAY_CHECK(belay::ToJson(same->present) == belay::ToJson(entry.present));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  belay::IdentityBook book;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const auto record = belay::ParseJson(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!record) continue;
    Check(*record);
    if (const Json* identity = record->Find("identity")) Check(*identity);
    book.Apply(*record);
  }
  CheckSnapshot(book);
  return 0;
}
