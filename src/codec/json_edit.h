// Edits the text of a JSON document that somebody else wrote and goes on writing: what an edit
// isn't about stays byte for byte, white space included.
//
// What is added takes the document's own manner: its line ends, its indentation, all on one line if
// it is. New members and elements go behind the others. To remove what was added last gives back
// the very bytes from before it was added; so does removing several, in whatever order:
//
//   an item behind others      "," and white space and the item, right behind its neighbour; all
//                              three go with it
//   the first in "{}"          on lines of its own, or with nothing around it where all is on one
//                              line; goes with the white space on both sides
//   the first in "{ }"         at the end of the white space, which stays when the item goes: that
//                              nothing stands behind the item tells this case from the one above
//
// A byte order mark in front is kept; the strict parser doesn't see it. An edit that would make a
// text which that parser refuses (too deep, too large) fails and changes nothing.

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

// Where each value of a JSON text stands, for whoever edits the text instead of writing it anew.

struct JsonSpan {
  std::size_t item;   // where its member begins, with the key; of anything else: `begin`
  std::size_t begin;  // of the value
  std::size_t end;    // behind it
  std::vector<JsonSpan> children = {};  // in the order of the text
};

// Of the one value in `text`, which is text that ParseJson took: nothing is checked again.
JsonSpan MapJson(std::string_view text);

// Keys and indices, from the root on.
using JsonPlace = std::vector<std::variant<std::string, std::size_t>>;

class JsonEditor {
 public:
  // What ParseJson refuses is refused with its error.
  static Result<JsonEditor> Open(std::string_view text, const JsonLimits& limits = {});

  std::string Text() const { return mark_ + text_; }
  const Json& value() const { return value_; }
  // Null when nothing is there.
  const Json* At(const JsonPlace& place) const;
  // For messages; something is there, or the program stops.
  TextPosition PositionOf(const JsonPlace& place) const;

  // `place` is an object without `key`; an array; anything; anything but the root. Else the program
  // stops: whoever edits has looked.
  Result<void> AddMember(const JsonPlace& place, std::string_view key, const Json& value);
  Result<void> AddElement(const JsonPlace& place, const Json& value);
  Result<void> Replace(const JsonPlace& place, const Json& value);
  Result<void> Remove(const JsonPlace& place);

 private:
  // How the document is laid out.
  struct Manner {
    std::string line_end;  // empty: all on one line
    std::string step;      // of indentation
    bool spaced;           // a space behind each colon, and on one line behind each comma
  };

  JsonEditor(std::string mark, const JsonLimits& limits)
      : mark_(std::move(mark)), limits_(limits) {}

  Result<void> Adopt(std::string text);
  const JsonSpan& SpanAt(const JsonPlace& place) const;
  Manner FindManner() const;
  std::string_view SpaceBefore(std::size_t offset) const;
  std::string IndentOfLine(std::size_t offset) const;
  Result<void> Add(const JsonSpan& container, std::string_view key, bool is_member,
                   const Json& value);
  static void Write(const Json& value, const Manner& manner, const std::string& indent,
                    std::string& out);
  static std::string Item(std::string_view key, bool is_member, const Json& value,
                          const Manner& manner, const std::string& indent);
  Result<void> Splice(std::size_t begin, std::size_t end, std::string_view bytes);

  std::string mark_;  // a byte order mark, or nothing
  JsonLimits limits_;
  std::string text_;
  Json value_;
  JsonSpan root_{};
};

}  // namespace belay

#endif  // BELAY_CODEC_JSON_EDIT_H_
