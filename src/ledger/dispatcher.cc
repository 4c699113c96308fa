#include "ledger/dispatcher.h"

#include <algorithm>
#include <utility>

#include "base/path.h"
#include "codec/json_lines.h"
#include "os/process.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr auto kHookLimit = std::chrono::seconds(2);
constexpr int kMostRounds = 8;

std::optional<ProcessIdentity> Named(const ProcessMark& mark) {
  Result<std::string> boot = BootId();
  if (!boot) return std::nullopt;
  return ProcessIdentity{static_cast<pid_t>(mark.pid), mark.start, *std::move(boot)};
}

bool Runs(const ProcessMark& mark) {
  const std::optional<ProcessIdentity> process = Named(mark);
  return process && IsAlive(*process);
}

OutboxBatch BatchFor(const Identity& to, std::vector<Signal> messages) {
  OutboxBatch batch{to.id, to.process, to.parent, !FactsOf(to.host).named};
  batch.messages = std::move(messages);
  return batch;
}

// A long message continues where the last hook ended.
std::uint64_t PartsGiven(const OutboxBatch& there, const OutboxBatch& wanted) {
  const bool same = there.agent == wanted.agent && !there.messages.empty() &&
                    !wanted.messages.empty() &&
                    there.messages.front().id == wanted.messages.front().id;
  return same ? there.part : 0;
}

}  // namespace

Result<DeliveryLock> Dispatcher::Lock() {
  BELAY_TRY_ASSIGN(DeliveryLock lock, DeliveryLedger::Lock(files_, project_, lock_limit_));
  BELAY_TRY(ledger_.CatchUp());
  return lock;
}

SignalBox Dispatcher::BoxOf(const IdentityName& agent) {
  return {files_, clock_, random_, project_, Recipient::Agent(agent), lock_limit_};
}

std::string Dispatcher::PathOf(const OutboxName& name) const {
  return JoinPath(project_.OutboxFolder(), name.name);
}

Result<std::vector<Signal>> Dispatcher::Pending(const IdentityName& agent) {
  BELAY_TRY(ledger_.CatchUp());
  BELAY_TRY_ASSIGN(std::vector<Signal> signals, BoxOf(agent).Peek());
  std::erase_if(signals, [&](const Signal& signal) {
    const Delivery* known = ledger_.book().Find(signal.id);
    return !IsMessage(signal.type) || (known != nullptr && !known->waits());
  });
  return signals;
}

// Recorded first, then removed: after a kill in between the next call finds it recorded.
Result<void> Dispatcher::RecordDone(const DeliveryLock& lock, const OutboxName& name,
                                    DispatchState& state) {
  const Result<GivenBatch> done = ReadGiven(files_, PathOf(name));
  // Not one of ours: the messages stay in the inbox.
  if (!done) return EmptyIfMissing(files_.RemoveFile(PathOf(name)));
  std::vector<Delivery> given;
  for (const Signal& signal : std::span(done->batch.messages).first(done->receipt.given)) {
    const Delivery* known = ledger_.book().Find(signal.id);
    // Skips finished ones; one that waits again was given before it began to wait.
    const bool again = known != nullptr && known->lost_at && name.at <= *known->lost_at;
    if (known != nullptr && (!known->waits() || again)) continue;
    Delivery delivery = DeliveryOf(signal, done->batch.agent);
    delivery.state = DeliveryState::kGiven;
    delivery.delivered_at = name.at;
    delivery.by = name.event;
    delivery.session = done->receipt.session;
    delivery.transcript = done->receipt.transcript;
    given.push_back(std::move(delivery));
  }
  BELAY_TRY(ledger_.Record(lock, given));
  state.given.insert(state.given.end(), given.begin(), given.end());
  return EmptyIfMissing(files_.RemoveFile(PathOf(name)));
}

Result<void> Dispatcher::AcknowledgeFinished(const IdentityName& agent) {
  SignalBox box = BoxOf(agent);
  BELAY_TRY_ASSIGN(const std::vector<Signal> signals, box.Peek());
  for (const Signal& signal : signals) {
    const Delivery* known = ledger_.book().Find(signal.id);
    if (known == nullptr || known->waits() || known->given()) continue;
    BELAY_TRY(EmptyIfMissing(box.Acknowledge(signal.id)));
  }
  return {};
}

Result<std::vector<Delivery>> Dispatcher::Review(
    const Identity& to, const std::function<Reading(const Delivery&)>& judge) {
  BELAY_TRY_ASSIGN(const DeliveryLock lock, Lock());
  DispatchState state;
  BELAY_TRY(RecordHookResults(lock, to, state));
  std::vector<Delivery> changed;
  for (Delivery delivery : ledger_.book().Given(to.id.identity())) {
    const Reading reading = judge(delivery);
    if (reading == Reading::kUnknown) continue;
    if (reading == Reading::kRead) {
      delivery.state = DeliveryState::kDelivered;
    } else {
      delivery.state = DeliveryState::kSent;
      delivery.why = delivery.by == kByResumeText
                         ? "the agent ended, and whether it read this is unknown"
                         : "the agent ended before its model read it";
      delivery.lost_at = clock_.Wall();
      delivery.delivered_at.reset();
      delivery.by.clear();
    }
    changed.push_back(std::move(delivery));
  }
  BELAY_TRY(ledger_.Record(lock, changed));
  if (!changed.empty()) BELAY_TRY(AcknowledgeFinished(to.id.identity()));
  return changed;
}

// Records what hooks have done since.
Result<void> Dispatcher::RecordHookResults(const DeliveryLock& lock, const Identity& to,
                                           DispatchState& state) {
  BELAY_TRY_ASSIGN(const std::vector<OutboxName> names, ListOutbox(files_, project_));
  state.taker.reset();
  for (const OutboxName& name : names) {
    if (name.agent == to.id.identity()) BELAY_TRY(RecordHookResult(lock, name, state));
  }
  return {};
}

Result<void> Dispatcher::RecordHookResult(const DeliveryLock& lock, const OutboxName& name,
                                          DispatchState& state) {
  switch (name.state) {
    case OutboxName::State::kDone:
      return RecordDone(lock, name, state);
    case OutboxName::State::kTaken:
      if (!Runs(name.taker)) return EmptyIfMissing(files_.RemoveFile(PathOf(name)));
      state.taker = name.taker;
      return {};
    case OutboxName::State::kRest:
      return Runs(name.taker) ? Result<void>() : EmptyIfMissing(files_.RemoveFile(PathOf(name)));
    case OutboxName::State::kWaiting:
    case OutboxName::State::kWithdrawn:
    case OutboxName::State::kText:
      return {};
  }
  __builtin_unreachable();
}

// False: a hook has just taken it.
Result<bool> Dispatcher::Withdraw(const IdentityName& agent) {
  const std::string withdrawn = JoinPath(project_.OutboxFolder(), agent.text() + ".withdrawn");
  const Result<void> moved = files_.Rename(project_.OutboxFile(agent), withdrawn);
  if (!moved && !IsMissing(moved)) return moved.error();
  BELAY_TRY(EmptyIfMissing(files_.RemoveFile(withdrawn)));
  return moved.ok();
}

Result<void> Dispatcher::RecordNew(const DeliveryLock& lock, const Identity& to,
                                   const std::vector<Signal>& pending) {
  std::vector<Delivery> records;
  for (const Signal& signal : pending) {
    if (ledger_.book().Find(signal.id) == nullptr) records.push_back(DeliveryOf(signal, to.id));
  }
  for (Delivery known : ledger_.book().Waiting(to.id.identity())) {
    const bool there =
        std::ranges::any_of(pending, [&](const Signal& signal) { return signal.id == known.id; });
    if (there) continue;
    known.state = DeliveryState::kDropped;
    known.why = "it is no longer in the inbox";
    records.push_back(std::move(known));
  }
  return ledger_.Record(lock, records);
}

// Only a hook that has taken the outbox also writes it (the rest that didn't fit into its answer).
// So a file that was absent when this began, with no hook finished since, can't be taken in
// between. Then the folder is listed twice: a file that a hook renames during one listing may be
// missing from it, but is in the other.
Result<void> Dispatcher::Offer(const DeliveryLock& lock, const Identity& to, DispatchState& state) {
  const IdentityName& name = to.id.identity();
  const std::string path = project_.OutboxFile(name);
  for (int round = 0; round < kMostRounds; ++round) {
    const Result<OutboxBatch> there = ReadOutbox(files_, path);
    const bool absent = IsMissing(there);
    const std::size_t given = state.given.size();
    BELAY_TRY(RecordHookResults(lock, to, state));
    if (absent && !state.taker) BELAY_TRY(RecordHookResults(lock, to, state));
    if (state.taker) break;
    if (absent && state.given.size() != given) continue;
    BELAY_TRY_ASSIGN(const OutboxBatch wanted, WantedFor(lock, to, there));
    if (there && !wanted.messages.empty() && *there == wanted) break;
    if (!absent) {
      BELAY_TRY_ASSIGN(const bool withdrawn, Withdraw(name));
      if (!withdrawn) continue;
    }
    if (!wanted.messages.empty()) BELAY_TRY(Write(lock, path, wanted));
    break;
  }
  state.waiting = ledger_.book().Waiting(name);
  return {};
}

// What its outbox should hold. `there`: what it holds now.
Result<OutboxBatch> Dispatcher::WantedFor(const DeliveryLock& lock, const Identity& to,
                                          const Result<OutboxBatch>& there) {
  const IdentityName& name = to.id.identity();
  BELAY_TRY_ASSIGN(std::vector<Signal> pending, Pending(name));
  BELAY_TRY(RecordNew(lock, to, pending));
  BELAY_TRY(AcknowledgeFinished(name));
  OutboxBatch wanted = BatchFor(to, std::move(pending));
  if (there) wanted.part = PartsGiven(*there, wanted);
  return wanted;
}

Result<void> Dispatcher::Write(const DeliveryLock&, const std::string& path,
                               const OutboxBatch& batch) {
  BELAY_TRY(EnsureFolder(files_, project_.OutboxFolder()));
  std::string line;
  BELAY_TRY(AppendJsonLine(ToJson(batch), line));
  return ReplaceFile(files_, path, line);
}

Result<DispatchState> Dispatcher::Update(const Identity& to) {
  BELAY_TRY_ASSIGN(const DeliveryLock lock, Lock());
  DispatchState state;
  BELAY_TRY(Offer(lock, to, state));
  return state;
}

Result<DispatchState> Dispatcher::UpdateAndWait(const Identity& to) {
  BELAY_TRY_ASSIGN(DispatchState state, Update(to));
  if (!state.taker) return state;
  const std::optional<ProcessIdentity> hook = Named(*state.taker);
  Result<Process> process = hook ? Process::Open(*hook) : Error{ErrorCode::kNotFound, "no hook"};
  if (process) (void)process->WaitAtMost(kHookLimit);
  return Update(to);
}

Result<std::vector<Delivery>> Dispatcher::Finalize(
    const Identity& to, DeliveryState state, std::string_view by, std::string_view why,
    const std::function<bool(const Signal&)>& which) {
  BELAY_TRY_ASSIGN(const DeliveryLock lock, Lock());
  // Withdrawn first, so that no hook delivers what is finalized here.
  (void)Withdraw(to.id.identity());
  DispatchState seen;
  BELAY_TRY(RecordHookResults(lock, to, seen));
  BELAY_TRY(RecordHookResults(lock, to, seen));
  std::vector<Delivery> finalized;
  BELAY_TRY_ASSIGN(const std::vector<Signal> pending, Pending(to.id.identity()));
  for (const Signal& signal : pending) {
    if (!which(signal)) continue;
    Delivery delivery = DeliveryOf(signal, to.id);
    delivery.state = state;
    delivery.by = by;
    delivery.why = why;
    if (delivery.given()) delivery.delivered_at = clock_.Wall();
    finalized.push_back(std::move(delivery));
  }
  BELAY_TRY(ledger_.Record(lock, finalized));
  BELAY_TRY(AcknowledgeFinished(to.id.identity()));
  BELAY_TRY(Offer(lock, to, seen));
  return finalized;
}

Result<void> Dispatcher::RecordNote(const Identity& to, std::span<const std::string> ids,
                                    std::string_view why) {
  BELAY_TRY_ASSIGN(const DeliveryLock lock, Lock());
  std::vector<Delivery> noted;
  for (const std::string& id : ids) {
    const Delivery* known = ledger_.book().Find(id);
    if (known == nullptr || !known->waits()) continue;
    noted.push_back(*known);
    noted.back().agent = to.id;
    noted.back().why = why;
  }
  return ledger_.Record(lock, noted);
}

Result<void> Dispatcher::RecordTaken(const Identity& to, const Signal& signal,
                                     std::string_view by) {
  BELAY_TRY_ASSIGN(const DeliveryLock lock, Lock());
  Delivery delivery = DeliveryOf(signal, to.id);
  delivery.state = DeliveryState::kDelivered;
  delivery.delivered_at = clock_.Wall();
  delivery.by = by;
  BELAY_TRY(ledger_.Record(lock, {&delivery, 1}));
  DispatchState state;
  return Offer(lock, to, state);
}

Result<void> Dispatcher::RecordUndelivered(std::span<const Delivery> deliveries) {
  BELAY_TRY_ASSIGN(const DeliveryLock lock, Lock());
  std::vector<Delivery> records;
  for (Delivery delivery : deliveries) {
    const Delivery* known = ledger_.book().Find(delivery.id);
    if (known == nullptr || known->state != DeliveryState::kSent) continue;
    delivery.state = DeliveryState::kUndelivered;
    records.push_back(std::move(delivery));
  }
  return ledger_.Record(lock, records);
}

}  // namespace belay
