// Lines that are kept for a while, each until a later one replaces it. They share a few large
// blocks of memory: allocating and freeing them one by one would take longer than reading them.

#ifndef BELAY_MODEL_KEPT_LINES_H_
#define BELAY_MODEL_KEPT_LINES_H_

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace belay {

class KeptLines {
 public:
  // The position of a line; empty at first.
  struct Slot {
    std::size_t piece = 0;
    std::size_t start = 0;
    std::size_t size = 0;
    std::size_t room = 0;

    bool empty() const { return size == 0; }
  };

  // Replaces the slot's line; if its space is too small, that space is lost.
  void Put(std::string_view line, Slot& slot) {
    if (line.size() > slot.room) {
      const std::size_t room = line.size() + line.size() / kSpare;
      const bool fits =
          !pieces_.empty() && pieces_.back().capacity() - pieces_.back().size() >= room;
      if (!fits) pieces_.emplace_back().reserve(std::max(room, kPiece));
      slot = {pieces_.size() - 1, pieces_.back().size(), 0, room};
      pieces_.back().resize(slot.start + room);
    }
    slot.size = line.size();
    line.copy(pieces_[slot.piece].data() + slot.start, line.size());
  }
  std::string_view Get(const Slot& slot) const {
    return slot.empty() ? std::string_view()
                        : std::string_view(pieces_[slot.piece]).substr(slot.start, slot.size);
  }

 private:
  static constexpr std::size_t kPiece = std::size_t{64} << 10U;
  static constexpr std::size_t kSpare = 4;  // a quarter more: the next line is often a bit longer

  std::vector<std::string> pieces_;
};

// A map from names that can be searched with a string_view, without building a string.

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

}  // namespace belay

#endif  // BELAY_MODEL_KEPT_LINES_H_
