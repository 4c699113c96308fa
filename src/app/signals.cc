#include "app/signals.h"

#include <fmt/core.h>

#include <algorithm>

#include "app/authority.h"
#include "app/control.h"
#include "app/session_place.h"
#include "app/settings.h"
#include "ledger/dispatcher.h"
#include "ledger/identity_ledger.h"
#include "ledger/signal_box.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

Error NotMeant(std::string_view why, std::string hint) {
  return {ErrorCode::kRefused, fmt::format("KILL_ORCHESTRATOR: {}", why), std::move(hint)};
}

Result<void> CheckProof(const Signal& signal, const Caller& caller) {
  const SignalRule& rule = RuleOf(signal.type);
  const bool agents_may = (rule.senders & static_cast<std::uint8_t>(Party::kAgent)) != 0;
  if (agents_may || caller.party != Party::kPerson || caller.proven) return {};
  return Error{
      ErrorCode::kRefused,
      fmt::format("only a person may send {}, and belay can't prove that you are one", rule.name),
      "run it in a terminal that no agent opened"};
}

constexpr auto kInboxLockLimit = std::chrono::seconds(2);

// Without a guardian it is judged here, by the same table.
Result<std::string> SendDirectly(Env& env, const Layout& project, IdentityLedger& identities,
                                 const Signal& signal, const Recipient& to) {
  const Caller& caller = *env.caller;
  BELAY_TRY(CheckFence(env.files, project, identities, caller, RuleOf(signal.type).name));
  BELAY_TRY(CheckSent(identities.book(), signal, caller, to));
  return SignalBox(env.files, env.clock, env.random, project, to).Send(signal);
}

// Offers it to the agent's hooks, which the guardian does otherwise.
void OfferSignal(Env& env, const Layout& project, const IdentityLedger& identities,
                 const Recipient& to) {
  const Result<IdentityName> agent = IdentityName::Parse(to.text());
  const Identity* identity = agent ? identities.book().Find(*agent) : nullptr;
  if (identity == nullptr) return;
  Dispatcher dispatcher(env.files, env.clock, env.random, project);
  const Result<DispatchState> offered = dispatcher.UpdateAndWait(*identity);
  if (!offered) env.say(offered.error().message);
}

class SignalWaiter {
 public:
  SignalWaiter(Env& env, const Layout& project, const IdentityLedger& identities,
               const Recipient& who, const WaitForSignalRequest& request)
      : env_(env),
        project_(project),
        identities_(identities),
        who_(who),
        box_(env.files, env.clock, env.random, project, who),
        request_(request) {}

  // Whether there was a signal.
  Result<bool> Check() {
    BELAY_TRY(EnsureFolder(env_.files, project_.LockFolder()));
    const std::string path = project_.LockFile("signals-" + who_.text());
    BELAY_TRY_ASSIGN(const StateLock lock, StateLock::Acquire(env_.files, path, kInboxLockLimit));
    BELAY_TRY_ASSIGN(const std::vector<Signal> signals, box_.Peek());
    DeliveryLedger deliveries(env_.files, env_.clock, project_);
    BELAY_TRY(deliveries.CatchUp());
    const auto found = std::find_if(signals.begin(), signals.end(), [&](const Signal& signal) {
      const Delivery* known = deliveries.book().Find(signal.id);
      const bool given = known != nullptr && known->given();  // a hook was faster
      return !given && (!request_.type || signal.type == *request_.type);
    });
    if (found == signals.end()) return false;
    BELAY_TRY(request_.show(*found));
    BELAY_TRY(box_.Acknowledge(found->id));
    if (IsMessage(found->type)) RecordTaken(*found);
    return true;
  }

  // This delivers a message to an agent: no hook delivers it again.
  void RecordTaken(const Signal& signal) {
    const Result<IdentityName> agent = IdentityName::Parse(signal.to);
    const Identity* identity = agent ? identities_.book().Find(*agent) : nullptr;
    if (identity == nullptr) return;
    Dispatcher dispatcher(env_.files, env_.clock, env_.random, project_);
    const Result<void> recorded = dispatcher.RecordTaken(*identity, signal, "belay signal wait");
    if (!recorded) env_.say(recorded.error().message);
  }

  // Waits until one comes, or the time is over: false.
  Result<bool> Wait() {
    BELAY_TRY(box_.EnsureFolder());
    BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, env_.make_loop());
    Result<bool> outcome = false;
    const auto look = [&] {
      outcome = Check();
      if (!outcome || *outcome) loop->Stop();
    };
    BELAY_TRY(loop->WatchFolder(box_.folder(), [&](const FolderEvent& event) {
      if (!outcome || *outcome) return;
      const bool arrived =
          event.change == FolderChange::kMovedIn || event.change == FolderChange::kOverflow;
      if (arrived) return look();
      if (event.change != FolderChange::kGone) return;
      outcome = Error{ErrorCode::kNotFound, fmt::format("{} no longer exists", box_.folder())};
      loop->Stop();
    }));
    look();
    if (!outcome || *outcome) return outcome;
    if (request_.limit) loop->StartTimer(*request_.limit, [&] { loop->Stop(); });
    loop->Run();
    return outcome;
  }

 private:
  Env& env_;
  const Layout& project_;
  const IdentityLedger& identities_;
  const Recipient& who_;
  SignalBox box_;
  const WaitForSignalRequest& request_;
};

}  // namespace

Result<AgentId> KillTarget(const IdentityBook& book, const Signal& signal) {
  const Json* value = signal.payload.Find("agent_id");
  const bool text = value != nullptr && value->AsString() != nullptr;
  if (!text) return NotMeant("its agent_id is not a string", "such as \"orchestrator-login#3\"");
  Result<AgentId> agent = AgentId::Parse(*value->AsString());
  if (!agent) {
    return NotMeant(agent.error().message, "add the incarnation, such as orchestrator-login#3");
  }
  const Identity* present = book.Find(agent->identity());
  if (present == nullptr) {
    return NotMeant(fmt::format("no agent {}", agent->identity().text()),
                    "belay agents --all lists them");
  }
  if (present->id == *agent) return agent;
  return NotMeant(
      fmt::format("{} is not the current incarnation; {} is", agent->text(), present->id.text()),
      "belay agents lists the running agents");
}

Result<void> CheckSent(const IdentityBook& book, const Signal& signal, const Caller& caller,
                       const Recipient& to) {
  BELAY_TRY(CheckSignal(signal, caller.party, to));
  BELAY_TRY(CheckProof(signal, caller));
  if (signal.type != SignalType::kKillOrchestrator) return {};
  BELAY_TRY(KillTarget(book, signal));
  return {};
}

Result<Recipient> FindRecipient(const IdentityBook& book, std::string_view text) {
  for (const Recipient& known : {Recipient::Guardian(), Recipient::Person()}) {
    if (known.text() == text) return known;
  }
  BELAY_TRY_ASSIGN(const IdentityName name, ResolvePresent(book, text));
  return Recipient::Agent(name);
}

Result<Signal> SendSignal(Env& env, SendSignalRequest request) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  BELAY_TRY_ASSIGN(const Recipient to, FindRecipient(identities.book(), request.to));
  Signal signal{.type = request.type,
                .from = env.caller->Name(),
                .to = to.text(),
                .at = env.clock.Wall(),
                .payload = std::move(request.payload)};
  BELAY_TRY_ASSIGN(
      const std::optional<Json> answer,
      AskGuardian(project, MakeObject({{"do", "signal"}, {"signal", ToJson(signal)}})));
  if (answer) {
    signal.id = TextIn(*answer, "id");
    signal.from = TextIn(*answer, "from");
    return signal;
  }
  BELAY_TRY_ASSIGN(signal.id, SendDirectly(env, project, identities, signal, to));
  if (IsMessage(signal.type)) OfferSignal(env, project, identities, to);
  return signal;
}

Result<WaitForSignalOutcome> WaitForSignal(Env& env, const WaitForSignalRequest& request) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kWrite));
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  BELAY_TRY_ASSIGN(const Recipient who, FindRecipient(identities.book(), request.who));
  SignalWaiter waiter(env, project, identities, who, request);
  BELAY_TRY_ASSIGN(const bool came, waiter.Wait());
  return WaitForSignalOutcome{who, came};
}

Recipient OwnInbox(const Caller& caller) {
  return caller.agent ? Recipient::Agent(caller.agent->identity()) : Recipient::Person();
}

Result<ListSignalsOutcome> ListSignals(Env& env, const std::optional<std::string>& who) {
  BELAY_TRY_ASSIGN(const Layout project, OpenProject(env, VaultUse::kRead));
  IdentityLedger identities(env.files, env.clock, project);
  BELAY_TRY(identities.CatchUp());
  Result<Recipient> whose = Recipient::Person();
  if (who) {
    whose = FindRecipient(identities.book(), *who);
  } else {
    BELAY_TRY_ASSIGN(const Caller caller, CallerOf(env, project, identities.book()));
    if (!caller.IsPerson() && !caller.agent) {
      return Error{ErrorCode::kUsage, fmt::format("{} has no inbox here", caller.Name()),
                   "name an inbox: belay signal list WHO"};
    }
    whose = OwnInbox(caller);
  }
  if (!whose) return whose.error();
  const SignalBox box(env.files, env.clock, env.random, project, *whose);
  BELAY_TRY_ASSIGN(std::vector<Signal> signals, box.Peek());
  return ListSignalsOutcome{*whose, std::move(signals)};
}

std::string PersonMessagesLine(Env& env, const Layout& project) {
  const SignalBox box(env.files, env.clock, env.random, project, Recipient::Person());
  const Result<std::vector<Signal>> signals = box.Peek();
  if (!signals) return {};
  const auto counts = [](const Signal& signal) { return !IsNews(signal.type); };
  const auto count = std::ranges::count_if(*signals, counts);
  if (count == 0) return {};
  // Its type, because without one the command takes news first, and the count stays.
  const Signal& oldest = *std::ranges::find_if(*signals, counts);
  return fmt::format(
      "{} message{} for you: belay signal list person (belay signal wait person --type {} takes "
      "the oldest one)",
      count, count == 1 ? "" : "s", RuleOf(oldest.type).name);
}

}  // namespace belay
