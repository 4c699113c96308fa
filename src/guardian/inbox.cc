// Handles signals in the guardian's inbox and requests on its socket.

#include <fmt/core.h>

#include <algorithm>

#include "app/authority.h"
#include "app/signals.h"
#include "base/utf8.h"
#include "codec/json.h"
#include "guardian/guardian.h"

namespace belay {
namespace {

constexpr int kMostSignalsAtOnce = 16;
constexpr auto kSignalsAgain = std::chrono::seconds(1);

bool IsPassing(const Error& error) {
  return error.code == ErrorCode::kBusy || error.code == ErrorCode::kFailed;
}

}  // namespace

// Handles a signal, then acknowledges it: after a kill in between the inbox returns it again, so
// handling it twice does no harm. A few at a time, so that a busy sender doesn't delay other work.
void Guardian::OnSignals() {
  for (int i = 0; i < kMostSignalsAtOnce; ++i) {
    const Result<std::optional<Signal>> signal = inbox_.Take();
    if (!signal) return RetrySignals(signal.error());
    if (!*signal) return;
    const Result<Handled> handled = Handle(**signal);
    if (!handled) ReportProblem(handled.error());
    // A signal that may succeed later stays; the inbox returns it again in a minute.
    if (!handled && IsPassing(handled.error())) continue;
    if (handled && *handled == Handled::kGoesOn) continue;
    const Result<void> done = inbox_.Acknowledge((*signal)->id);
    if (!done) return ReportProblem(done.error());
  }
  deferred_work_.Add("signals", [this] { OnSignals(); });
}

// Another process may have the lock.
void Guardian::RetrySignals(const Error& error) {
  ReportProblem(error);
  loop_.CancelTimer(signals_again_);
  signals_again_ = loop_.StartTimer(kSignalsAgain, [this] { OnSignals(); });
}

SignalBox Guardian::BoxOf(const Recipient& who) {
  return {env_.files, env_.clock, env_.random, env_.project, who, env_.lock_limit};
}

Result<Guardian::Handled> Guardian::Handle(const Signal& signal) {
  const std::string_view name = RuleOf(signal.type).name;
  if (const Result<AgentId> from = AgentId::Parse(signal.from)) return HandleAgents(signal, *from);
  if (signal.type == SignalType::kKillOrchestrator) {
    BELAY_TRY(HandleKill(signal));
    return Handled::kDone;
  }
  options_.say(fmt::format("{} from {}: {}", name, signal.from, SignalText(signal)));
  if (signal.type != SignalType::kMergeReady) return Handled::kDone;
  TakeMergeReady(signal);
  return Handled::kGoesOn;
}

// belay checks the target when a signal is sent, so a target that is wrong here has changed since,
// or the signal was stored by other means.
Result<void> Guardian::HandleKill(const Signal& signal) {
  BELAY_TRY(identities_.CatchUp());
  const Result<AgentId> target = KillTarget(identities_.book(), signal);
  if (target) return StopByRequest(*target, signal.from);
  const Result<AgentId> meant = AgentId::Parse(TextIn(signal.payload, "agent_id"));
  const Identity* present = meant ? identities_.book().Find(meant->identity()) : nullptr;
  if (present != nullptr) Note(AgentId(present->id), target.error().message);
  return target.error();
}

Result<Guardian::Handled> Guardian::HandleAgents(const Signal& signal, const AgentId& from) {
  const std::string_view name = RuleOf(signal.type).name;
  const Identity* present = identities_.book().Find(from.identity());
  if (present == nullptr) return Handled::kDone;
  // An agent that reports its work as finished may end right after.
  const bool ended_well = signal.type == SignalType::kMergeReady && present->id == from &&
                          present->status == AgentStatus::kTerminated;
  if ((present->id != from || !IsRunning(present->status)) && !ended_well) {
    Note(present->id, fmt::format("ignored a late {} from {}", name, signal.from));
    return Handled::kDone;
  }
  if (AgentRuntime* runtime = FindRuntime(from.identity())) runtime->reported = true;
  if (signal.type == SignalType::kNeedsInput) {
    BELAY_TRY(SetStatus(from, AgentStatus::kWaiting, "it needs input"));
    return Handled::kDone;
  }
  if (signal.type == SignalType::kMergeReady) BELAY_TRY(MoveToCompletion(from));
  if (signal.type != SignalType::kHookUpdated) Note(from, fmt::format("it sent {}", name));
  if (signal.type != SignalType::kMergeReady) return Handled::kDone;
  TakeMergeReady(signal);
  return Handled::kGoesOn;
}

Result<void> Guardian::MoveToCompletion(const AgentId& agent) {
  BELAY_TRY_ASSIGN(const HookLock lock,
                   HookLedger::Lock(env_.files, env_.project, env_.lock_limit));
  BELAY_TRY(hooks_.Change(lock, agent.identity(), agent.incarnation(), "phase", "MERGE_READY",
                          [&](Hook& changed) {
                            SetPhase(changed, WorkPhase::kCompletion, env_.clock.Wall(), "signal");
                          }));
  return {};
}

// As `belay stop` does: records the intent, saves the work, ends the agent. An agent that was asked
// to end before, perhaps by a guardian that was killed right after, is ended now.
Result<void> Guardian::StopByRequest(const AgentId& agent, std::string_view by) {
  return RequestStop(agent, Intent{"stop", std::string(by), env_.clock.Wall()},
                     fmt::format("KILL_ORCHESTRATOR from {}", by));
}

Result<void> Guardian::RequestStop(const AgentId& agent, const Intent& intent,
                                   const std::string& why) {
  {
    BELAY_TRY_ASSIGN(const IdentityLock lock, LockIdentities());
    BELAY_TRY(identities_.CatchUp());
    const Identity* present = identities_.book().Find(agent.identity());
    if (present == nullptr || present->id != agent) return {};
    if (present->status == AgentStatus::kTerminated) return {};
    Identity changed = *present;
    changed.intent = intent;
    const bool runs = IsRunning(present->status);
    if (!runs) changed.status = AgentStatus::kTerminated;
    if (!runs) changed.restart.due.reset();
    BELAY_TRY(identities_.Record(
        lock, IdentityChange{runs ? "stopping" : "terminated", why, std::move(changed)}));
  }
  AgentRuntime* const runtime = FindRuntime(agent.identity());
  if (runtime != nullptr && runtime->agent.runs()) {
    CaptureThenEnd(*runtime);
  } else if (runtime != nullptr) {
    runtime->end_when_started = true;
  }
  ReconcileChanged();
  return {};
}

Result<Json> Guardian::Answer(const Json& request, const Peer& peer) {
  const std::string what = TextIn(request, "do");
  if (what == "status") {
    std::size_t running = 0;
    for (const auto& [name, runtime] : runtimes_) running += runtime.agent.runs() ? 1 : 0;
    return MakeObject({{"agent_id", self_->text()},
                       {"since", FormatUtcMicros(since_)},
                       {"watching", running},
                       {"sleeps", loop_.Sleeps()}});
  }
  if (what == "signal") return TakeSignal(request, peer);
  return Error{ErrorCode::kUsage, fmt::format("unknown request to the guardian: {}", Quote(what)),
               "use the same version of belay for both"};
}

// The guardian finds out the sender itself and ignores what the signal claims.
Result<Json> Guardian::TakeSignal(const Json& request, const Peer& peer) {
  const Json* record = request.Find("signal");
  if (record == nullptr) return Error{ErrorCode::kUsage, "the request has no signal"};
  BELAY_TRY_ASSIGN(Signal signal, SignalFromJson(*record));
  BELAY_TRY(identities_.CatchUp());
  const std::optional<std::string> claim =
      AgentId::Parse(signal.from) ? std::optional(signal.from) : std::nullopt;
  const Result<Caller> found = FindPeer(identities_.book(), MarksOf(env_.project), peer, claim);
  BELAY_TRY(CheckAuthority(Operation::kSignalSend, found));
  const Caller& caller = *found;
  const std::string what(RuleOf(signal.type).name);
  BELAY_TRY(CheckFence(env_.files, env_.project, identities_, caller, what, env_.lock_limit));
  BELAY_TRY_ASSIGN(const Recipient to, Recipient::Parse(signal.to));
  signal.from = caller.Name();
  signal.at = env_.clock.Wall();
  BELAY_TRY(CheckSent(identities_.book(), signal, caller, to));
  SignalBox box = BoxOf(to);
  BELAY_TRY_ASSIGN(const std::string id, box.Send(signal));
  if (const auto agent = IdentityName::Parse(signal.to); agent && IsMessage(signal.type)) {
    DeliverSoon(*agent);
  }
  return MakeObject({{"id", id}, {"from", signal.from}});
}

void Guardian::OnMergeQueue() {
  const Result<void> caught_up = merges_.CatchUp();
  if (!caught_up) return ReportProblem(caught_up.error());
  if (self_) merging_.ActAs(*self_);
  checkout_watch_.Set(std::ranges::any_of(
      merges_.book().entries(), [](const auto& one) { return IsWaiting(one.second.status); }));
  merging_.Drive(merges_.book(), env_.clock.Wall());
}

void Guardian::SendMergeFailed(const IdentityName& agent, const std::string& reason) {
  const Signal failed{.type = SignalType::kMergeFailed,
                      .from = "guardian",
                      .to = agent.text(),
                      .at = env_.clock.Wall(),
                      .payload = MakeObject({{"reason", reason}})};
  SignalBox box = BoxOf(Recipient::Agent(agent));
  if (const Result<std::string> sent = box.Send(failed); !sent) ReportProblem(sent.error());
  DeliverSoon(agent);
}

// Acknowledges the signal when the work is queued: after a kill before that the inbox returns it
// again, and queueing twice makes one entry.
void Guardian::TakeMergeReady(const Signal& signal) {
  const Result<AgentId> from = AgentId::Parse(signal.from);
  if (self_) merging_.ActAs(*self_);
  const MergeRequest request{.agent = from ? from->identity().text() : std::string(),
                             .branch = TextIn(signal.payload, "branch"),
                             .head = TextIn(signal.payload, "head"),
                             .target = TextIn(signal.payload, "target")};
  merging_.Enqueue(request, [this, signal, from](const Result<Json>& entry) {
    if (!entry) {
      const std::string why = fmt::format("MERGE_READY: {}", entry.error().message);
      if (from) {
        Note(*from, why);
      } else {
        options_.say(why);
      }
      if (entry.error().code == ErrorCode::kBusy) return;  // comes again in a minute
      if (from) SendMergeFailed(from->identity(), entry.error().message);
    } else if (from) {
      Note(*from, fmt::format("its work is queued as {}", TextIn(*entry, "entry_id")));
    }
    const Result<void> done = inbox_.Acknowledge(signal.id);
    if (!done) ReportProblem(done.error());
    OnMergeQueue();
  });
}

}  // namespace belay
