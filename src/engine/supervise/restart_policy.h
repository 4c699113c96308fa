// Decides what happens after an agent has ended: a pure function of the remembered state
// (RestartState, which is part of the identity and so survives everything), how it ended, and the
// time.
//
// clang-format off
//   it ended        policy of that cause    then
//   -------------   --------------------    ----------------------------------------------------------
//   terminated      (none)                  nothing: it ended as intended
//   crashed         leave                   nothing more
//   crashed         ask                     nothing more; the user is notified
//   crashed         wait                    start again after `wait_length`; not counted as a crash
//   crashed         respawn                 the 1st crash, and the 1st after `healthy` of health:
//                                           start again at once;
//                                           then after 1 s, 2 s, 4 s ... 5 min;
//                                           the 5th within 15 min: quarantine, the user is notified
//   no --respawn, host external             as with `leave`
// clang-format on
//
// The wait doubles with every crash since the agent was last healthy, however long ago they were;
// only those within the window count for the quarantine. Healthy time is measured from the start of
// the process. A crash soon after a resume counts as a failed resume, unless it was killed, or it
// ran and its end is unknown; after two in a row the resume text is reduced, since it may be the
// cause. Times in the future, because the clock was set back, count as now.

#ifndef BELAY_ENGINE_SUPERVISE_RESTART_POLICY_H_
#define BELAY_ENGINE_SUPERVISE_RESTART_POLICY_H_

#include <map>
#include <string>

#include "base/time.h"
#include "model/identity.h"

namespace belay {

enum class Policy { kRespawn, kWait, kAsk, kLeave };
std::string_view PolicyName(Policy policy);

struct RestartLimits {
  std::size_t most_crashes = 5;
  Duration window = std::chrono::minutes(15);
  Duration healthy = std::chrono::minutes(10);
  Duration first_backoff = std::chrono::seconds(1);
  Duration longest_backoff = std::chrono::minutes(5);
  Duration wait_length = std::chrono::minutes(15);    // of Policy::kWait
  Duration failed_resume = std::chrono::seconds(30);  // a resumed one that ends sooner has failed
  std::map<ExitCause, Policy> policies = {};          // missing causes have their default
};
Policy PolicyFor(const RestartLimits& limits, ExitCause cause);  // the defaults are a table in .cc

enum class NextStep {
  kNothing,
  kRespawn,       // at restart.due
  kQuarantine,    // until the user releases it
  kNotifyPerson,  // and nothing more
};

struct RestartDecision {
  NextStep step = NextStep::kNothing;
  AgentStatus status = AgentStatus::kCrashed;  // terminated, crashed, quarantined
  RestartState restart = {};  // with due, wait, and as reason "2nd crash within 15m"
  std::string why = {};       // "2nd crash within 15m, again in 1s"
};

// `ended` is the identity as it was, with `exit` set and its status after StatusAfter.
RestartDecision DecideAfterEnd(const RestartLimits& limits, const Identity& ended, WallTime now);

// For `belay release`: lifts a quarantine or a wait. Due now, with all crashes forgotten.
RestartState Released(RestartState restart, WallTime now);

// How long until `due`, by a clock that may have been set: never longer than the original wait.
Duration TimeUntil(const RestartState& restart, WallTime now);

// Whether the next resume text should be the reduced one.
bool WantsReducedText(const RestartState& restart);

}  // namespace belay

#endif  // BELAY_ENGINE_SUPERVISE_RESTART_POLICY_H_
