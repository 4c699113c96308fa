// How the YAML reader says what is wrong: one line of valid UTF-8 that begins with its place.

#ifndef BELAY_CODEC_YAML_ERROR_H_
#define BELAY_CODEC_YAML_ERROR_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/utf8.h"

namespace belay::yaml {

// "line 3, column 5: what"
Error ErrorAt(TextPosition at, std::string_view what);

// Of what YAML has and belay's configuration doesn't: "aliases are not used in ...".
Error Unused(TextPosition at, std::string_view what);

// "001B"
std::string Hex(char32_t c);

// At most `count` code points of `text`, on one line and without anything a terminal would obey.
std::string OneLine(std::string_view text, std::size_t count);

// The beginning of `text`, in quotes.
std::string Quote(std::string_view text);

// The first forbidden character of valid UTF-8, and its offset.
struct Found {
  std::size_t offset;
  char32_t value;
};
std::optional<Found> FindForbidden(std::string_view text);

}  // namespace belay::yaml

#endif  // BELAY_CODEC_YAML_ERROR_H_
