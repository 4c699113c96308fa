// Bringing back one that crashed and is due, in steps. A step is a few syncs long, so that another
// death that happens meanwhile is recorded between two of them and not behind all.
//
// Each step holds the lock of the identities and looks anew whether there still is a reason: it may
// have been stopped, released, or started by somebody in between. A kill between two steps leaves
// files that the next respawn writes anew; only the last one, the identity, counts.

#ifndef BELAY_GUARDIAN_RESPAWN_H_
#define BELAY_GUARDIAN_RESPAWN_H_

#include <optional>
#include <string>

#include "app/launch_files.h"
#include "app/session_env.h"
#include "base/result.h"

namespace belay {

class Respawn {
 public:
  enum class Progress {
    kGoesOn,     // another step is to follow
    kReady,      // next() is recorded as `spawning` and may be launched
    kNotNeeded,  // there is no reason any more
  };

  // The ledgers outlive it. Nothing is rendered: that can wait until it runs.
  Respawn(const SessionEnv& env, const SessionLedgers& ledgers, const AgentId& crashed)
      : env_(env), ledgers_(ledgers), crashed_(crashed) {}

  // One that failed may be tried again.
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
  std::optional<LaunchSpec> spec_ = {};  // as it was written for the next one
  std::string conversation_ = {};        // which one it goes on in, in words
  std::string session_id_ = {};          // the same; empty: a new one
  ResumeMessages messages_ = {};
  std::optional<Identity> next_ = {};
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_RESPAWN_H_
