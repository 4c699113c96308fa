// The guardian's control socket (Layout::GuardianSocket), from the side of a command. The protocol
// is docs/formats/control.md: one JSON object per line each way, the first line of both sides says
// {"belay":"control","version":1}; a newer version is refused, never guessed.

#ifndef BELAY_APP_CONTROL_H_
#define BELAY_APP_CONTROL_H_

#include <optional>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "store/layout.h"

namespace belay {

constexpr int kControlVersion = 1;
constexpr std::size_t kLongestControlLine = std::size_t{256} << 10U;

// The first line of both sides, and whether the other one's is as it must be.
Json ControlGreeting();
Result<void> CheckControlGreeting(const Json& greeting);

// Asks the guardian; nothing when none runs. An answer that doesn't come within `limit` is kBusy:
// it is stopped or hung. Requests: {"do":"status"}, {"do":"signal","signal":{...}}; an answer with
// "error" is given back as that error.
Result<std::optional<Json>> AskGuardian(const Layout& project, const Json& request,
                                        Duration limit = std::chrono::seconds(2));

}  // namespace belay

#endif  // BELAY_APP_CONTROL_H_
