// A screen that is drawn again and again without flicker: each line is written over the old one and
// only its rest is erased, so nothing is ever blank in between. Values in, text out; whoever uses
// it writes each text in one piece.

#ifndef BELAY_UI_LIVE_SCREEN_H_
#define BELAY_UI_LIVE_SCREEN_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace belay {

// Another screen than the one with the user's history, without a cursor; and back.
std::string BeginLiveScreen();
std::string EndLiveScreen();

// One picture. `text` is whole lines that are no wider than the screen. Of more lines than `rows`
// the first ones are shown, and the last line says how many are not.
std::string DrawLiveScreen(std::string_view text, std::size_t rows);

}  // namespace belay

#endif  // BELAY_UI_LIVE_SCREEN_H_
