#include "adapters/git/fields.h"

#include <fmt/core.h>

#include "base/text.h"
#include "base/utf8.h"

namespace belay {
namespace {

constexpr std::string_view kEscaped = "\a\b\t\n\v\f\r\"\\";
constexpr std::string_view kLetters = "abtnvfr\"\\";

bool IsPlain(std::string_view path) {
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' || c == '\\') return false;
  }
  return FindInvalidUtf8(path) == std::string_view::npos;
}

bool IsOctal(std::string_view text) {
  return text.size() == 3 && text.find_first_not_of("01234567") == std::string_view::npos &&
         text[0] <= '3';
}

char FromOctal(std::string_view digits) {
  return static_cast<char>((digits[0] - '0') * 64 + (digits[1] - '0') * 8 + (digits[2] - '0'));
}

}  // namespace

Error Fields::Damaged(std::string_view why) const {
  return {ErrorCode::kDamaged,
          fmt::format("git {}: {} before {}", what_, why, Quote(rest_.substr(0, 40))),
          "belay doesn't understand this git's output; it needs git 2.38 or newer"};
}

Result<std::string_view> Fields::Until(char end) {
  const std::size_t length = rest_.find(end);
  if (length == std::string_view::npos) return Damaged("a field isn't terminated");
  const std::string_view field = rest_.substr(0, length);
  rest_.remove_prefix(length + 1);
  return field;
}

Result<std::string_view> Fields::PathUntilNul() {
  BELAY_TRY_ASSIGN(const std::string_view path, Until('\0'));
  if (path.empty()) return Damaged("no path");
  return path;
}

Result<std::uint32_t> Fields::ModeUntil(char end) {
  BELAY_TRY_ASSIGN(const std::string_view field, Until(end));
  if (field.empty() || field.size() > 7) return Damaged("no mode");
  std::uint32_t mode = 0;
  for (const char digit : field) {
    if (digit < '0' || digit > '7') return Damaged("no mode");
    mode = mode * 8 + static_cast<std::uint32_t>(digit - '0');
  }
  return mode;
}

Result<ObjectId> Fields::IdUntil(char end) {
  BELAY_TRY_ASSIGN(const std::string_view field, Until(end));
  Result<ObjectId> id = ObjectId::Parse(field);
  if (!id) return Damaged("not an object id");
  return id;
}

Result<std::string_view> Fields::Bytes(std::string_view number) {
  const auto count = ParseNumber<std::size_t>(number);
  if (!count || *count > rest_.size()) return Damaged("fewer bytes than expected");
  const std::string_view bytes = rest_.substr(0, *count);
  rest_.remove_prefix(*count);
  return bytes;
}

Result<char> Fields::Next() {
  if (rest_.empty()) return Damaged("the output is incomplete");
  const char first = rest_[0];
  rest_.remove_prefix(1);
  return first;
}

std::string QuotePath(std::string_view path) {
  if (IsPlain(path)) return std::string(path);
  std::string quoted = "\"";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (const std::size_t at = kEscaped.find(c); at != std::string_view::npos) {
      quoted += '\\';
      quoted += kLetters[at];
    } else if (byte < 0x20 || byte >= 0x7f) {
      quoted += fmt::format("\\{:03o}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::vector<std::string> QuotePaths(const std::vector<std::string>& paths) {
  std::vector<std::string> quoted;
  quoted.reserve(paths.size());
  for (const std::string& path : paths) quoted.push_back(QuotePath(path));
  return quoted;
}

Result<std::string> UnquotePath(std::string_view text) {
  if (!text.starts_with('"')) return std::string(text);
  const Error damaged{ErrorCode::kDamaged, fmt::format("{} is not a quoted path", Quote(text))};
  if (text.size() < 2 || !text.ends_with('"')) return damaged;
  text = text.substr(1, text.size() - 2);
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return damaged;
    if (text[i] != '\\') {
      path += text[i];
      continue;
    }
    if (++i == text.size()) return damaged;
    if (const std::size_t at = kLetters.find(text[i]); at != std::string_view::npos) {
      path += kEscaped[at];
    } else if (IsOctal(text.substr(i, 3))) {
      path += FromOctal(text.substr(i, 3));
      i += 2;
    } else {
      return damaged;
    }
  }
  return path;
}

}  // namespace belay
