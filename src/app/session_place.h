// What a command about agents works with: the project, a vault that can be trusted, the settings of
// supervision, and the interfaces built from them.

#ifndef BELAY_APP_SESSION_PLACE_H_
#define BELAY_APP_SESSION_PLACE_H_

#include <string>
#include <string_view>
#include <vector>

#include "app/env.h"
#include "base/ids.h"
#include "base/result.h"
#include "codec/json.h"
#include "engine/supervise/settings.h"
#include "ledger/identity_ledger.h"
#include "model/identity.h"
#include "model/identity_book.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/vault.h"

namespace belay {

struct SessionPlace {
  Layout project;
  SuperviseSettings settings = {};
  std::vector<std::string> warnings = {};  // already shown; for the record

  // Borrows from this place and from the env.
  SessionEnv MakeEnv(Env& env) const {
    return {env.files, env.clock, env.random, env.programs, project, settings};
  }
};

// What a mistake in the configuration leads to.
enum class Mistakes {
  kRefuse,  // an error: a command that starts something needs the settings
  kWarn,  // a warning and the defaults: a command that ends or repairs something must not depend on
          // them
};

// From any worktree of the project, or with $BELAY_STATE. Without a vault: kNotFound.
Result<SessionPlace> FindSessionPlace(Env& env, VaultUse use, Mistakes mistakes);

// "a person", or the agent's id: the actor, for a sentence.
std::string DisplayName(const std::string& who);

// "belay spawn --role R --name N --worktree FOLDER -- COMMAND": starts a new task under the name of
// an agent, in its old worktree if it had one of its own that still exists.
std::string SpawnAgainCommand(const FileSystem& files, const Layout& project,
                              const Identity& identity);

// Whether a guardian is running, by the process that it recorded as its own: so also a guardian
// that is stopped or hangs, or whose socket was removed.
bool GuardianRuns(const FileSystem& files, const Layout& project, const IdentityBook& book);

// Whose agents these are. A vault can be copied, with the project or alone, to another folder or
// another machine: the running processes that it records then belong to the original, and must be
// neither adopted nor restarted here.

// {"machine": ..., "vault": ...}: this machine (by /etc/machine-id), this vault.
Json OurLease(const FileSystem& files, const Layout& project);

// Whether the identity was launched from here. An identity without a lease counts as ours.
bool IsOurs(const Identity& identity, const Json& our_lease);

// The operand AGENT: `role-name`, or `name` where only one identity has that name; either may add
// an incarnation, as in `login#3`.

// The named incarnation, which may have ended long ago, or the current one. No match: kNotFound,
// with the nearest name; several: kUsage, naming them.
Result<AgentId> ResolveIncarnation(const IdentityBook& book, std::string_view argument);
// For operations on an agent: an earlier incarnation than the current one is kNotFound, naming the
// current one.
Result<IdentityName> ResolvePresent(const IdentityBook& book, std::string_view argument);

// Bring the ledger up to date, without its lock, and find the agent.
Result<IdentityName> FindAgent(IdentityLedger& ledger, std::string_view argument);
Result<AgentId> FindIncarnation(IdentityLedger& ledger, std::string_view argument);

}  // namespace belay

#endif  // BELAY_APP_SESSION_PLACE_H_
