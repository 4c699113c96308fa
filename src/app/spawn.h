// Starting an agent: in a worktree that is there or is made for it, as a new task or to continue
// what an agent of that name did.

#ifndef BELAY_APP_SPAWN_H_
#define BELAY_APP_SPAWN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "adapters/agents.h"
#include "app/env.h"
#include "base/result.h"
#include "host/run_record.h"
#include "model/identity.h"
#include "store/layout.h"

namespace belay {

// What is left open, of an agent that continues, is as the record of the agent before it says:
// command, host, kind, worktree, task, whether it is brought back.
struct SpawnAgentRequest {
  IdentityName name;
  std::vector<std::string> command = {};
  std::optional<AgentHost> host = {};
  std::optional<AgentKind> kind = {};  // nothing: found out by the command
  std::string node = {};
  std::string bead = {};
  std::string prompt = {};
  std::optional<bool> respawn = {};
  bool continues = false;
  std::optional<std::string> worktree = {};      // a path as seen from the current folder
  std::optional<std::string> new_worktree = {};  // the branch of a worktree that is made
  bool wait = true;                              // until it runs
};

struct SpawnAgentOutcome {
  Identity identity;
  std::string identity_path = {};
  std::optional<RunRecord> run = {};
  std::optional<Error> failure = {};  // what kept it from running
  bool guarded = false;
  HookVisibility hooks = HookVisibility::kNotAsked;
  bool has_task = false;
  std::string branch = {};      // that is checked out where it works; empty: none
  std::string target = {};      // where finished work lands
  std::string also_there = {};  // another agent that runs in the same worktree; empty: none
  std::size_t dropped_messages = 0;

  std::optional<std::int64_t> pid() const {
    const bool runs = run && run->process && run->state == RunState::kRunning;
    return runs ? std::optional<std::int64_t>(run->process->pid) : std::nullopt;
  }
};

// Where it works unless the request says it: the worktree around the current folder if it is one of
// this repository, else the project itself.
std::string DefaultWorktree(const Env& env, const Layout& project);

// Its program is looked for before anything is changed (kNotFound). If only the new worktree can
// have it, that is made first and removed again when the program isn't there. What the agent before
// it left is kept in a snapshot. It is on record before it is launched (app/incarnation.h). Asked
// by an agent, only a guardian can launch it: without one, kRefused. kRefused as well if it runs.
Result<SpawnAgentOutcome> SpawnAgent(Env& env, const SpawnAgentRequest& request);

}  // namespace belay

#endif  // BELAY_APP_SPAWN_H_
