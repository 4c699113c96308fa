#include "codec/json_skim.h"

#include <charconv>

namespace belay {

// The offset after the closing quote, or npos.
std::size_t JsonSkimmer::EndOfString(std::size_t quote) const {
  std::size_t at = quote + 1;
  while (true) {
    at = text_.find('"', at);
    if (at == std::string_view::npos) return at;
    std::size_t backslashes = 0;
    while (text_[at - 1 - backslashes] == '\\') ++backslashes;
    ++at;
    if (backslashes % 2 == 0) return at;
  }
}

// The offset of the comma or brace after the value, or npos.
std::size_t JsonSkimmer::EndOfValue() const {
  std::size_t depth = 0;
  for (std::size_t at = value_; at < text_.size();) {
    const char c = text_[at];
    if (c == '"') {
      at = EndOfString(at);
      continue;
    }
    const bool opens = c == '{' || c == '[';
    const bool closes = c == '}' || c == ']';
    if (depth == 0 && (c == ',' || closes)) return at;
    if (opens) ++depth;
    if (closes) --depth;
    ++at;
  }
  return std::string_view::npos;
}

bool JsonSkimmer::Next() {
  if (value_ != 0 && end_ == 0) end_ = EndOfValue();
  const std::size_t before = end_;
  if (before >= text_.size() || text_[before] != (value_ == 0 ? '{' : ',')) return false;
  const std::size_t quote = before + 1;
  if (quote >= text_.size() || text_[quote] != '"') return false;
  const std::size_t end = EndOfString(quote);
  if (end >= text_.size() || text_[end] != ':') return false;
  key_ = text_.substr(quote + 1, end - quote - 2);
  value_ = end + 1;
  end_ = 0;
  return true;
}

bool JsonSkimmer::Ended() const {
  if (value_ == 0) return text_.starts_with("{}");
  return end_ < text_.size() && text_[end_] == '}';
}

std::string_view JsonSkimmer::Value() {
  if (value_ != 0 && end_ == 0) end_ = EndOfValue();
  return end_ < text_.size() ? text_.substr(value_, end_ - value_) : std::string_view();
}

std::optional<std::string_view> JsonSkimmer::Text() const {
  if (value_ == 0 || value_ >= text_.size() || text_[value_] != '"') return std::nullopt;
  const std::size_t end = EndOfString(value_);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view text = text_.substr(value_ + 1, end - value_ - 2);
  if (text.find('\\') != std::string_view::npos) return std::nullopt;
  return text;
}

std::optional<std::uint64_t> JsonSkimmer::Number() const {
  if (value_ == 0) return std::nullopt;
  const std::string_view rest = text_.substr(value_);
  std::uint64_t number = 0;
  const auto [end, status] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const bool whole = status == std::errc() && end != rest.data() + rest.size() &&
                     (*end == ',' || *end == '}' || *end == ']');
  return whole ? std::optional(number) : std::nullopt;
}

std::optional<JsonSkimmer> JsonSkimmer::Object() const {
  if (value_ == 0 || value_ >= text_.size() || text_[value_] != '{') return std::nullopt;
  return JsonSkimmer(text_.substr(value_));
}

}  // namespace belay
