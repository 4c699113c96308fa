// Parses numbers in a campaign's command line.

#ifndef BELAY_TESTING_WHOLE_NUMBER_H_
#define BELAY_TESTING_WHOLE_NUMBER_H_

#include <charconv>
#include <cstdint>
#include <string_view>

#include "base/check.h"

namespace belay {

inline std::uint64_t WholeNumber(std::string_view text) {
  std::uint64_t number = 0;
  const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  BELAY_CHECK(status == std::errc() && stop == text.data() + text.size());
  return number;
}

}  // namespace belay

#endif  // BELAY_TESTING_WHOLE_NUMBER_H_
