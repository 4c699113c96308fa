// The kinds of agents and their adapters: one table, and the only place that knows all adapters. A
// new kind is a folder src/adapters/KIND/ and a row (CONTRIBUTING.md).

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

// Whether an agent will run belay's hooks. `environment` is the agent's.
HookVisibility HookVisibilityOf(const FileSystem& files, const Layout& project,
                                const Identity& identity,
                                const Environment::Variables& environment);

// Which kind of agent a command line starts, also through `sh -c` (agent/agent_program.h); generic
// for an unknown program, and for a wrapper script.
AgentKind KindOfCommand(std::span<const std::string> words);

// Every settings file that may hold belay's hooks.
struct AgentHooksFile {
  AgentKind kind;
  std::unique_ptr<HooksFile> file;
};
std::vector<AgentHooksFile> HooksFilesOf(FileSystem& files, const Layout& project);

// The first agent kind that has an event of that name.
struct NamedEvent {
  AgentKind agent;
  EventKind kind;
};
std::optional<NamedEvent> FindEvent(std::string_view name);
// The same for `belay statusline`: the first kind that has hooks.
NamedEvent StatusLineEvent();

}  // namespace belay

#endif  // BELAY_ADAPTERS_AGENTS_H_
