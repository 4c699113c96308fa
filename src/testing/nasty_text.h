// For tests: texts that tend to break renderers.

#ifndef BELAY_TESTING_NASTY_TEXT_H_
#define BELAY_TESTING_NASTY_TEXT_H_

#include <rapidcheck.h>

#include <string>
#include <string_view>
#include <vector>

namespace belay {

// Words, blanks, wide and combining characters, emoji, control characters, Markdown marks and
// broken UTF-8 in any order.
inline rc::Gen<std::string> NastyText() {
  static constexpr const char* kPieces[] = {
      "a",      "word",   " ",       "  ",       "\n",     "\n\n",   "\t",    "\r",
      "漢",     "字",     "e\u0301", "é",        "👍",      "⚠️", "\x1b",  "\x9b",
      "\u0085", "\u202e", "\u200d",  "\ufe0f",   "\u3000", "`",      "```",   "**",
      "- ",     "  - ",   "1. ",     "# ",       "## ",    "|",      "|-|",   "| a | b |\n",
      "\\|",    "\\",     "\xff",    "\xe6\xbc", "\x7f",   "…",      "\u2028"};
  return rc::gen::map(rc::gen::container<std::vector<const char*>>(rc::gen::elementOf(
                          std::vector<const char*>(std::begin(kPieces), std::end(kPieces)))),
                      [](const std::vector<const char*>& pieces) {
                        std::string text;
                        for (const char* piece : pieces) text += piece;
                        return text;
                      });
}

// The lines of a rendered text, without their ends.
inline std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    RC_ASSERT(end != std::string_view::npos);  // every line is ended
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

}  // namespace belay

#endif  // BELAY_TESTING_NASTY_TEXT_H_
