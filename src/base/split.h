// A text taken apart at a separator.

#ifndef BELAY_BASE_SPLIT_H_
#define BELAY_BASE_SPLIT_H_

#include <string_view>
#include <vector>

namespace belay {

// "a|b|c" gives a, b and c, as views into `text`. An empty text gives nothing.
std::vector<std::string_view> Split(std::string_view text, char separator);

}  // namespace belay

#endif  // BELAY_BASE_SPLIT_H_
