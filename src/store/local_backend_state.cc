#include "store/local_backend_state.h"

#include <fmt/core.h>

#include <algorithm>

namespace belay {
namespace {

Error Malformed(std::string_view member) {
  return {ErrorCode::kDamaged, fmt::format("a record without a proper \"{}\"", member)};
}

Result<std::uint64_t> NumberIn(const Json& record, std::string_view member) {
  const Json* value = record.Find(member);
  const std::int64_t* number = value == nullptr ? nullptr : value->AsInteger();
  if (number == nullptr || *number < 0) return Malformed(member);
  return static_cast<std::uint64_t>(*number);
}

Result<std::string> TextIn(const Json& record, std::string_view member) {
  const Json* value = record.Find(member);
  const std::string* text = value == nullptr ? nullptr : value->AsString();
  if (text == nullptr) return Malformed(member);
  return *text;
}

Result<Duration> TimeIn(const Json& record, std::string_view member) {
  BELAY_TRY_ASSIGN(const std::uint64_t number, NumberIn(record, member));
  return Duration(static_cast<Duration::rep>(number));
}

Result<LeaseId> LeaseIn(const Json& record) {
  BELAY_TRY_ASSIGN(const std::uint64_t number, NumberIn(record, "lease"));
  return LeaseId{number};
}

Json NumberOf(LeaseId lease) { return static_cast<std::uint64_t>(lease); }

}  // namespace

void LocalBackendState::Forget() {
  revision_ = 0;
  snapshot_bytes_ = 0;
  keys_.clear();
  leases_.clear();
}

Result<void> LocalBackendState::Apply(const Json& record) {
  struct Kind {
    std::string_view name;
    Result<void> (LocalBackendState::*apply)(const Json&);
  };
  constexpr Kind kKinds[] = {{"at", &LocalBackendState::ApplyAt},
                             {"lease", &LocalBackendState::ApplyLease},
                             {"put", &LocalBackendState::ApplyPut},
                             {"remove", &LocalBackendState::ApplyRemove},
                             {"end", &LocalBackendState::ApplyEnd}};
  BELAY_TRY_ASSIGN(const std::string name, TextIn(record, "kind"));
  BELAY_TRY_ASSIGN(const Revision revision, NumberIn(record, "revision"));
  const Kind* kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const Kind& known) { return known.name == name; });
  if (kind == std::end(kKinds)) {
    return Error{ErrorCode::kDamaged,
                 fmt::format("a record of the unknown kind \"{}\", of a newer belay", name),
                 "use that belay, or a newer one"};
  }
  BELAY_TRY((this->*kind->apply)(record));
  revision_ = std::max(revision_, revision);
  return {};
}

Result<void> LocalBackendState::ApplyAt(const Json& record) {
  BELAY_TRY_ASSIGN(snapshot_bytes_, NumberIn(record, "bytes"));
  return {};
}

Result<void> LocalBackendState::ApplyLease(const Json& record) {
  BELAY_TRY_ASSIGN(const LeaseId id, LeaseIn(record));
  BELAY_TRY_ASSIGN(const Duration ttl, TimeIn(record, "ttl"));
  BELAY_TRY_ASSIGN(const Duration expires, TimeIn(record, "expires"));
  BELAY_TRY_ASSIGN(std::string boot_id, TextIn(record, "boot"));
  leases_.insert_or_assign(id, Lease{ttl, BootTime(expires), std::move(boot_id), record});
  return {};
}

Result<void> LocalBackendState::ApplyPut(const Json& record) {
  BELAY_TRY_ASSIGN(const Revision version, NumberIn(record, "revision"));
  BELAY_TRY_ASSIGN(std::string name, TextIn(record, "key"));
  const Json* value = record.Find("value");
  if (value == nullptr || value->AsObject() == nullptr) return Malformed("value");
  Key key{version, std::nullopt, record};
  if (record.Find("lease") != nullptr) {
    BELAY_TRY_ASSIGN(key.lease, LeaseIn(record));
  }
  keys_.insert_or_assign(std::move(name), std::move(key));
  return {};
}

Result<void> LocalBackendState::ApplyRemove(const Json& record) {
  BELAY_TRY_ASSIGN(const std::string name, TextIn(record, "key"));
  keys_.erase(name);
  return {};
}

Result<void> LocalBackendState::ApplyEnd(const Json& record) {
  BELAY_TRY_ASSIGN(const LeaseId id, LeaseIn(record));
  leases_.erase(id);
  std::erase_if(keys_, [&](const auto& item) { return item.second.lease == id; });
  return {};
}

bool LocalBackendState::IsOver(const Lease& lease, BootTime now) const {
  return lease.boot_id != boot_id_ || lease.expires <= now;
}

bool LocalBackendState::IsVisible(const Key& key, BootTime now) const {
  return !key.lease || FindLease(*key.lease, now) != nullptr;
}

const LocalBackendState::Key* LocalBackendState::Find(std::string_view key, BootTime now) const {
  const auto found = keys_.find(key);
  return found == keys_.end() || !IsVisible(found->second, now) ? nullptr : &found->second;
}

std::vector<const LocalBackendState::Keys::value_type*> LocalBackendState::Visible(
    std::string_view prefix, BootTime now) const {
  std::vector<const Keys::value_type*> items;
  for (auto at = keys_.lower_bound(prefix); at != keys_.end() && at->first.starts_with(prefix);
       ++at) {
    if (IsVisible(at->second, now)) items.push_back(&*at);
  }
  return items;
}

const LocalBackendState::Lease* LocalBackendState::FindLease(LeaseId lease, BootTime now) const {
  const auto found = leases_.find(lease);
  return found == leases_.end() || IsOver(found->second, now) ? nullptr : &found->second;
}

std::vector<LeaseId> LocalBackendState::Expired(BootTime now) const {
  std::vector<LeaseId> expired;
  for (const auto& [id, lease] : leases_) {
    if (IsOver(lease, now)) expired.push_back(id);
  }
  return expired;
}

std::optional<BootTime> LocalBackendState::NextExpiry(BootTime now) const {
  std::optional<BootTime> next;
  for (const auto& [id, lease] : leases_) {
    if (!IsOver(lease, now)) next = std::min(next.value_or(BootTime::max()), lease.expires);
  }
  return next;
}

std::vector<Json> LocalBackendState::Snapshot() const {
  std::vector<Json> records = {Json()};
  for (const auto& [id, lease] : leases_) records.push_back(lease.record);
  for (const auto& [name, key] : keys_) {
    if (!key.lease || leases_.contains(*key.lease)) records.push_back(key.record);
  }
  std::size_t bytes = 0;
  for (const Json& record : records) bytes += WriteJson(record).size();
  records.front() = MakeObject({{"kind", "at"}, {"revision", revision_}, {"bytes", bytes}});
  return records;
}

Json PutRecord(const BackendEntry& entry) {
  Json record = MakeObject(
      {{"kind", "put"}, {"revision", entry.version}, {"key", entry.key}, {"value", entry.value}});
  if (entry.lease) record.Set("lease", NumberOf(*entry.lease));
  return record;
}

Json RemoveRecord(Revision revision, std::string_view key) {
  return MakeObject({{"kind", "remove"}, {"revision", revision}, {"key", key}});
}

Json LeaseRecord(Revision revision, Duration ttl, BootTime expires, std::string_view boot_id) {
  return MakeObject({{"kind", "lease"},
                     {"revision", revision},
                     {"lease", revision},
                     {"ttl", ttl.count()},
                     {"expires", expires.time_since_epoch().count()},
                     {"boot", boot_id}});
}

Json RenewedRecord(Revision revision, const LocalBackendState::Lease& lease, BootTime expires) {
  Json record = lease.record;
  record.Set("revision", revision);
  record.Set("expires", expires.time_since_epoch().count());
  return record;
}

Json EndRecord(Revision revision, LeaseId lease) {
  return MakeObject({{"kind", "end"}, {"revision", revision}, {"lease", NumberOf(lease)}});
}

BackendEntry EntryOf(std::string_view name, const LocalBackendState::Key& key) {
  return {std::string(name), *key.record.Find("value"), key.version, key.lease};
}

}  // namespace belay
