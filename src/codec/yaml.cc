#include "codec/yaml.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "codec/yaml_events.h"
#include "codec/yaml_scalar.h"
#include "codec/yaml_source.h"

namespace belay::yaml {

// The keys of one map. Most maps have few, for which a set costs more than it saves.
class KeySet {
 public:
  // False: the map already has that key.
  bool Insert(std::string key) {
    constexpr std::size_t kFew = 8;
    if (many_.empty() && few_.size() < kFew) {
      if (std::ranges::find(few_, key) != few_.end()) return false;
      few_.reserve(kFew);
      few_.push_back(std::move(key));
      return true;
    }
    if (many_.empty()) many_.insert(few_.begin(), few_.end());
    return many_.insert(std::move(key)).second;
  }

 private:
  std::vector<std::string> few_;
  std::set<std::string> many_;  // all of them, once there are many
};

// Most maps and lists get more than one entry: growing one by one would move each several times.
template <class T>
void Add(std::type_identity_t<T>&& entry, std::vector<T>& to) {
  constexpr std::size_t kUsual = 4;
  if (to.empty()) to.reserve(kUsual);
  to.push_back(std::move(entry));
}

// Builds our tree from libfyaml's events.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const Places& places, const YamlLimits& limits,
              bool strict = true)
      : text_(text), places_(places), limits_(limits), strict_(strict) {}

  YamlFault fault() const { return fault_; }
  // The header of a block without text that libfyaml reads too far (ReadBlock).
  std::optional<std::size_t> empty_block() const { return empty_block_; }

  Result<void> Take(const fy_event& event);

  // Whether the stream ended properly; a parse that failed half-way never does.
  bool complete() const { return ended_ && open_.empty(); }
  YamlNode Root() &&;

 private:
  // A map or list whose end hasn't been read yet.
  struct Open {
    YamlNode node;
    KeySet keys;
    std::optional<YamlEntry> entry;  // its value is still to come
    bool flow = false;               // in brackets, or inside brackets
    bool is_key = false;             // of the map around it
  };

  // A scalar in the text, from its quote or header on, and its value.
  struct Scalar {
    std::size_t start;
    std::size_t end;
    std::string text;
    std::optional<std::size_t> last = {};  // the end of what isn't blank, if not `end`
  };

  Result<void> StartDocument(const fy_event_document_start_data& start);
  Result<void> StartCollection(YamlNode::Kind kind, fy_token* token);
  void EndCollection(fy_token* token);
  Result<void> TakeScalar(fy_token* token);
  Result<void> TakeKey(YamlNode&& key);
  void Attach(YamlNode&& node);

  Result<void> TakeAlias(fy_token* token);

  Result<void> CheckProperties(fy_token* anchor, fy_token* tag);
  Result<void> CheckKey(const YamlNode& key);
  Result<void> CheckIndent(const YamlNode& value) const;
  Result<Scalar> ReadSource(fy_token* token);
  Result<Scalar> ReadBlock(std::size_t end);
  Result<YamlNode> ReadScalar(fy_token* token);
  YamlNode AbsentScalar();

  bool AwaitsKey() const {
    return !open_.empty() && open_.back().node.kind == YamlNode::Kind::kMap && !open_.back().entry;
  }

  char CharAt(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  void PassTo(std::size_t offset) {
    passed_ = std::max(passed_, offset);
    content_end_ = std::max(content_end_, offset);
  }
  std::size_t LastLine() const { return places_.At(content_end_ == 0 ? 0 : content_end_ - 1).line; }
  std::size_t SkipBlanks(std::size_t from) const;
  std::optional<std::size_t> FindIndicator(std::string_view wanted) const;

  std::string_view text_;
  const Places& places_;
  const YamlLimits& limits_;
  std::vector<Open> open_;
  std::optional<YamlNode> root_;
  // Everything before this offset belongs to an event that was read. Tokens without a mark are
  // searched from here: only blanks, comments and indicators lie in between.
  std::size_t passed_ = 0;
  std::size_t content_end_ = 0;  // the same without the blank lines after a block
  bool strict_;
  YamlFault fault_ = YamlFault::kSyntax;
  std::optional<std::size_t> empty_block_;
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
      return TakeAlias(event.alias.anchor);
  }
  __builtin_unreachable();
}

Result<void> TreeBuilder::TakeAlias(fy_token* token) {
  // The mark is after the asterisk.
  const std::size_t start = StartOf(token, passed_ + 1) - 1;
  if (strict_) return Unused(places_.At(start), "aliases (\"*\")");
  const std::size_t end = std::clamp(EndOf(token, start), start, text_.size());
  YamlNode node;
  node.position = places_.At(start);
  node.text = text_.substr(start, end - start);
  PassTo(end);
  if (AwaitsKey()) return TakeKey(std::move(node));
  Attach(std::move(node));
  return {};
}

YamlNode TreeBuilder::Root() && {
  if (root_) return *std::move(root_);
  YamlNode empty;
  empty.kind = YamlNode::Kind::kMap;
  return empty;
}

Result<void> TreeBuilder::StartDocument(const fy_event_document_start_data& start) {
  if (++documents_ > 1) {
    fault_ = YamlFault::kSecondDocument;
    std::size_t at = SkipBlanks(passed_);
    if (text_.substr(at).starts_with("...")) at = SkipBlanks(at + 3);
    return ErrorAt(places_.At(at),
                   strict_ ? "a second document begins here; a configuration file holds one"
                           : "a second document begins here");
  }
  PassTo(EndOf(start.document_start, passed_));
  return {};
}

Result<void> TreeBuilder::StartCollection(YamlNode::Kind kind, fy_token* token) {
  const std::size_t start = StartOf(token, passed_);
  const TextPosition at = places_.At(start);
  const bool is_key = AwaitsKey();
  if (is_key && strict_) {
    return ErrorAt(at, "a key must be a word or a string, not a map or a list");
  }
  if (open_.size() >= limits_.max_depth) {
    return ErrorAt(at, "nested more than " + std::to_string(limits_.max_depth) + " levels deep");
  }
  const bool bracket = CharAt(start) == '[' || CharAt(start) == '{';
  PassTo(bracket ? start + 1 : start);
  const bool flow = bracket || (!open_.empty() && open_.back().flow);
  open_.emplace_back();
  open_.back().flow = flow;
  open_.back().is_key = is_key;
  open_.back().node.flow = bracket;
  open_.back().node.kind = kind;
  open_.back().node.position = at;
  return {};
}

void TreeBuilder::EndCollection(fy_token* token) {
  const fy_token_type type = fy_token_get_type(token);
  // The end of a block is where the next token begins, which hasn't been read yet.
  if (type == FYTT_FLOW_MAPPING_END || type == FYTT_FLOW_SEQUENCE_END) {
    PassTo(EndOf(token, passed_));
  }
  const bool is_key = open_.back().is_key;
  YamlNode node = std::move(open_.back().node);
  open_.pop_back();
  if (!is_key) return Attach(std::move(node));
  Open& map = open_.back();
  map.entry = YamlEntry{fmt::format("\x01{}", map.node.entries.size()), node.position, {}};
}

Result<void> TreeBuilder::TakeScalar(fy_token* token) {
  if (token == nullptr && open_.empty()) return {};  // a document without content
  if (token == nullptr && !AwaitsKey()) {
    Attach(AbsentScalar());
    return {};
  }
  Result<YamlNode> node = ReadScalar(token);
  if (!node) return std::move(node).error();
  if (AwaitsKey()) return TakeKey(*std::move(node));
  BELAY_TRY(CheckIndent(*node));
  Attach(*std::move(node));
  return {};
}

namespace {

// 1 and "1" are different keys; a and "a" are not.
std::string KeyIdentity(const YamlNode& key) {
  constexpr std::string_view kNumberStart = "0123456789+-.~";
  const bool text = key.quoted || (!key.text.empty() && key.text != "true" && key.text != "false" &&
                                   key.text != "null" &&
                                   kNumberStart.find(key.text.front()) == std::string_view::npos);
  return (text ? "t" : "p") + key.text;
}

}  // namespace

Result<void> TreeBuilder::TakeKey(YamlNode&& key) {
  BELAY_TRY(CheckKey(key));
  Open& map = open_.back();
  // libfyaml begins the map of `[a: b]` at the colon.
  if (IsBefore(key.position, map.node.position)) map.node.position = key.position;
  map.entry.emplace();
  map.entry->key = std::move(key.text);
  map.entry->key_position = key.position;
  return {};
}

Result<void> TreeBuilder::CheckKey(const YamlNode& key) {
  if (!strict_) {
    if (open_.back().keys.Insert(KeyIdentity(key))) return {};
    fault_ = YamlFault::kDuplicateKey;
    return ErrorAt(key.position, "duplicate key " + Quote(key.text));
  }
  if (key.kind == YamlNode::Kind::kNull || key.text.empty()) {
    return ErrorAt(key.position, "a key must not be empty or null");
  }
  if (key.text == "<<" && !key.quoted) return Unused(key.position, "merge keys (\"<<\")");
  if (!open_.back().keys.Insert(key.text)) {
    return ErrorAt(key.position, "duplicate key " + Quote(key.text));
  }
  return {};
}

// libfyaml accepts a text at the indentation of its own key, which isn't a value of that key.
Result<void> TreeBuilder::CheckIndent(const YamlNode& value) const {
  if (open_.empty() || open_.back().flow) return {};
  const Open& parent = open_.back();
  const bool same_line = parent.entry && parent.entry->key_position.line == value.position.line;
  if (same_line || value.position.column > parent.node.position.column) return {};
  return ErrorAt(value.position, "a value must be indented deeper than its key or dash");
}

void TreeBuilder::Attach(YamlNode&& node) {
  // Of a whole file, deeper ones aren't needed.
  if (strict_ || open_.size() <= 2) node.last_line = LastLine();
  if (open_.empty()) {
    root_ = std::move(node);
  } else if (Open& parent = open_.back(); parent.entry) {
    parent.entry->value = std::move(node);
    Add(*std::move(parent.entry), parent.node.entries);
    parent.entry.reset();
  } else {
    Add(std::move(node), parent.node.items);
  }
}

Result<void> TreeBuilder::CheckProperties(fy_token* anchor, fy_token* tag) {
  if (!strict_) {
    PassTo(std::max(EndOf(anchor, passed_), EndOf(tag, passed_)));
    return {};
  }
  // The mark of an anchor is after its ampersand, that of a tag at its exclamation mark.
  if (anchor != nullptr) {
    return Unused(places_.At(StartOf(anchor, passed_ + 1) - 1), "anchors (\"&\")");
  }
  if (tag != nullptr) return Unused(places_.At(StartOf(tag, passed_)), "tags (\"!\")");
  return {};
}

// A missing key has no token; its position is where it should be.
Result<YamlNode> TreeBuilder::ReadScalar(fy_token* token) {
  YamlNode node;
  if (token == nullptr) {
    node.position = places_.At(SkipBlanks(passed_));
    return node;
  }
  BELAY_TRY_ASSIGN(Scalar scalar, ReadSource(token));
  node.position = places_.At(scalar.start);
  node.quoted = fy_token_scalar_style(token) != FYSS_PLAIN;
  node.block = scalar.last.has_value();
  node.text = std::move(scalar.text);
  passed_ = std::max(passed_, scalar.end);
  content_end_ = std::max(content_end_, scalar.last.value_or(scalar.end));
  if (strict_ && FindForbidden(node.text)) {
    return ErrorAt(node.position, "an escape stands for a character that is not allowed");
  }
  const bool null = node.text.empty() || node.text == "~" || node.text == "null";
  node.kind = null && !node.quoted ? YamlNode::Kind::kNull : YamlNode::Kind::kScalar;
  return node;
}

Result<TreeBuilder::Scalar> TreeBuilder::ReadSource(fy_token* token) {
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

// libfyaml takes the keys after an empty block for its text when they are no deeper than the
// block's own key. So libfyaml and this code must agree on where a block ends.
Result<TreeBuilder::Scalar> TreeBuilder::ReadBlock(std::size_t end) {
  const std::optional<std::size_t> header = FindIndicator("|>");
  if (!header) return ErrorAt(places_.At(passed_), "can't parse this block");
  const std::size_t min_indent = open_.empty() ? 0 : open_.back().node.position.column;
  BlockScalar block = ReadBlockScalar(text_, *header, min_indent);
  const auto last_text = [&](std::size_t before) {
    return text_.substr(0, before).find_last_not_of(" \t\n");
  };
  if (last_text(end) != last_text(block.end)) {
    if (block.text.find_first_not_of('\n') == std::string::npos) empty_block_ = *header;
    return ErrorAt(places_.At(*header),
                   "the text of a block must be deeper than its key; an empty one is written \"\"");
  }
  return Scalar{*header, std::max(end, block.end), std::move(block.text), block.end};
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
  constexpr std::string_view kBetweenItems = " \t\n,";
  std::size_t at = std::min(text_.find_first_not_of(kBetweenItems, from), text_.size());
  while (CharAt(at) == '#') {
    at = std::min(text_.find('\n', at), text_.size());
    at = std::min(text_.find_first_not_of(kBetweenItems, at), text_.size());
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

}  // namespace belay::yaml

namespace belay {

const YamlNode* YamlNode::Find(std::string_view key) const {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const YamlEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &found->value;
}

namespace {

// libfyaml reads a block without text as if the keys after it were its text. With a null in its
// place, of the same length, all offsets stay.
void ReplaceEmptyBlock(std::string& text, std::size_t header) {
  text[header] = '~';
  for (std::size_t at = header + 1;
       at < text.size() && std::string_view("+-123456789").find(text[at]) != std::string_view::npos;
       ++at) {
    text[at] = ' ';
  }
}

// Each costs another pass.
constexpr int kMostEmptyBlocks = 16;

// The first line from `at` on that isn't blank or a comment, and how far it is indented.
std::size_t IndentOfNext(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const std::size_t start = std::min(text.find_first_not_of(" \t", at), text.size());
    if (start < text.size() && text[start] != '\n' && text[start] != '#') return start - at;
    at = std::min(text.find('\n', start), text.size() - 1) + 1;
  }
  return 0;
}

// libfyaml doesn't read an empty item of a list that is at the column of its key. A null in its
// place changes no line. Gives whether there were any.
bool FillEmptyItems(std::string& text) {
  std::string filled;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const std::size_t dash = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t behind = line[dash == line.size() ? 0 : dash] == '-'
                                   ? line.find_first_not_of(" \t", dash + 1)
                                   : std::string_view::npos;
    const bool empty = behind != std::string_view::npos &&
                       (line[behind] == '\n' || (line[behind] == '#' && behind > dash + 1));
    filled += line;
    if (empty && IndentOfNext(text, end) <= dash)
      filled.insert(filled.size() - line.size() + dash + 1, " ~");
    at = end;
  }
  const bool any = filled.size() != text.size();
  text = std::move(filled);
  return any;
}

}  // namespace

Result<YamlNode> ParseYamlStructure(std::string_view text, YamlFault& fault,
                                    const YamlLimits& limits) {
  fault = YamlFault::kSyntax;
  BELAY_TRY_ASSIGN(std::string prepared, yaml::PrepareStructure(text, limits));
  bool filled = false;
  for (int pass = 0;; ++pass) {
    const yaml::Places places(prepared);
    const TextPosition end = places.At(prepared.size() - 1);
    yaml::EventStream events(prepared, limits.loose_flow);
    yaml::TreeBuilder builder(prepared, places, limits, false);
    Result<void> taken;
    while (taken) {
      const yaml::Event event = events.Next();
      if (!event) break;
      taken = builder.Take(*event);
    }
    if (!taken && builder.empty_block() && pass < kMostEmptyBlocks) {
      ReplaceEmptyBlock(prepared, *builder.empty_block());
      continue;
    }
    fault = builder.fault();
    if (!taken) return taken.error();
    auto problem = events.Problem(end);
    if (problem && !std::exchange(filled, true) && FillEmptyItems(prepared)) continue;
    if (problem) return *std::move(problem);
    if (events.failed() || !builder.complete()) {
      return yaml::ErrorAt(end, "the text can't be parsed beyond this point");
    }
    return std::move(builder).Root();
  }
}

bool SameYaml(const YamlNode& one, const YamlNode& other) {
  const bool same_scalar = one.kind == other.kind && one.text == other.text &&
                           one.quoted == other.quoted && one.block == other.block;
  if (!same_scalar || one.entries.size() != other.entries.size() ||
      one.items.size() != other.items.size()) {
    return false;
  }
  for (std::size_t i = 0; i < one.entries.size(); ++i) {
    if (one.entries[i].key != other.entries[i].key) return false;
    if (!SameYaml(one.entries[i].value, other.entries[i].value)) return false;
  }
  for (std::size_t i = 0; i < one.items.size(); ++i) {
    if (!SameYaml(one.items[i], other.items[i])) return false;
  }
  return true;
}

Result<YamlNode> ParseYaml(std::string_view text, const YamlLimits& limits) {
  BELAY_TRY_ASSIGN(const std::string prepared, yaml::Prepare(text, limits));
  const yaml::Places places(prepared);
  const TextPosition end = places.At(prepared.size() - 1);
  yaml::EventStream events(prepared, limits.loose_flow);
  yaml::TreeBuilder builder(prepared, places, limits);
  while (const yaml::Event event = events.Next()) BELAY_TRY(builder.Take(*event));
  if (auto problem = events.Problem(end)) return *std::move(problem);
  if (events.failed() || !builder.complete())
    return yaml::ErrorAt(end, "can't parse the text from here on");
  return std::move(builder).Root();
}

}  // namespace belay
