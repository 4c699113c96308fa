#include "adapters/agent/lines_backwards.h"

#include <algorithm>
#include <cstring>

namespace belay {

LinesBackwards::LinesBackwards(const File& file, const BackwardLimits& limits)
    : file_(file), limits_(limits), readable_(limits.most_bytes), piece_(limits.first_piece) {
  const Result<FileInfo> info = file.Inspect();
  if (!info || info->bytes == 0) {
    done_ = true;
    return;
  }
  left_ = info->bytes;
  // The newline at the end of the file starts no further line.
  char last = 0;
  const Result<std::size_t> read = file.ReadAt(left_ - 1, &last, 1);
  if (read && *read == 1 && last == '\n') --left_;
}

// Puts the next piece before the buffer's content. False when it can't be read.
bool LinesBackwards::ReadPiece() {
  const std::uint64_t wanted = std::min({std::uint64_t{piece_}, left_, readable_});
  piece_ = std::min(piece_ * 2, limits_.largest_piece);
  const auto count = static_cast<std::size_t>(wanted);
  if (count == 0) return false;
  if (too_long_ || end_ > limits_.longest_line) {
    too_long_ = true;
    end_ = 0;
  }
  std::string bytes(count, '\0');
  bytes.reserve(count + end_);
  const Result<std::size_t> read = file_.ReadAt(left_ - count, bytes.data(), count);
  if (!read || *read != count) return false;
  bytes.append(buffer_, 0, end_);
  buffer_ = std::move(bytes);
  left_ -= count;
  readable_ -= count;
  end_ = buffer_.size();
  unsearched_ = count;
  return true;
}

// The line from `begin` to `end_`; nullopt if it is too long.
std::optional<std::string_view> LinesBackwards::Take(std::size_t begin) {
  std::string_view line = std::string_view(buffer_).substr(begin, end_ - begin);
  const bool fits = !too_long_ && line.size() <= limits_.longest_line;
  too_long_ = false;
  if (!fits) return std::nullopt;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<std::string_view> LinesBackwards::Next() {
  while (!done_) {
    const void* found = unsearched_ == 0 ? nullptr : memrchr(buffer_.data(), '\n', unsearched_);
    if (found != nullptr) {
      const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      const std::optional<std::string_view> line = Take(at + 1);
      end_ = unsearched_ = at;
      if (line) return line;
    } else if (left_ == 0) {
      done_ = true;
      return Take(0);
    } else if (!ReadPiece()) {
      done_ = true;
    }
  }
  return std::nullopt;
}

}  // namespace belay
