#include "ui/style.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/text.h"

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

namespace {

constexpr std::string_view kOtherScreen = "\x1b[?1049h";
constexpr std::string_view kOwnScreen = "\x1b[?1049l";
constexpr std::string_view kHideCursor = "\x1b[?25l";
constexpr std::string_view kShowCursor = "\x1b[?25h";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kEraseRestOfLine = "\x1b[K";
constexpr std::string_view kEraseBelow = "\x1b[J";

}  // namespace

std::string BeginLiveScreen() { return fmt::format("{}{}{}", kOtherScreen, kHideCursor, kHome); }
std::string EndLiveScreen() { return fmt::format("{}{}", kShowCursor, kOwnScreen); }

std::string DrawLiveScreen(std::string_view text, std::size_t rows) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  const std::vector<std::string_view> lines = Split(text, '\n');
  const bool all = lines.size() <= rows;
  const std::size_t shown = all ? lines.size() : std::max<std::size_t>(rows, 1) - 1;
  std::string picture(kHome);
  for (std::size_t i = 0; i < shown; ++i) {
    picture += fmt::format("{}{}{}", i == 0 ? "" : "\r\n", lines[i], kEraseRestOfLine);
  }
  if (!all) {
    picture += fmt::format("{}… {} more{}", shown == 0 ? "" : "\r\n", lines.size() - shown,
                           kEraseRestOfLine);
  }
  picture += kEraseBelow;
  return picture;
}

}  // namespace belay
