#include "app/taint.h"

#include <fmt/core.h>

#include "app/authority.h"
#include "app/session_place.h"
#include "app/settings.h"
#include "ledger/hook_ledger.h"
#include "ledger/identity_ledger.h"
#include "ledger/taint_ledger.h"
#include "store/vault.h"

namespace belay {
namespace {

TaintSession OfAgent(const AgentId& agent) { return {agent.text(), agent}; }

void SayMarkProblem(Env& env, std::string_view what, const Result<void>& outcome) {
  if (outcome) return;
  env.say(fmt::format("recorded, but {} is out of date: {}", what, outcome.error().message));
}

Result<void> MarkHook(Env& env, const Layout& project, const AgentId& agent, const Taint& taint) {
  HookLedger hooks(env.files, env.clock, project);
  BELAY_TRY_ASSIGN(const HookLock lock, HookLedger::Lock(env.files, project));
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

Result<void> MarkIdentity(Env& env, const Layout& project, IdentityLedger& identities,
                          const AgentId& agent) {
  BELAY_TRY_ASSIGN(const IdentityLock lock, IdentityLedger::Lock(env.files, project));
  BELAY_TRY(identities.CatchUp());
  const Identity* present = identities.book().Find(agent.identity());
  if (present == nullptr || present->id != agent || present->tainted) return {};
  Identity changed = *present;
  changed.tainted = true;
  BELAY_TRY(identities.Record(
      lock, IdentityChange{"tainted", "it has read something sensitive", std::move(changed)}));
  return identities.Render(lock, agent.identity());
}

// Updates what people see. The taint itself is already on the disk, and counts without these.
void ShowEverywhere(Env& env, const Layout& project, IdentityLedger& identities,
                    const TaintSession& session, const Taint& taint) {
  if (!session.agent) return;
  const Identity* present = identities.book().Find(session.agent->identity());
  if (present == nullptr || present->id != *session.agent) return;
  SayMarkProblem(env, "its hook", MarkHook(env, project, *session.agent, taint));
  SayMarkProblem(env, "its identity", MarkIdentity(env, project, identities, *session.agent));
}

// If the session got a successor while the mark waited, the successor is marked too.
Result<void> MarkSuccessor(TaintLedger& ledger, const TaintLock& lock, IdentityLedger& identities,
                           const TaintSession& session) {
  if (!session.agent) return {};
  BELAY_TRY(identities.CatchUp());
  const Identity* present = identities.book().Find(session.agent->identity());
  if (present == nullptr || present->id == *session.agent) return {};
  BELAY_TRY(ledger.Begin(lock, present->id.text(), session.name));
  return {};
}

// Unknown does not mean trusted.
Taint UnreadableTaint(const Error& error) {
  return {.state = TaintState::kTainted, .because = "it can't be read: " + error.message};
}

}  // namespace

Result<TaintSession> FindTaintSession(const Env& env, const Layout& project,
                                      const IdentityBook& book,
                                      const std::optional<std::string>& named) {
  if (named == kManualSession) return TaintSession{*named};
  if (named) {
    BELAY_TRY_ASSIGN(const AgentId agent, ResolveIncarnation(book, *named));
    return OfAgent(agent);
  }
  BELAY_TRY_ASSIGN(const Caller caller, CallerOf(env, project, book));
  if (caller.agent) return OfAgent(*caller.agent);
  if (caller.IsPerson()) return TaintSession{std::string(kManualSession)};
  return Error{ErrorCode::kUsage, fmt::format("{} has no session here", caller.Name()),
               "name one with --agent"};
}

Taint EffectiveTaint(const TaintBook& book, const TaintSession& session) {
  const bool unknown = book.Find(session.name) == nullptr && book.unreadable() == 0;
  if (unknown && !session.agent) return {};
  return book.OfKnown(session.name);
}

Result<TaintOutcome> MarkTaint(Env& env, const MarkTaintRequest& request) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  BELAY_TRY_ASSIGN(const TaintSession session,
                   FindTaintSession(env, project, identities.book(), request.agent));
  TaintSource source{
      .path = request.source, .tool = request.tool, .at = env.clock.Wall(), .session = {}};
  if (source.tool.empty()) source.tool = env.caller->IsPerson() ? "person" : "agent";
  TaintLedger ledger(env.files, env.clock, project);
  Taint taint;
  {
    BELAY_TRY_ASSIGN(const TaintLock lock, TaintLedger::Lock(env.files, project));
    BELAY_TRY_ASSIGN(taint, ledger.Mark(lock, session.name, source));
    BELAY_TRY(MarkSuccessor(ledger, lock, identities, session));
    SayMarkProblem(env, "taint.json", ledger.Render(lock));
  }
  ShowEverywhere(env, project, identities, session, taint);
  return TaintOutcome{session.name, std::move(taint)};
}

Result<TaintOutcome> ReadTaint(const Env& env, const std::optional<std::string>& agent) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kRead));
  IdentityLedger identities(env.files, env.clock, project);
  if (const Result<void> known = identities.CatchUp(); !known) {
    const std::optional<std::string> claim = env.environment.Get("BELAY_AGENT_ID");
    return TaintOutcome{agent.value_or(claim.value_or(std::string(kManualSession))),
                        UnreadableTaint(known.error())};
  }
  BELAY_TRY_ASSIGN(const TaintSession session,
                   FindTaintSession(env, project, identities.book(), agent));
  TaintLedger ledger(env.files, env.clock, project);
  const Result<void> read = ledger.CatchUp();
  return TaintOutcome{
      session.name, read ? EffectiveTaint(ledger.book(), session) : UnreadableTaint(read.error())};
}

}  // namespace belay
