// When each running agent with hooks was last heard of. Hooks can be installed, and answer when
// they are called, and yet the agent doesn't call them: it was started before they were there, or
// with settings that switch them off. Only what it told shows that it does.

#ifndef BELAY_APP_DOCTOR_HEARD_H_
#define BELAY_APP_DOCTOR_HEARD_H_

#include <optional>
#include <string>
#include <vector>

#include "app/doctor_checks.h"
#include "base/time.h"
#include "model/agent_kind.h"
#include "store/layout.h"

namespace belay {

// An agent program calls its first hook within a few seconds; after this long, silence means
// something.
constexpr Duration kMayBeSilent = std::chrono::minutes(1);

struct HookedAgent {
  std::string id;                      // "worker-login#2"
  WallTime started = {};               //
  std::optional<WallTime> heard = {};  // the last thing it told; nothing: it never told anything
};

// Those that were never heard of come first.
Check JudgeHeard(AgentKind kind, std::vector<HookedAgent> agents, WallTime now);

// One for each kind of agent that has hooks and runs in this project; nothing when the records
// can't be read, which other checks say.
std::vector<Check> CheckHeard(const Layout& project, const Env& env);

// No guardian runs, and agents run or wait to be brought back. Nothing when that isn't so.
std::optional<Check> CheckGuardian(const Layout& project, const Env& env);

}  // namespace belay

#endif  // BELAY_APP_DOCTOR_HEARD_H_
