// The settings of the section `supervise`, as values.

#ifndef BELAY_ENGINE_SUPERVISE_SETTINGS_H_
#define BELAY_ENGINE_SUPERVISE_SETTINGS_H_

#include "base/time.h"
#include "config/config.h"
#include "engine/context_window/context_tier.h"
#include "engine/supervise/hung_agent.h"
#include "engine/supervise/restart_policy.h"

namespace belay {

// How an agent gets its resume text, in addition to $BELAY_RESUME_FILE.
enum class ResumeVia { kFile, kArgument, kTyped };

struct SuperviseSettings {
  RestartLimits restart = {};
  SuspicionLimits suspicion = {};
  std::optional<ResumeVia> resume_via = {};       // nothing ("auto"): as the kind of agent takes it
  Duration heartbeat = std::chrono::seconds(60);  // at most
  Duration snapshot_every = std::chrono::seconds(60);  // while files change
  Duration spawn_deadline = std::chrono::seconds(10);
  Duration stop_grace = std::chrono::seconds(10);        // from TERM to KILL
  Duration undelivered_after = std::chrono::minutes(5);  // a message to an agent
  Duration deadline_warning = std::chrono::seconds(60);  // before a deadline
  ContextSettings context = {};
};

SuperviseSettings ReadSuperviseSettings(const Config& config);

}  // namespace belay

#endif  // BELAY_ENGINE_SUPERVISE_SETTINGS_H_
