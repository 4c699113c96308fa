// Where one top-level section of a YAML file is, in the file's own bytes.
//
// The file belongs to others and may hold any YAML 1.2: anchors, tags, merge keys, directives, a
// byte order mark, CRLF. Only its structure is read; nothing in it is converted. Lines are numbered
// from zero; LF, CRLF and CR each end one. A section is whole lines, from its key to its last
// value: blank lines and comments after that are not part of it.
//
// Pure, and linear in the size of the file.

#ifndef BELAY_CODEC_YAML_OUTLINE_H_
#define BELAY_CODEC_YAML_OUTLINE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codec/yaml.h"

namespace belay {

// Why a section can't be edited safely.
enum class YamlRefusal {
  kSyntax,            // the file doesn't parse
  kConflictMarkers,   // of a merge that isn't finished
  kSeveralDocuments,  //
  kDuplicateKeys,     //
  kFlowStyle,         // the section, or the whole file, isn't a map in block style
  kAliased,           // the section is an alias, or has anchors, aliases or tags in it
};
std::string_view YamlRefusalName(YamlRefusal refusal);  // "several documents"

// Lines [first, end).
struct YamlLines {
  std::size_t first = 0;
  std::size_t end = 0;
};

// An entry of the section.
struct SectionChild {
  std::string key;
  std::size_t comments;  // the first line of the comments above it, else `lines.first`
  YamlLines lines;       // its key and its value
  std::size_t column;    // of its key, from zero
};

struct YamlOutline {
  std::string bytes;  // of the file
  // Offsets, and the end of the file. The first line begins after a byte order mark.
  std::vector<std::size_t> line_starts;
  YamlNode root;           // a map, the section included
  std::size_t indent = 0;  // of the top-level keys
  std::optional<YamlLines> section = {};
  // A key without a value, or with a value on its own line: there are no children.
  std::vector<SectionChild> children = {};
  std::size_t insert_at = 0;  // the line before which a missing section goes
  std::string line_end;       // of the section's lines: "\n", "\r\n" or "\r"

  std::string_view Lines(YamlLines lines) const;
  // What is before and behind the section, or the place where a missing one goes. A byte order mark
  // stays in front.
  std::string_view Before() const;
  std::string_view Behind() const;
};

// kDamaged when the section can't be edited; `refusal` says why.
Result<YamlOutline> OutlineYaml(std::string bytes, std::string_view section, YamlRefusal& refusal);

// The value of the section's key: a map, null, or a scalar. Entries whose key is `strict` are read
// by the strict parser, and have `last_line` at every depth; the others may hold any YAML and are
// as in the outline.
using YamlKeyTest = bool(std::string_view key);
Result<YamlNode> ParseSection(const YamlOutline& outline, std::string_view section,
                              YamlKeyTest* strict, YamlRefusal& refusal);

}  // namespace belay

#endif  // BELAY_CODEC_YAML_OUTLINE_H_
