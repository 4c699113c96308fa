// Restarts a crashed agent that is due, in steps. A step takes a few syncs, so that the end of
// another agent is recorded between two steps and not after all of them.
//
// Each step holds the lock of the identities and checks again that the restart is still needed: a
// user or another agent may have stopped, released or started the agent in between. A kill between
// two steps leaves files that the next respawn writes again; only the last one, the identity,
// counts.

#ifndef BELAY_GUARDIAN_RESPAWN_H_
#define BELAY_GUARDIAN_RESPAWN_H_

#include <optional>
#include <string>

#include "app/env.h"
#include "app/launch_files.h"
#include "base/result.h"

namespace belay {

class Respawn {
 public:
  enum class Progress {
    kGoesOn,     // another step follows
    kReady,      // next() is recorded as `spawning` and may be launched
    kNotNeeded,  // no longer needed
  };

  // The ledgers outlive it. It renders nothing: that can wait until the agent runs.
  Respawn(const SessionEnv& env, const SessionLedgers& ledgers, const AgentId& crashed)
      : env_(env), ledgers_(ledgers), crashed_(crashed) {}

  // A failed step may be tried again.
  Result<Progress> Step();

  const AgentId& crashed() const { return crashed_; }
  const Identity& next() const { return *next_; }

 private:
  Result<const Identity*> FindDue(const IdentityLock& lock);
  Identity NextAfter(const Identity& before) const;
  Origin OriginFrom(const Identity& before) const;
  Result<void> Inherit(const Identity& before);
  Result<void> Equip(const Identity& before);
  Result<Progress> Record(const IdentityLock& lock, const Identity& before);
  Result<bool> IsEquipped() const;

  const SessionEnv& env_;
  SessionLedgers ledgers_;
  AgentId crashed_;
  std::optional<LaunchSpec> last_ = {};  // of the one that crashed
  std::optional<Hook> hook_ = {};
  std::optional<LaunchSpec> spec_ = {};  // as written for the successor
  std::string conversation_ = {};        // the one that it continues, in words
  std::string session_id_ = {};          // of that one; empty: a new one
  ResumeMessages messages_ = {};
  std::optional<Identity> next_ = {};
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_RESPAWN_H_
