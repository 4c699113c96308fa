// YAML for belay's own configuration files: maps, lists and scalars, each with its position.
//
// Strict. Anything ambiguous, or that hides what a file means, is an error: a duplicate key at any
// level, a key that is empty or not a scalar, a second document, anchors, aliases, tags, merge
// keys, directives (no line begins with "%"), indentation by tabs (no line begins with one),
// invalid UTF-8, control characters written plainly or as an escape (except tab and line ends),
// Unicode's own line separators, a byte order mark other than the first, more than 256 blanks in a
// row, a block whose text is no deeper than its key, and anything that is not YAML 1.2. Nothing is
// guessed and nothing is dropped.
//
// Every error is kUsage and one line of valid UTF-8 that begins with the position:
//
//   line 3, column 5: duplicate key "merge"
//
// Lines and columns count from one, columns in code points. A byte order mark takes no column; LF,
// CRLF and CR each end a line and are LF in every value; a missing last line end is added.
//
// Pure: no I/O, no globals, no output. Time and memory are linear in the size of the text and the
// stack depth is bounded by `YamlLimits::max_depth`, whatever the text holds.

#ifndef BELAY_CODEC_YAML_H_
#define BELAY_CODEC_YAML_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/utf8.h"

namespace belay {

struct YamlEntry;

struct YamlNode {
  enum class Kind {
    kNull,    // nothing, ~ or null, none of them quoted
    kScalar,  // any other text; the caller decides whether it is a number or a boolean
    kMap,
    kList,
  };

  // The value under `key`, or null when there is none or this is not a map. Linear in the entries.
  const YamlNode* Find(std::string_view key) const;

  Kind kind = Kind::kNull;
  // Where it begins: the opening quote, bracket or "|"; the first key; the first dash. A missing
  // value has the position of its key or its dash.
  TextPosition position{1, 1};
  std::string text;     // of a scalar, without quotes and escapes; "~" or so of a null
  bool quoted = false;  // a scalar in quotes or as a block; never kNull
  bool block = false;   // a scalar written as a block ("|" or ">")
  bool flow = false;    // a map or list in brackets
  // Of its last character. ParseYamlStructure: only of the first three levels.
  std::size_t last_line = 1;
  std::vector<YamlEntry> entries;  // of a map, in the order of the file, each key once
  std::vector<YamlNode> items;     // of a list
};

struct YamlEntry {
  std::string key;  // never empty
  TextPosition key_position;
  YamlNode value;
};

struct YamlLimits {
  std::size_t max_bytes = std::size_t{1} << 20U;
  std::size_t max_depth = 32;  // of nested maps and lists, including the outermost
  // Against YAML's letter, but as most readers do: the closing bracket of a map or list may be as
  // deep as its key.
  bool loose_flow = false;
};

// The one document in `text`. A text without content (empty, or only comments and markers) is an
// empty map at line 1, column 1.
Result<YamlNode> ParseYaml(std::string_view text, const YamlLimits& limits = {});

// Any YAML 1.2, for finding where things are in a file that belay didn't write.

enum class YamlFault { kSyntax, kSecondDocument, kDuplicateKey };

// Like ParseYaml, but anchors and tags are ignored, an alias is a kNull with the text "*name", a
// key may be anything (one that isn't a scalar gets a name that no file can hold), directives and
// tabs are as YAML allows them. On an error, `fault` says which kind it is.
Result<YamlNode> ParseYamlStructure(std::string_view text, YamlFault& fault,
                                    const YamlLimits& limits = {std::size_t{8} << 20U, 128, true});

// Whether the two have the same keys and values; where and how they are written doesn't matter.
bool SameYaml(const YamlNode& one, const YamlNode& other);

}  // namespace belay

#endif  // BELAY_CODEC_YAML_H_
