// ${NAME%PATTERN} and the other operators that make a new text out of a value.

#include <algorithm>

#include "engine/shell/runner.h"
#include "engine/shell/words.h"

namespace belay {
namespace {

constexpr std::size_t kLongestMatched = 200;

// Where the pattern matches at one end of the text: how much of it; nullopt: nowhere. The pattern
// has kAnyText for each *.
std::optional<std::size_t> MatchAtEnd(std::string_view text, std::string_view pattern, bool suffix,
                                      bool longest) {
  if (IsExact(pattern)) {  // then the rest of the text needn't be known
    const bool found = suffix ? text.ends_with(pattern) : text.starts_with(pattern);
    return found ? std::optional(pattern.size()) : std::nullopt;
  }
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const std::size_t size = longest ? text.size() - i : i;
    const std::string_view part = suffix ? text.substr(text.size() - size) : text.substr(0, size);
    if (CanBe(pattern, part)) return size;
  }
  return std::nullopt;
}

std::string WithoutEnd(const std::string& text, std::string_view op, std::string_view pattern) {
  const bool suffix = op[0] == '%';
  const auto size = MatchAtEnd(text, pattern, suffix, op.size() > 1);
  if (!size) return text;
  return suffix ? text.substr(0, text.size() - *size) : text.substr(*size);
}

// a/b in ${x/a/b}; nullopt: what it does isn't plain.
std::optional<std::string> WithReplaced(const std::string& text, std::string_view op,
                                        std::string_view operand) {
  const std::size_t slash = operand.find('/');
  const std::string_view what = operand.substr(0, slash);
  const std::string_view with =
      slash == std::string_view::npos ? std::string_view() : operand.substr(slash + 1);
  if (what.empty() || with.find_first_of("&\\/") != std::string_view::npos) return std::nullopt;
  if (op == "//") return Replaced(text, what, with);
  if (op == "/#")
    return text.starts_with(what) ? std::string(with) + text.substr(what.size()) : text;
  if (op == "/%") {
    return text.ends_with(what) ? text.substr(0, text.size() - what.size()) + std::string(with)
                                : text;
  }
  const std::size_t at = text.find(what);
  if (op != "/" || at == std::string::npos) return op == "/" ? std::optional(text) : std::nullopt;
  return text.substr(0, at) + std::string(with) + text.substr(at + what.size());
}

std::string Cased(std::string text, std::string_view op) {
  const bool upper = op[0] == '^';
  const auto changed = [&](char c) {
    const bool letter = upper ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z';
    return letter ? static_cast<char>(upper ? c - 'a' + 'A' : c - 'A' + 'a') : c;
  };
  const std::size_t count = op.size() > 1 ? text.size() : std::min<std::size_t>(text.size(), 1);
  std::transform(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(count), text.begin(),
                 changed);
  return text;
}

// 2 or 2:3 in ${x:2:3}, and -2 behind a blank.
std::optional<std::string> Substring(std::string_view text, std::string_view operand) {
  if (operand.starts_with(' ')) operand.remove_prefix(1);
  const std::size_t colon = operand.find(':');
  const auto first = ParseNumber<long>(operand.substr(0, colon));
  const auto size = colon == std::string_view::npos ? std::optional(static_cast<long>(text.size()))
                                                    : ParseNumber<long>(operand.substr(colon + 1));
  const long all = static_cast<long>(text.size());
  if (!first || !size || *size < 0 || *first < -all) return std::nullopt;
  const long begin = *first < 0 ? all + *first : std::min(*first, all);
  return std::string(text.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(*size)));
}

bool IsPlainText(std::string_view text) {
  return IsExact(text) &&
         std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// One value; nullopt: it isn't plain to see what becomes of it.
std::optional<std::string> Changed(const std::string& text, std::string_view op,
                                   const std::string& operand) {
  if (op == "#" || op == "##" || op == "%" || op == "%%") {
    if (!IsExact(operand) && text.size() > kLongestMatched) return std::nullopt;
    const bool ends =
        IsExact(text) ||
        (IsExact(operand) && (op[0] == '%' ? text.ends_with(operand) : text.starts_with(operand)));
    return ends ? std::optional(WithoutEnd(text, op, operand)) : std::nullopt;
  }
  if (!IsPlainText(text) || !IsExact(operand)) return std::nullopt;
  if (op.starts_with('/')) return WithReplaced(text, op, operand);
  const bool cases = op == "^" || op == "^^" || op == "," || op == ",,";
  if (cases) return operand.empty() ? std::optional(Cased(text, op)) : std::nullopt;
  return op == ":" ? Substring(text, operand) : std::nullopt;
}

}  // namespace

// With kAnyText for each *; nullopt: something else in it isn't known.
std::optional<std::string> ShellRunner::PatternText(const ShellWord& word, const Context& context) {
  std::string pattern;
  for (const ShellPart& part : word.parts) {
    if (part.kind == ShellPart::Kind::kGlob) {
      if (part.text != "*") return std::nullopt;
      pattern += kAnyText;
      continue;
    }
    const std::string text = ExpandToOne({.parts = {part}}, context);
    if (!IsExact(text)) return std::nullopt;
    pattern += text;
  }
  return pattern;
}

std::optional<ShellRunner::Words> ShellRunner::Transformed(const ShellPart& part,
                                                           const Words& value,
                                                           const Context& context) {
  const bool list = part.text == "@" || part.text == "*" || value.size() != 1;
  if (list || part.words.empty() || !Spend(value.front().size())) return std::nullopt;
  // A slash in quotes isn't the one between the two texts.
  if (part.op.starts_with('/') && part.words[0].quoted) return std::nullopt;
  const std::optional<std::string> operand = PatternText(part.words[0], context);
  if (!operand) return std::nullopt;
  const std::optional<std::string> text = Changed(value.front(), part.op, *operand);
  return text ? std::optional(Words{*text}) : std::nullopt;
}

}  // namespace belay
