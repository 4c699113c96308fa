// The one place that writes identities: the journal "identities", and its renderings in the state
// root, identities/{role}-{name}.json and identities/history/{role}-{name}-{incarnation}.json.
//
// Several processes use it at once: whoever changes something takes the lock, catches up, looks,
// and records. What Record has acknowledged is on the disk; renderings come after and are allowed
// to fail, since they can be made anew at any time.

#ifndef BELAY_LEDGER_IDENTITY_LEDGER_H_
#define BELAY_LEDGER_IDENTITY_LEDGER_H_

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger_journal.h"
#include "ledger/state_file.h"
#include "model/identity_book.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

struct IdentityChange {
  std::string kind;  // "spawning", "alive", "crashed", ...
  std::string why;   // one line for people
  Identity identity;
};

class IdentityLedger {
 public:
  IdentityLedger(FileSystem& files, const Clock& clock, const Layout& project);

  // The lock of the journal; needs a vault that can be trusted. kBusy after `limit`.
  static Result<StateLock> Lock(FileSystem& files, const Layout& project,
                                Duration limit = std::chrono::seconds(2));

  // What the journal says at present; without the lock.
  Result<void> CatchUp();
  const IdentityBook& book() const { return book_; }
  IdentityBook& book() { return book_; }

  // All of them with one sync. A change of an incarnation before the present one (as of under the
  // lock) is kRefused, and then none of them is recorded.
  Result<void> Record(const StateLock& lock, std::span<const IdentityChange> changes);
  Result<void> Record(const StateLock& lock, const IdentityChange& change) {
    return Record(lock, {&change, 1});
  }
  // It was proven alive now. `active_at`: it did something since it was last looked at. kRefused
  // for an incarnation before the present one, kNotFound for one that was never recorded.
  Result<void> RecordSeen(const StateLock& lock, const AgentId& agent,
                          std::optional<WallTime> active_at);
  // For people only: a late message of a dead incarnation, a probe, a decision that changes no
  // identity.
  Result<void> Note(const StateLock& lock, const AgentId& agent, std::string_view why);

  // Brings the files of one identity up to date; of one that was edited by hand a copy is kept
  // (Layout::EditedFolder), which is noted in the journal. Removes history files that are no longer
  // in the book. Under the lock, so that an older rendering never replaces a newer one.
  Result<void> Render(const StateLock& lock, const IdentityName& name);
  // The two parts of that, for whoever may not take long.
  Result<void> RenderPresent(const StateLock& lock, const IdentityName& name);
  Result<void> RenderHistory(const StateLock& lock, const IdentityName& name);
  // All of them, without what crashes left in their folders; goes on after a failure and gives back
  // the first.
  Result<void> RenderAll(const StateLock& lock);

  // When the journal has grown to twice what it says: the old one is kept in the archive
  // (Layout::ArchiveFolder, the latest few), and a short one takes its place, without history that
  // ended longer ago than kOldestHistory. Gives whether. Never as long as there are records that
  // can't be understood: a newer belay may have written them.
  Result<bool> CompactIfLarge(const StateLock& lock);

 private:
  JournalFollower Follower();
  Result<void> CheckFence(std::span<const IdentityChange> changes) const;
  Result<IdentityEntry> Entry(const IdentityName& name);
  Result<void> RenderOne(const StateLock& lock, const std::string& path, const Identity& identity);
  Result<void> RemoveOlder(const StateLock& lock, const IdentityEntry& entry);
  Result<void> RemoveStrays(const StateLock& lock);
  StateFileRules Rules(const StateLock& lock, const AgentId& agent, const std::string& path);

  FileSystem& files_;
  const Clock& clock_;
  const Layout& project_;
  LedgerJournal journal_;
  IdentityBook book_;
  bool offers_ = true;  // lines to the book, as long as it copes with that
};

}  // namespace belay

#endif  // BELAY_LEDGER_IDENTITY_LEDGER_H_
