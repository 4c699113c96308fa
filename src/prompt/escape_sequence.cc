#include "prompt/escape_sequence.h"

namespace belay {
namespace {

constexpr char kEscape = '\x1B';
constexpr char kBell = '\x07';

bool IsBetween(char c, char first, char last) { return c >= first && c <= last; }

bool StartsWithC1(std::string_view text) {
  return text.size() >= 2 && text[0] == '\xC2' && IsBetween(text[1], '\x80', '\x9F');
}

std::size_t SkipWhile(std::string_view text, std::size_t at, char first, char last) {
  while (at < text.size() && IsBetween(text[at], first, last)) ++at;
  return at;
}

// Past the final character, if it is there: "m" of "ESC [ 1 m".
std::size_t SkipFinal(std::string_view text, std::size_t at, char first) {
  return at < text.size() && IsBetween(text[at], first, '~') ? at + 1 : at;
}

std::size_t ControlLength(std::string_view text) {
  const std::size_t parameters = SkipWhile(text, 2, '0', '?');
  const std::size_t intermediates = SkipWhile(text, parameters, ' ', '/');
  return SkipFinal(text, intermediates, '@');
}

std::size_t StringLength(std::string_view text) {
  constexpr std::size_t kIntroducer = 2;
  for (std::size_t at = kIntroducer; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest[0] == kBell) return at + 1;
    if (rest.starts_with("\x1B\\") || rest.starts_with("\u009C")) return at + 2;
    if (IsBetween(rest[0], '\0', '\x1F') || StartsWithC1(rest)) break;
  }
  return kIntroducer;
}

}  // namespace

std::size_t EscapeSequenceLength(std::string_view text) {
  const bool escaped = text.starts_with(kEscape);
  if (!escaped && !StartsWithC1(text)) return 0;
  if (text.size() < 2) return 1;
  switch (escaped ? text[1] : static_cast<char>(text[1] - '\x40')) {
    case '[':
      return ControlLength(text);
    case ']':  // operating system command
    case 'P':  // device control string
    case 'X':  // start of string
    case '^':  // privacy message
    case '_':  // application program command
      return StringLength(text);
    default:
      return escaped ? SkipFinal(text, SkipWhile(text, 1, ' ', '/'), '0') : 2;
  }
}

}  // namespace belay
