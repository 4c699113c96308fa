// Reads the lines of a file from the last one backwards, so that reading the end of a file costs
// the same whatever its size.
//
// The file is read in growing pieces, and never more than `most_bytes` of it. Other processes may
// write to it, truncate or replace it during that: appended text isn't seen, and truncation ends
// the reading. A line longer than `longest_line` is skipped; the last line needs no newline.

#ifndef BELAY_ADAPTERS_AGENT_LINES_BACKWARDS_H_
#define BELAY_ADAPTERS_AGENT_LINES_BACKWARDS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "os/file_system.h"

namespace belay {

struct BackwardLimits {
  std::size_t first_piece = std::size_t{64} << 10U;
  std::size_t largest_piece = std::size_t{4} << 20U;
  std::size_t longest_line = std::size_t{16} << 20U;
  std::uint64_t most_bytes = std::uint64_t{64} << 20U;
};

class LinesBackwards {
 public:
  // `file` outlives it.
  explicit LinesBackwards(const File& file, const BackwardLimits& limits = {});

  // The previous line, without its line end (\n or \r\n), valid until the next call. Nullopt when
  // there is none left, the limit is reached, or reading fails.
  std::optional<std::string_view> Next();

 private:
  bool ReadPiece();
  std::optional<std::string_view> Take(std::size_t begin);

  const File& file_;
  const BackwardLimits limits_;
  std::uint64_t left_ = 0;      // bytes of the file before those in the buffer
  std::uint64_t readable_ = 0;  // how many more bytes may be read
  std::size_t piece_;           // size of the next read
  std::string buffer_ = {};
  std::size_t end_ = 0;         // of the part not yet returned
  std::size_t unsearched_ = 0;  // no newline from here on
  bool too_long_ = false;       // the current line is; its bytes aren't kept
  bool done_ = false;
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENT_LINES_BACKWARDS_H_
