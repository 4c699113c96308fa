// Edits the text of a JSON document that belongs to another program: everything outside of the edit
// stays byte for byte, white space included.
//
// Additions follow the document's own style: its line ends, its indentation, one line if it is on
// one line. New members and elements go last. Removing what was added restores the exact bytes from
// before; so does removing several additions, in any order:
//
//   an item after others      "," and white space and the item, right after its neighbour; all
//                              three go with it
//   the first in "{}"          on lines of its own, or with nothing around it where all is on one
//                              line; goes with the white space on both sides
//   the first in "{ }"         at the end of the white space, which stays when the item goes: that
//                              nothing follows the item tells this case from the one above
//
// A leading byte order mark is kept; the strict parser doesn't see it. An edit whose result that
// parser would refuse (too deep, too large) fails and changes nothing.

#ifndef BELAY_CODEC_JSON_EDIT_H_
#define BELAY_CODEC_JSON_EDIT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/utf8.h"
#include "codec/json.h"

namespace belay {

// Where each value of a JSON text is, for editing the text in place.

struct JsonSpan {
  std::size_t item;   // where its member begins, with the key; of anything else: `begin`
  std::size_t begin;  // of the value
  std::size_t end;    // one past it
  std::vector<JsonSpan> children = {};  // in the order of the text
};

// The spans of the one value in `text`, which ParseJson has accepted: nothing is checked again.
JsonSpan MapJson(std::string_view text);

// Keys and indices, from the root on.
using JsonPlace = std::vector<std::variant<std::string, std::size_t>>;

class JsonEditor {
 public:
  // Fails with ParseJson's error when it refuses the text.
  static Result<JsonEditor> Open(std::string_view text, const JsonLimits& limits = {});

  std::string Text() const { return mark_ + text_; }
  const Json& value() const { return value_; }
  // Null when nothing is there.
  const Json* At(const JsonPlace& place) const;
  // For messages; aborts when nothing is there.
  TextPosition PositionOf(const JsonPlace& place) const;

  // `place` must be: an object without `key`; an array; anything; anything but the root. Anything
  // else is a bug of the caller and aborts.
  Result<void> AddMember(const JsonPlace& place, std::string_view key, const Json& value);
  Result<void> AddElement(const JsonPlace& place, const Json& value);
  Result<void> Replace(const JsonPlace& place, const Json& value);
  Result<void> Remove(const JsonPlace& place);

 private:
  // How the document is laid out.
  struct Formatting {
    std::string line_end;  // empty: all on one line
    std::string step;      // of indentation
    bool spaced;           // a space after each colon, and on one line after each comma
  };

  JsonEditor(std::string mark, const JsonLimits& limits)
      : mark_(std::move(mark)), limits_(limits) {}

  Result<void> Adopt(std::string text);
  const JsonSpan& SpanAt(const JsonPlace& place) const;
  Formatting FindFormatting() const;
  std::string_view SpaceBefore(std::size_t offset) const;
  std::string IndentOfLine(std::size_t offset) const;
  Result<void> Add(const JsonSpan& container, std::string_view key, bool is_member,
                   const Json& value);
  static void Write(const Json& value, const Formatting& formatting, const std::string& indent,
                    std::string& out);
  static std::string Item(std::string_view key, bool is_member, const Json& value,
                          const Formatting& formatting, const std::string& indent);
  Result<void> Splice(std::size_t begin, std::size_t end, std::string_view bytes);

  std::string mark_;  // a byte order mark, or nothing
  JsonLimits limits_;
  std::string text_;
  Json value_;
  JsonSpan root_{};
};

}  // namespace belay

#endif  // BELAY_CODEC_JSON_EDIT_H_
