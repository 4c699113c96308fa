#include "cli/doctor_heard.h"

#include <fmt/core.h>

#include <algorithm>

#include "cli/agents_view.h"
#include "engine/events/whose_event.h"
#include "ledger/event_log.h"
#include "ledger/identity_ledger.h"

namespace belay {
namespace {

constexpr const char* kName = "claude hooks heard";
constexpr std::size_t kMostNamed = 8;

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
  for (std::size_t i = 0; i < std::min(agents.size(), kMostNamed); ++i) {
    text += (i == 0 ? "" : "; ") + Describe(agents[i], now);
  }
  if (agents.size() > kMostNamed) text += fmt::format("; and {} more", agents.size() - kMostNamed);
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
std::vector<AgentRow> RowsOf(IdentityLedger& ledger, const Layout& project,
                             const Services& services) {
  if (!ledger.CatchUp()) return {};
  const SuperviseSettings settings;
  const SessionDoors doors{services.files,    services.clock, services.random,
                           services.programs, project,        settings};
  return AgentRows(doors, ledger.book(), HookBook(), false);
}

}  // namespace

Check JudgeHeard(std::vector<HookedAgent> agents, WallTime now) {
  std::ranges::stable_sort(agents, std::ranges::greater(),
                           [&](const HookedAgent& agent) { return IsSilent(agent, now); });
  const std::string found = DescribeAll(agents, now);
  if (agents.empty() || !IsSilent(agents[0], now)) return {kName, Verdict::kFine, found};
  return {
      kName, Verdict::kLacking, found,
      "of one that was never heard belay knows no phase and no context, and after a crash it may "
      "have to begin a new conversation",
      fmt::format("belay init --agent claude; then belay stop {}, and spawn it again: hooks are "
                  "read at the start",
                  agents[0].id.substr(0, agents[0].id.find('#')))};
}

std::optional<Check> CheckHeard(const Layout& project, const Services& services) {
  IdentityLedger ledger(services.files, services.clock, project);
  std::vector<HookedAgent> agents;
  for (const AgentRow& row : RowsOf(ledger, project, services)) {
    const bool runs = row.pid && row.ours && row.identity->agent_kind == AgentKind::kClaude;
    if (runs) agents.push_back(Find(project, services.files, *row.identity));
  }
  if (agents.empty()) return std::nullopt;
  return JudgeHeard(std::move(agents), services.clock.Wall());
}

std::optional<Check> CheckGuardian(const Layout& project, const Services& services) {
  IdentityLedger ledger(services.files, services.clock, project);
  const std::string found = UnguardedLine(RowsOf(ledger, project, services));
  if (found.empty()) return std::nullopt;
  return Check{"guardian", Verdict::kLacking, found,
               "an agent that crashes or is released is not started, and no work lands by itself",
               "belay guard, in a terminal of its own"};
}

}  // namespace belay
