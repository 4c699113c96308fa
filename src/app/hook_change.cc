#include "app/hook_change.h"

#include <fmt/core.h>

#include "app/agent_argument.h"
#include "app/session_place.h"
#include "ledger/hook_ledger.h"
#include "ledger/signal_box.h"
#include "os/random.h"
#include "store/rendering.h"

namespace belay {
namespace {

void SayProblem(Env& env, std::string_view what, const Result<void>& outcome) {
  if (outcome) return;
  env.say(fmt::format("{}: {}", what, outcome.error().message));
}

Result<void> TellGuardian(Env& env, const Layout& project, const HookWriter& writer,
                          const Hook& hook) {
  const Recipient guardian = Recipient::Guardian();
  SystemRandom random;
  SignalBox box(env.files, env.clock, random, project, guardian);
  const Json record = HookJson(hook);
  const Signal signal{.type = SignalType::kHookUpdated,
                      .from = writer.caller.Name(),
                      .to = guardian.text(),
                      .at = env.clock.Wall(),
                      .payload = MakeObject({{"agent_id", writer.agent.id.text()},
                                             {"hook_path", project.HookRendering(hook.identity)},
                                             {"sha256", *record.Find("sha256")},
                                             {"phase", WorkPhaseName(hook.work_phase)}})};
  BELAY_TRY(box.Send(signal));
  return {};
}

}  // namespace

Json HookJson(const Hook& hook) {
  Json record = ToJson(hook);
  if (Result<Json> rendered = ParseJson(RenderingText(record))) record = *std::move(rendered);
  record.Remove("schema_version");
  return record;
}

Result<HookWriter> FindHookWriter(const Env& env, IdentityLedger& identities,
                                  std::string_view agent) {
  BELAY_TRY_ASSIGN(const IdentityName name, FindAgent(identities, agent));
  if (!FactsOf(identities.book().Find(name)->host).is_agent) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} is belay itself, and has no hook", name.text()),
                 "agents have one each; belay agents lists them"};
  }
  return HookWriter{*env.caller, *identities.book().Find(name)};
}

Result<Hook> ChangeHook(Env& env, const Layout& project, const HookWriter& writer,
                        std::string_view kind, const std::function<void(Hook&)>& edit) {
  HookLedger hooks(env.files, env.clock, project);
  std::optional<std::uint32_t> incarnation;
  if (writer.caller.agent) incarnation = writer.caller.agent->incarnation();
  Result<Hook> hook = [&]() -> Result<Hook> {
    BELAY_TRY_ASSIGN(const HookLock lock, HookLedger::Lock(env.files, project));
    BELAY_TRY_ASSIGN(Hook changed, hooks.Change(lock, writer.agent.id.identity(), incarnation, kind,
                                                "by " + SpokenName(writer.caller.Name()), edit));
    SayProblem(env, "recorded, but its file is not up to date",
               hooks.Render(lock, changed.identity));
    return changed;
  }();
  if (!hook) return hook;
  SayProblem(env, "recorded, but the guardian wasn't told",
             TellGuardian(env, project, writer, *hook));
  return hook;
}

}  // namespace belay
