// Optional colour. The tone of a text expresses its meaning; whether it shows is decided once, by
// the code that knows the terminal and the user's wish, and passed on as a Style.

#ifndef BELAY_UI_STYLE_H_
#define BELAY_UI_STYLE_H_

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

}  // namespace belay

#endif  // BELAY_UI_STYLE_H_
