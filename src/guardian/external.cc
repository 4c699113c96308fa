// Sessions that were started without belay, and whose hooks tell of them: registered by the first
// thing they tell, watched, kept in snapshots, never ended and never started again.

#include <fmt/core.h>

#include "engine/events/session_name.h"
#include "guardian/guardian.h"
#include "guardian/incarnation.h"
#include "guardian/register_session.h"

namespace belay {

void Guardian::RegisterExternal(const IdentityName& name) {
  const Identity* known = identities_.book().Find(name);
  if (known != nullptr && IsRunning(known->status)) return;
  const Result<bool> registered = RegisterSession(doors_, name);
  if (!registered) return Complain(registered.error());
  if (!*registered) return;
  OnJournals();  // which attends to it
}

void Guardian::AttendExternal(Ward& ward, const Identity& identity) {
  if (!IsRunning(identity.status)) return AttendFinished(ward, identity);
  if (ward.end_reported) return;
  if (ward.agent.runs()) {
    if (ward.timer_at <= loop_.Now()) LookSoon(ward);
    return;
  }
  if (!ward.agent.process && !ward.agent.gone && identity.process) {
    const ProcessIdentity process{static_cast<pid_t>(identity.process->pid),
                                  identity.process->start, identity.boot_id};
    const Result<void> watched =
        WatchOne(ward.agent, process, [this, id = ward.id] { OnExternalGone(id); });
    if (!watched) return TryAgainLater(ward, watched.error());
    if (ward.agent.runs()) {
      return LookAt(ward, Schedule().First(loop_.Now(), doors_.random.Next64()));
    }
  }
  AddEnd(ward, EndOf(identity, Found{Truth::kEnded}));
}

// Nobody but its parent is told how it ended.
void Guardian::OnExternalGone(const AgentId& agent) {
  const auto found = wards_.find(agent.identity());
  if (found == wards_.end() || found->second.id != agent) return;
  found->second.agent.gone = true;
  found->second.agent.process.reset();
  Attend(agent.identity());
}

}  // namespace belay
