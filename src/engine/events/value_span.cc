#include "engine/events/value_span.h"

#include <algorithm>

namespace belay {
namespace {

constexpr std::string_view kOperators = ";|&()<>";

bool IsQuote(char c) { return c == '"' || c == '\''; }

bool EndsWord(char c, char enclosing) {
  if (IsBlank(c) || c == '\n' || c == '\r') return true;
  return enclosing != 0 ? c == enclosing : kOperators.find(c) != std::string_view::npos;
}

// Behind the quoted part of a word. Inside of other quotes an apostrophe may be just that.
std::size_t EndOfPart(std::string_view text, std::size_t at, char enclosing) {
  const std::size_t close = ClosingQuote(text, at, text.substr(at, 1));
  if (enclosing == 0) return std::min(close + 1, text.size());
  const bool inside =
      close < text.size() && text.substr(at, close - at).find(enclosing) == std::string_view::npos;
  return inside ? close + 1 : at + 1;
}

}  // namespace

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

std::size_t SkipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (IsBlank(text[at])) {
      ++at;
    } else if (text.substr(at).starts_with("\\\n")) {
      at += 2;
    } else {
      break;
    }
  }
  return at;
}

std::string_view OpeningQuote(std::string_view text, std::size_t at) {
  std::size_t quote = at;
  while (quote < text.size() && text[quote] == '\\') ++quote;
  if (quote >= text.size() || !IsQuote(text[quote])) return {};
  return text.substr(at, quote + 1 - at);
}

std::size_t ClosingQuote(std::string_view text, std::size_t at, std::string_view opening) {
  const char quote = opening.back();
  const std::size_t marks = opening.size() - 1;  // backslashes
  std::size_t backslashes = 0;
  for (std::size_t i = at + opening.size(); i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++backslashes;
      continue;
    }
    const bool closes = backslashes <= marks || (marks == 0 && backslashes % 2 == 0);
    if (text[i] == quote && closes) return i - std::min(backslashes, marks);
    backslashes = 0;
  }
  return text.size();
}

std::size_t EndOfWord(std::string_view text, std::size_t at, char enclosing) {
  while (at < text.size() && !EndsWord(text[at], enclosing)) {
    if (text[at] == '\\') {
      at += 2;
    } else {
      at = IsQuote(text[at]) ? EndOfPart(text, at, enclosing) : at + 1;
    }
  }
  return std::min(at, text.size());
}

}  // namespace belay
