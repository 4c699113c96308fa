#include "codec/json.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <unordered_set>

#include "base/check.h"
#include "base/utf8.h"

namespace belay {

Json::Json(std::size_t value) : value_(static_cast<std::int64_t>(value)) {
  BELAY_CHECK(value <= static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()));
}

Json Json::FromDouble(double value) {
  BELAY_CHECK(std::isfinite(value));
  char digits[32];
  const auto [end, status] = std::to_chars(digits, digits + sizeof(digits), value);
  BELAY_CHECK(status == std::errc());
  std::string text(digits, end);
  // Without one of these it would read back as an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return Decimal{std::move(text)};
}

Json Json::EmptyArray() { return Array{}; }
Json Json::EmptyObject() { return Object{}; }

std::string_view Json::TypeName() const {
  constexpr std::string_view kNames[] = {"null",   "a boolean", "an integer", "a decimal number",
                                         "a text", "a list",    "an object"};
  static_assert(std::size(kNames) == std::variant_size_v<decltype(value_)>);
  return kNames[value_.index()];
}

const Json* Json::Find(std::string_view key) const {
  const Object* object = AsObject();
  if (object == nullptr) return nullptr;
  const auto at = std::find_if(object->begin(), object->end(),
                               [&](const JsonMember& member) { return member.key == key; });
  return at == object->end() ? nullptr : &at->value;
}

Json* Json::Find(std::string_view key) {
  return const_cast<Json*>(static_cast<const Json*>(this)->Find(key));
}

void Json::Set(std::string_view key, Json value) {
  Object* object = AsObject();
  BELAY_CHECK(object != nullptr);
  if (Json* existing = Find(key)) {
    *existing = std::move(value);
  } else {
    object->push_back({std::string(key), std::move(value)});
  }
}

bool Json::Remove(std::string_view key) {
  Object* object = AsObject();
  BELAY_CHECK(object != nullptr);
  return std::erase_if(*object, [&](const JsonMember& member) { return member.key == key; }) > 0;
}

void Json::Append(Json value) {
  Array* array = AsArray();
  BELAY_CHECK(array != nullptr);
  array->push_back(std::move(value));
}

bool Json::operator==(const Json& other) const { return value_ == other.value_; }

Json MakeObject(std::initializer_list<std::pair<std::string_view, Json>> members) {
  Json::Object object;
  object.reserve(members.size());
  for (const auto& [key, value] : members) object.push_back({std::string(key), value});
  return object;
}

namespace {

constexpr std::size_t kLongestQuote = 60;  // of the input, in a message

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
// Needs no escape in a string. A lambda, so that find_if inlines it.
constexpr auto kIsPlain = [](char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\';
};

// Most objects and lists are small: reserving a few elements saves the first reallocations.
constexpr std::size_t kFirstMembers = 8;
constexpr std::size_t kFirstItems = 4;

// Detects a duplicate key while an object is read. Few keys are compared one by one; with many, a
// key whose hash is new can't be a duplicate.
class JsonKeySet {
 public:
  // Whether an earlier member has the key of the last one. Called after each member.
  bool LastIsDuplicate(const Json::Object& members) {
    const std::span<const JsonMember> before(members.data(), members.size() - 1);
    const std::string& key = members.back().key;
    if (before.size() < kFew) return Contains(before, key);
    if (hashes_.empty()) {
      for (const JsonMember& member : before) hashes_.insert(Hash(member.key));
    }
    return !hashes_.insert(Hash(key)).second && Contains(before, key);
  }

 private:
  static constexpr std::size_t kFew = 16;

  static std::size_t Hash(std::string_view key) { return std::hash<std::string_view>()(key); }
  static bool Contains(std::span<const JsonMember> members, std::string_view key) {
    for (const JsonMember& member : members) {
      if (member.key == key) return true;
    }
    return false;
  }

  std::unordered_set<std::size_t> hashes_;
};

// Recursive descent; `limits.max_depth` bounds the recursion.
class Parser {
 public:
  Parser(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

  Result<Json> Document() {
    if (text_.size() > limits_.max_bytes) {
      return Fail(
          0, fmt::format("{} bytes are more than the {} allowed", text_.size(), limits_.max_bytes));
    }
    if (text_.starts_with("\xEF\xBB\xBF")) return Fail(0, "a byte order mark is not JSON");
    if (const std::size_t bad = FindInvalidUtf8(text_); bad != std::string_view::npos) {
      return Fail(bad, "invalid UTF-8");
    }
    SkipSpace();
    Json value;
    BELAY_TRY(Value(0, value));
    SkipSpace();
    if (at_ < text_.size()) return Unexpected("the end after the value");
    return value;
  }

 private:
  Error Fail(std::size_t offset, std::string_view reason) const {
    const TextPosition position = PositionAt(text_, offset);
    return {ErrorCode::kDamaged,
            fmt::format("line {}, column {}: {}", position.line, position.column, reason)};
  }

  Error Unexpected(std::string_view wanted) const {
    if (at_ >= text_.size()) return Fail(at_, fmt::format("ends where {} should be", wanted));
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (c < 0x20 || c == 0x7F) {
      return Fail(at_, fmt::format("byte 0x{:02x} where {} should be", c, wanted));
    }
    return Fail(
        at_, fmt::format("'{}' where {} should be", CutCodePoints(text_.substr(at_), 1), wanted));
  }

  void SkipSpace() {
    while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
  }
  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Result<void> Value(std::size_t depth, Json& out) {
    if (at_ >= text_.size()) return Unexpected("a value");
    switch (text_[at_]) {
      case '{':
        return Object(depth, out);
      case '[':
        return Array(depth, out);
      case '"':
        return StringValue(out);
      case 't':
        return Word("true", true, out);
      case 'f':
        return Word("false", false, out);
      case 'n':
        return Word("null", nullptr, out);
      default:
        return Number(out);
    }
  }

  Result<void> Word(std::string_view word, Json value, Json& out) {
    if (!text_.substr(at_).starts_with(word)) return Unexpected("a value");
    at_ += word.size();
    out = std::move(value);
    return {};
  }

  Result<void> Enter(std::size_t depth) {
    if (depth >= limits_.max_depth) {
      return Fail(at_, fmt::format("nested more than {} deep", limits_.max_depth));
    }
    ++at_;
    SkipSpace();
    return {};
  }

  Result<void> Array(std::size_t depth, Json& out) {
    BELAY_TRY(Enter(depth));
    Json::Array items;
    if (!Take(']')) {
      items.reserve(kFirstItems);
      do {
        SkipSpace();
        BELAY_TRY(Value(depth + 1, items.emplace_back()));
        SkipSpace();
      } while (Take(','));
      if (!Take(']')) return Unexpected("',' or ']'");
    }
    out = std::move(items);
    return {};
  }

  Result<void> Object(std::size_t depth, Json& out) {
    BELAY_TRY(Enter(depth));
    Json::Object members;
    JsonKeySet keys;
    if (!Take('}')) {
      members.reserve(kFirstMembers);
      do {
        SkipSpace();
        BELAY_TRY(Member(depth + 1, keys, members));
        SkipSpace();
      } while (Take(','));
      if (!Take('}')) return Unexpected("',' or '}'");
    }
    out = std::move(members);
    return {};
  }

  Result<void> Member(std::size_t depth, JsonKeySet& keys, Json::Object& members) {
    const std::size_t start = at_;
    if (at_ >= text_.size() || text_[at_] != '"') return Unexpected("a key in quotes");
    JsonMember& member = members.emplace_back();
    BELAY_TRY(String(member.key));
    const bool again = keys.LastIsDuplicate(members);
    if (again && !limits_.forgiving) {
      return Fail(start, fmt::format("duplicate key {}", Quoted(start)));
    }
    SkipSpace();
    if (!Take(':')) return Unexpected("':'");
    SkipSpace();
    BELAY_TRY(Value(depth, member.value));
    if (again) MoveToFirst(members);
    return {};
  }

  // Moves the last value to the position of the first member with its key.
  static void MoveToFirst(Json::Object& members) {
    const auto first = std::ranges::find(members, members.back().key, &JsonMember::key);
    first->value = std::move(members.back().value);
    members.pop_back();
  }

  // The string that starts at `start`, as spelled in the input, cut when it is long.
  std::string Quoted(std::size_t start) const {
    const std::string_view whole = text_.substr(start, at_ - start);
    const std::string_view cut = CutCodePoints(whole, kLongestQuote);
    return cut.size() == whole.size() ? std::string(whole) : std::string(cut) + "\xE2\x80\xA6\"";
  }

  Result<void> StringValue(Json& out) {
    std::string value;
    BELAY_TRY(String(value));
    out = std::move(value);
    return {};
  }

  Result<void> String(std::string& out) {
    ++at_;  // the quote
    while (true) {
      const std::string_view rest = text_.substr(at_);
      const std::string_view run(rest.begin(),
                                 std::find_if_not(rest.begin(), rest.end(), kIsPlain));
      out.append(run);
      at_ += run.size();
      if (Take('"')) return {};
      if (at_ >= text_.size()) return Unexpected("a closing quote");
      if (text_[at_] != '\\') return Fail(at_, "a control character in a string must be escaped");
      BELAY_TRY(Escape(out));
    }
  }

  Result<void> Escape(std::string& out) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const std::size_t start = at_++;  // the backslash
    if (Take('u')) return UnicodeEscape(start, out);
    const std::size_t which =
        at_ < text_.size() ? kLetters.find(text_[at_]) : std::string_view::npos;
    if (which == std::string_view::npos) return Fail(start, "unknown escape in a string");
    ++at_;
    out.push_back(kMeanings[which]);
    return {};
  }

  Result<void> UnicodeEscape(std::size_t start, std::string& out) {
    const std::optional<char32_t> first = HexDigits();
    if (!first) return Fail(start, "\\u needs four hexadecimal digits");
    char32_t value = *first;
    if (value >= 0xD800 && value <= 0xDFFF) {
      const std::size_t behind = at_;
      const bool pair = value <= 0xDBFF && text_.substr(at_).starts_with("\\u");
      if (pair) at_ += 2;
      const std::optional<char32_t> second = pair ? HexDigits() : std::nullopt;
      const bool lone = !second || *second < 0xDC00 || *second > 0xDFFF;
      if (lone && !limits_.forgiving) return Fail(start, "a lone surrogate");
      if (lone) at_ = behind;
      value = lone ? 0xFFFD : 0x10000 + ((value - 0xD800) << 10U) + (*second - 0xDC00);
    }
    AppendUtf8(value, out);
    return {};
  }

  std::optional<char32_t> HexDigits() {
    if (text_.size() - at_ < 4) return std::nullopt;
    std::uint32_t value = 0;
    const char* start = text_.data() + at_;
    const auto [end, status] = std::from_chars(start, start + 4, value, 16);
    if (status != std::errc() || end != start + 4) return std::nullopt;
    at_ += 4;
    return value;
  }

  bool TakeDigits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
    return at_ > start;
  }

  Result<void> Number(Json& out) {
    const std::size_t start = at_;
    (void)Take('-');
    if (at_ >= text_.size() || !IsDigit(text_[at_])) {
      return Unexpected(at_ == start ? "a value" : "a digit");
    }
    if (!Take('0')) TakeDigits();
    if (at_ < text_.size() && IsDigit(text_[at_]))
      return Fail(start, "a number with a leading zero");
    bool decimal = text_.substr(start, at_ - start) == "-0";  // an integer would lose its sign
    if (Take('.')) {
      decimal = true;
      if (!TakeDigits()) return Unexpected("a digit");
    }
    if (Take('e') || Take('E')) {
      decimal = true;
      if (!Take('+')) (void)Take('-');
      if (!TakeDigits()) return Unexpected("a digit");
    }
    return decimal ? MakeDecimal(start, out) : MakeInteger(start, out);
  }

  Result<void> MakeInteger(std::size_t start, Json& out) {
    std::int64_t value = 0;
    const auto [end, status] = std::from_chars(text_.data() + start, text_.data() + at_, value);
    if (status != std::errc()) return Fail(start, "an integer of more than 64 bits");
    out = value;
    return {};
  }

  Result<void> MakeDecimal(std::size_t start, Json& out) {
    double value = 0;
    const auto [end, status] = std::from_chars(text_.data() + start, text_.data() + at_, value);
    if (status != std::errc()) return Fail(start, "a number too large for a double");
    out = Json::Decimal{std::string(text_.substr(start, at_ - start))};
    return {};
  }

  std::string_view text_;
  const JsonLimits& limits_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Json> ParseJson(std::string_view text, const JsonLimits& limits) {
  return Parser(text, limits).Document();
}

namespace {

bool NeedsEscape(char32_t c) {
  return c < 0x20 || c == '"' || c == '\\' || (c >= 0x7F && c <= 0x9F);
}

void AppendEscaped(char32_t c, std::string& out) {
  constexpr std::string_view kMeanings = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  const std::size_t which =
      c < 0x80 ? kMeanings.find(static_cast<char>(c)) : std::string_view::npos;
  if (which != std::string_view::npos) {
    out.push_back('\\');
    out.push_back(kLetters[which]);
  } else {
    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
  }
}

// Printable ASCII that needs no escape. A lambda, so that find_if inlines it.
constexpr auto kIsWrittenPlain = [](char c) {
  return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
};

void AppendString(std::string_view text, std::string& out) {
  out.push_back('"');
  while (true) {
    const std::string_view run(text.begin(),
                               std::find_if_not(text.begin(), text.end(), kIsWrittenPlain));
    out.append(run);
    text.remove_prefix(run.size());
    if (text.empty()) break;
    const CodePoint point = DecodeUtf8(text);
    if (point.valid && NeedsEscape(point.value)) {
      AppendEscaped(point.value, out);
    } else {
      AppendUtf8(point.value, out);
    }
    text.remove_prefix(point.bytes);
  }
  out.push_back('"');
}

class Writer {
 public:
  Writer(JsonStyle style, std::string& out) : indented_(style == JsonStyle::kIndented), out_(out) {}

  void Value(const Json& value) {
    if (const bool* boolean = value.AsBool()) {
      out_ += *boolean ? "true" : "false";
    } else if (const std::int64_t* integer = value.AsInteger()) {
      Integer(*integer);
    } else if (const Json::Decimal* decimal = value.AsDecimal()) {
      out_ += decimal->text;
    } else if (const std::string* text = value.AsString()) {
      AppendString(*text, out_);
    } else if (const Json::Array* items = value.AsArray()) {
      Sequence('[', *items, ']', [this](const Json& item) { Value(item); });
    } else if (const Json::Object* members = value.AsObject()) {
      Sequence('{', *members, '}', [this](const JsonMember& member) { Member(member); });
    } else {
      out_ += "null";
    }
  }

 private:
  void Integer(std::int64_t value) {
    char digits[24];
    const auto [end, status] = std::to_chars(digits, digits + sizeof(digits), value);
    out_.append(digits, end);
  }

  void Member(const JsonMember& member) {
    AppendString(member.key, out_);
    out_ += indented_ ? ": " : ":";
    Value(member.value);
  }

  template <class Items, class WriteItem>
  void Sequence(char open, const Items& items, char close, WriteItem write_item) {
    out_.push_back(open);
    ++depth_;
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_.push_back(',');
      first = false;
      NewLine();
      write_item(item);
    }
    --depth_;
    if (!first) NewLine();
    out_.push_back(close);
  }

  void NewLine() {
    if (!indented_) return;
    out_.push_back('\n');
    out_.append(2 * depth_, ' ');
  }

  bool indented_;
  std::string& out_;
  std::size_t depth_ = 0;
};

}  // namespace

void AppendJson(const Json& value, std::string& out) {
  Writer(JsonStyle::kCompact, out).Value(value);
}

std::string WriteJson(const Json& value, JsonStyle style) {
  std::string out;
  Writer(style, out).Value(value);
  if (style == JsonStyle::kIndented) out.push_back('\n');
  return out;
}

std::string TextIn(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  return value != nullptr && value->AsString() != nullptr ? *value->AsString() : std::string();
}

}  // namespace belay
