// The colour of an agent: one table, used by the command line, the JSON and the guardian.
//
// clang-format off
//   status                                       heard of (last_seen)             colour
//   ------------------------------------------   ------------------------------   ------
//   terminated                                   whenever                         grey
//   crashed, quarantined                         whenever                         red
//   spawning, suspect, waiting, handing_off      whenever                         yellow
//   alive                                        within 90 s                      green
//   alive                                        90 s to 5 min ago                yellow
//   alive                                        more than 5 min ago              red
// clang-format on
//
// One that a rate limit has ended, and that is to be started again when it is over, has crashed by
// the record, and is shown as waiting: that is what it does.

#ifndef BELAY_ENGINE_SUPERVISE_LIVENESS_H_
#define BELAY_ENGINE_SUPERVISE_LIVENESS_H_

#include <string_view>

#include "base/time.h"
#include "model/identity.h"

namespace belay {

enum class AgentColor { kGreen, kYellow, kRed, kGrey };
std::string_view AgentColorName(AgentColor color);

constexpr Duration kFreshFor = std::chrono::seconds(90);
constexpr Duration kSilentAfter = std::chrono::minutes(5);

AgentStatus ShownStatus(const Identity& identity);
AgentColor ColorOf(AgentStatus status, WallTime last_seen, WallTime now);

}  // namespace belay

#endif  // BELAY_ENGINE_SUPERVISE_LIVENESS_H_
