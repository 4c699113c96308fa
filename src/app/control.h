// The command's side of the guardian's control socket (Layout::GuardianSocket). The protocol is
// docs/formats/control.md: one JSON object per line each way; the first line of both sides is
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

// The first line of both sides, and the check of the other side's.
Json ControlGreeting();
Result<void> CheckControlGreeting(const Json& greeting);

// Asks the guardian; nothing when none runs. No answer within `limit` is kBusy: the guardian is
// stopped or hangs. Requests: {"do":"status"}, {"do":"signal","signal":{...}}; an answer with
// "error" is returned as that error.
Result<std::optional<Json>> AskGuardian(const Layout& project, const Json& request,
                                        Duration limit = std::chrono::seconds(2));

}  // namespace belay

#endif  // BELAY_APP_CONTROL_H_
