// The one place that writes identities: the journal "identities", and its renderings in the state
// root, identities/{role}-{name}.json and identities/history/{role}-{name}-{incarnation}.json.

#ifndef BELAY_LEDGER_IDENTITY_LEDGER_H_
#define BELAY_LEDGER_IDENTITY_LEDGER_H_

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "ledger/ledger.h"
#include "model/identity_book.h"
#include "os/file_system.h"
#include "store/layout.h"

namespace belay {

struct IdentityChange {
  std::string kind;  // "spawning", "alive", "crashed", ...
  std::string why;   // one line for people
  Identity identity;
};

class IdentityLedger;
struct IdentityFamily : FamilyDefaults {
  using Book = IdentityBook;
  using LedgerClass = IdentityLedger;
  static constexpr std::string_view kJournal = "identities";
  static constexpr Following kFollow = Following::kEachAgent;
  static std::vector<std::string> Folders(const Layout& project);
  static Result<void> EachRendering(const Book& book, const Layout& project,
                                    const RenderingSink& sink);
  static RecordText LogText(const Json& record);
  static std::optional<RecordText> WhyText(const Json& record);  // without heartbeats
};
using IdentityLock = FamilyLock<IdentityFamily>;

class IdentityLedger : public Ledger<IdentityFamily> {
 public:
  using Ledger::book;
  using Ledger::Ledger;
  IdentityBook& book() { return book_; }

  // All of them with one sync. A change of an incarnation before the current one (as of under the
  // lock) is kRefused, and then none of them is recorded.
  Result<void> Record(const IdentityLock& lock, std::span<const IdentityChange> changes);
  Result<void> Record(const IdentityLock& lock, const IdentityChange& change) {
    return Record(lock, {&change, 1});
  }
  // It was proven alive now. `active_at`: when it did something since the last check. kRefused for
  // an incarnation before the current one, kNotFound for one that was never recorded.
  Result<void> RecordSeen(const IdentityLock& lock, const AgentId& agent,
                          std::optional<WallTime> active_at);
  // For people only: a late message of a dead incarnation, a probe, a decision that changes no
  // identity.
  Result<void> Note(const IdentityLock& lock, const AgentId& agent, std::string_view why);

  // Updates the files of one identity; edits by hand are noted in the journal. Removes history
  // files that are no longer in the book.
  Result<void> Render(const IdentityLock& lock, const IdentityName& name);
  // All of them.
  Result<void> Render(const IdentityLock& lock) override;
  std::vector<RenderJob> RenderJobs() override;
  // Those of one identity, in two parts.
  std::vector<RenderJob> RenderJobsOf(const IdentityName& name);

 private:
  Result<void> CheckFence(std::span<const IdentityChange> changes) const;
  Result<void> RenderPresent(const IdentityLock& lock, const IdentityName& name);
  Result<void> RenderHistory(const IdentityLock& lock, const IdentityName& name);
  Result<IdentityEntry> Entry(const IdentityName& name);
  Result<void> RenderOne(const IdentityLock& lock, const std::string& path,
                         const Identity& identity);
  Result<void> RemoveOlder(const IdentityLock& lock, const IdentityEntry& entry);
  Result<void> RemoveStrays(const IdentityLock& lock);
  StateFileRules Rules(const IdentityLock& lock, const AgentId& agent, const std::string& path);
};

}  // namespace belay

#endif  // BELAY_LEDGER_IDENTITY_LEDGER_H_
