// Where each value of a JSON text stands, for whoever edits the text instead of writing it anew.

#ifndef BELAY_CODEC_JSON_SPANS_H_
#define BELAY_CODEC_JSON_SPANS_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace belay {

struct JsonSpan {
  std::size_t item;   // where its member begins, with the key; of anything else: `begin`
  std::size_t begin;  // of the value
  std::size_t end;    // behind it
  std::vector<JsonSpan> children = {};  // in the order of the text
};

// Of the one value in `text`, which is text that ParseJson took: nothing is checked again.
JsonSpan MapJson(std::string_view text);

}  // namespace belay

#endif  // BELAY_CODEC_JSON_SPANS_H_
