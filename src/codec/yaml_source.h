// Prepares a YAML text for libfyaml, and maps offsets in it to positions.

#ifndef BELAY_CODEC_YAML_SOURCE_H_
#define BELAY_CODEC_YAML_SOURCE_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/utf8.h"
#include "codec/yaml.h"

namespace belay::yaml {

// The text that libfyaml reads and that all offsets refer to: no byte order mark, and every line,
// including the last, ends with LF. Refuses what libfyaml would misread or take quadratic time for.
Result<std::string> Prepare(std::string_view text, const YamlLimits& limits);

// The same for any YAML: only what no YAML file may hold is refused.
Result<std::string> PrepareStructure(std::string_view text, const YamlLimits& limits);

// libfyaml refuses some comments that are indented with tabs: spaces take their place.
void UntabComments(std::string& text);

// Positions of offsets in any order. Stores one position per kStride bytes, because counting from
// the start for every node of a long line would take quadratic time; counts on from the last answer
// where that is nearer.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {
    TextPosition at{1, 1};
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i % kStride == 0) marks_.push_back(at);
      if (i < text.size()) Step(text[i], at);
    }
  }

  TextPosition At(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    const std::size_t mark = offset - offset % kStride;
    const bool nearer = last_ >= mark && last_ <= offset;
    TextPosition at = nearer ? last_position_ : marks_[offset / kStride];
    for (std::size_t i = nearer ? last_ : mark; i < offset; ++i) Step(text_[i], at);
    last_ = offset;
    last_position_ = at;
    return at;
  }

 private:
  static constexpr std::size_t kStride = 256;

  static void Step(char c, TextPosition& at) {
    if (c == '\n') {
      at = {at.line + 1, 1};
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++at.column;
    }
  }

  std::string_view text_;
  std::vector<TextPosition> marks_;
  mutable std::size_t last_ = 0;
  mutable TextPosition last_position_{1, 1};
};

bool IsBefore(TextPosition a, TextPosition b);

// Errors of the YAML reader: one line of valid UTF-8 that begins with the position.

// "line 3, column 5: what"
Error ErrorAt(TextPosition at, std::string_view what);

// For YAML features that belay's configuration doesn't use: "aliases are not used in ...".
Error Unused(TextPosition at, std::string_view what);

// "001B"
std::string Hex(char32_t c);

// At most `count` code points of `text`, on one line and without anything a terminal would
// interpret.
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

#endif  // BELAY_CODEC_YAML_SOURCE_H_
