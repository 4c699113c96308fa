#include "store/local_backend.h"

#include <fmt/core.h>

#include <utility>

#include "base/check.h"
#include "base/path.h"
#include "store/backend_check.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr const char* kJournalName = "journal";

Error Ended(LeaseId lease) {
  return {ErrorCode::kNotFound,
          fmt::format("lease {}: it has ended", static_cast<std::uint64_t>(lease))};
}

Revision VersionOf(const std::optional<BackendEntry>& entry) { return entry ? entry->version : 0; }

}  // namespace

LocalBackend::LocalBackend(FileSystem& files, const Clock& clock, std::string boot_id,
                           std::string folder, const Options& options)
    : files_(files),
      clock_(clock),
      boot_id_(std::move(boot_id)),
      folder_(std::move(folder)),
      options_(options),
      state_(boot_id_) {
  StartOver();
}

void LocalBackend::StartOver() {
  journal_.emplace(files_, JoinPath(folder_, kJournalName), "backend");
  state_.Forget();
  understood_ = {};
}

JournalFollower LocalBackend::Follower() {
  return {[this] {
            state_.Forget();
            understood_ = {};
          },
          [this](std::uint64_t, const Json& record) {
            if (understood_) understood_ = state_.Apply(record);
          }};
}

Result<const LocalBackendState*> LocalBackend::Refresh() {
  BELAY_TRY(journal_->CatchUp(Follower()));
  if (!understood_) return Error(understood_.error()).In(JoinPath(folder_, kJournalName));
  return &state_;
}

Result<void> LocalBackend::EnsureOwnFolder() {
  if (!folder_is_safe_) BELAY_TRY(EnsureFolder(files_, folder_));
  folder_is_safe_ = true;
  return {};
}

Result<LocalBackend::Transaction> LocalBackend::Begin() {
  BELAY_TRY(EnsureOwnFolder());
  BELAY_TRY_ASSIGN(StateLock lock,
                   StateLock::Acquire(files_, JoinPath(folder_, "lock"), options_.lock_limit));
  BELAY_TRY(Refresh());
  return Transaction{std::move(lock), clock_.Boot(), state_.revision() + 1};
}

Result<void> LocalBackend::Commit(const Transaction& transaction, std::optional<Json> record) {
  std::vector<Json> records;
  for (const LeaseId lease : state_.Expired(transaction.now)) {
    records.push_back(EndRecord(transaction.revision, lease));
  }
  if (record) records.push_back(*std::move(record));
  BELAY_TRY(journal_->Append(transaction.lock, records, Follower()));
  for (const Json& one : records) BELAY_CHECK(state_.Apply(one).ok());
  CompactIfLarge(transaction.lock);
  return {};
}

void LocalBackend::CompactIfLarge(const StateLock& lock) {
  constexpr std::uint64_t kTimes = 4;
  if (journal_->bytes() <= options_.smallest_compaction + kTimes * state_.snapshot_bytes()) return;
  (void)RemoveLeftovers(files_, folder_);
  std::vector<Json> snapshot;
  if (journal_->Compact(lock, Follower(), [&] { return snapshot = state_.Snapshot(); })) {
    BELAY_CHECK(state_.Apply(snapshot.front()).ok());
  } else {
    // Whether the old file or the new one is there now, only reading it tells.
    StartOver();
  }
}

std::optional<BackendEntry> LocalBackend::Peek(const std::string& key, BootTime now) const {
  const LocalBackendState::Key* found = state_.Find(key, now);
  if (found == nullptr) return std::nullopt;
  return EntryOf(key, *found);
}

// Reads ask the clock before the journal: then a lease that was renewed in time never looks over
// only because the reader was slow.
Result<std::optional<BackendEntry>> LocalBackend::Get(const std::string& key) {
  BELAY_TRY(CheckBackendKey(key));
  const BootTime now = clock_.Boot();
  BELAY_TRY(Refresh());
  return Peek(key, now);
}

Result<BackendListing> LocalBackend::List(const std::string& prefix) {
  BELAY_TRY(CheckBackendPrefix(prefix));
  const BootTime now = clock_.Boot();
  BELAY_TRY(Refresh());
  BackendListing listing{prefix, state_.revision()};
  for (const auto* item : state_.Visible(prefix, now)) {
    listing.entries.push_back(EntryOf(item->first, item->second));
  }
  return listing;
}

// The race was lost; what won it is made safe before anybody hears of it.
Result<WriteOutcome> LocalBackend::Lost(const Transaction& transaction,
                                        std::optional<BackendEntry> there) {
  BELAY_TRY(Commit(transaction, std::nullopt));
  return WriteOutcome{false, std::move(there)};
}

Result<WriteOutcome> LocalBackend::Put(const std::string& key, const Json& value, Revision expected,
                                       std::optional<LeaseId> lease) {
  BELAY_TRY(CheckBackendKey(key));
  BELAY_TRY_ASSIGN(Json kept, ReadBackValue(value));
  BELAY_TRY_ASSIGN(const Transaction transaction, Begin());
  std::optional<BackendEntry> there = Peek(key, transaction.now);
  if (VersionOf(there) != expected) return Lost(transaction, std::move(there));
  if (lease && state_.FindLease(*lease, transaction.now) == nullptr) return Ended(*lease);
  BackendEntry entry{key, std::move(kept), transaction.revision, lease};
  BELAY_TRY(Commit(transaction, PutRecord(entry)));
  return WriteOutcome{true, std::move(entry)};
}

Result<WriteOutcome> LocalBackend::Remove(const std::string& key, Revision version) {
  BELAY_CHECK(version != 0);
  BELAY_TRY(CheckBackendKey(key));
  BELAY_TRY_ASSIGN(const Transaction transaction, Begin());
  std::optional<BackendEntry> there = Peek(key, transaction.now);
  if (VersionOf(there) != version) return Lost(transaction, std::move(there));
  BELAY_TRY(Commit(transaction, RemoveRecord(transaction.revision, key)));
  return WriteOutcome{true, std::nullopt};
}

Result<LeaseId> LocalBackend::Grant(Duration ttl) {
  if (ttl <= Duration(0) || ttl > kLongestLease) {
    return Error{ErrorCode::kRefused, fmt::format("a lease can't live for {} ns", ttl.count())};
  }
  BELAY_TRY_ASSIGN(const Transaction transaction, Begin());
  BELAY_TRY(
      Commit(transaction, LeaseRecord(transaction.revision, ttl, transaction.now + ttl, boot_id_)));
  return LeaseId{transaction.revision};
}

Result<void> LocalBackend::KeepAlive(LeaseId lease) {
  BELAY_TRY_ASSIGN(const Transaction transaction, Begin());
  const LocalBackendState::Lease* found = state_.FindLease(lease, transaction.now);
  if (found == nullptr) return Ended(lease);
  return Commit(transaction,
                RenewedRecord(transaction.revision, *found, transaction.now + found->ttl));
}

Result<void> LocalBackend::Revoke(LeaseId lease) {
  BELAY_TRY_ASSIGN(const Transaction transaction, Begin());
  if (state_.FindLease(lease, transaction.now) == nullptr) return Ended(lease);
  return Commit(transaction, EndRecord(transaction.revision, lease));
}

Result<BackendWatchId> LocalBackend::Watch(EventLoop& loop, const BackendListing& since,
                                           WatchCallback callback) {
  BELAY_TRY(CheckBackendPrefix(since.prefix));
  BELAY_TRY(EnsureOwnFolder());
  auto watch = std::make_unique<LocalWatch>(
      loop, clock_, [this] { return Refresh(); }, since, std::move(callback));
  BELAY_TRY(watch->Start(folder_, kJournalName));
  const BackendWatchId id{++last_watch_};
  watches_.emplace(id, std::move(watch));
  return id;
}

void LocalBackend::Unwatch(BackendWatchId id) { watches_.erase(id); }

}  // namespace belay
