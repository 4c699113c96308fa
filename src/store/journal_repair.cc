#include <fmt/core.h>

#include "codec/json_lines.h"
#include "store/durable_file.h"
#include "store/free_name.h"
#include "store/journal.h"
#include "store/journal_lines.h"

namespace belay {
namespace {

constexpr std::size_t kLargestJournal = std::size_t{1} << 30U;

// What can be trusted of a journal.
struct Sorted {
  std::optional<Json> header;
  std::vector<Json> good;  // without their numbers
  std::uint64_t last_seq = 0;
  std::uint64_t bad_lines = 0;
  bool has_gap = false;

  bool whole() const { return header && bad_lines == 0 && !has_gap; }
};

// Whether it says which journal it is, in a version that may be newer than ours.
bool IsHeader(const Json& record) {
  const Json* name = record.Find("journal");
  const Json* version = record.Find("version");
  return name != nullptr && name->AsString() != nullptr && version != nullptr &&
         version->AsInteger() != nullptr && JournalSeq(record);
}

// A number that doesn't rise, or a header in the middle, is no better than a wrong checksum:
// somebody has put the line there.
void SortRecord(Json record, Sorted& sorted) {
  const std::optional<std::uint64_t> seq = JournalSeq(record);
  if (!seq || *seq <= sorted.last_seq || record.Find("journal") != nullptr) {
    ++sorted.bad_lines;
    return;
  }
  sorted.has_gap = sorted.has_gap || *seq != sorted.last_seq + 1;
  sorted.last_seq = *seq;
  record.Remove("seq");
  sorted.good.push_back(std::move(record));
}

Sorted Sort(std::string_view text) {
  Sorted sorted;
  JsonLinesScanner scanner([&](const JsonLine& line) {
    Result<Json> record = line.good ? ParseGoodJsonLine(line.text) : Json();
    if (!record || record->AsObject() == nullptr) {
      ++sorted.bad_lines;
    } else if (line.offset == 0 && IsHeader(*record)) {
      sorted.last_seq = *JournalSeq(*record);
      sorted.header = *std::move(record);
    } else {
      SortRecord(*std::move(record), sorted);
    }
  });
  scanner.Feed(text);
  (void)scanner.Finish();
  return sorted;
}

// All that is good, under numbers that go on. What can't be read may have had a number too; none is
// used twice, as long as there are any. A record of somebody else's making may be too long once it
// is written our way; it counts as bad then.
std::string Rewrite(const std::string& name, Sorted& sorted) {
  std::uint64_t last = sorted.last_seq + sorted.bad_lines;
  if (last + sorted.good.size() >= kLargestJournalSeq) last = 0;
  std::string text = JournalHeaderLine(name, last);
  for (const Json& record : sorted.good) {
    const Result<std::string> line = JournalLines(last + 1, {&record, 1});
    if (line) {
      text += *line;
      ++last;
    } else {
      ++sorted.bad_lines;
    }
  }
  return text;
}

}  // namespace

Result<std::uint64_t> Journal::Repair(const StateLock&) {
  BELAY_TRY(Open(Access::kRead));
  BELAY_TRY_ASSIGN(const std::string text, files_.Read(path_, kLargestJournal));
  Sorted sorted = Sort(text);
  // Another journal, or a newer one, may be whole: it only isn't ours to change.
  if (sorted.header) BELAY_TRY(AcceptHeader(*sorted.header));
  if (sorted.whole()) return std::uint64_t{0};
  // The whole file is kept, not only its bad lines: whoever wants to save more by hand can.
  BELAY_TRY_ASSIGN(const std::string kept, FreeName(files_, path_ + ".damaged"));
  BELAY_TRY(ReplaceFile(files_, kept, text));
  // As after anybody else's replacement, the next reading notices and tells its follower to forget.
  BELAY_TRY(ReplaceFile(files_, path_, Rewrite(name_, sorted)));
  return sorted.bad_lines;
}

}  // namespace belay
