// Deadlines of agents and tasks: one timer for all of them. What happens when is a table in
// engine/task/deadline.h; here it is carried out.
//
// After a kill between any two steps the next guardian decides again, from what is recorded:
//
//   step                                          is recorded by
//   ------------------------------------------   -----------------------------------------------
//   the worker is warned                          the message, whose id follows from the deadline
//   its stop                                      the identity's intent "deadline"
//   snapshot, TERM, KILL                          its end, as for any stop
//   sweep: its task is suspended, or pending      the task

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "app/session_place.h"
#include "codec/hash.h"
#include "engine/task/deadline.h"
#include "guardian/guardian.h"

namespace belay {
namespace {

std::int64_t MicrosOf(WallTime time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}

// The same for the same deadline of the same incarnation, so that it is sent once.
std::string WarningId(const AgentId& agent, WallTime deadline, Duration warning) {
  constexpr std::size_t kChance = 8;  // digits
  const std::string what = fmt::format("{} {}", agent.text(), MicrosOf(deadline));
  return InboxId(
      static_cast<std::uint64_t>(std::max<std::int64_t>(MicrosOf(deadline - warning), 1)),
      "guardian", Sha256Hex(what).substr(0, kChance));
}

bool IsWarning(const Signal& signal) {
  return signal.type == SignalType::kGuidance && signal.from == "guardian" &&
         signal.payload.Find("deadline") != nullptr;
}

// Also one whose suspension was interrupted.
bool IsUnfinished(const Task& task) {
  return task.work.cleaning || (task.status == TaskStatus::kInProgress && !task.suspended);
}

const Identity* AgentWith(const IdentityBook& book, const std::string& name) {
  const Result<IdentityName> parsed = IdentityName::Parse(name);
  return parsed ? book.Find(*parsed) : nullptr;
}

}  // namespace

void Guardian::OnTasks() {
  const Result<void> caught_up = tasks_.CatchUp();
  if (!caught_up) return ReportProblem(caught_up.error());
  CheckDeadlinesSoon();
}

void Guardian::CheckDeadlinesSoon() {
  deferred_work_.Add("deadlines", [this] { CheckDeadlines(); });
}

// Its record changed, or its last process has ended.
void Guardian::NoteForDeadlines(const IdentityName& name) {
  const Identity* identity = identities_.book().Find(name);
  const bool own = identity != nullptr && identity->deadline;
  if (own || deadline_agents_.contains(name)) CheckDeadlinesSoon();
}

DeadlineFacts Guardian::DeadlineFactsOf(const Task* task, const Identity* agent) {
  DeadlineFacts facts;
  const auto deadline = DeadlineFor(tasks_.book(), task, agent);
  if (deadline) {
    facts.due = deadline_clock_.DueAt(deadline->at, env_.clock.Wall(), env_.clock.Boot());
  }
  facts.unfinished = task != nullptr && IsUnfinished(*task);
  if (agent == nullptr || !IsOurs(*agent, lease_)) return facts;
  const AgentRuntime* runtime = FindRuntime(agent->id);
  const bool has_processes = runtime != nullptr && (runtime->agent.runs() || runtime->exec.runs());
  const bool returns = agent->status == AgentStatus::kCrashed && agent->restart.due;
  facts.runs = IsRunning(agent->status) || returns || has_processes;
  facts.stoppable = FactsOf(agent->host).launched;
  facts.stopping = StopIsRequested(*agent);
  facts.timed_out = task != nullptr && HasTimedOut(*task, *agent);
  const Duration warning = env_.settings.deadline_warning;
  const bool near = deadline && facts.due - warning <= env_.clock.Boot();
  facts.warned = near && warned_.contains(WarningId(agent->id, deadline->at, warning));
  return facts;
}

void Guardian::CheckDeadlines() {
  std::vector<std::pair<const Task*, const Identity*>> workers;
  std::set<const Identity*> with_task;
  for (const auto& [id, task] : tasks_.book().tasks()) {
    if (task.status != TaskStatus::kInProgress && !task.work.cleaning) continue;
    // Its worker has another task now.
    if (task.suspended && tasks_.book().OfOwner(task.owner) != &task) continue;
    const Identity* agent = AgentWith(identities_.book(), task.owner);
    workers.emplace_back(&task, agent);
    if (agent != nullptr) with_task.insert(agent);
  }
  for (const auto& [name, entry] : identities_.book().entries()) {
    const bool alone = entry.present.deadline && !with_task.contains(&entry.present);
    if (alone) workers.emplace_back(nullptr, &entry.present);
  }
  deadline_agents_.clear();
  next_deadline_.reset();
  std::string to_sweep;
  std::vector<std::function<void()>> actions;  // they change the books
  for (const auto& [task, agent] : workers) HeedDeadline(task, agent, to_sweep, actions);
  ScheduleDeadlines();
  if (self_) sweeper_.ActAs(*self_);
  if (!to_sweep.empty() && self_) sweeper_.Sweep(to_sweep);
  for (const auto& act : actions) act();
  StopIfDone();
}

void Guardian::HeedDeadline(const Task* task, const Identity* agent, std::string& to_sweep,
                            std::vector<std::function<void()>>& actions) {
  const auto deadline = DeadlineFor(tasks_.book(), task, agent);
  const bool timed_out = task != nullptr && agent != nullptr && HasTimedOut(*task, *agent);
  if (!deadline && !timed_out) return;
  // A task is claimed before its agent is on record.
  const Result<IdentityName> name =
      agent != nullptr ? agent->id.identity() : IdentityName::Parse(task->owner);
  if (name) deadline_agents_.insert(*name);
  const DeadlineStep step = DecideDeadline(DeadlineFactsOf(task, agent), env_.clock.Boot(),
                                           env_.settings.deadline_warning);
  if (step.next) next_deadline_ = std::min(next_deadline_.value_or(*step.next), *step.next);
  switch (step.action) {
    case DeadlineAction::kNothing:
      return;
    case DeadlineAction::kWarn:
      actions.push_back([this, id = agent->id, at = deadline->at,
                         text = DeadlineWarning(task != nullptr && task->suspended ? nullptr : task,
                                                deadline->at)] { Warn(id, at, text); });
      return;
    case DeadlineAction::kStop:
      actions.push_back([this, id = agent->id, at = deadline->at] { StopAtDeadline(id, at); });
      return;
    case DeadlineAction::kSweep:
      to_sweep += task->id.text() + " ";
      return;
  }
}

void Guardian::ScheduleDeadlines() {
  loop_.CancelTimer(deadline_timer_);
  if (!next_deadline_) return;
  deadline_timer_ =
      loop_.StartTimer(*next_deadline_ - env_.clock.Boot(), [this] { CheckDeadlinesSoon(); });
}

// The timer stands still while the machine sleeps.
void Guardian::CheckDeadlinesAfterSleep() {
  if (next_deadline_ && *next_deadline_ <= env_.clock.Boot()) CheckDeadlinesSoon();
}

void Guardian::Warn(const AgentId& agent, WallTime deadline, const std::string& text) {
  const std::string id = WarningId(agent, deadline, env_.settings.deadline_warning);
  const Result<void> sent = [&]() -> Result<void> {
    BELAY_TRY(messages_.ledger().CatchUp());
    if (messages_.ledger().book().Find(id) != nullptr) return {};  // by an earlier guardian
    const Signal warning{
        .type = SignalType::kGuidance,
        .from = "guardian",
        .to = agent.identity().text(),
        .at = env_.clock.Wall(),
        .payload = MakeObject({{"text", text}, {"deadline", FormatUtc(deadline)}})};
    return BoxOf(Recipient::Agent(agent.identity())).SendAs(id, warning);
  }();
  if (!sent) {
    ReportProblem(sent.error());
    loop_.StartTimer(std::chrono::seconds(1), [this] { CheckDeadlinesSoon(); });
    return;
  }
  warned_.insert(id);
  DeliverSoon(agent.identity());
}

void Guardian::StopAtDeadline(const AgentId& agent, WallTime deadline) {
  const std::string why = fmt::format("its deadline, {}, has passed", FormatUtc(deadline));
  const Result<void> stopped =
      RequestStop(agent, Intent{std::string(kDeadlineIntent), "guardian", env_.clock.Wall()}, why);
  if (!stopped) {
    ReportProblem(stopped.error());
    loop_.StartTimer(std::chrono::seconds(1), [this] { CheckDeadlinesSoon(); });
    return;
  }
  Say(agent, fmt::format("is stopped: {}", why));
  const Identity* present = identities_.book().Find(agent.identity());
  if (present == nullptr) return;
  const auto dropped = messages_.Finalize(*present, DeliveryState::kDropped, "",
                                          "the deadline has passed", IsWarning);
  if (!dropped) ReportProblem(dropped.error());
}

}  // namespace belay
