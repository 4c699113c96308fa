// The colour of an agent: one table, used by the command line, the JSON and the guardian.
//
// clang-format off
//   status                                       last seen                        colour
//   ------------------------------------------   ------------------------------   ------
//   terminated                                   any time                         grey
//   crashed, quarantined                         any time                         red
//   spawning, suspect, waiting, handing_off      any time                         yellow
//   alive                                        within 90 s                      green
//   alive                                        90 s to 5 min ago                yellow
//   alive                                        more than 5 min ago              red
// clang-format on
//
// An agent that ended because of a rate limit, and restarts when the limit is over, is recorded as
// crashed but shown as waiting.

#ifndef BELAY_ENGINE_SUPERVISE_AGENT_COLOR_H_
#define BELAY_ENGINE_SUPERVISE_AGENT_COLOR_H_

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

#endif  // BELAY_ENGINE_SUPERVISE_AGENT_COLOR_H_
