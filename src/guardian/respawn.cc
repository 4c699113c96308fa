#include "guardian/respawn.h"

#include <fmt/core.h>

#include "app/agent_end.h"
#include "app/agent_worktree.h"
#include "app/incarnation.h"
#include "app/messages.h"

namespace belay {

Result<Respawn::Progress> Respawn::Step() {
  BELAY_TRY_ASSIGN(const IdentityLock lock,
                   IdentityLedger::Lock(env_.files, env_.project, env_.lock_limit));
  BELAY_TRY_ASSIGN(const Identity* due, FindDue(lock));
  if (due == nullptr) return Progress::kNotNeeded;
  const Identity before = *due;  // a copy, because writing changes the book
  if (!hook_) {
    BELAY_TRY(Inherit(before));
  } else if (!spec_) {
    BELAY_TRY(Equip(before));
  } else {
    return Record(lock, before);
  }
  return Progress::kGoesOn;
}

// Null when it need not restart, or already runs.
Result<const Identity*> Respawn::FindDue(const IdentityLock&) {
  BELAY_TRY(ledgers_.identities.CatchUp());
  const Identity* present = ledgers_.identities.book().Find(crashed_.identity());
  const bool due = present != nullptr && present->id == crashed_ &&
                   present->status == AgentStatus::kCrashed && present->restart.due &&
                   !StopIsRequested(*present);
  if (!due) return nullptr;
  BELAY_TRY_ASSIGN(const ProbeResult found, ProbeRun(env_, *present));
  const bool there = found.actual == ActualState::kRuns || found.actual == ActualState::kForeign;
  return there ? nullptr : present;
}

Identity Respawn::NextAfter(const Identity& before) const {
  Identity next = SuccessorOf(env_, before);
  ++next.restart.restarts;
  if (hook_) next.tainted = hook_->tainted;
  return next;
}

Origin Respawn::OriginFrom(const Identity& before) const {
  return {.task = last_->task,
          .environment = last_->environment,
          .predecessor = &before,
          .goes_on = true};
}

Result<void> Respawn::Inherit(const Identity& before) {
  BELAY_TRY(CheckHasWorktree(env_, before));
  if (!last_) {
    BELAY_TRY_ASSIGN(last_, ReadLaunchSpec(env_.files, env_.project, crashed_.identity()));
  }
  const Origin origin = OriginFrom(before);
  BELAY_TRY_ASSIGN(hook_, RecordInheritance(env_, ledgers_, NextAfter(before), origin));
  return {};
}

Result<void> Respawn::Equip(const Identity& before) {
  BELAY_TRY_ASSIGN(LaunchFiles launch,
                   WriteLaunchFiles(env_, NextAfter(before), *hook_, OriginFrom(before)));
  spec_ = std::move(launch.spec);
  conversation_ = std::move(launch.conversation);
  session_id_ = std::move(launch.session_id);
  messages_ = std::move(launch.messages);
  return {};
}

// Whether the launch file is still the one that we wrote: a `belay spawn` of the same name may have
// replaced it and then failed.
Result<bool> Respawn::IsEquipped() const {
  BELAY_TRY_ASSIGN(const LaunchSpec there,
                   ReadLaunchSpec(env_.files, env_.project, crashed_.identity()));
  return there == *spec_;
}

Result<Respawn::Progress> Respawn::Record(const IdentityLock& lock, const Identity& before) {
  BELAY_TRY_ASSIGN(const bool equipped, IsEquipped());
  if (!equipped) {
    spec_.reset();
    return Progress::kGoesOn;
  }
  next_ = NextAfter(before);
  next_->session_id = session_id_;  // it may crash before its hooks report it
  const Origin origin = OriginFrom(before);
  BELAY_TRY_ASSIGN(const std::optional<TaintLock> taint,
                   LockTaint(env_, ledgers_, *next_, origin, *hook_));
  if (!taint) {
    hook_.reset();
    spec_.reset();
    return Progress::kGoesOn;
  }
  const std::string why = fmt::format("restarted after {}{}{}", before.id.text(),
                                      conversation_.empty() ? "" : ", ", conversation_);
  BELAY_TRY(ledgers_.identities.Record(lock, IdentityChange{"spawning", why, *next_}));
  RecordResumed(env_, *next_, messages_);
  return Progress::kReady;
}

}  // namespace belay
