#include <fmt/core.h>

#include "codec/json_lines.h"
#include "ledger/test_families.h"
#include "model/test_records.h"
#include "records/samples.h"

namespace belay {
namespace {

// Of a family that names its format itself: what its examples say to its book.
template <class F>
void AddRowOf(std::vector<GoldenRecord>& rows) {
  if constexpr (HasFormat<F>) {
    constexpr int kSamples = 3;
    const auto read = [](const Json& record) {
      typename F::Book book;
      book.Apply(record);
      std::string known;
      for (const Json& one : book.Snapshot(Second(9))) known += WriteJson(one) + "\n";
      return fmt::format("{}{} unreadable", known, book.unreadable());
    };
    GoldenRecord row(F::kFormat, ".jsonl", {},
                     [read](const std::string& line) { return read(ParsedLine(line)); });
    for (int i = 0; i < kSamples; ++i) {
      const Json sample = SampleRecord<F>(Second(i), i);
      row.written.push_back(JournalLine(sample));
      row.expected.push_back(read(sample));
    }
    rows.push_back(std::move(row));
  }
}
template <class... F>
void AddRowsOf(FamilyNames<F...>, std::vector<GoldenRecord>& rows) {
  (AddRowOf<F>(rows), ...);
}

}  // namespace

void AddFamilyRecords(std::vector<GoldenRecord>& rows) { AddRowsOf(FamilyList(), rows); }

std::string Line(const Json& record) {
  std::string line;
  const Result<void> added = AppendJsonLine(record, line);
  return added ? line : added.error().message;
}

std::string JournalLine(const Json& record) {
  Json::Object members = {{"seq", 7}};
  members.insert(members.end(), record.AsObject()->begin(), record.AsObject()->end());
  return Line(members);
}

Json ParsedLine(const std::string& line) {
  const Result<Json> record = ParseJsonLine(line.substr(0, line.find('\n')));
  return record ? *record : Json(record.error().message);
}

}  // namespace belay
