#include "app/spawn.h"

#include <fmt/core.h>

#include "base/path.h"
#include "base/utf8.h"
#include "cli/commands/commands.h"
#include "cli/task_view.h"
#include "engine/events/event_owner.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::size_t kMostPromptBytes = std::size_t{1} << 20U;

Error SpawnUsage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

Result<IdentityName> ParseName(const Invocation& invocation) {
  const std::optional<std::string> name = invocation.Value("--name");
  if (!name) return SpawnUsage("spawn needs a name for the agent", "write --name NAME");
  const std::string role = invocation.Value("--role").value_or("orchestrator");
  if (role == "guardian" || role == "runner" || role == kExternalRole) {
    return SpawnUsage(fmt::format("the role {} is reserved for belay", role),
                      "choose another --role, or omit it");
  }
  return IdentityName::Make(role, *name);
}

Result<std::optional<AgentHost>> ChosenHost(const Invocation& invocation) {
  const std::optional<std::string> name = invocation.Value("--host");
  if (!name) return std::optional<AgentHost>();
  const AgentHost host = ParseAgentHost(*name).value();
  if (FactsOf(host).built) return std::optional(host);
  return SpawnUsage(fmt::format("the host {} isn't supported yet", *name),
                    "omit --host: the agent gets its own terminal, for belay attach");
}

// It is stored as JSON, and passed on as an argument.
Result<void> CheckText(std::string_view what, std::string_view text) {
  const bool fine =
      FindInvalidUtf8(text) == std::string_view::npos && text.find('\0') == std::string_view::npos;
  if (fine) return {};
  return SpawnUsage(fmt::format("{} is not UTF-8 text", what), "belay stores it as text");
}

Result<std::string> ReadPrompt(const Invocation& invocation, const Services& services) {
  std::string prompt = invocation.Value("--prompt").value_or("");
  if (const auto file = invocation.Value("--prompt-file")) {
    const Result<std::string> path =
        services.files.Resolve(JoinPath(services.current_folder, *file));
    Result<std::string> text = path ? services.files.Read(*path, kMostPromptBytes) : path;
    if (!text)
      return SpawnUsage(text.error().message, "--prompt-file takes a file that contains the task");
    prompt = *std::move(text);
  }
  BELAY_TRY(CheckText("the prompt", prompt));
  return prompt;
}

// An invalid name, host or text: kUsage.
Result<SpawnAgentRequest> ParseSpawnRequest(const Invocation& invocation,
                                            const Services& services) {
  BELAY_TRY_ASSIGN(IdentityName name, ParseName(invocation));
  SpawnAgentRequest request{.name = std::move(name), .command = invocation.operands()};
  BELAY_TRY_ASSIGN(request.host, ChosenHost(invocation));
  for (const std::string& word : request.command) BELAY_TRY(CheckText("the command", word));
  request.continues = invocation.Has("--continue");
  if (request.command.empty() && !request.continues) {
    return SpawnUsage("spawn needs COMMAND", "belay spawn --help shows how");
  }
  BELAY_TRY_ASSIGN(request.prompt, ReadPrompt(invocation, services));
  for (const std::string_view option : {"--node", "--bead"}) {
    BELAY_TRY(CheckText(option, invocation.Value(option).value_or("")));
  }
  request.node = invocation.Value("--node").value_or("");
  request.bead = invocation.Value("--bead").value_or("");
  if (const auto kind = invocation.Value("--agent")) request.kind = ParseAgentKind(*kind).value();
  if (invocation.Has("--respawn")) request.respawn = true;
  if (invocation.Has("--no-respawn")) request.respawn = false;
  request.worktree = invocation.Value("--worktree");
  request.new_worktree = invocation.Value("--new-worktree");
  request.wait = !invocation.Has("--no-wait");
  if (const auto task = invocation.Value("--task")) {
    BELAY_TRY_ASSIGN(request.task, TaskId::Parse(*task));
  }
  if (const auto deadline = invocation.Value("--deadline")) {
    BELAY_TRY_ASSIGN(request.deadline, ParseDeadline(*deadline, services.clock.Wall()));
    if (*request.deadline <= services.clock.Wall()) {
      return Error{ErrorCode::kUsage, fmt::format("--deadline {} has passed", Quote(*deadline)),
                   "a duration from now on, such as 30m, can't"};
    }
  }
  return request;
}

// Null where that is unknown, or doesn't matter.
Json HooksInstalled(HookVisibility sight) {
  switch (sight) {
    case HookVisibility::kInstalled:
      return true;
    case HookVisibility::kNotGiven:
    case HookVisibility::kNone:
      return false;
    case HookVisibility::kNotAsked:
    case HookVisibility::kUnknown:
      return {};
  }
  __builtin_unreachable();
}

Json Record(const SpawnAgentOutcome& spawned) {
  const Identity& identity = spawned.identity;
  const std::optional<std::int64_t> pid = spawned.pid();
  const AgentStatus status = pid ? AgentStatus::kAlive : identity.status;
  return MakeObject(
      {{"agent_id", identity.id.text()},
       {"identity_path", spawned.identity_path},
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
       {"dropped_messages", static_cast<std::int64_t>(spawned.dropped_messages)},
       {"task", spawned.task.empty() ? Json() : Json(spawned.task)},
       {"timeout_at", spawned.timeout_at ? Json(FormatUtc(*spawned.timeout_at)) : Json()}});
}

// "is running", or "continues orchestrator-login#1"
std::string Doing(const SpawnAgentOutcome& spawned, bool continues) {
  const std::optional<std::string>& before = spawned.identity.predecessor_id;
  return continues && before ? fmt::format("continues {}", *before) : "is running";
}

std::string Text(const SpawnAgentOutcome& spawned, const SpawnAgentRequest& request) {
  const std::string id = spawned.identity.id.text();
  const std::string name = spawned.identity.id.identity().text();
  if (const auto pid = spawned.pid()) {
    return fmt::format(
        "{} {}, pid {}\nin {}{}\n"
        "belay attach {} shows its terminal, belay logs {} what it wrote\n",
        id, Doing(spawned, request.continues), *pid, Printable(spawned.identity.worktree_path),
        spawned.branch.empty() ? "" : ", on the branch " + Printable(spawned.branch), name, name);
  }
  if (!request.wait)
    return fmt::format("{} is starting; belay agents shows when it is running\n", id);
  const std::string how = spawned.run && spawned.run->exit ? spawned.run->exit->text() : "";
  return fmt::format("{} has already ended: {}\nbelay logs {} shows what it wrote\n", id, how,
                     name);
}

// The effect of missing hooks.
void SayHooks(Io& io, const SpawnAgentOutcome& spawned) {
  switch (spawned.hooks) {
    case HookVisibility::kNotAsked:
    case HookVisibility::kInstalled:
    case HookVisibility::kUnknown:
      return;
    case HookVisibility::kNotGiven:
      io.Say(
          "its worktree lacks belay's hooks, and belay can't pass them to this command: commit the "
          "settings that contain them, or pass these settings in the command");
      return;
    case HookVisibility::kNone:
      io.Say(
          fmt::format("belay's hooks are not installed for this agent, so belay doesn't see its "
                      "phase, its context or what it waits for. After a crash its successor gets "
                      "the resume text, but may have to start a new conversation. If it exits with "
                      "code 0 in its first seconds because it was interrupted, belay counts it as "
                      "finished. Run belay init --agent {}, then stop the agent and spawn it again",
                      AgentKindName(spawned.identity.agent_kind)));
      return;
  }
}

// An agent that shares a worktree with a person or another agent: each sees half-done work of the
// other.
void SayWhoElseIsThere(Io& io, const SpawnAgentOutcome& spawned) {
  const std::string own = "--new-worktree BRANCH gives an agent its own worktree";
  if (!spawned.also_there.empty()) {
    io.Say(fmt::format("{} is running in the same worktree; {}", spawned.also_there, own));
  } else if (!spawned.branch.empty() && spawned.branch == spawned.target) {
    io.Say(fmt::format("it works in a checkout of {}, where finished work lands; {}",
                       Printable(spawned.target), own));
  }
}

// How the task, and after a crash the resume text, reaches an agent whose command can't hold it.
void SayTextGoesByHook(Io& io, const SpawnAgentOutcome& spawned) {
  const AgentAdapter& adapter = AdapterFor(spawned.identity.agent_kind);
  const std::vector<std::string>& command = spawned.identity.command;
  if (adapter.TakesText(command)) return;
  if (!adapter.TakesArguments(command)) {
    if (!spawned.has_task) return;
    return io.Say(fmt::format(
        "its command doesn't start {0} directly, so belay doesn't add the task to its arguments: "
        "the task is in $BELAY_RESUME_FILE, and belay's hook gives it to the first {0} that starts",
        adapter.title()));
  }
  const bool hooks =
      spawned.hooks == HookVisibility::kInstalled || spawned.hooks == HookVisibility::kUnknown;
  io.Say(fmt::format(
      "this command has an option unknown to belay, and the next word may be the prompt, so belay "
      "adds no text to the command, {}; put the prompt first, or write --option=VALUE",
      hooks ? "and the agent gets the task and, after a crash, the resume text from its first hook"
            : "and without hooks the agent gets neither the task nor, after a crash, the resume "
              "text, and may repeat its steps"));
}

}  // namespace

Result<int> RunSpawn(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SpawnAgentRequest request, ParseSpawnRequest(invocation, services));
  BELAY_TRY_ASSIGN(const SpawnAgentOutcome spawned, SpawnAgent(services, request));
  Io& io = services.io;
  if (spawned.failure) {
    io.ShowFailure(Record(spawned), "", *spawned.failure);
    if (!io.json) io.ShowError(*spawned.failure);
    return ExitCode(spawned.failure->code);
  }
  io.Show(Record(spawned), Text(spawned, request));
  if (!spawned.guarded && spawned.identity.respawn) {
    io.Say("no guardian is running, so it won't be restarted if it crashes; run belay guard");
  }
  SayWhoElseIsThere(io, spawned);
  SayHooks(io, spawned);
  if (spawned.dropped_messages > 0) {
    io.Say(fmt::format("{} message{} for the previous task {} dropped; belay why {} shows {}",
                       spawned.dropped_messages, spawned.dropped_messages == 1 ? "" : "s",
                       spawned.dropped_messages == 1 ? "was" : "were",
                       spawned.identity.id.identity().text(),
                       spawned.dropped_messages == 1 ? "it" : "them"));
  }
  SayTextGoesByHook(io, spawned);
  return 0;
}

}  // namespace belay
