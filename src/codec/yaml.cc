#include "codec/yaml.h"

#include <libfyaml.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "codec/yaml_scalar.h"

namespace belay {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// libfyaml looks at the rest of a run of blanks again for each blank in it.
constexpr std::size_t kLongestBlankRun = 256;

constexpr std::size_t kQuotedCodePoints = 60;
constexpr std::size_t kReasonCodePoints = 200;

// ---- Messages ----

Error ErrorAt(TextPosition at, std::string_view what) {
  std::string message = "line " + std::to_string(at.line) + ", column " + std::to_string(at.column);
  message.append(": ").append(what);
  return {ErrorCode::kUsage, std::move(message)};
}

Error Unused(TextPosition at, std::string_view what) {
  return ErrorAt(at, std::string(what) + " are not used in belay's configuration");
}

// Characters that are unseen, or end a line for some readers and not for others.
bool IsForbidden(char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0xFEFF;
}

std::string Hex(char32_t c) {
  std::array<char, 16> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), "%04X", static_cast<unsigned>(c));
  return {buffer.data(), static_cast<std::size_t>(length)};
}

void AppendPrintable(char32_t c, std::string& out) {
  if (c == '\n') {
    out += "\\n";
  } else if (c == '\r') {
    out += "\\r";
  } else if (c == '\t') {
    out += "\\t";
  } else if (IsForbidden(c)) {
    out += "\\u" + Hex(c);
  } else {
    AppendUtf8(c, out);
  }
}

// At most `count` code points of `text`, on one line and without anything a terminal would obey.
std::string Printable(std::string_view text, std::size_t count) {
  const std::string_view cut = CutCodePoints(text, count);
  std::string out;
  for (std::size_t at = 0; at < cut.size();) {
    const CodePoint point = DecodeUtf8(cut.substr(at));
    AppendPrintable(point.value, out);
    at += point.bytes;
  }
  if (cut.size() < text.size()) out += "...";
  return out;
}

std::string Quote(std::string_view text) { return '"' + Printable(text, kQuotedCodePoints) + '"'; }

// ---- What is checked before libfyaml sees the text ----

std::string UnifyLineEnds(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out.push_back(text[i]);
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      out.push_back('\n');
    }
  }
  return out;
}

// The first forbidden character of valid UTF-8, and its offset.
struct Found {
  std::size_t offset;
  char32_t value;
};
std::optional<Found> FindForbidden(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text.substr(at));
    if (IsForbidden(point.value)) return Found{at, point.value};
    at += point.bytes;
  }
  return std::nullopt;
}

Result<void> CheckCharacters(std::string_view text) {
  const std::size_t invalid = FindInvalidUtf8(text);
  if (invalid != std::string_view::npos) {
    return ErrorAt(PositionAt(text, invalid), "this is not valid UTF-8");
  }
  if (const auto found = FindForbidden(text)) {
    return ErrorAt(PositionAt(text, found->offset),
                   "the character U+" + Hex(found->value) + " is not allowed");
  }
  return {};
}

std::size_t FindLongBlankRun(std::string_view line) {
  for (std::size_t start = line.find_first_of(" \t"); start != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_not_of(" \t", start), line.size());
    if (end - start > kLongestBlankRun) return start;
    start = line.find_first_of(" \t", end);
  }
  return std::string_view::npos;
}

Result<void> CheckLine(std::string_view line, std::size_t number) {
  // Even in the midst of a document, libfyaml takes such a line for a directive and passes over it.
  if (line.starts_with('%')) return Unused({number, 1}, "directives (lines that begin with \"%\")");
  if (line.starts_with('\t') && line.find_first_not_of(" \t") != std::string_view::npos) {
    return ErrorAt({number, 1}, "a line must not begin with a tab; indent with spaces");
  }
  const std::size_t run = FindLongBlankRun(line);
  if (run == std::string_view::npos) return {};
  return ErrorAt({number, CountCodePoints(line.substr(0, run)) + 1},
                 "more than " + std::to_string(kLongestBlankRun) + " blanks in a row");
}

Result<void> CheckLines(std::string_view text) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    BELAY_TRY(CheckLine(line, number));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return {};
}

// The text that libfyaml reads and that all offsets are of: no byte order mark, and every line, the
// last one too, ends with LF.
Result<std::string> Prepare(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return ErrorAt({1, 1}, "the file has " + std::to_string(text.size()) +
                               " bytes, more than the " + std::to_string(limits.max_bytes) +
                               " allowed");
  }
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string unified = UnifyLineEnds(text);
  BELAY_TRY(CheckCharacters(unified));
  BELAY_TRY(CheckLines(unified));
  if (!unified.ends_with('\n')) unified.push_back('\n');
  return unified;
}

// ---- Places ----

// Positions of offsets in any order. Keeps one of every kStride bytes, since counting from the
// start for every node of a long line would take quadratic time.
class Places {
 public:
  explicit Places(std::string_view text) : text_(text) {
    TextPosition at{1, 1};
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i % kStride == 0) marks_.push_back(at);
      if (i < text.size()) Step(text[i], at);
    }
  }

  TextPosition At(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    TextPosition at = marks_[offset / kStride];
    for (std::size_t i = offset - offset % kStride; i < offset; ++i) Step(text_[i], at);
    return at;
  }

 private:
  static constexpr std::size_t kStride = 256;

  static void Step(char c, TextPosition& at) {
    if (c == '\n') {
      at = {at.line + 1, 1};
    } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
      ++at.column;
    }
  }

  std::string_view text_;
  std::vector<TextPosition> marks_;
};

bool IsBefore(TextPosition a, TextPosition b) {
  return a.line < b.line || (a.line == b.line && a.column < b.column);
}

// ---- libfyaml ----

struct DestroyDiag {
  void operator()(fy_diag* diag) const { fy_diag_destroy(diag); }
};
struct DestroyParser {
  void operator()(fy_parser* parser) const { fy_parser_destroy(parser); }
};
struct FreeEvent {
  fy_parser* parser;
  void operator()(fy_event* event) const { fy_parser_event_free(parser, event); }
};
using Diag = std::unique_ptr<fy_diag, DestroyDiag>;
using Event = std::unique_ptr<fy_event, FreeEvent>;

void PrintNothing(fy_diag*, void*, const char*, std::size_t) {}

Diag MakeDiag() {
  fy_diag_cfg config;
  fy_diag_cfg_default(&config);
  config.fp = nullptr;  // the default is stderr
  config.output_fn = PrintNothing;
  config.colorize = false;
  Diag diag(fy_diag_create(&config));
  if (diag != nullptr) fy_diag_set_collect_errors(diag.get(), true);
  return diag;
}

// The events of one text, which must outlive it.
class EventStream {
 public:
  explicit EventStream(std::string_view text) : diag_(MakeDiag()) {
    if (diag_ == nullptr) return;
    fy_parse_cfg config{};
    config.flags =
        static_cast<fy_parse_cfg_flags>(FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_DEFAULT_VERSION_1_2);
    config.diag = diag_.get();
    parser_.reset(fy_parser_create(&config));
    if (parser_ == nullptr) return;
    if (fy_parser_set_string(parser_.get(), text.data(), text.size()) != 0) parser_.reset();
  }

  // Null at the end, and on an error.
  Event Next() {
    fy_event* event = parser_ == nullptr ? nullptr : fy_parser_parse(parser_.get());
    return {event, FreeEvent{parser_.get()}};
  }

  // What libfyaml found wrong, first things first; `end` is the end of the text. Its warnings
  // count: it warns of what it leaves out.
  std::optional<Error> Problem(TextPosition end) const {
    void* iterator = nullptr;
    const fy_diag_error* first = diag_ == nullptr ? nullptr : NextProblem(&iterator);
    if (first == nullptr) return std::nullopt;
    TextPosition at{static_cast<std::size_t>(std::max(first->line, 1)),
                    static_cast<std::size_t>(std::max(first->column, 1))};
    // What is missing at the end is missed on a line that isn't there.
    if (IsBefore(end, at)) at = end;
    return ErrorAt(at, Printable(first->msg == nullptr ? "" : first->msg, kReasonCodePoints));
  }

  bool failed() const {
    return parser_ == nullptr || fy_parser_get_stream_error(parser_.get()) ||
           fy_diag_got_error(diag_.get());
  }

 private:
  const fy_diag_error* NextProblem(void** iterator) const {
    return fy_diag_errors_iterate(diag_.get(), iterator);
  }

  Diag diag_;
  std::unique_ptr<fy_parser, DestroyParser> parser_;
};

std::size_t StartOf(fy_token* token, std::size_t otherwise) {
  const fy_mark* mark = token == nullptr ? nullptr : fy_token_start_mark(token);
  return mark == nullptr ? otherwise : mark->input_pos;
}

std::size_t EndOf(fy_token* token, std::size_t otherwise) {
  const fy_mark* mark = token == nullptr ? nullptr : fy_token_end_mark(token);
  return mark == nullptr ? otherwise : mark->input_pos;
}

// ---- From events to a tree ----

class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const Places& places, const YamlLimits& limits)
      : text_(text), places_(places), limits_(limits) {}

  Result<void> Take(const fy_event& event);

  // Whether the stream came to its proper end; a parse that failed half-way never does.
  bool complete() const { return ended_ && open_.empty(); }
  YamlNode Root() &&;

 private:
  // A map or list whose end has not come yet.
  struct Open {
    YamlNode node;
    std::set<std::string, std::less<>> keys;
    std::optional<YamlEntry> entry;  // its value is still to come
  };

  // A scalar in the text: from its quote or header on, and what it stands for.
  struct Scalar {
    std::size_t start;
    std::size_t end;
    std::string text;
  };

  Result<void> StartDocument(const fy_event_document_start_data& start);
  Result<void> StartCollection(YamlNode::Kind kind, fy_token* token);
  void EndCollection(fy_token* token);
  Result<void> TakeScalar(fy_token* token);
  Result<void> TakeKey(YamlNode key);
  void Attach(YamlNode node);

  Result<void> CheckProperties(fy_token* anchor, fy_token* tag) const;
  Result<void> CheckKey(const YamlNode& key) const;
  Result<Scalar> ReadSource(fy_token* token) const;
  Result<Scalar> ReadBlock(std::size_t end) const;
  Result<YamlNode> ReadScalar(fy_token* token);
  YamlNode AbsentScalar();

  bool AwaitsKey() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::kMap && !open_.back().entry;
  }

  char CharAt(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  void PassTo(std::size_t offset) { passed_ = std::max(passed_, offset); }
  std::size_t SkipBlanks(std::size_t from) const;
  std::optional<std::size_t> FindIndicator(std::string_view wanted) const;

  std::string_view text_;
  const Places& places_;
  const YamlLimits& limits_;
  std::vector<Open> open_;
  std::optional<YamlNode> root_;
  // Everything before this offset was seen as part of some event. What libfyaml gives no mark for
  // is found from here: only blanks, comments and indicators lie in between.
  std::size_t passed_ = 0;
  int documents_ = 0;
  bool ended_ = false;
};

Result<void> TreeBuilder::Take(const fy_event& event) {
  switch (event.type) {
    case FYET_NONE:
    case FYET_STREAM_START:
      return {};
    case FYET_STREAM_END:
      ended_ = true;
      return {};
    case FYET_DOCUMENT_START:
      return StartDocument(event.document_start);
    case FYET_DOCUMENT_END:
      PassTo(EndOf(event.document_end.document_end, passed_));
      return {};
    case FYET_MAPPING_START:
      BELAY_TRY(CheckProperties(event.mapping_start.anchor, event.mapping_start.tag));
      return StartCollection(YamlNode::Kind::kMap, event.mapping_start.mapping_start);
    case FYET_MAPPING_END:
      EndCollection(event.mapping_end.mapping_end);
      return {};
    case FYET_SEQUENCE_START:
      BELAY_TRY(CheckProperties(event.sequence_start.anchor, event.sequence_start.tag));
      return StartCollection(YamlNode::Kind::kList, event.sequence_start.sequence_start);
    case FYET_SEQUENCE_END:
      EndCollection(event.sequence_end.sequence_end);
      return {};
    case FYET_SCALAR:
      BELAY_TRY(CheckProperties(event.scalar.anchor, event.scalar.tag));
      return TakeScalar(event.scalar.value);
    case FYET_ALIAS:
      // The mark is behind the asterisk.
      return Unused(places_.At(StartOf(event.alias.anchor, passed_ + 1) - 1), "aliases (\"*\")");
  }
  __builtin_unreachable();
}

YamlNode TreeBuilder::Root() && {
  if (root_) return *std::move(root_);
  YamlNode empty;
  empty.kind = YamlNode::Kind::kMap;
  return empty;
}

Result<void> TreeBuilder::StartDocument(const fy_event_document_start_data& start) {
  if (++documents_ > 1) {
    std::size_t at = SkipBlanks(passed_);
    if (text_.substr(at).starts_with("...")) at = SkipBlanks(at + 3);
    return ErrorAt(places_.At(at), "a second document begins here; a configuration file holds one");
  }
  PassTo(EndOf(start.document_start, passed_));
  return {};
}

Result<void> TreeBuilder::StartCollection(YamlNode::Kind kind, fy_token* token) {
  const std::size_t start = StartOf(token, passed_);
  const TextPosition at = places_.At(start);
  if (AwaitsKey()) return ErrorAt(at, "a key must be a word or a string, not a map or a list");
  if (open_.size() >= limits_.max_depth) {
    return ErrorAt(at, "nested more than " + std::to_string(limits_.max_depth) + " levels deep");
  }
  const bool bracket = CharAt(start) == '[' || CharAt(start) == '{';
  PassTo(bracket ? start + 1 : start);
  open_.emplace_back();
  open_.back().node.kind = kind;
  open_.back().node.position = at;
  return {};
}

void TreeBuilder::EndCollection(fy_token* token) {
  const fy_token_type type = fy_token_get_type(token);
  // The end of a block is wherever the next thing begins, which is not yet passed.
  if (type == FYTT_FLOW_MAPPING_END || type == FYTT_FLOW_SEQUENCE_END) {
    PassTo(EndOf(token, passed_));
  }
  YamlNode node = std::move(open_.back().node);
  open_.pop_back();
  Attach(std::move(node));
}

Result<void> TreeBuilder::TakeScalar(fy_token* token) {
  if (token == nullptr && open_.empty()) return {};  // a document without content
  if (token == nullptr && !AwaitsKey()) {
    Attach(AbsentScalar());
    return {};
  }
  BELAY_TRY_ASSIGN(YamlNode node, ReadScalar(token));
  if (AwaitsKey()) return TakeKey(std::move(node));
  Attach(std::move(node));
  return {};
}

Result<void> TreeBuilder::TakeKey(YamlNode key) {
  BELAY_TRY(CheckKey(key));
  Open& map = open_.back();
  // libfyaml begins the map of `[a: b]` at the colon.
  if (IsBefore(key.position, map.node.position)) map.node.position = key.position;
  map.keys.insert(key.text);
  map.entry = YamlEntry{std::move(key.text), key.position, {}};
  return {};
}

Result<void> TreeBuilder::CheckKey(const YamlNode& key) const {
  if (key.kind == YamlNode::Kind::kNull || key.text.empty()) {
    return ErrorAt(key.position, "a key must not be empty or null");
  }
  if (key.text == "<<" && !key.quoted) return Unused(key.position, "merge keys (\"<<\")");
  if (open_.back().keys.contains(key.text)) {
    return ErrorAt(key.position, "duplicate key " + Quote(key.text));
  }
  return {};
}

void TreeBuilder::Attach(YamlNode node) {
  if (open_.empty()) {
    root_ = std::move(node);
  } else if (Open& parent = open_.back(); parent.entry) {
    parent.entry->value = std::move(node);
    parent.node.entries.push_back(*std::move(parent.entry));
    parent.entry.reset();
  } else {
    parent.node.items.push_back(std::move(node));
  }
}

Result<void> TreeBuilder::CheckProperties(fy_token* anchor, fy_token* tag) const {
  // The mark of an anchor is behind its ampersand, that of a tag at its exclamation mark.
  if (anchor != nullptr) {
    return Unused(places_.At(StartOf(anchor, passed_ + 1) - 1), "anchors (\"&\")");
  }
  if (tag != nullptr) return Unused(places_.At(StartOf(tag, passed_)), "tags (\"!\")");
  return {};
}

// A key that is absent has no token, and the place where it should be.
Result<YamlNode> TreeBuilder::ReadScalar(fy_token* token) {
  YamlNode node;
  if (token == nullptr) {
    node.position = places_.At(SkipBlanks(passed_));
    return node;
  }
  BELAY_TRY_ASSIGN(Scalar scalar, ReadSource(token));
  node.position = places_.At(scalar.start);
  node.quoted = fy_token_scalar_style(token) != FYSS_PLAIN;
  node.text = std::move(scalar.text);
  PassTo(scalar.end);
  if (FindForbidden(node.text)) {
    return ErrorAt(node.position, "an escape stands for a character that is not allowed");
  }
  const bool null = node.text.empty() || node.text == "~" || node.text == "null";
  node.kind = null && !node.quoted ? YamlNode::Kind::kNull : YamlNode::Kind::kScalar;
  return node;
}

Result<TreeBuilder::Scalar> TreeBuilder::ReadSource(fy_token* token) const {
  const std::size_t start = StartOf(token, passed_);
  const std::size_t end = std::max(EndOf(token, start), start);
  const std::string_view raw = text_.substr(std::min(start, text_.size()), end - start);
  // The marks of a quoted scalar are within its quotes.
  switch (fy_token_scalar_style(token)) {
    case FYSS_SINGLE_QUOTED:
      return Scalar{start - 1, end + 1, ReadSingleQuotedScalar(raw)};
    case FYSS_DOUBLE_QUOTED:
      if (auto text = ReadDoubleQuotedScalar(raw)) return Scalar{start - 1, end + 1, *text};
      return ErrorAt(places_.At(start - 1), "this text has an invalid escape");
    case FYSS_LITERAL:
    case FYSS_FOLDED:
      return ReadBlock(end);
    case FYSS_PLAIN:
    case FYSS_ANY:
    case FYSS_MAX:
      break;
  }
  return Scalar{start, end, ReadPlainScalar(raw)};
}

// libfyaml takes the keys that follow an empty block for its text when they are no deeper than the
// block's own key. So what it and we think of the end of a block must agree.
Result<TreeBuilder::Scalar> TreeBuilder::ReadBlock(std::size_t end) const {
  const std::optional<std::size_t> header = FindIndicator("|>");
  if (!header) return ErrorAt(places_.At(passed_), "this block can't be read");
  const std::size_t min_indent = open_.empty() ? 0 : open_.back().node.position.column;
  BlockScalar block = ReadBlockScalar(text_, *header, min_indent);
  const auto last_text = [&](std::size_t before) {
    return text_.substr(0, before).find_last_not_of(" \t\n");
  };
  if (last_text(end) != last_text(block.end)) {
    return ErrorAt(places_.At(*header),
                   "the text of a block must be deeper than its key; an empty one is written \"\"");
  }
  return Scalar{*header, std::max(end, block.end), std::move(block.text)};
}

YamlNode TreeBuilder::AbsentScalar() {
  const Open& parent = open_.back();
  YamlNode node;
  if (parent.entry) {
    node.position = parent.entry->key_position;
    const std::size_t next = SkipBlanks(passed_);
    if (CharAt(next) == ':') PassTo(next + 1);
    return node;
  }
  const std::optional<std::size_t> dash = FindIndicator("-");
  node.position = dash ? places_.At(*dash) : parent.node.position;
  if (dash) PassTo(*dash + 1);
  return node;
}

// Past blanks, line ends, commas and comments.
std::size_t TreeBuilder::SkipBlanks(std::size_t from) const {
  constexpr std::string_view kBlanks = " \t\n,";
  std::size_t at = std::min(text_.find_first_not_of(kBlanks, from), text_.size());
  while (CharAt(at) == '#') {
    at = std::min(text_.find('\n', at), text_.size());
    at = std::min(text_.find_first_not_of(kBlanks, at), text_.size());
  }
  return at;
}

std::optional<std::size_t> TreeBuilder::FindIndicator(std::string_view wanted) const {
  std::size_t at = SkipBlanks(passed_);
  while (at < text_.size() && wanted.find(text_[at]) == std::string_view::npos) {
    if (std::string_view("-?:").find(text_[at]) == std::string_view::npos) return std::nullopt;
    at = SkipBlanks(at + 1);
  }
  if (at >= text_.size()) return std::nullopt;
  return at;
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const YamlEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

Result<YamlNode> ParseYaml(std::string_view text, const YamlLimits& limits) {
  BELAY_TRY_ASSIGN(const std::string prepared, Prepare(text, limits));
  const Places places(prepared);
  const TextPosition end = places.At(prepared.size() - 1);
  EventStream events(prepared);
  TreeBuilder builder(prepared, places, limits);
  while (const Event event = events.Next()) BELAY_TRY(builder.Take(*event));
  if (auto problem = events.Problem(end)) return *std::move(problem);
  if (events.failed() || !builder.complete()) return ErrorAt(end, "the text can't be read further");
  return std::move(builder).Root();
}

}  // namespace belay
