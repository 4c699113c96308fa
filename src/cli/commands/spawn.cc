#include <fmt/core.h>

#include "cli/agent_snapshot.h"
#include "cli/agents_view.h"
#include "cli/commands/commands.h"
#include "cli/run_wait.h"
#include "cli/session_place.h"
#include "cli/settings.h"
#include "cli/spawn_request.h"
#include "engine/merge/settings.h"
#include "guardian/agent_adapters.h"
#include "guardian/caller.h"
#include "guardian/end.h"
#include "guardian/hook_sight.h"
#include "guardian/incarnation.h"
#include "guardian/start.h"
#include "store/repository.h"
#include "ui/width.h"

namespace belay {
namespace {

// One that runs gets no second worktree: asked before anything is made.
Result<void> RefuseIfRunning(const SessionDoors& doors, const IdentityName& name) {
  IdentityLedger ledger(doors.files, doors.clock, doors.project);
  BELAY_TRY(ledger.CatchUp());
  const Identity* present = ledger.book().Find(name);
  if (present == nullptr || !IsRunning(present->status)) return {};
  BELAY_TRY_ASSIGN(const Found found, FindOut(doors, *present));
  if (found.truth != Truth::kRuns) return {};
  return Error{ErrorCode::kRefused, fmt::format("{} runs already", present->id.text()),
               fmt::format("belay attach {0} shows it, belay stop {0} ends it", name.text())};
}

// What the one before it left is kept before another one works there. Where its worktree is gone
// there is nothing left to keep.
Result<void> KeepWorkBefore(const Invocation& invocation, Services& services,
                            const SessionDoors& doors, const IdentityName& name) {
  if (!doors.project.InRepository()) return {};
  IdentityLedger ledger(doors.files, doors.clock, doors.project);
  BELAY_TRY(ledger.CatchUp());
  const Identity* before = ledger.book().Find(name);
  if (before == nullptr) return {};
  const Result<TakenNow> taken =
      TakeWorkOf(invocation, services, doors.project, *before,
                 fmt::format("what {} left, before another one starts", before->id.text()));
  if (taken || taken.error().code == ErrorCode::kNotFound) return {};
  return Error{
      taken.error().code,
      fmt::format("what {} left can't be kept: {}", before->id.text(), taken.error().message),
      taken.error().hint};
}

// The agent that runs this command, if one does. Only a guardian can start another for it: a child
// of its own would end with it.
Result<std::optional<AgentId>> WhoSpawns(const SessionDoors& doors, const Services& services) {
  IdentityLedger ledger(doors.files, doors.clock, doors.project);
  BELAY_TRY(ledger.CatchUp());
  BELAY_TRY_ASSIGN(const Caller caller, FindCaller(ledger.book(), services.environment));
  if (!caller.agent) return std::optional<AgentId>();
  BELAY_TRY(CheckFence(doors.files, doors.project, ledger, caller, "spawn"));
  if (GuardianRuns(doors.files, doors.project, ledger.book())) return caller.agent;
  return Error{ErrorCode::kRefused, "an agent can start another one only where a guardian runs",
               "start belay guard, outside of any agent"};
}

// For a project without a guardian, which would do it.
Result<void> RecordRuns(const SessionDoors& doors, const RunRecord& run) {
  IdentityLedger ledger(doors.files, doors.clock, doors.project);
  BELAY_TRY_ASSIGN(const StateLock lock, IdentityLedger::Lock(doors.files, doors.project));
  BELAY_TRY(ledger.CatchUp());
  const Identity* present = ledger.book().Find(run.agent.identity());
  const bool news = present != nullptr && present->status == AgentStatus::kSpawning;
  if (!news || !run.process) return {};
  BELAY_TRY(RecordStart(doors, ledger, lock, run));
  return ledger.Render(lock, run.agent.identity());
}

struct Spawned {
  Identity identity;
  std::optional<RunRecord> run = {};
  bool guarded = false;
  HookSight hooks = HookSight::kNotAsked;
  bool continues = false;
  std::string branch = {};      // that is checked out where it works; empty: none
  std::string target = {};      // where finished work lands
  std::string also_there = {};  // another agent that runs in the same worktree; empty: none
  std::size_t dropped_messages = 0;

  std::optional<std::int64_t> pid() const {
    const bool runs = run && run->process && run->state == RunState::kRunning;
    return runs ? std::optional<std::int64_t>(run->process->pid) : std::nullopt;
  }
};

// Null where that can't be known, or doesn't matter.
Json HooksInstalled(HookSight sight) {
  switch (sight) {
    case HookSight::kInstalled:
      return true;
    case HookSight::kNotGiven:
    case HookSight::kNone:
      return false;
    case HookSight::kNotAsked:
    case HookSight::kUnknown:
      return {};
  }
  __builtin_unreachable();
}

Json Record(const Layout& project, const Spawned& spawned) {
  const Identity& identity = spawned.identity;
  const std::optional<std::int64_t> pid = spawned.pid();
  const AgentStatus status = pid ? AgentStatus::kAlive : identity.status;
  return MakeObject(
      {{"agent_id", identity.id.text()},
       {"identity_path", project.IdentityRendering(identity.id.identity())},
       {"hook_path", identity.hook_path},
       {"host", AgentHostName(identity.host)},
       {"pid", pid ? Json(*pid) : Json()},
       {"worktree_path", identity.worktree_path},
       {"branch", spawned.branch.empty() ? Json() : Json(spawned.branch)},
       {"status", AgentStatusName(status)},
       {"predecessor_id", identity.predecessor_id ? Json(*identity.predecessor_id) : Json()},
       {"guarded", spawned.guarded},
       {"agent_kind", AgentKindName(identity.agent_kind)},
       {"hooks_installed", HooksInstalled(spawned.hooks)},
       {"dropped_messages", static_cast<std::int64_t>(spawned.dropped_messages)}});
}

// "runs", or "continues orchestrator-login#1"
std::string Doing(const Spawned& spawned) {
  const std::optional<std::string>& before = spawned.identity.predecessor_id;
  return spawned.continues && before ? fmt::format("continues {}", *before) : "runs";
}

std::string Text(const Spawned& spawned, bool waited) {
  const std::string id = spawned.identity.id.text();
  const std::string name = spawned.identity.id.identity().text();
  if (const auto pid = spawned.pid()) {
    return fmt::format(
        "{} {}, pid {}\nin {}{}\n"
        "belay attach {} shows its terminal, belay logs {} what it wrote\n",
        id, Doing(spawned), *pid, Printable(spawned.identity.worktree_path),
        spawned.branch.empty() ? "" : ", on the branch " + Printable(spawned.branch), name, name);
  }
  if (!waited) return fmt::format("{} is being started; belay agents shows when it runs\n", id);
  const std::string how = spawned.run && spawned.run->exit ? spawned.run->exit->text() : "";
  return fmt::format("{} ran and has ended: {}\nbelay logs {} shows what it wrote\n", id, how,
                     name);
}

// What kept it from running, if something did.
std::optional<Error> Failure(const Spawned& spawned) {
  const std::string id = spawned.identity.id.text();
  const std::string hint =
      fmt::format("belay why {} tells what happened", spawned.identity.id.identity().text());
  if (!spawned.run || spawned.run->state == RunState::kStarting) {
    return Error{ErrorCode::kFailed, fmt::format("{} did not start in time", id), hint};
  }
  if (spawned.run->state != RunState::kFailed) return std::nullopt;
  return Error{ErrorCode::kFailed,
               fmt::format("{} could not be started: {}", id, spawned.run->error), hint};
}

// Launches it and waits until it is known what came of that.
Result<void> LaunchAndWait(const SessionDoors& doors, Services& services, bool wait,
                           bool by_guardian, Spawned& spawned) {
  BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, services.make_loop());
  std::optional<Process> exec;
  if (!by_guardian) {
    BELAY_TRY_ASSIGN(exec, Launch(doors, spawned.identity));
  }
  IdentityLedger ledger(doors.files, doors.clock, doors.project);
  BELAY_TRY(ledger.CatchUp());
  spawned.guarded = GuardianRuns(doors.files, doors.project, ledger.book());
  if (!wait) return {};
  BELAY_TRY_ASSIGN(spawned.run, WaitForStart(*loop, doors, spawned.identity.id, exec,
                                             doors.settings.spawn_deadline));
  if (spawned.pid()) return spawned.guarded ? Result<void>() : RecordRuns(doors, *spawned.run);
  BELAY_TRY_ASSIGN(spawned.identity, Settle(doors, ledger, spawned.identity.id.identity()));
  return {};
}

// What it costs that its hooks aren't there.
void SayHooks(Io& io, HookSight sight) {
  switch (sight) {
    case HookSight::kNotAsked:
    case HookSight::kInstalled:
    case HookSight::kUnknown:
      return;
    case HookSight::kNotGiven:
      io.Say(
          "its worktree has no hooks of belay's, and they can't be given to this command: commit "
          ".claude/settings.json, or add --settings with belay's hooks to it");
      return;
    case HookSight::kNone:
      io.Say(
          "belay's hooks are not installed for this agent: belay doesn't see its phase, its "
          "context or what it waits for, and after a crash the successor gets the resume text but "
          "may have to begin a new conversation, and an interruption with exit code 0 in its first "
          "seconds counts as finished; run belay init --agent claude, then stop it and "
          "spawn it again");
      return;
  }
}

// An agent beside a person or another agent, in one worktree: each sees half-done work of the
// other.
void SayWhoElseIsThere(Io& io, const Spawned& spawned) {
  const std::string own = "--new-worktree BRANCH gives an agent a worktree of its own";
  if (!spawned.also_there.empty()) {
    io.Say(fmt::format("{} runs in the same worktree; {}", spawned.also_there, own));
  } else if (!spawned.branch.empty() && spawned.branch == spawned.target) {
    io.Say(fmt::format("it works in a checkout of {}, where finished work lands; {}",
                       Printable(spawned.target), own));
  }
}

// The other one that runs there; empty: none.
std::string WhoElseIsIn(const SessionDoors& doors, const Identity& identity) {
  IdentityLedger ledger(doors.files, doors.clock, doors.project);
  if (!ledger.CatchUp()) return {};
  for (const auto& [name, entry] : ledger.book().entries()) {
    const bool same = entry.present.worktree_path == identity.worktree_path &&
                      name != identity.id.identity() && entry.present.host != AgentHost::kSelf;
    if (same && IsRunning(entry.present.status) && LookAt(doors, entry.present, {}).pid) {
      return entry.present.id.text();
    }
  }
  return {};
}

std::string TargetBranch(const Invocation& invocation, const Services& services,
                         const Layout& project) {
  const auto sources = ConfigSources(invocation, services, project);
  const Result<Config> config =
      sources ? Accept(ReadConfig(*sources)) : Result<Config>(sources.error());
  return config ? ReadMergeSettings(*config).target : std::string();
}

// How the task, and after a crash the resume text, reaches an agent whose command can't hold it.
void SayTextGoesByHook(Io& io, const Spawned& spawned, bool task) {
  const AgentAdapter& adapter = AdapterFor(spawned.identity.agent_kind);
  const std::vector<std::string>& command = spawned.identity.command;
  if (adapter.TakesText(command)) return;
  if (!adapter.TakesArguments(command)) {
    if (!task) return;
    return io.Say(
        "its command isn't Claude Code's own, so the task isn't added to its arguments: it is in "
        "$BELAY_RESUME_FILE, and belay's SessionStart hook gives it to the Claude Code that starts "
        "first");
  }
  const bool hooks = spawned.hooks == HookSight::kInstalled || spawned.hooks == HookSight::kUnknown;
  io.Say(fmt::format(
      "belay doesn't know an option of this command, and the word behind it may be the prompt: "
      "belay adds no text to the command, {}; write the prompt first, or the option as "
      "--option=VALUE",
      hooks ? "its SessionStart hook gives the agent the task and, after a crash, the resume text"
            : "and without hooks the agent gets neither a task nor, after a crash, the resume "
              "text, and may do its steps again"));
}

int Show(Services& services, const Layout& project, const Spawned& spawned, bool waited,
         bool task) {
  Io& io = services.io;
  const std::optional<Error> failure = waited ? Failure(spawned) : std::nullopt;
  if (failure) {
    io.ShowFailure(Record(project, spawned), "", *failure);
    if (!io.json) io.ShowError(*failure);
    return ExitCode(failure->code);
  }
  io.Show(Record(project, spawned), Text(spawned, waited));
  if (!spawned.guarded && spawned.identity.respawn) {
    io.Say("no guardian runs: nobody brings it back when it falls; belay guard does");
  }
  SayWhoElseIsThere(io, spawned);
  SayHooks(io, spawned.hooks);
  if (spawned.dropped_messages > 0) {
    io.Say(fmt::format("{} message{} for the task before {} dropped; belay why {} shows {}",
                       spawned.dropped_messages, spawned.dropped_messages == 1 ? "" : "s",
                       spawned.dropped_messages == 1 ? "was" : "were",
                       spawned.identity.id.identity().text(),
                       spawned.dropped_messages == 1 ? "it" : "them"));
  }
  SayTextGoesByHook(io, spawned, task);
  return 0;
}

}  // namespace

Result<int> RunSpawn(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(NewAgent agent, ParseSpawnRequest(invocation, services));
  BELAY_TRY_ASSIGN(const SessionPlace place,
                   FindSessionPlace(invocation, services, VaultUse::kWrite, Mistakes::kRefuse));
  const SessionDoors doors = place.Doors(services);
  BELAY_TRY_ASSIGN(agent.spawned_by, WhoSpawns(doors, services));
  BELAY_TRY(RefuseIfRunning(doors, agent.name));
  BELAY_TRY(TakeFromRecord(invocation, doors, agent));
  BELAY_TRY_ASSIGN(const bool made, ChooseWorktree(invocation, services, place.project, agent));
  const auto spawn = [&]() -> Result<int> {
    BELAY_TRY(KeepWorkBefore(invocation, services, doors, agent.name));
    BELAY_TRY_ASSIGN(PreparedAgent prepared, PrepareSpawn(doors, agent));
    Spawned spawned{.identity = std::move(prepared.identity),
                    .continues = agent.continues,
                    .dropped_messages = prepared.dropped_messages};
    spawned.branch = CheckedOutBranch(services.files, spawned.identity.worktree_path);
    spawned.target = TargetBranch(invocation, services, place.project);
    spawned.also_there = WhoElseIsIn(doors, spawned.identity);
    const bool wait = !invocation.Has("--no-wait");
    BELAY_TRY(LaunchAndWait(doors, services, wait, agent.spawned_by.has_value(), spawned));
    spawned.hooks =
        FindHookSight(services.files, place.project, spawned.identity, agent.environment);
    return Show(services, place.project, spawned, wait, !agent.prompt.empty());
  };
  Result<int> outcome = spawn();
  if (!outcome && made) {
    services.io.Say(fmt::format("the new worktree stays: {}", Printable(agent.worktree)));
  }
  return outcome;
}

}  // namespace belay
