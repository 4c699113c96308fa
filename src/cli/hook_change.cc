#include "cli/hook_change.h"

#include <fmt/core.h>

#include "cli/agent_argument.h"
#include "cli/session_place.h"
#include "ledger/hook_ledger.h"
#include "ledger/signal_box.h"
#include "os/random.h"
#include "store/rendering.h"
#include "ui/width.h"

namespace belay {
namespace {

void SayProblem(Services& services, std::string_view what, const Result<void>& outcome) {
  if (outcome) return;
  services.io.Say(fmt::format("{}: {}", what, Printable(outcome.error().message)));
}

Result<void> TellGuardian(Services& services, const Layout& project, const HookWriter& writer,
                          const Hook& hook) {
  const Recipient guardian = Recipient::Guardian();
  SystemRandom random;
  SignalBox box(services.files, services.clock, random, project, guardian);
  const Json record = HookJson(hook);
  const Signal signal{.type = SignalType::kHookUpdated,
                      .from = writer.caller.Name(),
                      .to = guardian.text(),
                      .at = services.clock.Wall(),
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

Result<HookWriter> FindHookWriter(Services& services, const Layout& project,
                                  IdentityLedger& identities, std::string_view agent,
                                  std::string_view what) {
  BELAY_TRY_ASSIGN(const IdentityName name, FindAgent(identities, agent));
  if (identities.book().Find(name)->host == AgentHost::kSelf) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} is belay itself, and has no hook", name.text()),
                 "agents have one each; belay agents lists them"};
  }
  BELAY_TRY_ASSIGN(Caller caller, FindCaller(identities.book(), services.environment));
  if (caller.agent && !caller.Is(name)) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} may not write the hook of {}", caller.Name(), name.text()),
                 "an agent writes only its own; send a signal instead"};
  }
  BELAY_TRY(CheckFence(services.files, project, identities, caller, what));
  return HookWriter{std::move(caller), *identities.book().Find(name)};
}

Result<Hook> ChangeHook(Services& services, const Layout& project, const HookWriter& writer,
                        std::string_view kind, const std::function<void(Hook&)>& edit) {
  HookLedger hooks(services.files, services.clock, project);
  std::optional<std::uint32_t> incarnation;
  if (writer.caller.agent) incarnation = writer.caller.agent->incarnation();
  Result<Hook> hook = [&]() -> Result<Hook> {
    BELAY_TRY_ASSIGN(const StateLock lock, HookLedger::Lock(services.files, project));
    BELAY_TRY_ASSIGN(Hook changed, hooks.Change(lock, writer.agent.id.identity(), incarnation, kind,
                                                "by " + SpokenName(writer.caller.Name()), edit));
    SayProblem(services, "recorded, but its file is not up to date",
               hooks.Render(lock, changed.identity));
    return changed;
  }();
  if (!hook) return hook;
  SayProblem(services, "recorded, but the guardian wasn't told",
             TellGuardian(services, project, writer, *hook));
  return hook;
}

}  // namespace belay
