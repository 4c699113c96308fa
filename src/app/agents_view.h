// The view behind `belay agents`: the records of all agents, compared with the running processes.
// Changes nothing.

#ifndef BELAY_APP_AGENTS_VIEW_H_
#define BELAY_APP_AGENTS_VIEW_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/env.h"
#include "app/session_place.h"
#include "base/time.h"
#include "codec/json.h"
#include "engine/context_window/context_tier.h"
#include "engine/supervise/agent_color.h"
#include "ledger/hook_ledger.h"
#include "ledger/identity_ledger.h"
#include "ledger/task_ledger.h"
#include "model/hook.h"
#include "model/identity_book.h"

namespace belay {

// How long finished agents are shown, unless all are wanted.
constexpr Duration kShownAfterEnd = std::chrono::hours(24);

struct AgentRow {
  const Identity* identity;  // in the book, which outlives the row
  std::optional<HookSummary> hook = {};
  std::optional<double> context_fill = {};       // percent, if known
  std::optional<ContextTier> context_tier = {};  // by the settings in force
  bool present = true;                           // false: an incarnation before the current one
  bool ours = true;                              // false: of another copy or machine (lease.h)
  AgentStatus status = AgentStatus::kSpawning;   // as it is now, which may not be recorded yet
  AgentColor color = AgentColor::kYellow;
  std::optional<std::int64_t> pid = {};  // while it runs
  WallTime last_seen = {};
  std::string reason = {};                  // why it has this status: only where that isn't obvious
  std::size_t messages = 0;                 // that wait for it
  bool for_successor = false;               // it doesn't run: its successor gets those messages
  bool guarded = false;                     // a guardian is running
  std::string needs = {};                   // what the user must do; empty: nothing
  std::string task = {};                    // the id of what it works on; empty: no task
  std::optional<WallTime> timeout_at = {};  // the earliest deadline, while it runs or comes back
};

// One incarnation, as it is now. The processes of agents that are recorded as running are checked:
// an agent whose process is gone is shown with the status that its end leads to.
AgentRow MakeAgentRow(const SessionEnv& env, const Identity& identity,
                      std::optional<HookSummary> hook);

// Sorted by name; with `all` includes those that ended long ago, and earlier incarnations.
std::vector<AgentRow> AgentRows(const SessionEnv& env, const IdentityBook& book,
                                const HookBook& hooks, bool all);

// Fills in what each present agent works on, and until when.
void AddTasks(const TaskBook& book, std::vector<AgentRow>& rows);
// The same for one; `task` is its own, or null.
void AddTask(const TaskBook& book, const Task* task, AgentRow& row);

// "5s", "3m", "2h", "4d": how long ago. A time in the future counts as now.
std::string AgeText(WallTime then, WallTime now);
// "12m left", or "its deadline has passed".
std::string TimeLeftText(WallTime timeout_at, WallTime now);
// "again in 4m"; "again at once"; "due now".
std::string DueText(const RestartState& restart, WallTime now);

// A note for the user when no guardian is running; empty: one does, or no agent needs it.
std::string UnguardedLine(const std::vector<AgentRow>& rows);

struct AgentsSeen {
  std::vector<AgentRow> rows = {};  // as AgentRows; they point into the list
  WallTime now = {};
  std::string warning = {};             // what couldn't be read
  std::uint64_t unreadable = 0;         // records
  std::vector<std::string> notes = {};  // for the user, below the rows
};

// The agents as they are now; may be read again and again.
class AgentList {
 public:
  // With `all` as AgentRows.
  static Result<std::unique_ptr<AgentList>> Open(Env& env, bool all);

  // A hook that can't be read only leaves its columns empty.
  Result<AgentsSeen> ReadRows();
  // This folder changes whenever ReadRows would return something else.
  std::string folder() const { return place_.project.JournalFolder(); }

 private:
  AgentList(Env& env, SessionPlace place, bool all);

  Env& env_;
  SessionPlace place_;
  bool all_;
  IdentityLedger identities_;
  HookLedger hooks_;
  TaskLedger tasks_;
};

}  // namespace belay

#endif  // BELAY_APP_AGENTS_VIEW_H_
