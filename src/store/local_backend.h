// The Backend in files of this machine, for any number of processes at once.
//
//   FOLDER/journal    the truth (store/journal.h); store/local_backend_state.h has its records
//   FOLDER/lock       without which nothing is written
//
// A write takes the lock, reads what others have written, decides, appends one record and syncs
// it. Reads take no lock. Leases run on the boot clock, which goes on while the machine sleeps and
// doesn't care about the date. A lease that has run out is over for everybody at that moment; the
// next writer, whoever it is, writes it down. (Who reads in the moment between a renewal in the
// last instant and its arrival in the journal sees the lease as over; writers, under the lock,
// never do.)
//
// When the journal has grown to several times its last snapshot, a writer compacts it. That is done
// after its write is safe and decides nothing about its outcome; if it fails, the next writer tries
// again. Since a snapshot is written only after several times its own size was appended, all
// compactions together cost no more than the writes.

#ifndef BELAY_STORE_LOCAL_BACKEND_H_
#define BELAY_STORE_LOCAL_BACKEND_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/backend.h"
#include "store/journal.h"
#include "store/local_backend_state.h"
#include "store/local_watch.h"
#include "store/state_lock.h"

namespace belay {

class LocalBackend final : public Backend {
 public:
  struct Options {
    Duration lock_limit = std::chrono::seconds(5);
    std::uint64_t smallest_compaction = std::uint64_t{64} << 10U;  // bytes of the journal
  };

  // Owns neither door. `boot_id` is BootId()'s. `folder` is its own; its parent exists.
  LocalBackend(FileSystem& files, const Clock& clock, std::string boot_id, std::string folder,
               const Options& options);
  LocalBackend(const LocalBackend&) = delete;
  LocalBackend& operator=(const LocalBackend&) = delete;

  Result<std::optional<BackendEntry>> Get(const std::string& key) override;
  Result<BackendListing> List(const std::string& prefix) override;
  Result<WriteOutcome> Put(const std::string& key, const Json& value, Revision expected,
                           std::optional<LeaseId> lease) override;
  Result<WriteOutcome> Remove(const std::string& key, Revision version) override;
  Result<LeaseId> Grant(Duration ttl) override;
  Result<void> KeepAlive(LeaseId lease) override;
  Result<void> Revoke(LeaseId lease) override;
  Result<BackendWatchId> Watch(EventLoop& loop, const BackendListing& since,
                               WatchCallback callback) override;
  void Unwatch(BackendWatchId id) override;

 private:
  // From reading to writing: nobody else writes, and for the leases no time passes.
  struct Transaction {
    StateLock lock;
    BootTime now;
    Revision revision;  // of what it will write
  };

  Result<void> EnsureOwnFolder();
  Result<const LocalBackendState*> Refresh();
  Result<Transaction> Begin();
  // Adds the record, if any, and the end of every lease that has run out. Also without anything to
  // add, all that was read is on the disk afterwards.
  Result<void> Commit(const Transaction& transaction, std::optional<Json> record);
  Result<WriteOutcome> Lost(const Transaction& transaction, std::optional<BackendEntry> there);
  std::optional<BackendEntry> Peek(const std::string& key, BootTime now) const;
  void CompactIfLarge(const StateLock& lock);
  void StartOver();
  JournalFollower Follower();

  FileSystem& files_;
  const Clock& clock_;
  std::string boot_id_;
  std::string folder_;
  Options options_;
  bool folder_is_safe_ = false;  // there, and its name on the disk
  std::optional<Journal> journal_;
  LocalBackendState state_;
  Result<void> understood_;  // or why the journal can't be
  std::map<BackendWatchId, std::unique_ptr<LocalWatch>> watches_;
  std::uint64_t last_watch_ = 0;
};

}  // namespace belay

#endif  // BELAY_STORE_LOCAL_BACKEND_H_
