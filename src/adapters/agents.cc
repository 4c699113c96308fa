#include "adapters/agents.h"

#include <algorithm>

#include "adapters/agent/agent_program.h"
#include "adapters/claude/adapter.h"
#include "base/path.h"

namespace belay {
namespace {

// Driven as a generic agent so far: only its command is recognised. With --agent codex the user
// vouches that the command takes a text as its last argument.
class Codex final : public AgentAdapter {
 public:
  std::string_view title() const override { return "Codex"; }

  bool IsProgram(std::string_view word) const override {
    return FileName(word) == "codex" || word.ends_with("@openai/codex/bin/codex.js") ||
           IsPackage(word, "@openai/codex");
  }

  bool TextIsArgument(bool given) const override { return given; }
};

const AgentAdapter& CodexAdapter() {
  static const Codex adapter;
  return adapter;
}

// Any command, with the defaults of agent_adapter.h.
class Generic final : public AgentAdapter {
 public:
  std::string_view title() const override { return "a generic agent"; }
};

const AgentAdapter& GenericAdapter() {
  static const Generic adapter;
  return adapter;
}

constexpr KindOfAgent kKinds[] = {
    {AgentKind::kClaude, ClaudeAdapter},
    {AgentKind::kCodex, CodexAdapter},
    {AgentKind::kGeneric, GenericAdapter},
};

constexpr bool HasAllKinds() {
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    if (static_cast<std::size_t>(kKinds[i].kind) != i) return false;
  }
  return std::size(kKinds) == std::size(kAgentKinds);
}
static_assert(HasAllKinds(), "a row for each kind, in the order of AgentKind");

}  // namespace

std::span<const KindOfAgent> KindsOfAgents() { return kKinds; }

const AgentAdapter& AdapterFor(AgentKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].adapter();
}

const AgentHooks* HooksFor(AgentKind kind) { return AdapterFor(kind).hooks(); }

HookVisibility HookVisibilityOf(const FileSystem& files, const Layout& project,
                                const Identity& identity,
                                const Environment::Variables& environment) {
  const AgentHooks* hooks = HooksFor(identity.agent_kind);
  if (hooks == nullptr) return HookVisibility::kNotAsked;
  return hooks->FindVisibility(files, project, identity, environment);
}

AgentKind KindOfCommand(std::span<const std::string> words) {
  const std::optional<ShellInvocation> shell = ReadShellInvocation(words);
  if (shell) words = shell->words;
  for (const KindOfAgent& row : kKinds) {
    const AgentAdapter& adapter = row.adapter();
    const auto names = [&](std::string_view word) { return adapter.IsProgram(word); };
    if (FindProgramWord(words, names)) return row.kind;
  }
  return AgentKind::kGeneric;
}

std::vector<AgentHooksFile> HooksFilesOf(FileSystem& files, const Layout& project) {
  std::vector<AgentHooksFile> found;
  for (const KindOfAgent& row : kKinds) {
    const AgentHooks* hooks = row.adapter().hooks();
    if (hooks != nullptr) found.push_back({row.kind, hooks->OpenFile(files, project)});
  }
  return found;
}

std::optional<NamedEvent> FindEvent(std::string_view name) {
  for (const KindOfAgent& row : kKinds) {
    const AgentHooks* hooks = row.adapter().hooks();
    const auto kind = hooks == nullptr ? std::nullopt : hooks->KindOf(name);
    if (kind) return NamedEvent{row.kind, *kind};
  }
  return std::nullopt;
}

NamedEvent StatusLineEvent() {
  const auto* row = std::ranges::find_if(
      kKinds, [](const KindOfAgent& one) { return one.adapter().hooks() != nullptr; });
  return {row->kind, EventKind::kStatusShown};
}

}  // namespace belay
