#include "store/journal_lines.h"

#include "base/check.h"
#include "codec/json_lines.h"

namespace belay {
namespace {

Result<void> AppendRecord(std::uint64_t seq, const Json& record, std::string& out) {
  const Json::Object* members = record.AsObject();
  BELAY_CHECK(members != nullptr && record.Find("seq") == nullptr &&
              record.Find("journal") == nullptr);
  Json::Object numbered;
  numbered.reserve(members->size() + 1);
  numbered.push_back({"seq", Json(seq)});
  numbered.insert(numbered.end(), members->begin(), members->end());
  return AppendJsonLine(Json(std::move(numbered)), out);
}

}  // namespace

std::string JournalHeaderLine(const std::string& name, std::uint64_t seq) {
  const Json header = MakeObject({{"seq", seq}, {"journal", name}, {"version", kJournalVersion}});
  std::string line;
  BELAY_CHECK(AppendJsonLine(header, line).ok());
  return line;
}

Result<std::string> JournalLines(std::uint64_t first_seq, std::span<const Json> records) {
  std::string lines;
  for (const Json& record : records) BELAY_TRY(AppendRecord(first_seq++, record, lines));
  return lines;
}

std::optional<std::uint64_t> JournalSeq(const Json& record) {
  const Json* seq = record.Find("seq");
  const std::int64_t* number = seq == nullptr ? nullptr : seq->AsInteger();
  if (number == nullptr || *number < 0) return std::nullopt;
  const auto value = static_cast<std::uint64_t>(*number);
  return value <= kLargestJournalSeq ? std::optional(value) : std::nullopt;
}

}  // namespace belay
