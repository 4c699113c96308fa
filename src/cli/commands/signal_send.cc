#include <fmt/core.h>

#include "cli/commands/commands.h"
#include "cli/settings.h"
#include "cli/signal_text.h"
#include "codec/json_member.h"
#include "guardian/control.h"
#include "guardian/signal_check.h"
#include "ledger/dispatcher.h"
#include "ledger/signal_box.h"
#include "os/random.h"
#include "store/vault.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::size_t kLongestPayload = std::size_t{64} << 10U;
constexpr std::size_t kDeepestPayload = 32;

Result<Json> ParsePayload(const std::optional<std::string>& text) {
  if (!text) return Json::EmptyObject();
  if (text->size() > kLongestPayload) {
    return Error{ErrorCode::kUsage, "--payload: more than 64 KiB", "send where it can be found"};
  }
  Result<Json> payload = ParseJson(*text, {.max_depth = kDeepestPayload});
  if (!payload) return Error{ErrorCode::kUsage, "--payload: " + payload.error().message};
  if (payload->AsObject() != nullptr) return payload;
  return Error{ErrorCode::kUsage,
               fmt::format("--payload: {}, where an object belongs", payload->TypeName()),
               R"(such as '{"reason":"no disk left"}')"};
}

struct Sent {
  std::string id;
  std::string from;
};

// Without a guardian it is judged here, by the same table.
Result<Sent> SendDirectly(Services& services, const Layout& project, IdentityLedger& identities,
                          const Caller& caller, const Signal& signal, const Recipient& to) {
  BELAY_TRY(CheckFence(services.files, project, identities, caller, RuleOf(signal.type).name));
  BELAY_TRY(CheckSent(identities.book(), signal, caller, to));
  SystemRandom random;
  SignalBox box(services.files, services.clock, random, project, to);
  BELAY_TRY_ASSIGN(std::string id, box.Send(signal));
  return Sent{std::move(id), signal.from};
}

// To the agent's hooks; the guardian does it otherwise.
void Offer(Services& services, const Layout& project, const IdentityLedger& identities,
           const Recipient& to) {
  const Result<IdentityName> agent = IdentityName::Parse(to.text());
  const Identity* identity = agent ? identities.book().Find(*agent) : nullptr;
  if (identity == nullptr) return;
  Dispatcher dispatcher(services.files, services.clock, services.random, project);
  const Result<DispatchState> offered = dispatcher.UpdateAndWait(*identity);
  if (!offered) services.io.Say(offered.error().message);
}

}  // namespace

Result<int> RunSignalSend(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const SignalType type, ParseSignalType(invocation.operands()[0]));
  const std::optional<std::string> who = invocation.Value("--to");
  if (!who) {
    return Error{ErrorCode::kUsage, "to whom?", "--to guardian, --to person, or --to AGENT"};
  }
  BELAY_TRY_ASSIGN(Json payload, ParsePayload(invocation.Value("--payload")));
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(invocation, services));
  BELAY_TRY(CheckVault(services.files, project, VaultUse::kWrite));
  IdentityLedger identities(services.files, services.clock, project);
  BELAY_TRY(identities.CatchUp());
  BELAY_TRY_ASSIGN(const Caller caller, FindCaller(identities.book(), services.environment));
  BELAY_TRY_ASSIGN(const Recipient to, FindRecipient(identities.book(), *who));
  const Signal signal{.type = type,
                      .from = caller.Name(),
                      .to = to.text(),
                      .at = services.clock.Wall(),
                      .payload = std::move(payload)};
  BELAY_TRY_ASSIGN(
      const std::optional<Json> answer,
      AskGuardian(project, MakeObject({{"do", "signal"}, {"signal", ToJson(signal)}})));
  Sent sent;
  if (answer) {
    sent = {TextIn(*answer, "id"), TextIn(*answer, "from")};
  } else {
    BELAY_TRY_ASSIGN(sent, SendDirectly(services, project, identities, caller, signal, to));
  }
  if (!answer && IsMessage(type)) Offer(services, project, identities, to);
  Signal delivered = signal;
  delivered.id = sent.id;
  delivered.from = sent.from;
  services.io.Show(ToJson(delivered), fmt::format("{}\n", Printable(sent.id)));
  return 0;
}

}  // namespace belay
