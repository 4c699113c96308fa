// The value of a YAML scalar, from its spelling.
//
// libfyaml finds where scalars begin and end, but their values are read here, because libfyaml
// 0.7.12 silently gets them wrong: quotes in a row are doubled and cut off the end of the text
// ('a''''b'), likewise escapes around a line end, and it loses the end of some blocks.
//
// `raw` is the text between the quotes, or the whole of a plain scalar. Lines end with LF.

#ifndef BELAY_CODEC_YAML_SCALAR_H_
#define BELAY_CODEC_YAML_SCALAR_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace belay::yaml {

std::string ReadPlainScalar(std::string_view raw);

std::string ReadSingleQuotedScalar(std::string_view raw);

// Nothing when an escape is invalid, or is half of a surrogate pair.
std::optional<std::string> ReadDoubleQuotedScalar(std::string_view raw);

struct BlockScalar {
  std::string text;
  std::size_t end;  // of its last line that is not blank, before the line end; or of its header
};

// The block whose "|" or ">" is at `header` in `source`. Its text is indented by at least
// `min_indent`: one more than the map or list it is in, or 0 at the root.
BlockScalar ReadBlockScalar(std::string_view source, std::size_t header, std::size_t min_indent);

}  // namespace belay::yaml

#endif  // BELAY_CODEC_YAML_SCALAR_H_
