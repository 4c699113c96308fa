// Starts an agent, for the first time or again. Everything that an incarnation needs is on the disk
// before it is launched, in an order such that a kill at any moment leaves nothing that isn't
// picked up later:
//
//   taint, hook, resume text, what to launch, identity (`spawning`, with a deadline), then launch
//
// Launching is idempotent (host/launch.h), so a process that finds a `spawning` identity whose exec
// never started simply launches it again.

#ifndef BELAY_APP_INCARNATION_H_
#define BELAY_APP_INCARNATION_H_

#include <optional>
#include <string>
#include <vector>

#include "app/env.h"
#include "base/result.h"
#include "host/run_record.h"
#include "ledger/identity_ledger.h"
#include "model/identity.h"
#include "os/environment.h"
#include "os/process.h"

namespace belay {

struct NewAgent {
  IdentityName name;
  std::vector<std::string> command;
  std::string worktree;  // where it works; absolute
  AgentKind kind = AgentKind::kGeneric;
  KindSource kind_source = KindSource::kCommand;
  AgentHost host = AgentHost::kProcess;
  std::string node = {};
  std::string bead = {};
  std::string prompt = {};  // the person's task
  bool respawn = true;
  bool continues = false;  // the predecessor's task, in its conversation
  Environment::Variables environment = {};
  // The agent that asked for it, if any: its taint is inherited, and the guardian launches the new
  // agent, since a child of the asking agent's exec would end with it.
  std::optional<AgentId> spawned_by = {};
  std::optional<WallTime> deadline = {};  // of its work
};

// A new agent, or a new incarnation of one that has ended: with a new task, a new hook and counters
// at zero, unless it continues. Taint is always inherited. kNotFound when it should continue and no
// agent of that name is on record. kRefused when an agent of that name runs or is about to, even
// when only its process shows it; an agent that is recorded as running and isn't is recorded as
// ended first. Holds the ledger's lock from the check to the record, so of two callers at once only
// one succeeds.
struct PreparedAgent {
  Identity identity;
  std::size_t dropped_messages = 0;  // that waited for the previous task
};
Result<PreparedAgent> PrepareSpawn(const SessionEnv& env, const NewAgent& agent);

// kNotFound: no agent of that name is on record.
Error NothingToContinue(const IdentityName& name);

// The next incarnation, with nothing of its own yet.
Identity SuccessorOf(const SessionEnv& env, const Identity& before);

// Starts `belay exec` for a `spawning` identity.
Result<Process> Launch(const SessionEnv& env, const Identity& identity);

// Records that an agent runs. Works on the identity as recorded now, under the lock, so an intent
// that was recorded since stays. False, and nothing is recorded, when that incarnation is no longer
// the current one, or was given up. `run` has a process.
Result<bool> RecordStart(const SessionEnv& env, IdentityLedger& ledger, const IdentityLock& lock,
                         const RunRecord& run);

}  // namespace belay

#endif  // BELAY_APP_INCARNATION_H_
