// Optional colour. The tone of a text expresses its meaning; whether it shows is decided once, by
// the code that knows the terminal and the user's wish, and passed on as a Style.

#ifndef BELAY_UI_STYLE_H_
#define BELAY_UI_STYLE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace belay {

enum class Tone {
  kPlain,
  kBold,
  kDim,
  kGood,     // green
  kWarning,  // yellow
  kBad,      // red
  kAccent,   // cyan
};

struct Style {
  bool color = false;

  // The text between the escape sequences of its tone; the text alone when colour is off, when the
  // tone is plain or when the text is empty. Painted texts don't nest.
  std::string Paint(Tone tone, std::string_view text) const;
};

// A screen that is redrawn without flicker: each line overwrites the old one and only its rest is
// erased, so nothing is ever blank in between. Values in, text out; the caller writes each text in
// one piece.

// Switches to the alternate screen, without a cursor; and back.
std::string BeginLiveScreen();
std::string EndLiveScreen();

// One frame. `text` consists of complete lines that are no wider than the screen. If there are more
// than `rows`, the first ones are shown, and the last line counts the others.
std::string DrawLiveScreen(std::string_view text, std::size_t rows);

}  // namespace belay

#endif  // BELAY_UI_STYLE_H_
