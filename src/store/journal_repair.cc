#include <fmt/core.h>

#include <map>

#include "codec/json_lines.h"
#include "store/durable_file.h"
#include "store/free_name.h"
#include "store/journal.h"
#include "store/journal_lines.h"

namespace belay {
namespace {

constexpr std::size_t kLargestJournal = std::size_t{1} << 30U;

// What can be trusted of a journal: where its good records are, by their numbers.
struct Sorted {
  std::optional<Json> header;
  std::map<std::uint64_t, std::string_view> good;  // lines of the text
  std::uint64_t bad_lines = 0;
  bool in_order = true;

  std::uint64_t first_seq() const { return header ? *JournalSeq(*header) : 0; }
  std::uint64_t last_seq() const { return good.empty() ? first_seq() : good.rbegin()->first; }
  bool whole() const {
    return header && bad_lines == 0 && in_order && last_seq() - first_seq() == good.size();
  }
};

// Whether it says which journal it is, in a version that may be newer than ours.
bool IsHeader(const Json& record) {
  const Json* name = record.Find("journal");
  const Json* version = record.Find("version");
  return name != nullptr && name->AsString() != nullptr && version != nullptr &&
         version->AsInteger() != nullptr && JournalSeq(record);
}

// A number that is there already, was used up before this file began, or a header in the middle is
// no better than a wrong checksum: somebody has put the line there. The same line twice is once.
void SortRecord(const Json& record, std::string_view line, Sorted& sorted) {
  const std::optional<std::uint64_t> seq = JournalSeq(record);
  if (!seq || *seq <= sorted.first_seq() || record.Find("journal") != nullptr) {
    ++sorted.bad_lines;
    return;
  }
  sorted.in_order = sorted.in_order && *seq > sorted.last_seq();
  const auto [there, added] = sorted.good.try_emplace(*seq, line);
  if (!added && there->second != line) ++sorted.bad_lines;
}

// The lines of `text`, which outlives what is given back.
Sorted Sort(std::string_view text) {
  Sorted sorted;
  JsonLinesScanner scanner([&](const JsonLine& line) {
    const Result<Json> record = line.good ? ParseGoodJsonLine(line.text) : Json();
    if (!record || record->AsObject() == nullptr) {
      ++sorted.bad_lines;
    } else if (line.offset == 0 && IsHeader(*record)) {
      sorted.header = *record;
    } else {
      SortRecord(*record, text.substr(line.offset, line.text.size()), sorted);
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
  std::uint64_t last = sorted.last_seq() + sorted.bad_lines;
  if (last + sorted.good.size() >= kLargestJournalSeq) last = 0;
  std::string text = JournalHeaderLine(name, last);
  for (const auto& [seq, line] : sorted.good) {
    Json record = *ParseGoodJsonLine(line);
    StripJournalMembers(record);
    const Result<std::string> rewritten = JournalLines(last + 1, {&record, 1});
    if (rewritten) {
      text += *rewritten;
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
