// The kinds of agents, each with its adapter: the one table of them, and the only place that knows
// all adapters. A new kind is a folder src/adapters/KIND/ and a row (CONTRIBUTING.md).

#ifndef BELAY_ADAPTERS_AGENTS_H_
#define BELAY_ADAPTERS_AGENTS_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/agent/agent_adapter.h"
#include "adapters/agent/agent_hooks.h"
#include "model/agent_kind.h"

namespace belay {

struct KindOfAgent {
  AgentKind kind;
  const AgentAdapter& (*adapter)();
};
std::span<const KindOfAgent> KindsOfAgents();

const AgentAdapter& AdapterFor(AgentKind kind);
// Null when belay has no hooks for that kind.
const AgentHooks* HooksFor(AgentKind kind);

// Whether an agent will run belay's hooks. `environment`: that the agent has.
HookSight HookSightOf(const FileSystem& files, const Layout& project, const Identity& identity,
                      const Environment::Variables& environment);

// Which kind of agent a command line starts, also behind `sh -c` (agent/agent_program.h); generic
// for a program that isn't known, and for a script around one.
AgentKind KindOfCommand(std::span<const std::string> words);

// Every settings file that belay's hooks can be in.
struct AgentHooksFile {
  AgentKind kind;
  std::unique_ptr<HooksFile> file;
};
std::vector<AgentHooksFile> HooksFilesOf(FileSystem& files, const Layout& project);

// Whose hook is called for an event of that name: the first kind that has it.
struct NamedEvent {
  AgentKind agent;
  EventKind kind;
};
std::optional<NamedEvent> FindEvent(std::string_view name);
// The same for `belay statusline`: the first kind that has hooks.
NamedEvent StatusLineEvent();

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENTS_H_
