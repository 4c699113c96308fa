#include "cli/spawn_request.h"

#include <fmt/core.h>

#include "base/path.h"
#include "base/utf8.h"
#include "cli/agent_worktree.h"
#include "cli/find_program.h"
#include "engine/events/session_name.h"
#include "guardian/agent_kind.h"
#include "guardian/missing_worktree.h"
#include "host/launch.h"
#include "ledger/identity_ledger.h"
#include "store/repository.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::size_t kMostPromptBytes = std::size_t{1} << 20U;

Error Usage(std::string message, std::string hint) {
  return {ErrorCode::kUsage, std::move(message), std::move(hint)};
}

Result<IdentityName> ParseName(const Invocation& invocation) {
  const std::optional<std::string> name = invocation.Value("--name");
  if (!name) return Usage("spawn needs a name for the agent", "write --name NAME");
  const std::string role = invocation.Value("--role").value_or("orchestrator");
  if (role == "guardian" || role == "runner" || role == kExternalRole) {
    return Usage(fmt::format("the role {} is belay's own", role), "leave --role out");
  }
  return IdentityName::Make(role, *name);
}

// What is written down as JSON, and handed on as an argument.
Result<void> CheckText(std::string_view what, std::string_view text) {
  const bool fine =
      FindInvalidUtf8(text) == std::string_view::npos && text.find('\0') == std::string_view::npos;
  if (fine) return {};
  return Usage(fmt::format("{} is not text in UTF-8", what), "belay keeps it as text");
}

Result<std::string> ReadPrompt(const Invocation& invocation, const Services& services) {
  std::string prompt = invocation.Value("--prompt").value_or("");
  if (const auto file = invocation.Value("--prompt-file")) {
    const Result<std::string> path =
        services.files.Resolve(JoinPath(services.current_folder, *file));
    Result<std::string> text = path ? services.files.Read(*path, kMostPromptBytes) : path;
    if (!text) return Usage(text.error().message, "--prompt-file takes a file with the task in it");
    prompt = *std::move(text);
  }
  BELAY_TRY(CheckText("the prompt", prompt));
  return prompt;
}

// The caller's, without what belay sets itself.
Environment::Variables EnvironmentFor(const Services& services) {
  Environment::Variables variables = services.environment.variables();
  std::erase_if(variables, [](const auto& item) { return item.first.starts_with("BELAY_"); });
  return variables;
}

// The worktree around the current folder if it is one of this repository, else the project itself.
std::string DefaultWorktree(const Services& services, const Layout& project) {
  const Result<Repository> here = FindRepository(services.files, services.current_folder);
  const Result<Repository> own = FindRepository(services.files, project.Root());
  const bool ours = here && own && here->common_folder == own->common_folder;
  return ours ? here->worktree : project.Root();
}

Result<void> CheckProgramIn(const Services& services, const NewAgent& agent,
                            const std::string& folder) {
  BELAY_TRY(FindProgram(services.files, Environment(agent.environment), folder, agent.command[0]));
  return {};
}

}  // namespace

Result<NewAgent> ParseSpawnRequest(const Invocation& invocation, const Services& services) {
  BELAY_TRY_ASSIGN(IdentityName name, ParseName(invocation));
  if (invocation.Value("--host") == "tmux") {
    return Usage("the host tmux isn't built yet",
                 "leave --host out: an agent gets a terminal of its own, for belay attach");
  }
  for (const std::string& word : invocation.operands()) BELAY_TRY(CheckText("the command", word));
  const bool continues = invocation.Has("--continue");
  if (invocation.operands().empty() && !continues) {
    return Usage("spawn needs COMMAND", "belay spawn --help shows how");
  }
  NewAgent agent{.name = std::move(name), .command = invocation.operands(), .worktree = {}};
  BELAY_TRY_ASSIGN(agent.prompt, ReadPrompt(invocation, services));
  for (const std::string_view option : {"--node", "--bead"}) {
    BELAY_TRY(CheckText(option, invocation.Value(option).value_or("")));
  }
  agent.node = invocation.Value("--node").value_or("");
  agent.bead = invocation.Value("--bead").value_or("");
  const std::optional<std::string> given = invocation.Value("--agent");
  agent.kind = given ? ParseAgentKind(*given).value() : KindOfCommand(agent.command);
  agent.kind_source = given ? KindSource::kGiven : KindSource::kCommand;
  agent.respawn = !invocation.Has("--no-respawn");
  agent.continues = continues;
  agent.environment = EnvironmentFor(services);
  return agent;
}

Result<void> TakeFromRecord(const Invocation& invocation, const SessionDoors& doors,
                            NewAgent& agent) {
  if (!agent.continues) return {};
  IdentityLedger ledger(doors.files, doors.clock, doors.project);
  BELAY_TRY(ledger.CatchUp());
  const Identity* before = ledger.book().Find(agent.name);
  if (before == nullptr) return NothingToContinue(agent.name);
  const bool known_by_command = !agent.command.empty() && agent.kind != AgentKind::kGeneric;
  if (agent.command.empty()) agent.command = before->command;
  if (!invocation.Value("--agent") && !known_by_command) {
    agent.kind = before->agent_kind;
    agent.kind_source = before->kind_source;
  }
  agent.respawn = invocation.Has("--respawn") || (agent.respawn && before->respawn);
  const bool elsewhere = invocation.Value("--worktree") || invocation.Value("--new-worktree");
  if (!elsewhere) BELAY_TRY(CheckHasWorktree(doors, *before));
  agent.worktree = before->worktree_path;
  if (!agent.prompt.empty()) return {};
  const Result<LaunchSpec> last = ReadLaunchSpec(doors.files, doors.project, agent.name);
  if (last) agent.prompt = last->task;  // lost: the conversation has it
  return {};
}

Result<bool> ChooseWorktree(const Invocation& invocation, Services& services, const Layout& project,
                            NewAgent& agent) {
  const std::optional<std::string> branch = invocation.Value("--new-worktree");
  if (!branch) {
    const std::string wanted =
        invocation.Value("--worktree")
            .value_or(agent.worktree.empty() ? DefaultWorktree(services, project) : agent.worktree);
    BELAY_TRY_ASSIGN(agent.worktree, FindAgentWorktree(services, project, wanted));
    BELAY_TRY(CheckProgramIn(services, agent, agent.worktree));
    return false;
  }
  const std::string& program = agent.command[0];
  const bool relative = program.find('/') != std::string::npos && !program.starts_with('/');
  if (!relative) BELAY_TRY(CheckProgramIn(services, agent, project.Root()));
  BELAY_TRY_ASSIGN(MadeWorktree made, MakeAgentWorktree(services, project, agent.name, *branch));
  agent.worktree = made.path;
  const Result<void> there = CheckProgramIn(services, agent, agent.worktree);
  if (there) return made.is_new;
  if (!made.is_new) return there.error();
  if (const auto removed = RemoveFreshWorktree(services, project, made, *branch); !removed) {
    services.io.Say(fmt::format("the new worktree stays, {}: {}", Printable(made.path),
                                Printable(removed.error().message)));
  }
  return there.error();
}

}  // namespace belay
