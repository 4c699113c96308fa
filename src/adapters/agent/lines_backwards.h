// The lines of a file from its last one backwards, so that what stands at the end of a file of any
// size costs what stands there.
//
// The file is read in pieces that grow, and never more than `most_bytes` of it. It may be written
// to meanwhile, cut or replaced by another one: what was appended isn't seen, what was cut off ends
// the reading. A line that is longer than `longest_line` is passed over; the last one needs no line
// end.

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

  // The line before, without its line end (\n or \r\n), until the next call. Nothing when there is
  // none, or none that may or can be read.
  std::optional<std::string_view> Next();

 private:
  bool ReadPiece();
  std::optional<std::string_view> Take(std::size_t begin);

  const File& file_;
  const BackwardLimits limits_;
  std::uint64_t left_ = 0;      // bytes of the file before those in the buffer
  std::uint64_t readable_ = 0;  // how many more may be read
  std::size_t piece_;           // how much is read next
  std::string buffer_ = {};
  std::size_t end_ = 0;         // of what wasn't given out yet
  std::size_t unsearched_ = 0;  // line ends may stand before this
  bool too_long_ = false;       // the line that is being read; its bytes aren't kept
  bool done_ = false;
};

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENT_LINES_BACKWARDS_H_
