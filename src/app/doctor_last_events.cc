#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <span>

#include "adapters/agents.h"
#include "app/agents_view.h"
#include "app/doctor_checks.h"
#include "app/session_place.h"
#include "app/state_files.h"
#include "base/path.h"
#include "base/text.h"
#include "engine/events/event_owner.h"
#include "ledger/event_log.h"
#include "ledger/family_table.h"
#include "ledger/identity_ledger.h"

namespace belay {
namespace {

constexpr std::size_t kMostAgentsNamed = 8;

bool IsSilent(const HookedAgent& agent, WallTime now) {
  return !agent.last_event && now - agent.started > kMayBeSilent;
}

std::string Describe(const HookedAgent& agent, WallTime now) {
  if (agent.last_event) return fmt::format("{} {} ago", agent.id, AgeText(*agent.last_event, now));
  return fmt::format("{} {}, started {} ago", agent.id, IsSilent(agent, now) ? "never" : "not yet",
                     AgeText(agent.started, now));
}

std::string DescribeAll(const std::vector<HookedAgent>& agents, WallTime now) {
  std::string text = Join(std::span(agents).first(std::min(agents.size(), kMostAgentsNamed)), "; ",
                          [&](const HookedAgent& agent) { return Describe(agent, now); });
  if (agents.size() > kMostAgentsNamed)
    text += fmt::format("; and {} more", agents.size() - kMostAgentsNamed);
  return text;
}

HookedAgent Find(const Layout& project, const FileSystem& files, const Identity& identity) {
  HookedAgent agent{.id = identity.id.text(),
                    .started = identity.started_at.value_or(identity.created_at)};
  for (const AgentEvent& event : LastEvents(files, project, identity.id.identity())) {
    if (EventOwnerOf(event, identity) == EventOwner::kItself)
      agent.last_event = std::max(agent.last_event, std::optional(event.at));
  }
  return agent;
}

// They point into the ledger's book. Empty without a readable journal, which is a finding of its
// own.
std::vector<AgentRow> RowsOf(IdentityLedger& ledger, const Layout& project, const Env& env) {
  if (!ledger.CatchUp()) return {};
  const SuperviseSettings settings;
  const SessionEnv session{env.files, env.clock, env.random, env.programs, project, settings};
  return AgentRows(session, ledger.book(), HookBook(), false);
}

constexpr std::size_t kMostFilesNamed = 4;
constexpr const char* kStateFilesCheck = "state files";

std::string_view StateText(RenderingState state) {
  switch (state) {
    case RenderingState::kCurrent:
      return "match the journals";
    case RenderingState::kMissing:
      return "missing";
    case RenderingState::kOutdated:
      return "out of date";
    case RenderingState::kEdited:
      return "edited by hand";
    case RenderingState::kReplaced:
      return "unreadable";
  }
  __builtin_unreachable();
}

std::string_view CostOf(RenderingState state) {
  switch (state) {
    case RenderingState::kCurrent:
      return "";
    case RenderingState::kMissing:
    case RenderingState::kReplaced:
      return "scripts can't read belay's state";
    case RenderingState::kOutdated:
      return "scripts read outdated state";
    case RenderingState::kEdited:
      return "scripts read content that belay didn't write";
  }
  __builtin_unreachable();
}

Check Unreadable(const Error& error) {
  return {kStateFilesCheck, Verdict::kBroken, error.message, "scripts can't read belay's state",
          error.hint,       error.code};
}

// Each file with its state.
struct OddFile {
  std::string path;
  std::string_view how;
  std::string_view cost;
};

// A file that is only out of date is no finding while a guardian is running: it is about to write
// it.
Result<std::vector<OddFile>> FindOdd(const Layout& project, const Env& env) {
  Ledgers ledgers(env.files, env.clock, project);
  std::vector<OddRendering> renderings;
  for (AnyLedger* ledger : ledgers.all()) {
    BELAY_TRY_ASSIGN(const std::vector<OddRendering> more, FindOddRenderings(env.files, *ledger));
    renderings.insert(renderings.end(), more.begin(), more.end());
  }
  BELAY_TRY_ASSIGN(const std::vector<StrayFile> strays,
                   FindStrays(env.files, project, ledgers.all()));
  const bool guarded = GuardianRuns(env.files, project, ledgers.Get<IdentityFamily>().book());
  std::vector<OddFile> odd;
  for (const OddRendering& one : renderings) {
    if (guarded && one.state == RenderingState::kOutdated) continue;
    odd.push_back({one.path, StateText(one.state), CostOf(one.state)});
  }
  for (const StrayFile& one : strays) {
    if (one.ours && guarded) continue;
    odd.push_back({one.path, one.ours ? "no longer recorded" : "not written by belay",
                   CostOf(one.ours ? RenderingState::kOutdated : RenderingState::kEdited)});
  }
  return odd;
}

std::string Describe(const Layout& project, const std::vector<OddFile>& odd) {
  std::string text = Join(
      std::span(odd).first(std::min(odd.size(), kMostFilesNamed)), "; ", [&](const OddFile& one) {
        return fmt::format("{}: {}", RelativeTo(project.Root(), one.path), one.how);
      });
  if (odd.size() > kMostFilesNamed)
    text += fmt::format("; and {} more", odd.size() - kMostFilesNamed);
  return text;
}

}  // namespace

Check JudgeLastEvents(AgentKind kind, std::vector<HookedAgent> agents, WallTime now) {
  const std::string name = fmt::format("{} events", AgentKindName(kind));
  std::ranges::stable_sort(agents, std::ranges::greater(),
                           [&](const HookedAgent& agent) { return IsSilent(agent, now); });
  const std::string found = DescribeAll(agents, now);
  if (agents.empty() || !IsSilent(agents[0], now)) return {name, Verdict::kFine, found};
  return {name, Verdict::kLacking, found,
          "without events belay doesn't know the agent's phase or context; after a crash its "
          "successor may have to start a new conversation",
          fmt::format("run belay init --agent {}, then belay stop {}, and spawn it again: agents "
                      "read hooks only at start",
                      AgentKindName(kind), agents[0].id.substr(0, agents[0].id.find('#')))};
}

std::vector<Check> CheckLastEvents(const Layout& project, const Env& env) {
  IdentityLedger ledger(env.files, env.clock, project);
  std::map<AgentKind, std::vector<HookedAgent>> agents;
  for (const AgentRow& row : RowsOf(ledger, project, env)) {
    const AgentKind kind = row.identity->agent_kind;
    const bool runs = row.pid && row.ours && HooksFor(kind) != nullptr;
    if (runs) agents[kind].push_back(Find(project, env.files, *row.identity));
  }
  std::vector<Check> checks;
  for (auto& [kind, its] : agents) {
    checks.push_back(JudgeLastEvents(kind, std::move(its), env.clock.Wall()));
  }
  return checks;
}

std::optional<Check> CheckGuardian(const Layout& project, const Env& env) {
  IdentityLedger ledger(env.files, env.clock, project);
  const std::string found = UnguardedLine(RowsOf(ledger, project, env));
  if (found.empty()) return std::nullopt;
  return Check{
      "guardian", Verdict::kLacking, found,
      "agents are not restarted after a crash or a release, and no work lands automatically",
      "run belay guard in its own terminal"};
}

Check CheckStateFiles(const Layout& project, const Env& env) {
  const Result<std::vector<OddFile>> odd = FindOdd(project, env);
  if (!odd) return Unreadable(odd.error());
  if (odd->empty()) return {kStateFilesCheck, Verdict::kFine, "match the journals"};
  return {kStateFilesCheck, Verdict::kLacking, Describe(project, *odd),
          std::string(odd->front().cost),
          fmt::format("belay doctor --repair rewrites {}, and keeps a copy of other content",
                      odd->size() == 1 ? "it" : "them")};
}

}  // namespace belay
