// Looks at a few members of an object without making values of all of it: for finding out which of
// many records are worth parsing.
//
// It is for text that is known to be JSON, such as a line with a right checksum, written compactly
// as AppendJson does. Of anything else it may say anything, but never reads beyond the text; so
// what it says is only for choosing, and what counts is parsed by ParseJson.

#ifndef BELAY_CODEC_JSON_SKIM_H_
#define BELAY_CODEC_JSON_SKIM_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace belay {

class JsonSkimmer {
 public:
  // Stands before the first member of the object that `text` begins with.
  explicit JsonSkimmer(std::string_view text) : text_(text) {}

  // Steps to the next member; false when there is none, or when it can't be made out.
  bool Next();
  // Whether Next said so because the object has ended.
  bool Ended() const;
  // As it is spelled.
  std::string_view key() const { return key_; }

  // The value of the member as it is spelled; empty when it doesn't end.
  std::string_view Value();
  // The same if it is that: a text without escapes, a whole number, an object.
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
  std::size_t end_ = 0;    // behind it, once that is known; else 0
};

}  // namespace belay

#endif  // BELAY_CODEC_JSON_SKIM_H_
