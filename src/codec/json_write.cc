#include <fmt/core.h>

#include <algorithm>
#include <charconv>

#include "base/utf8.h"
#include "codec/json.h"

namespace belay {
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

// Printable ASCII that stands for itself. Not a function, so that find_if takes it in line.
constexpr auto kIsPlain = [](char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; };

void AppendString(std::string_view text, std::string& out) {
  out.push_back('"');
  while (true) {
    const std::string_view run(text.begin(), std::find_if_not(text.begin(), text.end(), kIsPlain));
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

}  // namespace belay
