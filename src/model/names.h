// Enum values and their names in records, one table each.

#ifndef BELAY_MODEL_NAMES_H_
#define BELAY_MODEL_NAMES_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace belay {

// The names of an enum's values, in their order.
template <class Enum>
std::string_view NameIn(std::span<const std::string_view> names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

template <class Enum>
std::optional<Enum> FindIn(std::span<const std::string_view> names, std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace belay

#endif  // BELAY_MODEL_NAMES_H_
