#include "codec/yaml_outline.h"

#include <algorithm>
#include <utility>

#include "base/utf8.h"
#include "codec/yaml_source.h"

namespace belay {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

std::vector<std::size_t> LineStarts(std::string_view bytes) {
  std::vector<std::size_t> starts;
  const std::size_t begin = bytes.starts_with(kMark) ? kMark.size() : 0;
  if (bytes.size() > begin) starts.push_back(begin);
  for (std::size_t at = begin; at < bytes.size(); ++at) {
    const bool crlf = bytes[at] == '\r' && at + 1 < bytes.size() && bytes[at + 1] == '\n';
    if (crlf) ++at;
    const bool ends = bytes[at] == '\n' || bytes[at] == '\r';
    if (ends && at + 1 < bytes.size()) starts.push_back(at + 1);
  }
  starts.push_back(bytes.size());
  return starts;
}

std::string LineEndOf(std::string_view line) {
  if (line.ends_with("\r\n")) return "\r\n";
  if (line.ends_with('\n')) return "\n";
  return line.ends_with('\r') ? "\r" : "";
}

std::string_view TextOfLine(const YamlOutline& outline, std::size_t line) {
  return outline.Lines({line, line + 1});
}

bool IsCommentLine(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t");
  return start != std::string_view::npos && line[start] == '#';
}

// How many of git's two kinds there are, at the start of a line. A file in block style can't hold
// both in a value.
int CountConflictMarkers(std::string_view bytes) {
  const auto line_with = [&](std::string_view mark) {
    for (std::size_t at = bytes.find(mark); at != bytes.npos; at = bytes.find(mark, at + 1)) {
      if (at == 0 || bytes[at - 1] == '\n' || bytes[at - 1] == '\r') return 1;
    }
    return 0;
  };
  return line_with("<<<<<<< ") + line_with(">>>>>>> ");
}

YamlRefusal RefusalOf(YamlFault fault) {
  switch (fault) {
    case YamlFault::kSyntax:
      return YamlRefusal::kSyntax;
    case YamlFault::kSecondDocument:
      return YamlRefusal::kSeveralDocuments;
    case YamlFault::kDuplicateKey:
      return YamlRefusal::kDuplicateKeys;
  }
  __builtin_unreachable();
}

Error Damaged(std::string message, std::string hint = {}) {
  return {ErrorCode::kDamaged, std::move(message), std::move(hint)};
}

const YamlNode& LastNode(const YamlNode& node) {
  if (!node.entries.empty()) return LastNode(node.entries.back().value);
  return node.items.empty() ? node : LastNode(node.items.back());
}

bool IsBlankLine(std::string_view line) {
  return line.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

// The first of the comment lines directly above `line`, but not before `from`.
std::size_t CommentsAbove(const YamlOutline& outline, std::size_t line, std::size_t from) {
  while (line > from && IsCommentLine(TextOfLine(outline, line - 1))) --line;
  return line;
}

// At the end of the file, or before the marker that ends the document. The text of a last block
// would get a line break if something followed a last line without one: then before that key.
std::size_t FindInsertLine(const YamlOutline& outline) {
  const std::size_t lines = outline.line_starts.size() - 1;
  const auto& entries = outline.root.entries;
  const std::size_t behind = entries.empty() ? 0 : entries.back().value.last_line;
  for (std::size_t line = behind; line < lines; ++line) {
    if (TextOfLine(outline, line).starts_with("...")) return line;
  }
  const bool open = !outline.bytes.empty() && LineEndOf(outline.bytes).empty();
  if (!open || entries.empty() || !LastNode(entries.back().value).block) return lines;
  const std::size_t from = entries.size() < 2 ? 0 : entries[entries.size() - 2].value.last_line;
  return CommentsAbove(outline, entries.back().key_position.line - 1, from);
}

std::string FindLineEnd(const YamlOutline& outline, std::size_t line) {
  std::string end = LineEndOf(outline.Lines({line, line + 1}));
  if (end.empty() && !outline.bytes.empty()) end = LineEndOf(outline.Lines({0, 1}));
  return end.empty() ? "\n" : end;
}

void AddChildren(YamlOutline& outline, const YamlNode& value) {
  std::size_t from = outline.section->first + 1;
  for (const YamlEntry& entry : value.entries) {
    const std::size_t line = entry.key_position.line - 1;
    outline.children.push_back({entry.key,
                                CommentsAbove(outline, line, from),
                                {line, std::max(entry.value.last_line, line + 1)},
                                entry.key_position.column - 1});
    from = outline.children.back().lines.end;
  }
}

// Only `key:` at the start of its line, with its entries on lines of their own, can be edited.
bool IsPlainBlock(const YamlOutline& outline, const YamlEntry& entry) {
  const std::string_view line = TextOfLine(outline, entry.key_position.line - 1);
  if (line.find_first_not_of(' ') != entry.key_position.column - 1) return false;
  if (entry.key_position.column - 1 != outline.indent) return false;
  if (entry.value.kind == YamlNode::Kind::kList) return false;
  if (entry.value.kind != YamlNode::Kind::kMap) return true;
  return !entry.value.flow && entry.value.position.line > entry.key_position.line &&
         entry.value.position.column > entry.key_position.column;
}

Result<void> LocateSection(YamlOutline& outline, const YamlEntry& entry, YamlRefusal& refusal) {
  if (entry.value.text.starts_with('*') && entry.value.kind == YamlNode::Kind::kNull) {
    refusal = YamlRefusal::kAliased;
    return Damaged("the section \"" + entry.key + "\" is an alias");
  }
  if (!IsPlainBlock(outline, entry)) {
    refusal = YamlRefusal::kFlowStyle;
    return Damaged("the section \"" + entry.key + "\" isn't a map in block style",
                   "write its keys on lines of their own, below it");
  }
  const std::size_t first = entry.key_position.line - 1;
  outline.section = YamlLines{first, std::max(entry.value.last_line, first + 1)};
  // The text of a block with "+" includes the blank lines after it.
  const YamlNode& last = LastNode(entry.value);
  std::size_t& end = outline.section->end;
  if (last.block && last.text.ends_with("\n\n")) {
    while (end + 1 < outline.line_starts.size() && IsBlankLine(TextOfLine(outline, end))) ++end;
  }
  outline.line_end = FindLineEnd(outline, first);
  if (entry.value.kind == YamlNode::Kind::kMap) AddChildren(outline, entry.value);
  return {};
}

// The section with empty lines in place of everything else, so that errors name the lines of the
// file. A merge key could stand for any entry.
std::string StrictText(const YamlOutline& outline, YamlKeyTest* strict) {
  const YamlLines section = *outline.section;
  std::string text(section.first, '\n');
  const auto add = [&](YamlLines lines) { text += outline.Lines(lines); };
  std::size_t next = section.first + 1;
  add(outline.children.empty() ? section : YamlLines{section.first, next});
  for (std::size_t i = 0; i < outline.children.size(); ++i) {
    const SectionChild& child = outline.children[i];
    if (!strict(child.key) && child.key != "<<") continue;
    const bool last = i + 1 == outline.children.size();
    text.append(child.lines.first - next, '\n');
    next = last ? section.end : outline.children[i + 1].comments;
    add({child.lines.first, next});
  }
  yaml::UntabComments(text);
  return text;
}

}  // namespace

std::string_view YamlRefusalName(YamlRefusal refusal) {
  switch (refusal) {
    case YamlRefusal::kSyntax:
      return "it doesn't parse";
    case YamlRefusal::kConflictMarkers:
      return "merge conflict";
    case YamlRefusal::kSeveralDocuments:
      return "several documents";
    case YamlRefusal::kDuplicateKeys:
      return "duplicate keys";
    case YamlRefusal::kFlowStyle:
      return "flow style";
    case YamlRefusal::kAliased:
      return "aliased";
  }
  __builtin_unreachable();
}

std::string_view YamlOutline::Lines(YamlLines lines) const {
  const std::size_t last = line_starts.size() - 1;
  const std::size_t begin = line_starts[std::min(lines.first, last)];
  const std::size_t end = line_starts[std::min(lines.end, last)];
  return std::string_view(bytes).substr(begin, end - begin);
}

std::string_view YamlOutline::Before() const {
  const std::size_t line = section ? section->first : insert_at;
  return std::string_view(bytes).substr(0, line_starts[std::min(line, line_starts.size() - 1)]);
}

std::string_view YamlOutline::Behind() const {
  const std::size_t own = section ? Lines(*section).size() : 0;
  return std::string_view(bytes).substr(Before().size() + own);
}

Result<YamlOutline> OutlineYaml(std::string bytes, std::string_view section, YamlRefusal& refusal) {
  YamlOutline outline{.bytes = std::move(bytes), .line_starts = {}, .root = {}, .line_end = {}};
  YamlFault fault = YamlFault::kSyntax;
  const int markers = CountConflictMarkers(outline.bytes);
  Result<YamlNode> root = ParseYamlStructure(outline.bytes, fault);
  // One kind alone may be the text of a value, unless nothing can be read.
  if (markers == 2 || (markers == 1 && !root)) {
    refusal = YamlRefusal::kConflictMarkers;
    return Damaged("a merge conflict in it isn't resolved", "resolve the conflict first");
  }
  if (!root) {
    refusal = RefusalOf(fault);
    return Damaged(root.error().message);
  }
  outline.root = *std::move(root);
  if (outline.root.kind == YamlNode::Kind::kNull && outline.root.text.empty())
    outline.root.kind = YamlNode::Kind::kMap;
  if (outline.root.kind != YamlNode::Kind::kMap || outline.root.flow) {
    refusal = YamlRefusal::kFlowStyle;
    return Damaged("the file isn't a map in block style");
  }
  outline.line_starts = LineStarts(outline.bytes);
  if (!outline.root.entries.empty()) {
    outline.indent = outline.root.position.column - 1;
  }
  for (const YamlEntry& entry : outline.root.entries) {
    if (entry.key != section) continue;
    BELAY_TRY(LocateSection(outline, entry, refusal));
    return outline;
  }
  outline.insert_at = FindInsertLine(outline);
  outline.line_end = FindLineEnd(outline, 0);
  return outline;
}

Result<YamlNode> ParseSection(const YamlOutline& outline, std::string_view section,
                              YamlKeyTest* strict, YamlRefusal& refusal) {
  if (!outline.section) return YamlNode{};
  const std::string text = StrictText(outline, strict);
  Result<YamlNode> root = ParseYaml(text, {std::size_t{8} << 20U, 32, true});
  if (!root) {
    std::string message = root.error().message;
    constexpr std::string_view kUnused = " are not used in belay's configuration";
    if (!message.ends_with(kUnused)) {
      refusal = YamlRefusal::kSyntax;
      return Damaged(message);
    }
    refusal = YamlRefusal::kAliased;
    message.resize(message.size() - kUnused.size());
    return Damaged(message + " can't be in the section \"" + std::string(section) + "\"",
                   "write the values themselves");
  }
  const YamlNode* value = root->Find(section);
  const YamlNode* whole = outline.root.Find(section);
  if (value == nullptr || whole == nullptr) {
    refusal = YamlRefusal::kSyntax;
    return Damaged("the section can't be found again");
  }
  if (outline.children.empty()) return *value;
  YamlNode all = *whole;
  for (YamlEntry& entry : all.entries) {
    if (const YamlNode* read = value->Find(entry.key)) entry.value = *read;
  }
  return all;
}

}  // namespace belay
