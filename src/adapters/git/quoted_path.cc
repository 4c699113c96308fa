#include "adapters/git/quoted_path.h"

#include <fmt/core.h>

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
