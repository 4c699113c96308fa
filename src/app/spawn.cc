#include "app/spawn.h"

#include <fmt/core.h>

#include <functional>

#include "app/agent_end.h"
#include "app/agent_worktree.h"
#include "app/agents_view.h"
#include "app/find_program.h"
#include "app/incarnation.h"
#include "app/session_place.h"
#include "app/settings.h"
#include "app/snapshots.h"
#include "app/task_claim.h"
#include "app/task_list.h"
#include "app/task_resume.h"
#include "engine/merge/settings.h"
#include "host/launch.h"
#include "ledger/identity_ledger.h"
#include "os/process_tree.h"
#include "store/durable_file.h"
#include "store/repository.h"

namespace belay {
namespace {

// No event announces that a process has become another program, so it is polled.
constexpr Duration kLookAgain = std::chrono::milliseconds(2);
constexpr std::size_t kLongestLine = 4096;

Result<std::optional<RunRecord>> RecordOf(const SessionEnv& session, const AgentId& agent) {
  BELAY_TRY_ASSIGN(std::optional<RunRecord> run,
                   ReadRunRecord(session.files, session.project, agent.identity()));
  if (run && run->agent != agent) run.reset();
  return run;
}

// The record shows it as running before its process has become the agent's program: until then the
// process is a copy of its exec, with the same arguments. If the process is gone, or is ending and
// so has no arguments, its exec is about to write more.
bool IsOpen(const RunRecord& run) {
  if (run.state == RunState::kStarting) return true;
  if (run.state != RunState::kRunning || !run.process) return false;
  if (!IsAlive(*run.process)) return IsAlive(run.parent);
  const std::string line = CommandLineOf(run.process->pid, kLongestLine);
  const bool going = line.empty() || line.starts_with('[');
  return going ? IsAlive(run.parent) : line == CommandLineOf(run.parent.pid, kLongestLine);
}

// Waits until the incarnation runs its own program, has ended or could not be started, or its exec,
// if we started it, is gone; at most `limit`. Returns its run record at that time, if there is one.
Result<std::optional<RunRecord>> WaitForStart(EventLoop& loop, const SessionEnv& session,
                                              const AgentId& agent,
                                              const std::optional<Process>& exec, Duration limit) {
  Result<std::optional<RunRecord>> run = std::optional<RunRecord>();
  TimerId again{};
  std::function<bool()> look = [&] {
    loop.CancelTimer(again);
    run = RecordOf(session, agent);
    const bool decided = !run || (*run && !IsOpen(**run));
    if (decided) {
      run = RecordOf(session, agent);  // an exec that was just ending has written everything by now
      loop.Stop();
    }
    const bool soon = !decided && *run && (*run)->state == RunState::kRunning;
    if (soon) again = loop.StartTimer(kLookAgain, [&] { look(); });
    return decided;
  };
  BELAY_TRY(EnsureFolder(session.files, session.project.RunFolder()));
  BELAY_TRY_ASSIGN(const WatchId folder, loop.WatchFolder(session.project.RunFolder(),
                                                          [&](const FolderEvent&) { look(); }));
  WatchId process{};
  if (exec) {
    BELAY_TRY_ASSIGN(process, loop.WatchProcess(*exec, [&] {
      look();
      loop.Stop();
    }));
  }
  const TimerId timer = loop.StartTimer(limit, [&] {
    look();
    loop.Stop();
  });
  if (!look()) loop.Run();
  loop.CancelTimer(again);
  loop.CancelTimer(timer);
  loop.Unwatch(process);
  loop.Unwatch(folder);
  return run;
}

// A running agent gets no second worktree, so this is checked before anything is made.
Result<void> RefuseIfRunning(const SessionEnv& session, const IdentityName& name) {
  IdentityLedger ledger(session.files, session.clock, session.project);
  BELAY_TRY(ledger.CatchUp());
  const Identity* present = ledger.book().Find(name);
  if (present == nullptr || !IsRunning(present->status)) return {};
  BELAY_TRY_ASSIGN(const ProbeResult found, ProbeRun(session, *present));
  if (found.actual != ActualState::kRuns) return {};
  return Error{ErrorCode::kRefused, fmt::format("{} is already running", present->id.text()),
               fmt::format("belay attach {0} shows it, belay stop {0} ends it", name.text())};
}

// Saves what the previous agent left before another one works there. If its worktree is gone, there
// is nothing left to save.
Result<void> KeepWorkBefore(Env& env, const SessionEnv& session, const IdentityName& name) {
  if (!session.project.InRepository()) return {};
  IdentityLedger ledger(session.files, session.clock, session.project);
  BELAY_TRY(ledger.CatchUp());
  const Identity* before = ledger.book().Find(name);
  if (before == nullptr) return {};
  const Result<SnapshotTakeOutcome> taken =
      TakeSnapshotOf(env, session.project, *before,
                     fmt::format("what {} left, before its successor starts", before->id.text()));
  if (taken || taken.error().code == ErrorCode::kNotFound) return {};
  return Error{
      taken.error().code,
      fmt::format("can't save the work that {} left: {}", before->id.text(), taken.error().message),
      taken.error().hint};
}

// The agent that runs this command, if any. Only a guardian can start another agent for it: its own
// child would end with it.
Result<std::optional<AgentId>> WhoSpawns(const SessionEnv& session, const Env& env) {
  if (env.caller->IsPerson()) return std::optional<AgentId>();
  IdentityLedger ledger(session.files, session.clock, session.project);
  BELAY_TRY(ledger.CatchUp());
  if (GuardianRuns(session.files, session.project, ledger.book())) return env.caller->agent;
  return Error{ErrorCode::kRefused,
               "an agent can start another agent only while a guardian is running",
               "start belay guard outside any agent"};
}

// For a project without a guardian, which would do it.
Result<void> RecordRuns(const SessionEnv& session, const RunRecord& run) {
  IdentityLedger ledger(session.files, session.clock, session.project);
  BELAY_TRY_ASSIGN(const IdentityLock lock, IdentityLedger::Lock(session.files, session.project));
  BELAY_TRY(ledger.CatchUp());
  const Identity* present = ledger.book().Find(run.agent.identity());
  const bool news = present != nullptr && present->status == AgentStatus::kSpawning;
  if (!news || !run.process) return {};
  BELAY_TRY(RecordStart(session, ledger, lock, run));
  return ledger.Render(lock, run.agent.identity());
}

// Why it could not run, if it couldn't.
std::optional<Error> WhyNotStarted(const SpawnAgentOutcome& spawned) {
  const std::string id = spawned.identity.id.text();
  const std::string hint =
      fmt::format("belay why {} shows what happened", spawned.identity.id.identity().text());
  if (!spawned.run || spawned.run->state == RunState::kStarting) {
    return Error{ErrorCode::kFailed, fmt::format("{} did not start in time", id), hint};
  }
  if (spawned.run->state != RunState::kFailed) return std::nullopt;
  return Error{ErrorCode::kFailed,
               fmt::format("{} could not be started: {}", id, spawned.run->error), hint};
}

// Launches it and waits for the result.
Result<void> LaunchAndWait(const SessionEnv& session, Env& env, bool wait, bool by_guardian,
                           SpawnAgentOutcome& spawned) {
  BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, env.make_loop());
  std::optional<Process> exec;
  if (!by_guardian) {
    BELAY_TRY_ASSIGN(exec, Launch(session, spawned.identity));
  }
  IdentityLedger ledger(session.files, session.clock, session.project);
  BELAY_TRY(ledger.CatchUp());
  spawned.guarded = GuardianRuns(session.files, session.project, ledger.book());
  if (!wait) return {};
  BELAY_TRY_ASSIGN(spawned.run, WaitForStart(*loop, session, spawned.identity.id, exec,
                                             session.settings.spawn_deadline));
  if (spawned.pid()) return spawned.guarded ? Result<void>() : RecordRuns(session, *spawned.run);
  BELAY_TRY_ASSIGN(spawned.identity, Finalize(session, ledger, spawned.identity.id.identity()));
  spawned.failure = WhyNotStarted(spawned);
  return {};
}

// Another agent that runs there; empty: none.
std::string WhoElseIsIn(const SessionEnv& session, const Identity& identity) {
  IdentityLedger ledger(session.files, session.clock, session.project);
  if (!ledger.CatchUp()) return {};
  for (const auto& [name, entry] : ledger.book().entries()) {
    const bool same = entry.present.worktree_path == identity.worktree_path &&
                      name != identity.id.identity() && FactsOf(entry.present.host).is_agent;
    if (same && IsRunning(entry.present.status) && MakeAgentRow(session, entry.present, {}).pid) {
      return entry.present.id.text();
    }
  }
  return {};
}

std::string TargetBranch(const Env& env, const Layout& project) {
  const auto sources = ConfigSources(env, project);
  const Result<Config> config =
      sources ? Accept(ReadConfig(*sources)) : Result<Config>(sources.error());
  return config ? ReadMergeSettings(*config).target : std::string();
}

// The caller's environment, without the variables that belay sets itself.
Environment::Variables EnvironmentFor(const Env& env) {
  Environment::Variables variables = env.environment.variables();
  std::erase_if(variables, [](const auto& item) { return item.first.starts_with("BELAY_"); });
  return variables;
}

Result<void> CheckProgramIn(const Env& env, const NewAgent& agent, const std::string& folder) {
  BELAY_TRY(FindProgram(env.files, Environment(agent.environment), folder, agent.command[0]));
  return {};
}

// Fills in what the request leaves open from the previous agent's record. kNotFound when there was
// none.
Result<void> TakeFromRecord(const SpawnAgentRequest& request, const SessionEnv& session,
                            NewAgent& agent) {
  if (!agent.continues) return {};
  IdentityLedger ledger(session.files, session.clock, session.project);
  BELAY_TRY(ledger.CatchUp());
  const Identity* before = ledger.book().Find(agent.name);
  if (before == nullptr) return NothingToContinue(agent.name);
  const bool known_by_command = !agent.command.empty() && agent.kind != AgentKind::kGeneric;
  if (agent.command.empty()) agent.command = before->command;
  if (!request.host) agent.host = before->host;
  if (!request.kind && !known_by_command) {
    agent.kind = before->agent_kind;
    agent.kind_source = before->kind_source;
  }
  agent.respawn = request.respawn.value_or(before->respawn);
  if (!request.worktree && !request.new_worktree) BELAY_TRY(CheckHasWorktree(session, *before));
  agent.worktree = before->worktree_path;
  if (!agent.prompt.empty()) return {};
  const Result<LaunchSpec> last = ReadLaunchSpec(session.files, session.project, agent.name);
  if (last) agent.prompt = last->task;  // if it is lost, the conversation has it
  return {};
}

// Nothing came of it: the worktree that was just made goes, unless something was written in it.
void TakeBackWorktree(const Env& env, const Layout& project,
                      const std::optional<MadeWorktree>& made, const std::string& branch) {
  if (!made) return;
  const Result<void> removed = RemoveFreshWorktree(env, project, *made, branch);
  if (removed) return;
  env.say(fmt::format("the new worktree was kept, {}: {}", made->path, removed.error().message));
}

// Decides where it works, and creates that if asked; returns what it created.
Result<std::optional<MadeWorktree>> ChooseWorktree(const SpawnAgentRequest& request, Env& env,
                                                   const Layout& project, NewAgent& agent) {
  const std::optional<std::string>& branch = request.new_worktree;
  if (!branch) {
    const std::string wanted = request.worktree.value_or(
        agent.worktree.empty() ? DefaultWorktree(env, project) : agent.worktree);
    BELAY_TRY_ASSIGN(agent.worktree, FindAgentWorktree(env, project, wanted));
    BELAY_TRY(CheckProgramIn(env, agent, agent.worktree));
    return std::optional<MadeWorktree>();
  }
  const std::string& program = agent.command[0];
  const bool relative = program.find('/') != std::string::npos && !program.starts_with('/');
  if (!relative) BELAY_TRY(CheckProgramIn(env, agent, project.Root()));
  BELAY_TRY_ASSIGN(MadeWorktree made, MakeAgentWorktree(env, project, agent.name, *branch));
  agent.worktree = made.path;
  const Result<void> there = CheckProgramIn(env, agent, agent.worktree);
  std::optional<MadeWorktree> fresh;
  if (made.is_new) fresh = std::move(made);
  if (there) return fresh;
  TakeBackWorktree(env, project, fresh, *branch);
  return there.error();
}

NewAgent NewAgentOf(const SpawnAgentRequest& request, const Env& env) {
  return {.name = request.name,
          .command = request.command,
          .worktree = {},
          .kind = request.kind.value_or(KindOfCommand(request.command)),
          .kind_source = request.kind ? KindSource::kGiven : KindSource::kCommand,
          .host = request.host.value_or(AgentHost::kProcess),
          .node = request.node,
          .bead = request.bead,
          .prompt = request.prompt,
          .respawn = request.respawn.value_or(true),
          .continues = request.continues,
          .environment = EnvironmentFor(env),
          .deadline = request.deadline};
}

// The next incarnation of that name, as it will be recorded.
Result<AgentId> NextIncarnation(const SessionEnv& session, const IdentityName& name) {
  IdentityLedger ledger(session.files, session.clock, session.project);
  BELAY_TRY(ledger.CatchUp());
  const Identity* before = ledger.book().Find(name);
  return AgentId(name, before != nullptr ? before->id.incarnation() + 1 : 1);
}

std::string TaskPrompt(const Task& task) {
  return task.description.empty() ? task.title + "\n"
                                  : fmt::format("{}\n\n{}\n", task.title, task.description);
}

// The text of a suspended task, whose work is put into the agent's worktree; empty if it wasn't
// suspended, or starts over.
Result<std::string> ResumeForAgent(Env& env, const Task& task, const NewAgent& agent) {
  if (!task.suspended && !IsWaitingForResumer(task)) return std::string();
  BELAY_TRY_ASSIGN(const ResumeTaskOutcome resumed,
                   ResumeTask(env, {.id = task.id, .worktree = agent.worktree}));
  if (!resumed.reason.empty()) env.say(fmt::format("task {}: {}", task.id.text(), resumed.reason));
  return resumed.text;
}

// A new agent under the name would be stopped at the deadline of a task that it knows nothing of,
// and its work would be taken for that task's.
Result<void> RefuseIfNameHasTask(Env& env, const SessionEnv& session,
                                 const SpawnAgentRequest& request) {
  if (request.continues) return {};
  IdentityLedger ledger(session.files, session.clock, session.project);
  BELAY_TRY(ledger.CatchUp());
  if (ledger.book().Find(request.name) == nullptr) return {};
  const Result<TaskBook> book = ReadTasks(env);
  if (!book) return {};  // damage there doesn't keep an agent from starting
  for (const auto& [id, task] : book->tasks()) {
    const bool works_on = task.status == TaskStatus::kInProgress && !task.suspended;
    if (!works_on || task.owner != request.name.text() || request.task == task.id) continue;
    return Error{ErrorCode::kRefused,
                 fmt::format("the last {} left its task {} unfinished", task.owner, id),
                 fmt::format("belay spawn --continue --role {} --name {} goes on with it, belay "
                             "task suspend {} saves its work, or give the new agent another name",
                             request.name.role(), request.name.name(), id)};
  }
  return {};
}

// Before anything is made for an agent that can't have the task.
Result<void> CheckTask(Env& env, const SpawnAgentRequest& request) {
  if (!request.task) return {};
  BELAY_TRY_ASSIGN(const TaskPlace place,
                   FindTaskPlace(env, VaultUse::kWrite, TaskMistakes::kRefuse));
  BELAY_TRY_ASSIGN(const TaskBook book, ReadTasks(env));
  return CheckClaimable(place, book, *request.task, request.name);
}

// The task that it is started for, or that it still has when it continues.
Result<std::optional<Task>> TaskOf(const TaskBook& book, const SpawnAgentRequest& request) {
  const Task* task = nullptr;
  if (request.task) {
    task = book.Find(request.task->text());
    if (task == nullptr) return NoSuchTask(book, request.task->text());
  } else if (request.continues) {
    task = book.OfOwner(request.name.text());
  }
  const bool has = task != nullptr && !(task->suspended && !request.task);
  return has ? std::optional(*task) : std::optional<Task>();
}

// Of the task that it gets now, and its own; the earlier one.
std::optional<WallTime> TimeoutOf(const TaskBook& book, const Task& task, const NewAgent& agent,
                                  WallTime now) {
  const std::optional<WallTime> of_task = book.DeadlineAfter(task, now);
  const bool own = agent.deadline && (!of_task || *agent.deadline < *of_task);
  return own ? agent.deadline : of_task;
}

// Claims the task for the agent, in its worktree, and gives it the text and the deadline. One that
// continues has the text. Returns the earliest deadline.
Result<std::optional<WallTime>> GiveTask(Env& env, const SessionEnv& session, const TaskBook& book,
                                         const Task& task, const TaskPlace& place,
                                         NewAgent& agent) {
  const std::optional<WallTime> timeout_at = TimeoutOf(book, task, agent, env.clock.Wall());
  BELAY_TRY_ASSIGN(const std::string resumed, ResumeForAgent(env, task, agent));
  BELAY_TRY_ASSIGN(const AgentId next, NextIncarnation(session, agent.name));
  BELAY_TRY(ClaimTask(env, {.id = task.id, .session = next.text(), .worktree = agent.worktree}));
  agent.environment.insert_or_assign("BELAY_TASK_ID", task.id.text());
  const bool has_text = agent.continues && task.owner == agent.name.text() && resumed.empty();
  if (has_text) return timeout_at;
  if (agent.prompt.empty()) agent.prompt = TaskPrompt(task);
  agent.prompt += "\n" + TaskSpawnText(task, timeout_at, place.settings.warning, env.random);
  if (!resumed.empty()) agent.prompt += "\n" + resumed;
  return timeout_at;
}

Result<std::optional<WallTime>> AssignTaskIfAny(Env& env, const SessionEnv& session,
                                                const SpawnAgentRequest& request, NewAgent& agent) {
  if (!request.task && !request.continues) return agent.deadline;
  const Result<TaskBook> book = ReadTasks(env);
  if (!book && !request.task) {  // damage there doesn't keep an agent from continuing
    env.say(fmt::format("whether it has a task is unknown: {}", book.error().message));
    return agent.deadline;
  }
  if (!book) return book.error();
  BELAY_TRY_ASSIGN(const std::optional<Task> task, TaskOf(*book, request));
  if (!task) return agent.deadline;
  BELAY_TRY_ASSIGN(const TaskPlace place,
                   FindTaskPlace(env, VaultUse::kWrite, TaskMistakes::kRefuse));
  return GiveTask(env, session, *book, *task, place, agent);
}

Result<std::optional<WallTime>> AssignTask(Env& env, const SessionEnv& session,
                                           const SpawnAgentRequest& request, NewAgent& agent) {
  BELAY_TRY_ASSIGN(const std::optional<WallTime> timeout_at,
                   AssignTaskIfAny(env, session, request, agent));
  if (timeout_at) {
    agent.environment.insert_or_assign("BELAY_TIMEOUT_AT", FormatUtc(*timeout_at));
  }
  return timeout_at;
}

Result<SpawnAgentOutcome> SpawnIn(Env& env, const SessionEnv& session, const NewAgent& agent,
                                  bool wait) {
  BELAY_TRY(KeepWorkBefore(env, session, agent.name));
  BELAY_TRY_ASSIGN(PreparedAgent prepared, PrepareSpawn(session, agent));
  SpawnAgentOutcome spawned{.identity = std::move(prepared.identity),
                            .identity_path = session.project.IdentityRendering(agent.name),
                            .has_task = !agent.prompt.empty(),
                            .dropped_messages = prepared.dropped_messages};
  spawned.branch = CheckedOutBranch(env.files, spawned.identity.worktree_path);
  spawned.target = TargetBranch(env, session.project);
  spawned.also_there = WhoElseIsIn(session, spawned.identity);
  BELAY_TRY(LaunchAndWait(session, env, wait, agent.spawned_by.has_value(), spawned));
  spawned.hooks = HookVisibilityOf(env.files, session.project, spawned.identity, agent.environment);
  return spawned;
}

}  // namespace

std::string DefaultWorktree(const Env& env, const Layout& project) {
  const Result<Repository> here = FindRepository(env.files, env.current_folder);
  const Result<Repository> own = FindRepository(env.files, project.Root());
  const bool ours = here && own && here->common_folder == own->common_folder;
  return ours ? here->worktree : project.Root();
}

Result<SpawnAgentOutcome> SpawnAgent(Env& env, const SpawnAgentRequest& request) {
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(env, VaultUse::kWrite, Mistakes::kRefuse));
  const SessionEnv session = place.MakeEnv(env);
  NewAgent agent = NewAgentOf(request, env);
  BELAY_TRY_ASSIGN(agent.spawned_by, WhoSpawns(session, env));
  BELAY_TRY(RefuseIfRunning(session, agent.name));
  BELAY_TRY(TakeFromRecord(request, session, agent));
  BELAY_TRY(RefuseIfNameHasTask(env, session, request));
  BELAY_TRY(CheckTask(env, request));
  BELAY_TRY_ASSIGN(const std::optional<MadeWorktree> made,
                   ChooseWorktree(request, env, place.project, agent));
  const Result<std::optional<WallTime>> timeout_at = AssignTask(env, session, request, agent);
  if (!timeout_at) {
    TakeBackWorktree(env, place.project, made, request.new_worktree.value_or(""));
    return timeout_at.error();
  }
  Result<SpawnAgentOutcome> outcome = SpawnIn(env, session, agent, request.wait);
  if (outcome) {
    outcome->task = request.task ? request.task->text() : std::string();
    outcome->timeout_at = *timeout_at;
  }
  if (request.task && (!outcome || outcome->failure)) {
    const Result<void> released =
        ReleaseTask(env, *request.task, agent.name.text(), "its worker could not be started");
    if (!released) env.say(released.error().message);
  }
  if (!outcome && made) env.say(fmt::format("the new worktree was kept: {}", agent.worktree));
  return outcome;
}

}  // namespace belay
