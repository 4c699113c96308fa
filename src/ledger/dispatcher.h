// Brings messages from an agent's inbox to its outbox, where its next hook finds them (outbox.h),
// and records what became of them (journal "deliveries").
//
// The inbox is the truth of what was sent, the journal of what was delivered; the outbox is made
// from both and may be lost at any time. Whoever sends calls Update: the command, the merge queue,
// the guardian. Everything here is done under one lock, that of the journal, and may be killed at
// any step: the next Update goes on.
//
//   a done file           -> recorded as delivered, acknowledged in the inbox; removed after ten
//                            minutes, or when another incarnation runs (Reconsider comes first)
//   taken, hook is alive  -> nothing more is offered until it has ended, so that the order is kept
//   taken, hook is dead   -> removed: its messages are offered again
//   in the inbox          -> recorded as sent, written to the outbox
//   sent, gone from the inbox -> recorded as dropped

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
  std::vector<Delivery> delivered = {};   // recorded by this call
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

  // Records what waits as delivered (`by` the resume text) or as dropped, and takes it out of inbox
  // and outbox. Only those that `which` picks. What a hook delivers at this moment is left to it.
  Result<std::vector<Delivery>> Settle(const Identity& to, DeliveryState state, std::string_view by,
                                       std::string_view why,
                                       const std::function<bool(const Signal&)>& which);
  // For an incarnation that has ended: what a hook delivered to it lately and `was_read` denies
  // waits again, since the agent ended before its model could read it.
  Result<void> Reconsider(const Identity& ended,
                          const std::function<bool(const Signal&)>& was_read);
  // Something else than a hook gave it to the agent, and took it out of the inbox.
  Result<void> RecordTaken(const Identity& to, const Signal& signal, std::string_view by);
  // A person was told that these wait.
  Result<void> RecordUndelivered(std::span<const Delivery> deliveries);
  Result<void> CompactIfLarge();

  // The messages that are settled in no record, in order: of the inbox, and those that wait again.
  Result<std::vector<Signal>> Pending(const IdentityName& agent);
  DeliveryLedger& ledger() { return ledger_; }

 private:
  Result<StateLock> Lock();
  Result<void> TakeIn(const StateLock& lock, const Identity& to, DispatchState& state);
  Result<void> SettleDone(const StateLock& lock, const Identity& to, const OutboxName& name,
                          DispatchState& state);
  bool MayForget(const OutboxName& name, const OutboxBatch& batch, const Identity& to) const;
  Result<void> AddThoseThatWaitAgain(const IdentityName& agent, std::vector<Signal>& pending);
  Result<void> AcknowledgeSettled(const IdentityName& agent);
  Result<bool> Withdraw(const IdentityName& agent);
  Result<void> RecordNew(const StateLock& lock, const Identity& to,
                         const std::vector<Signal>& pending);
  Result<void> Write(const StateLock& lock, const std::string& path, const OutboxBatch& batch);
  Result<void> Offer(const StateLock& lock, const Identity& to, DispatchState& state);
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
