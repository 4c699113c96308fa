// The lines of a journal as text; docs/formats/journal.md has the format.

#ifndef BELAY_STORE_JOURNAL_LINES_H_
#define BELAY_STORE_JOURNAL_LINES_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "codec/json.h"

namespace belay {

constexpr int kJournalVersion = 1;
constexpr std::uint64_t kLargestJournalSeq = std::uint64_t{1} << 62U;

// `seq` is the last number used before this file began; 0 in a new journal.
std::string JournalHeaderLine(const std::string& name, std::uint64_t seq);

// One line each, numbered from `first_seq` on. Records are objects without "seq", "journal" and
// "crc", or the program stops. One that is too long or too deep is kRefused.
Result<std::string> JournalLines(std::uint64_t first_seq, std::span<const Json> records);

// The number of a record or header that was read; nothing when it has none, or one
// above the largest, from which the numbers couldn't go on.
std::optional<std::uint64_t> JournalSeq(const Json& record);

}  // namespace belay

#endif  // BELAY_STORE_JOURNAL_LINES_H_
