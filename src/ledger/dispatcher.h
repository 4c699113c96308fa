// Moves messages from an agent's inbox to its outbox, where its next hook finds them (outbox.h),
// and records their state (journal "deliveries").
//
// The inbox is the truth of what was sent, the journal of what was delivered; the outbox is derived
// from both and may be lost at any time. Every sender calls Update: the command, the merge queue,
// the guardian. Everything here runs under one lock, that of the journal, and may be killed at any
// step: the next Update continues.
//
//   a done file           -> recorded as given, removed
//   given                 -> Review finds out whether the model has read it: delivered and
//                            acknowledged in the inbox, or it waits again
//   taken, hook is alive  -> nothing more is offered until it has ended, so that the order is kept
//   taken, hook is dead   -> removed: its messages are offered again
//   in the inbox          -> recorded as sent, written to the outbox
//   sent, gone from the inbox -> recorded as dropped
//
// So a message stays in the inbox until its model has read it, or until it is no longer needed.

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
  std::optional<ProcessMark> taker = {};  // the hook that is delivering now
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

  // For the current incarnation of an agent.
  Result<DispatchState> Update(const Identity& to);
  // The same for a command, which can wait: if a hook is delivering, it waits for that hook.
  Result<DispatchState> UpdateAndWait(const Identity& to);

  // Records waiting messages as given (`by` the resume text) or as dropped, and removes them from
  // the outbox. Only those that `which` selects, also if a hook holds them now: that hook belongs
  // to an incarnation that has ended.
  Result<std::vector<Delivery>> Finalize(const Identity& to, DeliveryState state,
                                         std::string_view by, std::string_view why,
                                         const std::function<bool(const Signal&)>& which);
  // Records the verdict of `judge` on the messages given to this incarnation or an earlier one.
  // Unread ones wait again. Returns those that changed.
  Result<std::vector<Delivery>> Review(const Identity& to,
                                       const std::function<Reading(const Delivery&)>& judge);
  // Records a note on messages that still wait.
  Result<void> RecordNote(const Identity& to, std::span<const std::string> ids,
                          std::string_view why);
  // Something other than a hook gave it to the agent, and took it out of the inbox.
  Result<void> RecordTaken(const Identity& to, const Signal& signal, std::string_view by);
  // The user was informed that these wait.
  Result<void> RecordUndelivered(std::span<const Delivery> deliveries);

  // The waiting messages of the inbox, in order.
  Result<std::vector<Signal>> Pending(const IdentityName& agent);
  DeliveryLedger& ledger() { return ledger_; }

 private:
  Result<DeliveryLock> Lock();
  Result<void> RecordHookResults(const DeliveryLock& lock, const Identity& to,
                                 DispatchState& state);
  Result<void> RecordDone(const DeliveryLock& lock, const OutboxName& name, DispatchState& state);
  Result<void> RecordHookResult(const DeliveryLock& lock, const OutboxName& name,
                                DispatchState& state);
  Result<void> AcknowledgeFinished(const IdentityName& agent);
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
