// What others ask of the guardian: signals in its inbox, and requests on its socket.

#include <fmt/core.h>

#include "base/utf8.h"
#include "guardian/guardian.h"
#include "guardian/peer_judge.h"

namespace belay {
namespace {

std::string TextIn(const Json& record, std::string_view key) {
  const Json* value = record.Find(key);
  return value != nullptr && value->AsString() != nullptr ? *value->AsString() : std::string();
}

}  // namespace

// Handled, then acknowledged: a kill in between hands it out again, so handling twice does no harm.
// One a round: each costs a few syncs, and somebody may die while hundreds wait.
void Guardian::OnSignals() {
  const Result<std::optional<Signal>> signal = inbox_.Take();
  if (!signal) return Complain(signal.error());
  if (!*signal) return StopIfDone();
  Handle(**signal);
  const Result<void> done = inbox_.Acknowledge((*signal)->id);
  if (!done) return Complain(done.error());
  SignalsSoon();
}

void Guardian::SignalsSoon() {
  chores_.Add("signals", [this] { OnSignals(); });
}

void Guardian::Handle(const Signal& signal) {
  const std::string_view name = RuleOf(signal.type).name;
  const Result<AgentId> from = AgentId::Parse(signal.from);
  if (!from) {
    const Result<IdentityName> target = IdentityName::Parse(TextIn(signal.payload, "agent"));
    if (signal.type == SignalType::kKillOrchestrator && target) {
      return StopByRequest(*target, signal.from);
    }
    return options_.say(fmt::format("{} from {}", name, signal.from));
  }
  const Identity* present = identities_.book().Find(from->identity());
  if (present == nullptr) return options_.say(fmt::format("{} from {}", name, signal.from));
  if (present->id != *from || !IsRunning(present->status)) {
    return Note(present->id, fmt::format("a late {} of {} changes nothing", name, signal.from));
  }
  const auto ward = wards_.find(from->identity());
  if (ward != wards_.end()) ward->second.told = true;
  if (signal.type == SignalType::kNeedsInput) {
    return SetStatus(*from, AgentStatus::kWaiting, "it asks for input");
  }
  if (signal.type == SignalType::kMergeReady) MoveToCompletion(*from);
  if (signal.type != SignalType::kHookUpdated) Note(*from, fmt::format("it sent {}", name));
}

void Guardian::MoveToCompletion(const AgentId& agent) {
  const Result<StateLock> lock = HookLedger::Lock(doors_.files, doors_.project);
  if (!lock) return Complain(lock.error());
  const Result<Hook> hook = hooks_.Change(
      *lock, agent.identity(), agent.incarnation(), "phase", "MERGE_READY", [&](Hook& changed) {
        SetPhase(changed, WorkPhase::kCompletion, doors_.clock.Wall(), "signal");
      });
  if (!hook) Complain(hook.error());
}

// As `belay stop` does: the intent first, then its work, then its end.
void Guardian::StopByRequest(const IdentityName& name, std::string_view by) {
  const Result<StateLock> lock = LockIdentities();
  if (!lock) return Complain(lock.error());
  if (!identities_.CatchUp()) return;
  const Identity* present = identities_.book().Find(name);
  if (present == nullptr || present->intent || !IsRunning(present->status)) return;
  Identity changed = *present;
  changed.intent = Intent{"stop", std::string(by), doors_.clock.Wall()};
  const Result<void> recorded = identities_.Record(
      *lock, IdentityChange{"stopping", fmt::format("KILL_ORCHESTRATOR from {}", by), changed});
  if (!recorded) return Complain(recorded.error());
  const auto ward = wards_.find(name);
  if (ward == wards_.end()) return;
  Capture(ward->second, "before it is stopped");
  EndProcesses(ward->second);
}

Result<Json> Guardian::Answer(const Json& request, const Peer& peer) {
  const std::string what = TextIn(request, "do");
  if (what == "status") {
    std::size_t running = 0;
    for (const auto& [name, ward] : wards_) running += ward.agent.runs() ? 1 : 0;
    return MakeObject({{"agent_id", self_->text()},
                       {"since", FormatUtcMicros(since_)},
                       {"watching", running},
                       {"sleeps", loop_.Sleeps()}});
  }
  if (what == "signal") return TakeSignal(request, peer);
  return Error{ErrorCode::kUsage, fmt::format("the guardian doesn't know {}", Quote(what)),
               "use the same belay for both"};
}

// Who sends is judged here, whatever the signal says about it.
Result<Json> Guardian::TakeSignal(const Json& request, const Peer& peer) {
  const Json* record = request.Find("signal");
  if (record == nullptr) return Error{ErrorCode::kUsage, "a request without a signal"};
  BELAY_TRY_ASSIGN(Signal signal, SignalFromJson(*record));
  BELAY_TRY(identities_.CatchUp());
  const Speaker speaker = JudgePeer(identities_.book(), peer.pid, signal.from);
  BELAY_TRY_ASSIGN(const Recipient to, Recipient::Parse(signal.to));
  signal.from = speaker.name;
  signal.at = doors_.clock.Wall();
  if (!speaker.objection.empty()) {
    if (speaker.about) Note(*speaker.about, speaker.objection);
    return Error{ErrorCode::kRefused, speaker.objection,
                 "only the present incarnation of an agent is heard"};
  }
  BELAY_TRY(CheckSignal(signal, speaker.party, to));
  SignalBox box(doors_.files, doors_.clock, doors_.random, doors_.project, to);
  BELAY_TRY_ASSIGN(const std::string id, box.Send(signal));
  return MakeObject({{"id", id}, {"from", signal.from}});
}

}  // namespace belay
