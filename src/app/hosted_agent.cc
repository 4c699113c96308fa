#include "app/hosted_agent.h"

#include <fmt/core.h>

#include "app/agent_argument.h"
#include "host/run_record.h"
#include "ledger/identity_ledger.h"

namespace belay {
namespace {

bool HasStarted(const Identity& identity) {
  return identity.started_at.has_value() || identity.id.incarnation() > 1;
}

std::optional<Identity> Recorded(const Env& env, const Layout& project, const IdentityName& agent) {
  IdentityLedger ledger(env.files, env.clock, project);
  const Identity* identity = ledger.CatchUp() ? ledger.book().Find(agent) : nullptr;
  return identity != nullptr ? std::optional(*identity) : std::nullopt;
}

std::string WhyItNeverRan(const Env& env, const Layout& project, const IdentityName& agent) {
  const std::optional<Identity> identity = Recorded(env, project, agent);
  if (identity && !FactsOf(identity->host).launched) {
    return fmt::format("{} {}, and talks where it was started", agent.text(),
                       FactsOf(identity->host).not_ours);
  }
  if (identity && HasStarted(*identity)) {
    return fmt::format("{} was started, but the record of its run is gone", agent.text());
  }
  if (!identity || IsRunning(identity->status)) {
    return fmt::format("{} has not run yet", agent.text());
  }
  const std::string& reason = identity->restart.reason;
  return fmt::format("{} never ran{}{}", agent.text(), reason.empty() ? "" : ": ", reason);
}

std::string EndText(const RunRecord& run) {
  return run.exit ? fmt::format("{} has ended: {}", run.agent.identity().text(), run.exit->text())
                  : fmt::format("{} has ended", run.agent.identity().text());
}

}  // namespace

Result<IdentityName> FindHostedAgent(const Env& env, const Layout& project,
                                     std::string_view argument, Incarnations which) {
  Result<IdentityName> name = IdentityName::Parse(argument);
  if (name && env.files.Inspect(project.RunFile(*name))) return name;
  IdentityLedger ledger(env.files, env.clock, project);
  if (which == Incarnations::kPresent) return FindAgent(ledger, argument);
  BELAY_TRY_ASSIGN(const AgentId named, FindIncarnation(ledger, argument));
  return named.identity();
}

bool HasStarted(const Env& env, const Layout& project, const IdentityName& agent) {
  const std::optional<Identity> identity = Recorded(env, project, agent);
  return identity && FactsOf(identity->host).launched && HasStarted(*identity);
}

AgentHost RecordedHost(const Env& env, const Layout& project, const IdentityName& agent) {
  const std::optional<Identity> identity = Recorded(env, project, agent);
  return identity ? identity->host : AgentHost::kProcess;
}

std::optional<std::string> WhyNotRunning(const Env& env, const Layout& project,
                                         const IdentityName& agent) {
  const Result<std::optional<RunRecord>> run = ReadRunRecord(env.files, project, agent);
  if (!run) return std::nullopt;  // it can't be told
  if (!*run) return WhyItNeverRan(env, project, agent);
  const RunRecord& record = **run;
  switch (record.state) {
    case RunState::kStarting:
      return fmt::format("{} is being started", agent.text());
    case RunState::kRunning:
      if (record.process && !IsAlive(*record.process)) return EndText(record);
      return std::nullopt;
    case RunState::kEnded:
      return EndText(record);
    case RunState::kFailed:
      return fmt::format("{} could not be started: {}", agent.text(), record.error);
  }
  __builtin_unreachable();
}

}  // namespace belay
