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
  std::vector<Json> good;  // without their numbers
  std::uint64_t last_seq = 0;
  std::uint64_t bad_lines = 0;
  bool has_header = false;
  bool has_gap = false;
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
void Sort(Json record, Sorted& sorted) {
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

}  // namespace

Result<std::uint64_t> Journal::Repair(const StateLock&) {
  BELAY_TRY(Open(Access::kRead));
  BELAY_TRY_ASSIGN(const std::string text, files_.Read(path_, kLargestJournal));
  Sorted sorted;
  Result<void> ours;
  JsonLinesScanner scanner([&](const JsonLine& line) {
    Result<Json> record = line.good ? ParseJsonLine(line.text) : Json();
    if (!record || record->AsObject() == nullptr) {
      ++sorted.bad_lines;
    } else if (line.offset == 0 && IsHeader(*record)) {
      // Another journal, or a newer one, may be whole: it only isn't ours to change.
      ours = AcceptHeader(*record);
      sorted.has_header = true;
      sorted.last_seq = *JournalSeq(*record);
    } else {
      Sort(*std::move(record), sorted);
    }
  });
  scanner.Feed(text);
  (void)scanner.Finish();
  BELAY_TRY(ours);
  if (sorted.has_header && sorted.bad_lines == 0 && !sorted.has_gap) return std::uint64_t{0};
  // The whole file is kept, not only its bad lines: whoever wants to save more by hand can.
  BELAY_TRY_ASSIGN(const std::string kept, FreeName(files_, path_ + ".damaged"));
  BELAY_TRY(ReplaceFile(files_, kept, text));
  // What can't be read may have had a number too; none is used twice, as long as there are any.
  std::uint64_t last = sorted.last_seq + sorted.bad_lines;
  if (last + sorted.good.size() >= kLargestJournalSeq) last = 0;
  BELAY_TRY_ASSIGN(const std::string lines, JournalLines(last + 1, sorted.good));
  // As after anybody else's replacement, the next reading notices and tells its follower to forget.
  BELAY_TRY(ReplaceFile(files_, path_, JournalHeaderLine(name_, last) + lines));
  return sorted.bad_lines;
}

}  // namespace belay
