#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/settings.h"
#include "cli/taint_session.h"
#include "ledger/hook_ledger.h"
#include "ledger/taint_ledger.h"
#include "store/vault.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::size_t kLongestText = 4096;

Result<TaintSource> ReadSource(const Invocation& invocation, const Services& services) {
  TaintSource source{.path = invocation.Value("--source").value_or(""),
                     .tool = invocation.Value("--tool").value_or(""),
                     .at = services.clock.Wall(),
                     .session = {}};
  if (source.path.empty())
    return Error{ErrorCode::kUsage, "--source is missing", "--source PATH names what was read"};
  if (source.path.size() > kLongestText || source.tool.size() > kLongestText) {
    return Error{ErrorCode::kUsage, "--source and --tool take at most 4096 bytes"};
  }
  return source;
}

// A late process of an incarnation that has ended may still have read something.
Result<void> CheckMayMark(const TaintSession& session) {
  const Caller& caller = session.caller;
  if (!caller.agent || (session.agent && caller.Is(session.agent->identity()))) return {};
  return Error{ErrorCode::kRefused, fmt::format("{} may not taint {}", caller.Name(), session.name),
               "an agent marks only itself: leave --agent out"};
}

void SayProblem(Services& services, std::string_view what, const Result<void>& outcome) {
  if (outcome) return;
  services.io.Say(
      fmt::format("recorded, but {} doesn't say so: {}", what, Printable(outcome.error().message)));
}

Result<void> MarkHook(Services& services, const Layout& project, const AgentId& agent,
                      const Taint& taint) {
  HookLedger hooks(services.files, services.clock, project);
  BELAY_TRY_ASSIGN(const StateLock lock, HookLedger::Lock(services.files, project));
  BELAY_TRY(hooks.Change(lock, agent.identity(), agent.incarnation(), "tainted",
                         "it has read something sensitive", [&](Hook& hook) {
                           hook.tainted = true;
                           hook.taint_sources.clear();
                           for (const TaintSource& source : taint.sources) {
                             hook.taint_sources.push_back(source.path);
                           }
                         }));
  return hooks.Render(lock, agent.identity());
}

Result<void> MarkIdentity(Services& services, const Layout& project, IdentityLedger& identities,
                          const AgentId& agent) {
  BELAY_TRY_ASSIGN(const StateLock lock, IdentityLedger::Lock(services.files, project));
  BELAY_TRY(identities.CatchUp());
  const Identity* present = identities.book().Find(agent.identity());
  if (present == nullptr || present->id != agent || present->tainted) return {};
  Identity changed = *present;
  changed.tainted = true;
  BELAY_TRY(identities.Record(
      lock, IdentityChange{"tainted", "it has read something sensitive", std::move(changed)}));
  return identities.Render(lock, agent.identity());
}

// What shows it to people. The taint itself is on the disk by now, and counts without these.
void ShowEverywhere(Services& services, const Layout& project, IdentityLedger& identities,
                    const TaintSession& session, const Taint& taint) {
  if (!session.agent) return;
  const Identity* present = identities.book().Find(session.agent->identity());
  if (present == nullptr || present->id != *session.agent) return;
  SayProblem(services, "its hook", MarkHook(services, project, *session.agent, taint));
  SayProblem(services, "its identity", MarkIdentity(services, project, identities, *session.agent));
}

// A mark that waited while its session was followed by another goes on to that one.
Result<void> MarkSuccessor(TaintLedger& ledger, const StateLock& lock, IdentityLedger& identities,
                           const TaintSession& session) {
  if (!session.agent) return {};
  BELAY_TRY(identities.CatchUp());
  const Identity* present = identities.book().Find(session.agent->identity());
  if (present == nullptr || present->id == *session.agent) return {};
  BELAY_TRY(ledger.Begin(lock, present->id.text(), session.name));
  return {};
}

}  // namespace

Result<int> RunTaintMark(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(TaintSource source, ReadSource(invocation, services));
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(invocation, services));
  BELAY_TRY(CheckVault(services.files, project, VaultUse::kWrite));
  IdentityLedger identities(services.files, services.clock, project);
  BELAY_TRY(identities.CatchUp());
  BELAY_TRY_ASSIGN(const TaintSession session,
                   FindTaintSession(invocation, services, identities.book()));
  BELAY_TRY(CheckMayMark(session));
  if (source.tool.empty()) source.tool = session.caller.agent ? "agent" : "person";
  TaintLedger ledger(services.files, services.clock, project);
  Taint taint;
  {
    BELAY_TRY_ASSIGN(const StateLock lock, TaintLedger::Lock(services.files, project));
    BELAY_TRY_ASSIGN(taint, ledger.Mark(lock, session.name, source));
    BELAY_TRY(MarkSuccessor(ledger, lock, identities, session));
    SayProblem(services, "taint.json", ledger.Render(lock));
  }
  ShowEverywhere(services, project, identities, session, taint);
  Io& io = services.io;
  io.Show(TaintJson(taint, session.name), TaintText(taint, session.name, io.screen.style));
  return 0;
}

}  // namespace belay
