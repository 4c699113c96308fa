// The one place that writes hooks: the journal "hooks", and its renderings in the state root,
// hooks/{role}-{name}.json, each with the version before it as .json.prev.

#ifndef BELAY_LEDGER_HOOK_LEDGER_H_
#define BELAY_LEDGER_HOOK_LEDGER_H_

#include <functional>
#include <string>

#include "base/result.h"
#include "ledger/ledger_journal.h"
#include "model/hook.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

class HookLedger {
 public:
  HookLedger(FileSystem& files, const Clock& clock, const Layout& project);

  static Result<StateLock> Lock(FileSystem& files, const Layout& project,
                                Duration limit = std::chrono::seconds(2));

  Result<void> CatchUp();
  // As CatchUp, but only for HookBook::Glance: of very many hooks that is a fraction of the work.
  Result<void> Skim() { return journal_.CatchUp(Follower()); }
  const HookBook& book() const { return book_; }
  HookBook& book() { return book_; }

  // On the disk when it returns. kRefused for one of an earlier incarnation than the book's.
  Result<void> Record(const StateLock& lock, std::string_view kind, std::string_view why,
                      const Hook& hook);
  // Catches up, lets `edit` change the hook, and records it if it did. kNotFound when there is
  // none. `incarnation`: of whoever writes; an earlier one than the hook's is kRefused (the fence),
  // and nothing is changed. None: a person's or the guardian's.
  Result<Hook> Change(const StateLock& lock, const IdentityName& name,
                      std::optional<std::uint32_t> incarnation, std::string_view kind,
                      std::string_view why, const std::function<void(Hook&)>& edit);

  Result<void> Render(const StateLock& lock, const IdentityName& name);
  Result<void> RenderAll(const StateLock& lock);
  // As IdentityLedger does.
  Result<bool> CompactIfLarge(const StateLock& lock);

 private:
  JournalFollower Follower();

  FileSystem& files_;
  const Clock& clock_;
  const Layout& project_;
  LedgerJournal journal_;
  HookBook book_;
  bool offers_ = true;  // lines to the book, as long as it copes with that
};

}  // namespace belay

#endif  // BELAY_LEDGER_HOOK_LEDGER_H_
