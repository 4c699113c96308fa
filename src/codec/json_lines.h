// JSON lines, each with a checksum: the format of every append-only file.
//
//   {"seq":7,"kind":"spawned","crc":"00f638ec"}\n
//
// A line is one compact JSON object; its last member is the CRC-32 of all bytes before `,"crc":`,
// in eight lower-case hex digits. The lines remain plain JSON for jq and for people.
// docs/formats/json-lines.md describes the format in full.
//
// After a crash the end of such a file may hold anything: half a line, zeros, old blocks.
// Everything after the last good line is the *torn tail*; it was never acknowledged and is dropped.
// A bad line with a good one after it is *damage* and is reported, never skipped silently.

#ifndef BELAY_CODEC_JSON_LINES_H_
#define BELAY_CODEC_JSON_LINES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "codec/json.h"

namespace belay {

// `record` is an object with at least one member and none called "crc", or the program aborts. A
// record that a reader would refuse (a line too long, a value nested too deep, a duplicate key) is
// kRefused, and `out` is unchanged.
Result<void> AppendJsonLine(const Json& record, std::string& out);

// Longer lines are neither written nor read.
constexpr std::size_t kLongestJsonLine = std::size_t{4} << 20U;

// Whether `line` (without its newline) carries the right checksum. Doesn't look at the JSON.
bool HasGoodChecksum(std::string_view line);

// The record without its checksum. A wrong checksum or bad JSON is kDamaged, with the column.
Result<Json> ParseJsonLine(std::string_view line, const JsonLimits& limits = {});
// The same for a line whose checksum is known to be good, without computing it again.
Result<Json> ParseGoodJsonLine(std::string_view line, const JsonLimits& limits = {});

struct JsonLine {
  std::uint64_t offset;   // of its first byte in the file
  std::uint64_t number;   // one-based
  std::string_view text;  // without the newline; valid during the call only; empty if over-long
  bool good;
};

// Reads a file in pieces of any size, in bounded memory, and judges each line by its checksum.
class JsonLinesScanner {
 public:
  using Sink = std::function<void(const JsonLine&)>;

  struct Place {
    std::uint64_t offset;
    std::uint64_t number;
  };
  struct Summary {
    std::uint64_t good_lines = 0;
    std::uint64_t damaged_lines = 0;  // bad, with a good line after them
    std::optional<Place> first_damage;
    std::uint64_t good_end = 0;    // end of the last good line: where to append or cut
    std::uint64_t torn_bytes = 0;  // after that
  };

  explicit JsonLinesScanner(Sink sink, std::size_t longest_line = kLongestJsonLine)
      : sink_(std::move(sink)), longest_line_(longest_line) {}

  void Feed(std::string_view piece);
  Summary Finish();  // once, after the last piece

 private:
  void EndLine(std::string_view line, std::uint64_t bytes);
  void Keep(std::string_view part);

  Sink sink_;
  std::size_t longest_line_;
  std::string partial_;
  std::uint64_t partial_bytes_ = 0;  // more than partial_ holds when the line is over-long
  std::uint64_t offset_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t bad_since_good_ = 0;
  std::optional<Place> first_bad_since_good_;
  Summary summary_;
};

}  // namespace belay

#endif  // BELAY_CODEC_JSON_LINES_H_
