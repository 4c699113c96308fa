// Starts an agent: in an existing worktree or one that is made for it, as a new task or to continue
// the work of an agent of that name.

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
#include "model/task.h"
#include "store/layout.h"

namespace belay {

// For an agent that continues, the record of the previous one fills in what is left open: command,
// host, kind, worktree, task, whether it is restarted.
struct SpawnAgentRequest {
  IdentityName name;
  std::vector<std::string> command = {};
  std::optional<AgentHost> host = {};
  std::optional<AgentKind> kind = {};  // nothing: derived from the command
  std::string node = {};
  std::string bead = {};
  std::string prompt = {};
  std::optional<bool> respawn = {};
  bool continues = false;
  std::optional<std::string> worktree = {};      // a path as seen from the current folder
  std::optional<std::string> new_worktree = {};  // the branch of a worktree that is made
  bool wait = true;                              // until it runs
  // It claims this task, whose earlier work, if it was suspended, is put into its worktree.
  std::optional<TaskId> task = {};
  std::optional<WallTime> deadline = {};
};

struct SpawnAgentOutcome {
  Identity identity;
  std::string identity_path = {};
  std::optional<RunRecord> run = {};
  std::optional<Error> failure = {};  // why it could not run
  bool guarded = false;
  HookVisibility hooks = HookVisibility::kNotAsked;
  bool has_task = false;
  std::string branch = {};      // checked out where it works; empty: none
  std::string target = {};      // where finished work lands
  std::string also_there = {};  // another agent that runs in the same worktree; empty: none
  std::size_t dropped_messages = 0;
  std::string task = {};                    // that it has claimed
  std::optional<WallTime> timeout_at = {};  // the earliest of all deadlines

  std::optional<std::int64_t> pid() const {
    const bool runs = run && run->process && run->state == RunState::kRunning;
    return runs ? std::optional<std::int64_t>(run->process->pid) : std::nullopt;
  }
};

// Where it works by default: the worktree around the current folder if it belongs to this
// repository, else the project itself.
std::string DefaultWorktree(const Env& env, const Layout& project);

// The program is looked up before anything is changed (kNotFound). If it can only be in the new
// worktree, that is made first and removed again when the program isn't there. What the previous
// agent left is saved in a snapshot. The agent is on record before it is launched
// (app/incarnation.h). When an agent asks, only a guardian can launch it: without one, kRefused.
// kRefused as well if it runs.
Result<SpawnAgentOutcome> SpawnAgent(Env& env, const SpawnAgentRequest& request);

}  // namespace belay

#endif  // BELAY_APP_SPAWN_H_
