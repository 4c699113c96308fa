#include "app/agents_view.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "app/agent_end.h"
#include "app/messages.h"
#include "app/signals.h"
#include "base/path.h"
#include "engine/supervise/exit_cause.h"
#include "engine/supervise/restart_policy.h"
#include "engine/task/deadline.h"
#include "os/process_identity.h"

namespace belay {
namespace {

constexpr char kHaltedState = 'T';  // by SIGSTOP or a similar signal

// The same for all rows, so it is read once.
struct Here {
  std::string boot;
  Json lease;
};

Here FindHere(const SessionEnv& env) {
  const Result<std::string> boot = BootId();
  return {boot ? *boot : std::string(), OurLease(env.files, env.project)};
}

// As IsAlive, without reading the boot id again for each of thousands.
enum class ProcessState { kGone, kRuns, kHalted };
ProcessState InspectProcess(const Identity& identity, const std::string& boot) {
  if (!identity.process || identity.boot_id != boot) return ProcessState::kGone;
  const auto pid = static_cast<pid_t>(identity.process->pid);
  const Result<ProcStat> stat = ReadProcStat(pid);
  if (!stat) {
    const bool alive = IsAlive({pid, identity.process->start, identity.boot_id});
    return alive ? ProcessState::kRuns : ProcessState::kGone;
  }
  if (stat->start_time != identity.process->start || stat->ended()) return ProcessState::kGone;
  return stat->state == kHaltedState ? ProcessState::kHalted : ProcessState::kRuns;
}

void ShowAsEnded(const SessionEnv& env, const ProbeResult& found, AgentRow& row) {
  AgentEnd end = AgentEndOf(*row.identity, found);
  ReadReportedCause(env, *row.identity, end);
  row.status = StatusAfter(JudgeEnd(EvidenceOf(*row.identity, end)));
  row.reason = fmt::format("{}; not recorded yet", HowItEnded(*row.identity, end));
  row.pid.reset();
}

// The guardian reports its end when it can; a session that was started by hand may have done so
// too.
void ShowAsGone(const SessionEnv& env, AgentRow& row) {
  AgentEnd end = AgentEndOf(*row.identity, ProbeResult{ActualState::kEnded});
  ReadReportedCause(env, *row.identity, end);
  row.status = StatusAfter(JudgeEnd(EvidenceOf(*row.identity, end)));
  row.reason = row.status == AgentStatus::kTerminated ? "" : "its process has ended";
}

// For an agent, a live process is all the evidence there is. The guardian also reports that it is
// well: a process that hangs reports nothing.
void ShowAsRunning(std::int64_t pid, WallTime now, AgentRow& row) {
  if (row.status == AgentStatus::kSpawning) row.status = AgentStatus::kAlive;
  row.pid = pid;
  if (FactsOf(row.identity->host).is_agent) {
    row.last_seen = now;
  } else if (now - row.last_seen > kFreshFor) {
    row.reason = "its process exists but doesn't respond: it hangs";
  }
}

void ShowAsHalted(std::int64_t pid, WallTime now, AgentRow& row) {
  ShowAsRunning(pid, now, row);
  row.reason = fmt::format("a signal stopped it; kill -CONT {} resumes it", pid);
}

void AskTheKernel(const SessionEnv& env, const std::string& boot, AgentRow& row) {
  const Identity& identity = *row.identity;
  const WallTime now = env.clock.Wall();
  switch (InspectProcess(identity, boot)) {
    case ProcessState::kRuns:
      return ShowAsRunning(identity.process->pid, now, row);
    case ProcessState::kHalted:
      return ShowAsHalted(identity.process->pid, now, row);
    case ProcessState::kGone:
      break;
  }
  if (const Result<void> seen = CheckInSight(env.files, env.project, identity); !seen) {
    row.reason = seen.error().message;
    return;
  }
  if (!FactsOf(identity.host).launched) return ShowAsGone(env, row);
  const Result<ProbeResult> found = ProbeRun(env, identity);
  if (!found) {
    row.reason = found.error().message;
    return;
  }
  const bool known = found->run && found->run->process;
  const bool over = found->actual == ActualState::kEnded || found->actual == ActualState::kForeign;
  if (over) return ShowAsEnded(env, *found, row);
  if (found->actual == ActualState::kEnding)
    row.reason = "its process has ended; belay hasn't recorded how yet";
  if (found->actual == ActualState::kRuns && known)
    ShowAsRunning(found->run->process->pid, now, row);
}

std::string ReasonOf(const Identity& identity) {
  const bool crashed =
      identity.status == AgentStatus::kQuarantined || identity.status == AgentStatus::kCrashed;
  return crashed ? identity.restart.reason : std::string();
}

// What is unusual about an agent whose process is alive.
void ExplainRunning(AgentRow& row) {
  const Identity& identity = *row.identity;
  if (IsTimedOut(identity)) {
    row.reason = fmt::format("is being stopped: its deadline has passed{}{}",
                             row.reason.empty() ? "" : "; ", row.reason);
  } else if (StopIsRequested(identity)) {
    row.reason = fmt::format("asked to stop by {}{}{}", DisplayName(identity.intent->by),
                             row.reason.empty() ? "" : "; ", row.reason);
  } else if (row.status == AgentStatus::kSuspect && row.reason.empty()) {
    row.reason = "no activity; belay attach shows its terminal";
  }
}

// A local process with its pid proves nothing: this machine can't see whether the agent runs.
void ShowAsForeign(AgentRow& row) {
  row.ours = false;
  row.color = AgentColor::kYellow;
  row.reason = "belongs to another copy of this project";
}

void ShowContext(const SessionEnv& env, AgentRow& row) {
  row.context_fill = row.identity->context_fill;
  if (!row.context_fill && row.hook) row.context_fill = row.hook->context_fill;
  if (!row.context_fill) return;
  const auto percent = static_cast<int>(std::lround(std::clamp(*row.context_fill, 0.0, 100.0)));
  row.context_tier = TierOf(percent, env.settings.context.limits);
}

AgentRow MakeAgentRow(const SessionEnv& env, const Identity& identity,
                      std::optional<HookSummary> hook, const Here& here) {
  const WallTime now = env.clock.Wall();
  AgentRow row{.identity = &identity,
               .hook = hook,
               .status = ShownStatus(identity),
               .last_seen = identity.last_seen,
               .reason = ReasonOf(identity)};
  ShowContext(env, row);
  const bool running = IsRunning(identity.status);
  if (running && !IsOurs(identity, here.lease)) {
    ShowAsForeign(row);
    return row;
  }
  if (running) AskTheKernel(env, here.boot, row);
  if (row.pid) ExplainRunning(row);
  row.color = ColorOf(row.status, row.last_seen, now);
  // Whatever was seen of it last, it must not be taken for a running agent.
  const bool gone = IsRunning(row.status) && !row.pid && identity.process;
  if (gone && row.color == AgentColor::kGreen) row.color = AgentColor::kYellow;
  return row;
}

// It has ended for good.
bool IsFinished(const Identity& identity) {
  return identity.status == AgentStatus::kTerminated ||
         (identity.status == AgentStatus::kCrashed && !identity.restart.due);
}

bool EndedLongAgo(const Identity& identity, WallTime now) {
  const WallTime end = identity.exit ? identity.exit->at : identity.last_seen;
  return IsFinished(identity) && now - end > kShownAfterEnd;
}

// Why no hook delivers a message soon; empty when a hook or a successor will.
std::string WhyItWaits(Reach reach) {
  switch (reach) {
    case Reach::kHooks:
    case Reach::kNotYet:
    case Reach::kComesBack:
      return {};
    case Reach::kAtPrompt:
      return "it is waiting at its prompt";
    case Reach::kNoHooks:
      return "it has no hooks";
    case Reach::kEnded:
      return "it has ended";
  }
  __builtin_unreachable();
}

void AddMessages(const SessionEnv& env, std::vector<AgentRow>& rows) {
  const std::map<IdentityName, std::size_t> counts = CountWaitingMessages(env);
  if (counts.empty()) return;
  for (AgentRow& row : rows) {
    const auto found = counts.find(row.identity->id.identity());
    if (!row.present || found == counts.end()) continue;
    row.messages = found->second;
    const Reach reach = ReachOf(env, *row.identity);
    row.for_successor = reach == Reach::kComesBack;
    const std::string reason = WhyItWaits(reach);
    if (reason.empty()) continue;
    row.needs = fmt::format("{} message{} not delivered: {}", row.messages,
                            row.messages == 1 ? "" : "s", reason);
  }
}

void AddNeeds(AgentRow& row) {
  if (row.present && row.status == AgentStatus::kQuarantined) {
    row.needs = fmt::format("belay release {} continues it", row.identity->id.identity().text());
  }
}

}  // namespace

AgentRow MakeAgentRow(const SessionEnv& env, const Identity& identity,
                      std::optional<HookSummary> hook) {
  return MakeAgentRow(env, identity, hook, FindHere(env));
}

std::vector<AgentRow> AgentRows(const SessionEnv& env, const IdentityBook& book,
                                const HookBook& hooks, bool all) {
  const Here here = FindHere(env);
  const WallTime now = env.clock.Wall();
  const bool guarded = GuardianRuns(env.files, env.project, book);
  std::vector<AgentRow> rows;
  for (const auto& [name, entry] : book.entries()) {
    if (!all && EndedLongAgo(entry.present, now)) continue;
    for (std::size_t i = 0; all && i < entry.history.size(); ++i) {
      const Identity& old = entry.history[i];
      rows.push_back({.identity = &old,
                      .present = false,
                      .status = old.status,
                      .color = ColorOf(old.status, old.last_seen, now),
                      .last_seen = old.last_seen,
                      .reason = ReasonOf(old)});
      ShowContext(env, rows.back());
    }
    rows.push_back(MakeAgentRow(env, entry.present, hooks.Summary(name), here));
    rows.back().guarded = guarded;
    AddNeeds(rows.back());
  }
  AddMessages(env, rows);
  return rows;
}

void AddTasks(const TaskBook& book, std::vector<AgentRow>& rows) {
  std::map<std::string_view, const Task*> by_owner;
  for (const auto& [id, task] : book.tasks()) {
    if (task.status == TaskStatus::kInProgress) by_owner.emplace(task.owner, &task);
  }
  for (AgentRow& row : rows) {
    if (!row.present) continue;
    const auto task = by_owner.find(row.identity->id.identity().text());
    AddTask(book, task != by_owner.end() ? task->second : nullptr, row);
  }
}

void AddTask(const TaskBook& book, const Task* task, AgentRow& row) {
  if (task != nullptr) row.task = task->id.text();
  const bool returns = row.status == AgentStatus::kCrashed && row.identity->restart.due;
  if (!IsRunning(row.status) && !returns) return;
  const auto deadline = DeadlineFor(book, task, row.identity);
  if (deadline) row.timeout_at = deadline->at;
}

std::string TimeLeftText(WallTime timeout_at, WallTime now) {
  return timeout_at > now ? AgeText(now, timeout_at) + " left" : "its deadline has passed";
}

std::string AgeText(WallTime then, WallTime now) {
  using std::chrono::duration_cast;
  const auto seconds = then < now ? duration_cast<std::chrono::seconds>(now - then).count() : 0;
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  if (seconds < 2 * kMinute) return fmt::format("{}s", seconds);
  if (seconds < 2 * kHour) return fmt::format("{}m", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{}h", seconds / kHour);
  return fmt::format("{}d", seconds / kDay);
}

std::string DueText(const RestartState& restart, WallTime now) {
  const Duration left = TimeUntil(restart, now);
  if (left <= Duration()) return "due now";
  if (left < std::chrono::seconds(1)) return "restarting now";
  return fmt::format("restarting in {}", AgeText(now, now + left));
}

std::string UnguardedLine(const std::vector<AgentRow>& rows) {
  std::size_t running = 0;
  std::size_t waiting = 0;
  for (const AgentRow& row : rows) {
    const Identity& identity = *row.identity;
    if (row.guarded) return {};
    if (!row.present || !row.ours || !FactsOf(identity.host).launched || StopIsRequested(identity))
      continue;
    if (row.pid && identity.respawn) ++running;
    // Includes an agent whose crash is not recorded yet.
    const bool ended = !row.pid && IsRunning(identity.status) && identity.respawn &&
                       row.status != AgentStatus::kTerminated;
    const bool due = identity.status == AgentStatus::kCrashed && identity.restart.due;
    if (ended || due) ++waiting;
  }
  if (waiting > 0) {
    return fmt::format("no guardian is running: {} agent{} to be started; run belay guard", waiting,
                       waiting == 1 ? " waits" : "s wait");
  }
  return running == 0
             ? std::string()
             : "no guardian is running: agents that crash are not restarted; run belay guard";
}

AgentList::AgentList(Env& env, SessionPlace place, bool all)
    : env_(env),
      place_(std::move(place)),
      all_(all),
      identities_(env.files, env.clock, place_.project),
      hooks_(env.files, env.clock, place_.project),
      tasks_(env.files, env.clock, place_.project) {}

Result<std::unique_ptr<AgentList>> AgentList::Open(Env& env, bool all) {
  BELAY_TRY_ASSIGN(SessionPlace place, FindSessionPlace(env, VaultUse::kRead, Mistakes::kWarn));
  return std::unique_ptr<AgentList>(new AgentList(env, std::move(place), all));
}

Result<AgentsSeen> AgentList::ReadRows() {
  BELAY_TRY(identities_.CatchUp());
  AgentsSeen seen{.now = env_.clock.Wall(), .unreadable = identities_.book().unreadable()};
  if (const Result<void> hooks = hooks_.Skim(); !hooks) {
    seen.warning = fmt::format("phases may be missing: {}", hooks.error().message);
  }
  seen.rows = AgentRows(place_.MakeEnv(env_), identities_.book(), hooks_.book(), all_);
  if (tasks_.CatchUp()) AddTasks(tasks_.book(), seen.rows);
  seen.notes = {UnguardedLine(seen.rows), PersonMessagesLine(env_, place_.project)};
  std::erase(seen.notes, "");
  return seen;
}

}  // namespace belay
