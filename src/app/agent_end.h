// Records that an agent has ended, and what follows from it. Any process may do it: the guardian as
// it happens, a command that finds it out, a cold start. A second one finds it recorded and changes
// nothing.

#ifndef BELAY_APP_AGENT_END_H_
#define BELAY_APP_AGENT_END_H_

#include <optional>
#include <span>
#include <vector>

#include "app/env.h"
#include "base/result.h"
#include "engine/events/event_summary.h"
#include "engine/supervise/exit_cause.h"
#include "engine/supervise/restart_policy.h"
#include "host/host.h"
#include "ledger/identity_ledger.h"
#include "model/identity.h"
#include "os/exit_status.h"

namespace belay {

// Whether the agent is ours, and what its host reports (host/host.h); changes nothing.
Result<ProbeResult> ProbeRun(const SessionEnv& env, const Identity& identity);

struct AgentEnd {
  AgentId agent;
  ExitStatus exit = {};
  std::optional<WallTime> started_at = {};  // if it ran at all
  bool out_of_memory = false;
  std::optional<ExitCause> reported = {};  // reported by its hooks
  std::string session_end = {};  // by its hooks: why its conversation ended; empty: not reported
  bool unfinished = false;       // it was in the middle of a turn or a tool call
  std::string session = {};      // its conversation
  std::optional<AgentKind> kind = {};  // of the program in that conversation
  std::string detail = {};             // why it could not be started, which processes survived it
  bool elsewhere = false;              // it ran on another machine: not restarted here
};
// The end according to the run record, for an agent that has ended, was never started, or is
// foreign.
AgentEnd AgentEndOf(const Identity& identity, const ProbeResult& found);
// What its hooks reported last, and the end of its conversation where the hooks came too late.
void AddReportedCause(const SessionEnv& env, const EventSummary& summary, AgentKind kind,
                      AgentEnd& end);
// The same for a caller that hasn't followed the hooks.
void ReadReportedCause(const SessionEnv& env, const Identity& identity, AgentEnd& end);
EndEvidence EvidenceOf(const Identity& identity, const AgentEnd& end);
// "killed by SIGKILL", "it could not be started: exec /x: No such file or directory"
std::string HowItEnded(const Identity& identity, const AgentEnd& end);

// Judges the ends, decides what follows, and records it, all with one sync. Skips ends that are
// already recorded or that are not of the current incarnation. Returns the identities as recorded.
Result<std::vector<Identity>> RecordEnds(const SessionEnv& env, IdentityLedger& ledger,
                                         const IdentityLock& lock, std::span<const AgentEnd> ends);

// Ends the processes that an incarnation left behind. It finds them by the environment that they
// were started with, and by the processes whose hooks reported, so also when they cleared their
// environment (env -i). For an incarnation that has ended and whose exec, which would have done
// this, is gone. Returns how many there were.
std::size_t EndLeftovers(const SessionEnv& env, const Identity& identity);

// For commands: if the current incarnation is recorded as running and isn't, records its end.
// Returns the identity afterwards. kNotFound when there is no such identity.
Result<Identity> Finalize(const SessionEnv& env, IdentityLedger& ledger, const IdentityName& name);
// The same for a caller that holds the lock.
Result<Identity> FinalizeLocked(const SessionEnv& env, IdentityLedger& ledger,
                                const IdentityLock& lock, const IdentityName& name);

}  // namespace belay

#endif  // BELAY_APP_AGENT_END_H_
