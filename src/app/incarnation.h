// Bringing an agent to life, for the first time or again. Everything that an incarnation needs is
// on the disk before it is launched, in an order in which a kill at any moment leaves nothing that
// isn't taken up later:
//
//   taint, hook, resume text, what to launch, identity (`spawning`, with a deadline), then launch
//
// Launching is idempotent (host/launch.h), so whoever finds a `spawning` identity whose exec never
// came simply launches it again.

#ifndef BELAY_APP_INCARNATION_H_
#define BELAY_APP_INCARNATION_H_

#include <optional>
#include <string>
#include <vector>

#include "app/session_env.h"
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
  bool continues = false;  // the task of the one before it, in its conversation
  Environment::Variables environment = {};
  // The agent that asked for it, if one did: its taint is inherited, and the guardian launches it,
  // since a child of that one's exec would end with it.
  std::optional<AgentId> spawned_by = {};
};

// A new agent, or a new incarnation of one that has ended: with a new task, a new hook and counters
// at zero, unless it continues. Taint is inherited in any case. kNotFound when it should continue
// and none of that name is on record. kRefused when one of that name runs or is about to, also when
// only its process says so; one that is recorded as running and isn't is recorded as ended first.
// Holds the ledger's lock from the check to the record, so of two who try at once one wins.
struct PreparedAgent {
  Identity identity;
  std::size_t dropped_messages = 0;  // that waited for the task before it
};
Result<PreparedAgent> PrepareSpawn(const SessionEnv& env, const NewAgent& agent);

// kNotFound: no agent of that name is on record.
Error NothingToContinue(const IdentityName& name);

// The one that comes after it, with nothing of its own yet.
Identity SuccessorOf(const SessionEnv& env, const Identity& before);

// Starts `belay exec` for a `spawning` identity.
Result<Process> Launch(const SessionEnv& env, const Identity& identity);

// Records that an agent runs. Changes what is recorded by now, under the lock: an intent that came
// since stays.
// False, and nothing is recorded, when that incarnation isn't the present one any more, or was
// given up. `run` has a process.
Result<bool> RecordStart(const SessionEnv& env, IdentityLedger& ledger, const IdentityLock& lock,
                         const RunRecord& run);

}  // namespace belay

#endif  // BELAY_APP_INCARNATION_H_
