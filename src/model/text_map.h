// A map from names that can be searched with a string_view, without building a string.

#ifndef BELAY_MODEL_TEXT_MAP_H_
#define BELAY_MODEL_TEXT_MAP_H_

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace belay {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

template <class Value>
using TextMap = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

}  // namespace belay

#endif  // BELAY_MODEL_TEXT_MAP_H_
