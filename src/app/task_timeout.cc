#include "app/task_timeout.h"

#include <fmt/core.h>

#include <algorithm>

#include "adapters/agent/lines_backwards.h"
#include "adapters/agents.h"
#include "app/agent_end.h"
#include "app/session_place.h"
#include "app/task_suspend.h"
#include "app/task_worker.h"
#include "engine/task/deadline.h"
#include "engine/task/timeout_context.h"
#include "ledger/hook_ledger.h"
#include "prompt/foreign_text.h"

namespace belay {
namespace {

using Row = SweepOutcome::Row;

constexpr std::size_t kMostWords = 5;
constexpr std::size_t kMostScreenLines = 20;

// The end of what it wrote to its terminal, top to bottom, without escape sequences.
std::vector<std::string> EndOfScreen(const FileSystem& files, const std::string& log) {
  constexpr std::uint64_t kMostRead = std::uint64_t{64} << 10U;
  std::vector<std::string> screen;
  const Result<File> file = files.OpenForReading(log);
  if (!file) return screen;
  LinesBackwards lines(*file, {.most_bytes = kMostRead});
  for (auto line = lines.Next(); line && screen.size() < kMostScreenLines; line = lines.Next()) {
    std::string text = ForeignText(*line).text();
    if (text.find_first_not_of(" \t\n") != std::string::npos) screen.push_back(std::move(text));
  }
  std::ranges::reverse(screen);
  return screen;
}

TimeoutContext ContextFor(Env& env, const Layout& project, const Identity& worker,
                          std::optional<WallTime> deadline) {
  HookLedger hooks(env.files, env.clock, project);
  const IdentityName& name = worker.id.identity();
  const Hook* hook = hooks.CatchUp() ? hooks.book().Find(name) : nullptr;
  TimeoutFacts facts{.worker = worker.id.text(), .deadline = deadline, .hook = hook};
  if (hook != nullptr) {
    facts.words =
        AdapterFor(worker.agent_kind).LastWords(env.files, hook->transcript_path, kMostWords);
  }
  // An agent with a transcript draws its screen; the lines of its log would be fragments.
  if (facts.words.empty()) facts.screen = EndOfScreen(env.files, project.RunLog(name));
  return DescribeTimeout(facts);
}

// Its last processes may still write. If its exec was killed, no other process ends them.
Result<bool> EndsStill(Env& env, const Identity& worker) {
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(env, VaultUse::kRead, Mistakes::kWarn));
  const SessionEnv session = place.MakeEnv(env);
  BELAY_TRY_ASSIGN(const ProbeResult found, ProbeRun(session, worker));
  const bool exec = found.run && found.run->agent == worker.id && IsAlive(found.run->parent);
  if (!exec) (void)EndLeftovers(session, worker);
  return exec;
}

Result<SuspendTaskOutcome> Suspend(Env& env, const SuspendTaskRequest& request) {
  Result<SuspendTaskOutcome> outcome = SuspendTask(env, request);
  if (outcome || outcome.error().code != ErrorCode::kRefused) return outcome;
  SuspendTaskRequest in_place = request;
  in_place.keep_tree = true;
  return SuspendTask(env, in_place);
}

Row SuspendedRow(const SuspendTaskOutcome& outcome, const std::string& owner) {
  const Task& task = outcome.task;
  const std::string work = task.work.snapshot_id.empty()
                               ? "its work stays in " + task.work.worktree
                               : "its work is the snapshot " + task.work.snapshot_id;
  const std::string next = task.permanently_failed
                               ? "it has failed for good"
                               : fmt::format("belay task resume {} continues it", task.id.text());
  return {
      task.id.text(), task.permanently_failed ? "failed" : "suspended",
      fmt::format("{} missed its deadline, and belay wrote the context; {}; {}", owner, work, next),
      owner};
}

}  // namespace

bool MissedDeadline(const TaskBook& book, const Task& task, const Identity* worker, WallTime now) {
  if (worker != nullptr && HasTimedOut(task, *worker)) return true;
  const auto deadline = DeadlineFor(book, &task, worker);
  return deadline && deadline->at <= now;
}

Result<std::optional<Row>> SuspendTimedOut(Env& env, const TaskPlace& place, const TaskBook& book,
                                           const Task& task) {
  const bool has_worker =
      task.status == TaskStatus::kInProgress && !task.suspended && !task.resuming;
  if (!place.settings.enabled || !has_worker) return std::optional<Row>();
  BELAY_TRY_ASSIGN(const WorkerState worker, FindWorker(env, task.owner));
  const bool gone =
      worker.identity && !worker.runs && !worker.returns && FactsOf(worker.identity->host).launched;
  if (!gone) return std::optional<Row>();
  BELAY_TRY_ASSIGN(const bool ending, EndsStill(env, *worker.identity));
  if (ending) {
    return Error{ErrorCode::kBusy,
                 fmt::format("the last processes of {} are being ended", task.owner),
                 "belay task sweep again"};
  }
  const auto deadline = DeadlineFor(book, &task, &*worker.identity);
  TimeoutContext context = ContextFor(env, place.project, *worker.identity,
                                      deadline ? std::optional(deadline->at) : std::nullopt);
  const Result<SuspendTaskOutcome> outcome =
      Suspend(env, {.id = task.id,
                    .reason = deadline ? deadline->reason : SuspendReason::kTurnLimit,
                    .last_action = std::move(context.last_action),
                    .state = std::move(context.state),
                    .worker = task.owner});
  if (outcome) return std::optional(SuspendedRow(*outcome, task.owner));
  // What can't be suspended is pending again: the sweep names it.
  const ErrorCode code = outcome.error().code;
  if (code == ErrorCode::kRefused || code == ErrorCode::kNotFound) return std::optional<Row>();
  return outcome.error();
}

}  // namespace belay
