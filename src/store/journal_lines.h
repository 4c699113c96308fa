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

// One line each, numbered from `first_seq` on. Records are objects without "seq", "unsynced",
// "journal" and "crc", or the program stops. One that is too long or too deep is kRefused. Each
// line says from which number on nothing was known to be on the disk when it was written, unless
// that is its own.
Result<std::string> JournalLines(std::uint64_t first_seq, std::uint64_t unsynced,
                                 std::span<const Json> records);
// Of a file that is written as a whole: each stands for itself.
Result<std::string> JournalLines(std::uint64_t first_seq, std::span<const Json> records);

// The number of a record or header that was read; nothing when it has none, or one
// above the largest, from which the numbers couldn't go on.
std::optional<std::uint64_t> JournalSeq(const Json& record);
// What its line says of that, or its own number.
std::optional<std::uint64_t> JournalUnsynced(const Json& record);

// Takes what belongs to the journal out of a record.
void StripJournalMembers(Json& record);

}  // namespace belay

#endif  // BELAY_STORE_JOURNAL_LINES_H_
