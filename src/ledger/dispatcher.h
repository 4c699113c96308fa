// Brings messages from an agent's inbox to its outbox, where its next hook finds them (outbox.h),
// and records what became of them (journal "deliveries").
//
// The inbox is the truth of what was sent, the journal of what was delivered; the outbox is made
// from both and may be lost at any time. Whoever sends calls Update: the command, the merge queue,
// the guardian. Everything here is done under one lock, that of the journal, and may be killed at
// any step: the next Update goes on.
//
//   a done file           -> recorded as given, removed
//   given                 -> Review finds out whether the model has read it: delivered and
//                            acknowledged in the inbox, or it waits again
//   taken, hook is alive  -> nothing more is offered until it has ended, so that the order is kept
//   taken, hook is dead   -> removed: its messages are offered again
//   in the inbox          -> recorded as sent, written to the outbox
//   sent, gone from the inbox -> recorded as dropped
//
// So a message is in the inbox until its model has read it, or it is no longer needed.

#ifndef BELAY_LEDGER_DISPATCHER_H_
#define BELAY_LEDGER_DISPATCHER_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ledger/delivery_ledger.h"
#include "ledger/outbox.h"
#include "ledger/signal_box.h"
#include "model/identity.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "os/random.h"
#include "store/layout.h"

namespace belay {

struct DispatchState {
  std::vector<Delivery> waiting = {};     // oldest first
  std::optional<ProcessMark> taker = {};  // a hook that delivers at this moment
  std::vector<Delivery> given = {};       // recorded by this call
};

class Dispatcher {
 public:
  Dispatcher(FileSystem& files, const Clock& clock, Random& random, const Layout& project,
             Duration lock_limit = std::chrono::seconds(2))
      : files_(files),
        clock_(clock),
        random_(random),
        project_(project),
        lock_limit_(lock_limit),
        ledger_(files, clock, project) {}

  // For the present incarnation of an agent.
  Result<DispatchState> Update(const Identity& to);
  // The same for a command, which can wait: a hook that delivers at this moment is waited for.
  Result<DispatchState> UpdateAndWait(const Identity& to);

  // Records what waits as given (`by` the resume text) or as dropped, and takes it out of the
  // outbox. Only those that `which` picks, also if a hook holds them at this moment: that hook is
  // of an incarnation that has ended.
  Result<std::vector<Delivery>> Settle(const Identity& to, DeliveryState state, std::string_view by,
                                       std::string_view why,
                                       const std::function<bool(const Signal&)>& which);
  // Records what `judge` says about those that were given to this incarnation or one before. What
  // was not read waits again. Those that changed.
  Result<std::vector<Delivery>> Review(const Identity& to,
                                       const std::function<Reading(const Delivery&)>& judge);
  // They wait, and there is something to say about that.
  Result<void> RecordNote(const Identity& to, std::span<const std::string> ids,
                          std::string_view why);
  // Something else than a hook gave it to the agent, and took it out of the inbox.
  Result<void> RecordTaken(const Identity& to, const Signal& signal, std::string_view by);
  // A person was told that these wait.
  Result<void> RecordUndelivered(std::span<const Delivery> deliveries);

  // The messages of the inbox that wait, in order.
  Result<std::vector<Signal>> Pending(const IdentityName& agent);
  DeliveryLedger& ledger() { return ledger_; }

 private:
  Result<DeliveryLock> Lock();
  Result<void> TakeIn(const DeliveryLock& lock, const Identity& to, DispatchState& state);
  Result<void> SettleDone(const DeliveryLock& lock, const OutboxName& name, DispatchState& state);
  Result<void> TakeInOne(const DeliveryLock& lock, const OutboxName& name, DispatchState& state);
  Result<void> AcknowledgeSettled(const IdentityName& agent);
  Result<bool> Withdraw(const IdentityName& agent);
  Result<void> RecordNew(const DeliveryLock& lock, const Identity& to,
                         const std::vector<Signal>& pending);
  Result<void> Write(const DeliveryLock& lock, const std::string& path, const OutboxBatch& batch);
  Result<void> Offer(const DeliveryLock& lock, const Identity& to, DispatchState& state);
  Result<OutboxBatch> WantedFor(const DeliveryLock& lock, const Identity& to,
                                const Result<OutboxBatch>& there);
  SignalBox BoxOf(const IdentityName& agent);
  std::string PathOf(const OutboxName& name) const;

  FileSystem& files_;
  const Clock& clock_;
  Random& random_;
  const Layout& project_;
  Duration lock_limit_;
  DeliveryLedger ledger_;
};

}  // namespace belay

#endif  // BELAY_LEDGER_DISPATCHER_H_
