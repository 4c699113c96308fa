// What the ledgers of all families have in common. Several processes use one journal at once: a
// writer takes the lock, catches up, looks, and records. What was recorded is on the disk when a
// call returns; renderings come after and may fail, since they can be made again at any time.

#ifndef BELAY_LEDGER_LEDGER_H_
#define BELAY_LEDGER_LEDGER_H_

#include <fmt/core.h>

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/path.h"
#include "base/result.h"
#include "base/time.h"
#include "ledger/family.h"
#include "ledger/family_list.h"
#include "ledger/ledger_journal.h"
#include "model/project.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/durable_file.h"
#include "store/layout.h"
#include "store/state_lock.h"

namespace belay {

// The lock of one family's journal. A ledger takes only its own family's, so passing another's
// doesn't compile; what is done to any journal (store/journal.h) takes it as a StateLock.

template <class F>
class Ledger;

template <class F>
class FamilyLock {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): it is such a lock, and more.
  operator const StateLock&() const { return lock_; }

 private:
  friend class Ledger<F>;
  explicit FamilyLock(StateLock lock) : lock_(std::move(lock)) {}

  StateLock lock_;
};

// Some renderings of a family, to be made by themselves; takes the lock, waiting at most `limit`.
struct RenderJob {
  std::string what;  // "hooks worker-a"; the same for the same files
  std::function<Result<void>(Duration limit)> render;
};

// A ledger of any family.
class AnyLedger {
 public:
  AnyLedger() = default;
  AnyLedger(const AnyLedger&) = delete;
  AnyLedger& operator=(const AnyLedger&) = delete;
  virtual ~AnyLedger() = default;

  virtual std::string_view journal() const = 0;
  virtual Following follow() const = 0;
  // Reads the current state of the journal; without the lock.
  virtual Result<void> CatchUp() = 0;
  // The required content of the renderings, as of the last CatchUp. None without any record.
  // Ends with the first error of the sink.
  virtual Result<void> EachRendering(const RenderingSink& sink) const = 0;
  // The snapshots that its records name and that must not be deleted, as of the last CatchUp.
  virtual void EachNamedSnapshot(const SnapshotNameSink& sink) const = 0;
  // Records that can't be understood, as of the last CatchUp.
  virtual std::uint64_t unreadable() const = 0;
  // All renderings, in pieces that don't take long.
  virtual std::vector<RenderJob> RenderJobs() = 0;
  // Under the lock, which is waited for at most `limit`.
  virtual Result<void> RenderWithin(Duration limit) = 0;
  virtual Result<bool> CompactWithin(Duration limit) = 0;
  // A file in a folder of its renderings that is none of them; what belay didn't write is kept.
  virtual Result<void> RemoveWithin(Duration limit, const std::string& path) = 0;
};

template <class F>
class Ledger : public AnyLedger {
  static_assert(kIsListed<F>, "a family of records has its place in ledger/family_list.h");
  static_assert(
      [] {
        if constexpr (HasFormat<F>) return IsWhole(F::kFormat);
        return true;
      }(),
      "a version without a step to the next one");

 public:
  using Book = typename F::Book;
  static constexpr Duration kPatience = std::chrono::seconds(2);

  Ledger(FileSystem& files, const Clock& clock, const Layout& project)
      : files_(files),
        clock_(clock),
        project_(project),
        journal_(files, project, F::kJournal, F::kSmallestCompacted) {}

  // Needs a vault that can be trusted. kBusy after `limit`, kNotFound when belay isn't set up.
  static Result<FamilyLock<F>> Lock(FileSystem& files, const Layout& project,
                                    Duration limit = kPatience) {
    BELAY_TRY_ASSIGN(StateLock lock, LockJournal(files, project, F::kJournal, limit));
    return FamilyLock<F>(std::move(lock));
  }
  // For callers that check the vault themselves; the vault's folder exists.
  static Result<FamilyLock<F>> LockUnchecked(FileSystem& files, const Layout& project,
                                             Duration limit = kPatience) {
    BELAY_TRY_ASSIGN(StateLock lock, LockJournalUnchecked(files, project, F::kJournal, limit));
    return FamilyLock<F>(std::move(lock));
  }

  std::string_view journal() const final { return F::kJournal; }
  Following follow() const final { return F::kFollow; }
  const Book& book() const { return book_; }

  Result<void> CatchUp() final {
    Result<void> outcome = journal_.CatchUp(Follower());
    if (!offers_ || ParseOffered()) return outcome;
    offers_ = false;
    journal_.StartOver(Follower());
    return journal_.CatchUp(Follower());
  }

  Result<void> EachRendering(const RenderingSink& sink) const final {
    if constexpr (HasRenderings<F>) {
      if (journal_.last_seq() > 0) return F::EachRendering(book_, project_, sink);
    }
    return {};
  }

  void EachNamedSnapshot(const SnapshotNameSink& sink) const final {
    if constexpr (requires { F::EachNamedSnapshot(book_, sink); }) {
      F::EachNamedSnapshot(book_, sink);
    }
  }
  std::uint64_t unreadable() const final { return book_.unreadable(); }

  // Brings all renderings up to date, without what crashes left beside them; goes on after a
  // failure and gives the first. Of one that was edited by hand a copy is kept
  // (Layout::EditedFolder), and that is recorded. Under the lock, so that an older rendering never
  // replaces a newer one.
  virtual Result<void> Render(const FamilyLock<F>& lock) {
    BELAY_TRY(CatchUp());
    Result<void> first = RemoveLeftovers(lock);
    (void)EachRendering([&](const Rendering& one) {
      KeepFirst(
          UpdateStateFile(files_, lock, project_, one.path, one.record(), RulesOf(lock, one.path)),
          first);
      return Result<void>();
    });
    return first;
  }

  std::vector<RenderJob> RenderJobs() override {
    if constexpr (!HasRenderings<F>) return {};
    return {{std::string(F::kJournal), [this](Duration limit) { return RenderWithin(limit); }}};
  }

  Result<void> RenderWithin(Duration limit) final {
    BELAY_TRY_ASSIGN(const FamilyLock<F> lock, Lock(files_, project_, limit));
    return Render(lock);
  }

  // When the journal has grown to twice what it says: the old one is kept in the archive
  // (Layout::ArchiveFolder, the latest few), and a short one takes its place. Gives whether. Never
  // as long as there are records that can't be understood: a newer belay may have written them.
  Result<bool> CompactIfLarge(const FamilyLock<F>& lock) {
    BELAY_TRY(CatchUp());
    if (book_.unreadable() > 0) return false;
    const WallTime now = clock_.Wall();
    BELAY_TRY_ASSIGN(const bool done, journal_.CompactIfLarge(lock, Follower(),
                                                              [&] { return book_.Snapshot(now); }));
    // As a reader of the compacted journal knows it.
    if constexpr (requires { book_.Compacted(now); }) {
      if (done) book_.Compacted(now);
    }
    return done;
  }

  Result<bool> CompactWithin(Duration limit) final {
    BELAY_TRY(CatchUp());
    if (!journal_.MayBeLarge()) return false;
    BELAY_TRY_ASSIGN(const FamilyLock<F> lock, Lock(files_, project_, limit));
    return CompactIfLarge(lock);
  }

  Result<void> RemoveWithin(Duration limit, const std::string& path) final {
    BELAY_TRY_ASSIGN(const FamilyLock<F> lock, Lock(files_, project_, limit));
    BELAY_TRY(CatchUp());
    return RemoveStateFile(files_, lock, project_, path, RulesOf(lock, path));
  }

 protected:
  // On the disk when it returns, with everything before, and in the book.
  Result<void> Append(const FamilyLock<F>& lock, std::span<const Json> records) {
    if constexpr (HasRenderings<F>) {
      if (journal_.last_seq() == 0) return AppendFirst(lock, records);
    }
    return journal_.Append(lock, records, Follower());
  }
  Result<void> AppendOne(const FamilyLock<F>& lock, const Json& record) {
    return Append(lock, std::span(&record, 1));
  }
  // For journals that also grow where no guardian is running.
  Result<void> AppendAndCompact(const FamilyLock<F>& lock, std::span<const Json> records) {
    BELAY_TRY(Append(lock, records));
    (void)CompactIfLarge(lock);  // the records are on the disk anyway
    return {};
  }
  Result<void> AppendOneAndCompact(const FamilyLock<F>& lock, const Json& record) {
    return AppendAndCompact(lock, std::span(&record, 1));
  }

  // What is done about a rendering that was edited by hand. The record comes before it is replaced.
  StateFileRules RulesOf(const FamilyLock<F>& lock, const std::string& path) {
    return {.previous = F::kPrevious, .edited = [this, &lock, path](const std::string& kept) {
              return AppendOne(lock, EditedRecord(clock_.Wall(), FileName(path), kept));
            }};
  }

  // Some of the renderings, by a member function of the family's own ledger.
  template <class Part>
  RenderJob JobOf(std::string_view what, std::string_view name, Part part) {
    return {fmt::format("{} {}", what, name), [this, part](Duration limit) -> Result<void> {
              BELAY_TRY_ASSIGN(const FamilyLock<F> lock, Lock(files_, project_, limit));
              return part(lock);
            }};
  }

  Result<void> RemoveLeftovers(const FamilyLock<F>& lock) {
    Result<void> first;
    for (const std::string& folder : F::Folders(project_)) {
      KeepFirst(RemoveStateLeftovers(files_, lock, folder), first);
    }
    const std::string root = project_.StateRoot();
    (void)EachRendering([&](const Rendering& one) {
      if (ParentPath(one.path) == root) KeepFirst(RemoveLeftoversOf(files_, one.path), first);
      return Result<void>();
    });
    return first;
  }

  JournalFollower Follower() {
    JournalFollower follower = {.forget = [this] { book_.Forget(); },
                                .record =
                                    [this](std::uint64_t, const Json& record) {
                                      if (F::kCountsEdits || !IsEditedNote(record))
                                        book_.Apply(record);
                                    }};
    if constexpr (kOffers) {
      follower.line = [this](std::string_view line) { return offers_ && book_.Offer(line); };
    }
    return follower;
  }

  FileSystem& files_;
  const Clock& clock_;
  const Layout& project_;
  LedgerJournal journal_;
  Book book_;

 private:
  // Renderings that are there before the first record are of a journal that is lost.
  Result<void> AppendFirst(const FamilyLock<F>& lock, std::span<const Json> records) {
    BELAY_TRY(CatchUp());
    std::vector<KeptRendering> kept;
    if (journal_.last_seq() == 0) {
      BELAY_TRY_ASSIGN(
          kept, KeepRenderings(files_, project_,
                               {project_.JournalRendering(F::kJournal), F::Folders(project_)}));
    }
    BELAY_TRY(journal_.Append(lock, records, Follower()));
    for (const KeptRendering& one : kept) {
      const Json note = EditedRecord(clock_.Wall(), FileName(one.path), one.kept_as);
      BELAY_TRY(journal_.Append(lock, std::span(&note, 1), Follower()));
    }
    return {};
  }

  static constexpr bool kOffers = requires(Book & book) { book.Offer(std::string_view()); };

  bool ParseOffered() {
    if constexpr (kOffers) return book_.ParseOffered();
    return true;
  }

  bool offers_ = kOffers;  // lines to the book, as long as it copes with that
};

}  // namespace belay

#endif  // BELAY_LEDGER_LEDGER_H_
