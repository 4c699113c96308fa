// What the journal of a LocalBackend says: keys and leases, rebuilt record by record. No I/O.
//
//   {"kind":"at","revision":9,"bytes":812}                    a snapshot of so many bytes begins
//   {"kind":"lease","revision":3,"lease":3,"ttl":T,"expires":E,"boot":"..."}  granted, or renewed
//   {"kind":"put","revision":5,"key":"a","value":{...},"lease":3}             "lease" if it has one
//   {"kind":"remove","revision":6,"key":"a"}
//   {"kind":"end","revision":7,"lease":3}                     expired or revoked: its keys go
//
// Times are nanoseconds, E on the boot clock of the boot that is named; in any other boot the lease
// is over. A lease's number is the revision that granted it. Records of one transaction share their
// revision. A snapshot is made of the very records that are still true, after one that keeps the
// revision, so fields that we don't know survive it.
//
// Any record may be missing, since a repair leaves out what was damaged: a key of a lease that is
// not there counts as gone, because nobody else could end it.

#ifndef BELAY_STORE_LOCAL_BACKEND_STATE_H_
#define BELAY_STORE_LOCAL_BACKEND_STATE_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "codec/json.h"
#include "store/backend.h"

namespace belay {

class LocalBackendState {
 public:
  struct Key {
    Revision version;
    std::optional<LeaseId> lease;
    Json record;
  };
  using Keys = std::map<std::string, Key, std::less<>>;

  struct Lease {
    Duration ttl;
    BootTime expires;
    std::string boot_id;
    Json record;
  };

  explicit LocalBackendState(std::string boot_id) : boot_id_(std::move(boot_id)) {}

  void Forget();
  // kDamaged for a kind that we don't know, or a record that lacks what its kind has.
  Result<void> Apply(const Json& record);

  Revision revision() const { return revision_; }
  std::uint64_t snapshot_bytes() const { return snapshot_bytes_; }

  // What is there at that moment: without the keys of leases that are over, whether or not anybody
  // has written that down yet. Pointers hold until the next change.
  const Key* Find(std::string_view key, BootTime now) const;
  std::vector<const Keys::value_type*> Visible(std::string_view prefix, BootTime now) const;
  const Lease* FindLease(LeaseId lease, BootTime now) const;
  std::vector<LeaseId> Expired(BootTime now) const;
  std::optional<BootTime> NextExpiry(BootTime now) const;

  // The fewest records that say the same, the "at" first. Leases that are over are in it until
  // somebody ends them.
  std::vector<Json> Snapshot() const;

 private:
  Result<void> ApplyAt(const Json& record);
  Result<void> ApplyLease(const Json& record);
  Result<void> ApplyPut(const Json& record);
  Result<void> ApplyRemove(const Json& record);
  Result<void> ApplyEnd(const Json& record);
  bool IsOver(const Lease& lease, BootTime now) const;
  bool IsVisible(const Key& key, BootTime now) const;

  std::string boot_id_;
  Revision revision_ = 0;
  std::uint64_t snapshot_bytes_ = 0;
  Keys keys_;
  std::map<LeaseId, Lease> leases_;
};

Json PutRecord(const BackendEntry& entry);
Json RemoveRecord(Revision revision, std::string_view key);
Json LeaseRecord(Revision revision, Duration ttl, BootTime expires, std::string_view boot_id);
Json RenewedRecord(Revision revision, const LocalBackendState::Lease& lease, BootTime expires);
Json EndRecord(Revision revision, LeaseId lease);

BackendEntry EntryOf(std::string_view name, const LocalBackendState::Key& key);

}  // namespace belay

#endif  // BELAY_STORE_LOCAL_BACKEND_STATE_H_
