#include "codec/json_edit.h"

#include <algorithm>
#include <optional>

#include "base/check.h"

namespace belay {
namespace {

// Never reads past the end of the text, but its result for text that isn't JSON means nothing. The
// depth is bounded by the parser that accepted the text.
class Mapper {
 public:
  explicit Mapper(std::string_view text) : text_(text) {}

  JsonSpan Value(bool is_member) {
    SkipSpace();
    JsonSpan span{.item = at_, .begin = at_, .end = at_};
    if (is_member) {
      SkipString();
      SkipTo(':');
      SkipSpace();
      span.begin = at_;
    }
    if (At('{') || At('[')) {
      Children(At('{'), span);
    } else if (At('"')) {
      SkipString();
    } else {
      at_ = std::min(text_.find_first_of(" \t\r\n,]}", at_), text_.size());
    }
    span.end = at_;
    return span;
  }

 private:
  bool At(char c) const { return at_ < text_.size() && text_[at_] == c; }
  void SkipSpace() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  void SkipTo(char c) { at_ = std::min(text_.find(c, at_), text_.size() - 1) + 1; }

  void SkipString() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  void Children(bool members, JsonSpan& span) {
    const char close = members ? '}' : ']';
    ++at_;
    SkipSpace();
    while (at_ < text_.size() && !At(close)) {
      span.children.push_back(Value(members));
      SkipSpace();
      if (At(',')) ++at_;
    }
    at_ = std::min(at_ + 1, text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

JsonSpan MapJson(std::string_view text) { return Mapper(text).Value(false); }

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kUsualStep = "  ";

std::optional<std::size_t> IndexOf(const Json& value, const JsonPlace::value_type& step) {
  if (const auto* index = std::get_if<std::size_t>(&step)) {
    const Json::Array* items = value.AsArray();
    return items != nullptr && *index < items->size() ? std::optional(*index) : std::nullopt;
  }
  const Json::Object* members = value.AsObject();
  if (members == nullptr) return std::nullopt;
  const auto found = std::ranges::find(*members, std::get<std::string>(step), &JsonMember::key);
  if (found == members->end()) return std::nullopt;
  return static_cast<std::size_t>(found - members->begin());
}

const Json& ChildAt(const Json& value, std::size_t index) {
  return value.AsArray() != nullptr ? (*value.AsArray())[index] : (*value.AsObject())[index].value;
}

// White space from its last line end on, including it; empty when there is no line end.
std::string_view LastLineOf(std::string_view space) {
  std::size_t line = space.rfind('\n');
  if (line == std::string_view::npos) return {};
  if (line > 0 && space[line - 1] == '\r') --line;
  return space.substr(line);
}

std::string IndentIn(std::string_view last_line) {
  return std::string(last_line.substr(std::min(last_line.find('\n') + 1, last_line.size())));
}

}  // namespace

Result<JsonEditor> JsonEditor::Open(std::string_view text, const JsonLimits& limits) {
  const bool marked = text.starts_with(kByteOrderMark);
  if (marked) text.remove_prefix(kByteOrderMark.size());
  JsonEditor editor(std::string(marked ? kByteOrderMark : ""), limits);
  BELAY_TRY(editor.Adopt(std::string(text)));
  return editor;
}

Result<void> JsonEditor::Adopt(std::string text) {
  BELAY_TRY_ASSIGN(value_, ParseJson(text, limits_));
  text_ = std::move(text);
  root_ = MapJson(text_);
  return {};
}

const Json* JsonEditor::At(const JsonPlace& place) const {
  const Json* value = &value_;
  for (const auto& step : place) {
    const std::optional<std::size_t> index = IndexOf(*value, step);
    if (!index) return nullptr;
    value = &ChildAt(*value, *index);
  }
  return value;
}

const JsonSpan& JsonEditor::SpanAt(const JsonPlace& place) const {
  const Json* value = &value_;
  const JsonSpan* span = &root_;
  for (const auto& step : place) {
    const std::optional<std::size_t> index = IndexOf(*value, step);
    BELAY_CHECK(index.has_value());
    value = &ChildAt(*value, *index);
    span = &span->children[*index];
  }
  return *span;
}

TextPosition JsonEditor::PositionOf(const JsonPlace& place) const {
  return PositionAt(text_, SpanAt(place).begin);
}

Result<void> JsonEditor::AddMember(const JsonPlace& place, std::string_view key,
                                   const Json& value) {
  const Json* object = At(place);
  BELAY_CHECK(object != nullptr && object->AsObject() != nullptr && object->Find(key) == nullptr);
  return Add(SpanAt(place), key, true, value);
}

Result<void> JsonEditor::AddElement(const JsonPlace& place, const Json& value) {
  const Json* array = At(place);
  BELAY_CHECK(array != nullptr && array->AsArray() != nullptr);
  return Add(SpanAt(place), "", false, value);
}

Result<void> JsonEditor::Replace(const JsonPlace& place, const Json& value) {
  const JsonSpan& span = SpanAt(place);
  std::string bytes;
  Write(value, FindFormatting(), IndentOfLine(span.begin), bytes);
  return Splice(span.begin, span.end, bytes);
}

Result<void> JsonEditor::Remove(const JsonPlace& place) {
  BELAY_CHECK(!place.empty());
  const JsonSpan& item = SpanAt(place);
  const JsonSpan& container = SpanAt({place.begin(), place.end() - 1});
  const std::vector<JsonSpan>& all = container.children;
  if (all.size() == 1) {
    const bool keeps_space = item.end == container.end - 1;
    return keeps_space ? Splice(item.item, item.end, "")
                       : Splice(container.begin + 1, container.end - 1, "");
  }
  if (&item == &all.back()) return Splice(all[all.size() - 2].end, item.end, "");
  return Splice(item.item, (&item + 1)->item, "");
}

Result<void> JsonEditor::Add(const JsonSpan& container, std::string_view key, bool is_member,
                             const Json& value) {
  Formatting formatting = FindFormatting();
  const auto item = [&](const std::string& indent) {
    return Item(key, is_member, value, formatting, indent);
  };
  if (!container.children.empty()) {
    const JsonSpan& last = container.children.back();
    const std::string_view line = LastLineOf(SpaceBefore(last.item));
    if (line.empty()) formatting.line_end.clear();
    const std::string space = !line.empty() ? std::string(line) : formatting.spaced ? " " : "";
    return Splice(last.end, last.end, "," + space + item(IndentIn(line)));
  }
  const std::size_t close = container.end - 1;
  if (close > container.begin + 1) {
    const std::string_view line = LastLineOf(SpaceBefore(close));
    if (line.empty()) formatting.line_end.clear();
    return Splice(close, close, item(IndentIn(line)));
  }
  if (formatting.line_end.empty()) return Splice(close, close, item(""));
  const std::string outer = IndentOfLine(container.begin);
  const std::string inner = outer + formatting.step;
  return Splice(close, close,
                formatting.line_end + inner + item(inner) + formatting.line_end + outer);
}

Result<void> JsonEditor::Splice(std::size_t begin, std::size_t end, std::string_view bytes) {
  return Adopt(text_.substr(0, begin) + std::string(bytes) + text_.substr(end));
}

// As the first child of the root shows it; a root without children gets the default.
JsonEditor::Formatting JsonEditor::FindFormatting() const {
  Formatting formatting{.line_end = "\n", .step = std::string(kUsualStep), .spaced = true};
  const std::size_t line = text_.find('\n');
  if (line != std::string::npos && line > 0 && text_[line - 1] == '\r')
    formatting.line_end = "\r\n";
  if (root_.children.empty()) return formatting;
  const JsonSpan& first = root_.children.front();
  formatting.spaced = text_.find(": ") < root_.end || text_.find(", ") < root_.end;
  const std::string_view root(text_.data() + root_.begin, root_.end - root_.begin);
  if (root.find('\n') == std::string_view::npos) {
    formatting.line_end.clear();
    return formatting;
  }
  const std::string indent = IndentIn(LastLineOf(SpaceBefore(first.item)));
  const std::string outer = IndentOfLine(root_.begin);
  if (indent.size() > outer.size()) formatting.step = indent.substr(outer.size());
  return formatting;
}

std::string_view JsonEditor::SpaceBefore(std::size_t offset) const {
  const std::string_view before(text_.data(), offset);
  return before.substr(before.find_last_not_of(kSpace) + 1);
}

// The indentation of the line that holds the byte.
std::string JsonEditor::IndentOfLine(std::size_t offset) const {
  const std::size_t line = offset == 0 ? std::string::npos : text_.rfind('\n', offset - 1);
  const std::size_t start = line == std::string::npos ? 0 : line + 1;
  return text_.substr(start, std::min(text_.find_first_not_of(" \t", start), offset) - start);
}

std::string JsonEditor::Item(std::string_view key, bool is_member, const Json& value,
                             const Formatting& formatting, const std::string& indent) {
  std::string item;
  if (is_member) {
    AppendJson(key, item);
    item += formatting.spaced ? ": " : ":";
  }
  Write(value, formatting, indent, item);
  return item;
}

void JsonEditor::Write(const Json& value, const Formatting& formatting, const std::string& indent,
                       std::string& out) {
  const Json::Object* members = value.AsObject();
  const Json::Array* items = value.AsArray();
  const std::size_t count = members ? members->size() : items ? items->size() : 0;
  if (count == 0) return AppendJson(value, out);
  const bool lines = !formatting.line_end.empty();
  const std::string inner = lines ? indent + formatting.step : "";
  const std::string between = lines ? formatting.line_end + inner : formatting.spaced ? " " : "";
  out += members ? '{' : '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out += ',';
    if (i > 0 || lines) out += between;
    const std::string_view key = members ? std::string_view((*members)[i].key) : "";
    out += Item(key, members != nullptr, ChildAt(value, i), formatting, inner);
  }
  if (lines) out += formatting.line_end + indent;
  out += members ? '}' : ']';
}

}  // namespace belay
