#include "ui/style.h"

#include <fmt/core.h>

namespace belay {
namespace {

// The SGR parameter; empty for plain text.
std::string_view Rendition(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kBold:
      return "1";
    case Tone::kDim:
      return "2";
    case Tone::kGood:
      return "32";
    case Tone::kWarning:
      return "33";
    case Tone::kBad:
      return "31";
    case Tone::kAccent:
      return "36";
  }
  __builtin_unreachable();
}

}  // namespace

std::string Style::Paint(Tone tone, std::string_view text) const {
  const std::string_view rendition = Rendition(tone);
  if (!color || rendition.empty() || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", rendition, text);
}

}  // namespace belay
