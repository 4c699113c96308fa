#include "store/journal_lines.h"

#include <algorithm>

#include "base/check.h"
#include "codec/json_lines.h"

namespace belay {
namespace {

Result<void> AppendRecord(std::uint64_t seq, std::uint64_t unsynced, const Json& record,
                          std::string& out) {
  const Json::Object* members = record.AsObject();
  BELAY_CHECK(members != nullptr && record.Find("seq") == nullptr &&
              record.Find("unsynced") == nullptr && record.Find("journal") == nullptr);
  Json::Object numbered;
  numbered.reserve(members->size() + 2);
  numbered.push_back({"seq", Json(seq)});
  if (unsynced != seq) numbered.push_back({"unsynced", Json(unsynced)});
  numbered.insert(numbered.end(), members->begin(), members->end());
  return AppendJsonLine(Json(std::move(numbered)), out);
}

std::optional<std::uint64_t> NumberOf(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  const std::int64_t* number = value == nullptr ? nullptr : value->AsInteger();
  if (number == nullptr || *number < 0) return std::nullopt;
  const auto positive = static_cast<std::uint64_t>(*number);
  return positive <= kLargestJournalSeq ? std::optional(positive) : std::nullopt;
}

}  // namespace

std::string JournalHeaderLine(const std::string& name, std::uint64_t seq) {
  const Json header = MakeObject({{"seq", seq}, {"journal", name}, {"version", kJournalVersion}});
  std::string line;
  BELAY_CHECK(AppendJsonLine(header, line).ok());
  return line;
}

Result<std::string> JournalLines(std::uint64_t first_seq, std::uint64_t unsynced,
                                 std::span<const Json> records) {
  std::string lines;
  for (const Json& record : records) {
    BELAY_TRY(AppendRecord(first_seq, std::min(unsynced, first_seq), record, lines));
    ++first_seq;
  }
  return lines;
}

Result<std::string> JournalLines(std::uint64_t first_seq, std::span<const Json> records) {
  std::string lines;
  for (const Json& record : records) {
    BELAY_TRY(AppendRecord(first_seq, first_seq, record, lines));
    ++first_seq;
  }
  return lines;
}

std::optional<std::uint64_t> JournalSeq(const Json& record) { return NumberOf(record, "seq"); }

std::optional<std::uint64_t> JournalUnsynced(const Json& record) {
  return record.Find("unsynced") == nullptr ? JournalSeq(record) : NumberOf(record, "unsynced");
}

void StripJournalMembers(Json& record) {
  record.Remove("seq");
  record.Remove("unsynced");
}

}  // namespace belay
