#include "app/doctor_heard.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "adapters/agents.h"
#include "app/agents_view.h"
#include "engine/events/whose_event.h"
#include "ledger/event_log.h"
#include "ledger/identity_ledger.h"

namespace belay {
namespace {

constexpr std::size_t kMostAgentsNamed = 8;

bool IsSilent(const HookedAgent& agent, WallTime now) {
  return !agent.heard && now - agent.started > kMayBeSilent;
}

std::string Describe(const HookedAgent& agent, WallTime now) {
  if (agent.heard) return fmt::format("{} {} ago", agent.id, AgeText(*agent.heard, now));
  return fmt::format("{} {}, started {} ago", agent.id, IsSilent(agent, now) ? "never" : "not yet",
                     AgeText(agent.started, now));
}

std::string DescribeAll(const std::vector<HookedAgent>& agents, WallTime now) {
  std::string text;
  for (std::size_t i = 0; i < std::min(agents.size(), kMostAgentsNamed); ++i) {
    text += (i == 0 ? "" : "; ") + Describe(agents[i], now);
  }
  if (agents.size() > kMostAgentsNamed)
    text += fmt::format("; and {} more", agents.size() - kMostAgentsNamed);
  return text;
}

HookedAgent Find(const Layout& project, const FileSystem& files, const Identity& identity) {
  HookedAgent agent{.id = identity.id.text(),
                    .started = identity.started_at.value_or(identity.created_at)};
  for (const AgentEvent& event : LastEvents(files, project, identity.id.identity())) {
    if (WhoseEvent(event, identity) == EventOwner::kItself)
      agent.heard = std::max(agent.heard, std::optional(event.at));
  }
  return agent;
}

// They refer to the ledger's book. Without a readable journal, which is a finding of its own, none.
std::vector<AgentRow> RowsOf(IdentityLedger& ledger, const Layout& project, const Env& env) {
  if (!ledger.CatchUp()) return {};
  const SuperviseSettings settings;
  const SessionDoors doors{env.files, env.clock, env.random, env.programs, project, settings};
  return AgentRows(doors, ledger.book(), HookBook(), false);
}

}  // namespace

Check JudgeHeard(AgentKind kind, std::vector<HookedAgent> agents, WallTime now) {
  const std::string name = fmt::format("{} hooks heard", AgentKindName(kind));
  std::ranges::stable_sort(agents, std::ranges::greater(),
                           [&](const HookedAgent& agent) { return IsSilent(agent, now); });
  const std::string found = DescribeAll(agents, now);
  if (agents.empty() || !IsSilent(agents[0], now)) return {name, Verdict::kFine, found};
  return {
      name, Verdict::kLacking, found,
      "of one that was never heard belay knows no phase and no context, and after a crash it may "
      "have to begin a new conversation",
      fmt::format("belay init --agent {}; then belay stop {}, and spawn it again: hooks are "
                  "read at the start",
                  AgentKindName(kind), agents[0].id.substr(0, agents[0].id.find('#')))};
}

std::vector<Check> CheckHeard(const Layout& project, const Env& env) {
  IdentityLedger ledger(env.files, env.clock, project);
  std::map<AgentKind, std::vector<HookedAgent>> agents;
  for (const AgentRow& row : RowsOf(ledger, project, env)) {
    const AgentKind kind = row.identity->agent_kind;
    const bool runs = row.pid && row.ours && HooksFor(kind) != nullptr;
    if (runs) agents[kind].push_back(Find(project, env.files, *row.identity));
  }
  std::vector<Check> checks;
  for (auto& [kind, its] : agents) {
    checks.push_back(JudgeHeard(kind, std::move(its), env.clock.Wall()));
  }
  return checks;
}

std::optional<Check> CheckGuardian(const Layout& project, const Env& env) {
  IdentityLedger ledger(env.files, env.clock, project);
  const std::string found = UnguardedLine(RowsOf(ledger, project, env));
  if (found.empty()) return std::nullopt;
  return Check{"guardian", Verdict::kLacking, found,
               "an agent that crashes or is released is not started, and no work lands by itself",
               "belay guard, in a terminal of its own"};
}

}  // namespace belay
