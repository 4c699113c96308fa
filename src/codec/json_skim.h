// Reads a few members of an object without building values for all of it: for choosing which of
// many records to parse.
//
// The text must be JSON written compactly by AppendJson, such as a line with a right checksum. On
// any other text the results mean nothing, but it never reads past the end; so use the results only
// to choose, and parse what counts with ParseJson.

#ifndef BELAY_CODEC_JSON_SKIM_H_
#define BELAY_CODEC_JSON_SKIM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace belay {

class JsonSkimmer {
 public:
  // Starts before the first member of the object that `text` begins with.
  explicit JsonSkimmer(std::string_view text) : text_(text) {}

  // Advances to the next member; false at the end, or when the member can't be read.
  bool Next();
  // Whether Next returned false because the object ended.
  bool Ended() const;
  // As spelled.
  std::string_view key() const { return key_; }

  // The value of the member as spelled; empty when it has no end.
  std::string_view Value();
  // The same if it has that form: a text without escapes, a whole number, an object.
  std::optional<std::string_view> Text() const;
  std::optional<std::uint64_t> Number() const;
  std::optional<JsonSkimmer> Object() const;
  bool IsNull() const { return value_ != 0 && text_.substr(value_).starts_with("null"); }

 private:
  std::size_t EndOfString(std::size_t quote) const;
  std::size_t EndOfValue() const;

  std::string_view text_;
  std::string_view key_;
  std::size_t value_ = 0;  // where the value begins; 0 before the first member
  std::size_t end_ = 0;    // one past it, once known; else 0
};

}  // namespace belay

#endif  // BELAY_CODEC_JSON_SKIM_H_
