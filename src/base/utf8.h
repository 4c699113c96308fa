// Strict UTF-8 (RFC 3629): no surrogates, no overlong forms, nothing above U+10FFFF.

#ifndef BELAY_BASE_UTF8_H_
#define BELAY_BASE_UTF8_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace belay {

struct CodePoint {
  char32_t value;     // U+FFFD when !valid
  std::size_t bytes;  // at least 1; for an invalid sequence the bytes to skip
  bool valid;
};

// The code point that starts at `text[0]`. `text` is not empty.
CodePoint DecodeUtf8(std::string_view text);

void AppendUtf8(char32_t value, std::string& out);

// Offset of the first byte that is not valid UTF-8, or npos when all of it is.
std::size_t FindInvalidUtf8(std::string_view text);

// A copy in which every invalid sequence is one U+FFFD.
std::string ReplaceInvalidUtf8(std::string_view text);

// The beginning of a text in double quotes, for messages: valid UTF-8, at most 60 code points.
std::string Quote(std::string_view text);

// How many code points; an invalid sequence counts as one.
std::size_t CountCodePoints(std::string_view text);

// The longest prefix of at most `count` code points; never splits one.
std::string_view CutCodePoints(std::string_view text, std::size_t count);

// The longest prefix of at most `bytes` bytes that doesn't split a code point.
std::string_view CutBytes(std::string_view text, std::size_t bytes);

// One-based line and column of a byte offset, columns counted in code points, for error messages.
struct TextPosition {
  std::size_t line;
  std::size_t column;
};
TextPosition PositionAt(std::string_view text, std::size_t offset);

}  // namespace belay

#endif  // BELAY_BASE_UTF8_H_
