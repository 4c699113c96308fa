#include <fmt/core.h>

#include "codec/json_lines.h"
#include "store/durable_file.h"
#include "store/journal.h"

namespace belay {
namespace {

// The lines of a journal, sorted by what can be trusted.
struct Sorted {
  std::string good;  // renumbered, without the header
  std::uint64_t good_records = 0;
  std::uint64_t bad_lines = 0;
};

void Sort(const JsonLine& line, Sorted& sorted) {
  Result<Json> record = line.good ? ParseJsonLine(line.text)
                                  : Result<Json>(Error{ErrorCode::kDamaged, "bad checksum"});
  // The header is written anew; further down, a record may have a member of that name.
  if (record && line.number == 1 && record->Find("journal") != nullptr) return;
  if (record && record->Find("seq") != nullptr) {
    record->Set("seq", sorted.good_records + 1);
    // What we didn't write may be too long once it is written our way.
    if (AppendJsonLine(*record, sorted.good)) {
      ++sorted.good_records;
      return;
    }
  }
  ++sorted.bad_lines;
}

// `path`.damaged-N with the first N that is free.
std::string FreeName(const FileSystem& files, const std::string& path) {
  for (int n = 1;; ++n) {
    std::string name = fmt::format("{}.damaged-{}", path, n);
    if (!files.Inspect(name)) return name;
  }
}

}  // namespace

Result<std::uint64_t> Journal::Repair(const StateLock&) {
  constexpr std::size_t kLargestJournal = std::size_t{1} << 30U;
  BELAY_TRY_ASSIGN(const std::string text, files_.Read(path_, kLargestJournal));
  Sorted sorted;
  JsonLinesScanner scanner([&](const JsonLine& line) { Sort(line, sorted); });
  scanner.Feed(text);
  (void)scanner.Finish();
  if (sorted.bad_lines > 0) {
    // The whole file is kept, not only its bad lines: whoever wants to save more by hand can.
    BELAY_TRY(ReplaceFile(files_, FreeName(files_, path_), text));
  }
  std::string repaired;
  BELAY_TRY(AppendJsonLine(MakeObject({{"seq", 0}, {"journal", name_}, {"version", 1}}), repaired));
  // As after anybody else's replacement, the next reading notices and tells its follower to forget.
  BELAY_TRY(ReplaceFile(files_, path_, repaired + sorted.good));
  return sorted.bad_lines;
}

}  // namespace belay
