// Any lines as records of the merge queue: a valid one survives a round trip, and a book is the
// same after compaction.

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "model/merge_entry.h"

namespace {

using belay::Json;
using belay::MergeBook;
using belay::Result;

template <class T>
void Check(const Json* record, Result<T> (*parse)(const Json&)) {
  if (record == nullptr) return;
  const Result<T> value = parse(*record);
  if (!value) {
    BELAY_CHECK(value.error().code == belay::ErrorCode::kDamaged);
    return;
  }
  const Json json = ToJson(*value);
  const Result<T> again = parse(json);
  BELAY_CHECK(again.ok() && *again == *value);
  BELAY_CHECK(ToJson(*again) == json);
}

// Fewer than the number at which it forgets the oldest.
void CheckSnapshot(const MergeBook& book, const std::vector<std::string>& gates) {
  if (book.entries().size() > MergeBook::kKeptFinished) return;
  MergeBook again;
  for (const Json& record : book.Snapshot({})) again.Apply(record);
  BELAY_CHECK(again.unreadable() == 0);
  BELAY_CHECK(again.entries() == book.entries());
  BELAY_CHECK(again.targets() == book.targets());
  for (const std::string& gate : gates) BELAY_CHECK(again.Gate(gate) == book.Gate(gate));
  BELAY_CHECK(again.NextNumber() == book.NextNumber());
  BELAY_CHECK(belay::MergeRendering(again) == belay::MergeRendering(book));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  MergeBook book;
  std::vector<std::string> gates;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const auto record = belay::ParseJson(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!record) continue;
    Check(record->Find("entry"), belay::MergeEntryFromJson);
    Check(record->Find("target"), belay::MergeTargetFromJson);
    const Json* gate = record->Find("name");
    if (gate != nullptr && gate->AsString() != nullptr) gates.push_back(*gate->AsString());
    book.Apply(*record);
  }
  CheckSnapshot(book, gates);
  return 0;
}
