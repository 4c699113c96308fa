// Signals to one recipient, over its inbox in the vault (store/inbox.h has the guarantees: at least
// once, in order of each sender, never overwritten, unreadable messages set aside).

#ifndef BELAY_LEDGER_SIGNAL_BOX_H_
#define BELAY_LEDGER_SIGNAL_BOX_H_

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/signal.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "os/random.h"
#include "store/inbox.h"
#include "store/layout.h"

namespace belay {

class SignalBox {
 public:
  // Waits this long for the lock of the inbox; then the operation is kBusy.
  SignalBox(FileSystem& files, const Clock& clock, Random& random, const Layout& project,
            const Recipient& who, Duration lock_limit = std::chrono::seconds(2));

  const std::string& folder() const { return folder_; }  // a message arrives as a name moved in
  Result<void> EnsureFolder();                           // so that it can be watched

  // Durable when it returns the signal's id. Doesn't call CheckSignal; only an invalid sender is
  // kRefused. A HOOK_UPDATED replaces earlier ones about the same hook, which add nothing: they
  // would pile up while no guardian is running.
  Result<std::string> Send(const Signal& signal);
  // The same under an id from InboxId: a second call does nothing, also after the first one was
  // acknowledged, for ten minutes.
  Result<void> SendAs(const std::string& id, const Signal& signal);
  // Waiting and leased signals, in order, without taking them. Messages that aren't signals are
  // left out.
  Result<std::vector<Signal>> Peek() const;
  // The next one, leased for a minute; then it is handed out again unless it was acknowledged.
  // Messages that aren't signals are acknowledged and skipped.
  Result<std::optional<Signal>> Take();
  Result<void> Acknowledge(const std::string& id);
  // Forgets messages acknowledged more than ten minutes ago; Acknowledge does so, too.
  Result<void> Prune();

 private:
  void DropOlder(const Signal& signal, const std::string& id);
  Result<void> EnsureParent();

  FileSystem& files_;
  const Clock& clock_;
  Layout project_;
  std::string parent_;
  std::string folder_;
  Inbox inbox_;
  bool parent_is_safe_ = false;  // its name is on the disk
};

}  // namespace belay

#endif  // BELAY_LEDGER_SIGNAL_BOX_H_
