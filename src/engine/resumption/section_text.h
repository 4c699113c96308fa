// The text of entries of the section: values as YAML, and entries that changed in part. Pure.

#ifndef BELAY_ENGINE_RESUMPTION_SECTION_TEXT_H_
#define BELAY_ENGINE_RESUMPTION_SECTION_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "codec/json.h"
#include "codec/yaml.h"
#include "codec/yaml_outline.h"

namespace belay {

// A value as block style YAML behind its key, with the line ends given.
std::string RenderYamlEntry(std::string_view key, const Json& value, std::size_t indent,
                            std::string_view line_end);

// An entry as it is in the file.
struct WrittenEntry {
  std::string_view key;
  YamlLines lines;
  const YamlNode& value;
  std::size_t indent;  // of its key
};

struct MergedEntry {
  std::string text;
  bool lost_comments = false;  // on lines that are no longer there
};

// The entry with another value. Members and items that didn't change keep their lines, and every
// line that isn't rewritten keeps its comment.
MergedEntry MergeYamlEntry(const YamlOutline& outline, const WrittenEntry& old, const Json& value);

// Whether lines of YAML have a comment in them. `block`: they are one entry with a block as its
// value, whose text is no comment.
bool HoldsComment(std::string_view lines, bool block = false);

}  // namespace belay

#endif  // BELAY_ENGINE_RESUMPTION_SECTION_TEXT_H_
