// A screen that is redrawn without flicker: each line overwrites the old one and only its rest is
// erased, so nothing is ever blank in between. Values in, text out; the caller writes each text in
// one piece.

#ifndef BELAY_UI_LIVE_SCREEN_H_
#define BELAY_UI_LIVE_SCREEN_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace belay {

// Switches to the alternate screen, without a cursor; and back.
std::string BeginLiveScreen();
std::string EndLiveScreen();

// One frame. `text` consists of complete lines that are no wider than the screen. If there are more
// than `rows`, the first ones are shown, and the last line counts the others.
std::string DrawLiveScreen(std::string_view text, std::size_t rows);

}  // namespace belay

#endif  // BELAY_UI_LIVE_SCREEN_H_
