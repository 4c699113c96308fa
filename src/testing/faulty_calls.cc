#include "testing/faulty_calls.h"

#include <algorithm>

namespace belay {

void FaultyCalls::Restart() {
  plans_.clear();
  log_.clear();
  counts_ = {};
  faults_ = 0;
}

int FaultyCalls::Begin(CallKind kind, std::size_t* bytes) {
  log_.push_back(kind);
  ++counts_[static_cast<std::size_t>(kind)];
  const std::size_t wanted = bytes == nullptr ? 0 : *bytes;
  int error = 0;
  for (Planned& planned : plans_) {
    const int met = IsDue(planned, kind) ? Meet(planned, kind, bytes) : 0;
    if (error == 0) error = met;
  }
  const bool is_cut = bytes != nullptr && *bytes < wanted;
  if (error != 0 || is_cut) ++faults_;
  return error;
}

bool FaultyCalls::IsDue(const Planned& planned, CallKind kind) const {
  const Fault& fault = planned.fault;
  if (planned.over) return false;
  if (planned.cut == kind) return true;
  if (fault.kind && fault.kind != kind) return false;
  const std::size_t number = fault.kind ? count(kind) : count();
  return number == fault.number || (fault.lasting && number > fault.number);
}

int FaultyCalls::Meet(Planned& planned, CallKind kind, std::size_t* bytes) const {
  const Fault& fault = planned.fault;
  const bool cuts = bytes != nullptr && fault.bytes && (fault.error == 0 || *fault.bytes > 0);
  if (cuts && !planned.cut) {
    *bytes = std::min(*bytes, *fault.bytes);
    if (fault.error != 0) planned.cut = kind;
    return 0;
  }
  planned.over = !fault.lasting;
  return fault.error;
}

int FaultyCalls::Open(const std::string& path, int flags, mode_t mode) {
  const int error = Begin(CallKind::kOpen);
  return error != 0 ? -error : calls_.Open(path, flags, mode);
}

int FaultyCalls::Close(int fd) {
  const int error = Begin(CallKind::kClose);
  const int result = calls_.Close(fd);
  return error != 0 ? -error : result;
}

ssize_t FaultyCalls::Read(int fd, char* buffer, std::size_t count, off_t offset) {
  const int error = Begin(CallKind::kRead, &count);
  return error != 0 ? -error : calls_.Read(fd, buffer, count, offset);
}

ssize_t FaultyCalls::Write(int fd, const char* bytes, std::size_t count) {
  const int error = Begin(CallKind::kWrite, &count);
  return error != 0 ? -error : calls_.Write(fd, bytes, count);
}

int FaultyCalls::Sync(int fd) {
  const int error = Begin(CallKind::kSync);
  return error != 0 ? -error : calls_.Sync(fd);
}

int FaultyCalls::SyncData(int fd) {
  const int error = Begin(CallKind::kSyncData);
  return error != 0 ? -error : calls_.SyncData(fd);
}

int FaultyCalls::Truncate(int fd, off_t size) {
  const int error = Begin(CallKind::kTruncate);
  return error != 0 ? -error : calls_.Truncate(fd, size);
}

int FaultyCalls::ChangeMode(int fd, mode_t mode) {
  const int error = Begin(CallKind::kChangeMode);
  return error != 0 ? -error : calls_.ChangeMode(fd, mode);
}

int FaultyCalls::Inspect(int fd, struct stat& info) {
  const int error = Begin(CallKind::kInspect);
  return error != 0 ? -error : calls_.Inspect(fd, info);
}

int FaultyCalls::InspectPath(const std::string& path, struct stat& info) {
  const int error = Begin(CallKind::kInspectPath);
  return error != 0 ? -error : calls_.InspectPath(path, info);
}

int FaultyCalls::Lock(int fd, int operation) {
  const int error = Begin(CallKind::kLock);
  return error != 0 ? -error : calls_.Lock(fd, operation);
}

int FaultyCalls::Rename(const std::string& from, const std::string& to) {
  const int error = Begin(CallKind::kRename);
  return error != 0 ? -error : calls_.Rename(from, to);
}

int FaultyCalls::Remove(const std::string& path) {
  const int error = Begin(CallKind::kRemove);
  return error != 0 ? -error : calls_.Remove(path);
}

int FaultyCalls::MakeFolder(const std::string& path, mode_t mode) {
  const int error = Begin(CallKind::kMakeFolder);
  return error != 0 ? -error : calls_.MakeFolder(path, mode);
}

int FaultyCalls::RemoveFolder(const std::string& path) {
  const int error = Begin(CallKind::kRemoveFolder);
  return error != 0 ? -error : calls_.RemoveFolder(path);
}

int FaultyCalls::List(const std::string& path, std::vector<std::string>& names) {
  const int error = Begin(CallKind::kList);
  return error != 0 ? -error : calls_.List(path, names);
}

int FaultyCalls::InspectMount(const std::string& path, struct statfs& info) {
  const int error = Begin(CallKind::kInspectMount);
  return error != 0 ? -error : calls_.InspectMount(path, info);
}

int FaultyCalls::ReadLink(const std::string& path, std::string& target) {
  const int error = Begin(CallKind::kReadLink);
  return error != 0 ? -error : calls_.ReadLink(path, target);
}

int FaultyCalls::MakeLink(const std::string& target, const std::string& path) {
  const int error = Begin(CallKind::kMakeLink);
  return error != 0 ? -error : calls_.MakeLink(target, path);
}

int FaultyCalls::RenameNew(const std::string& from, const std::string& to) {
  const int error = Begin(CallKind::kRenameNew);
  return error != 0 ? -error : calls_.RenameNew(from, to);
}

int FaultyCalls::RenameSwap(const std::string& one, const std::string& other) {
  const int error = Begin(CallKind::kRenameSwap);
  return error != 0 ? -error : calls_.RenameSwap(one, other);
}

int FaultyCalls::SyncDisk(int fd) {
  const int error = Begin(CallKind::kSyncDisk);
  return error != 0 ? -error : calls_.SyncDisk(fd);
}

int FaultyCalls::ProbeWriters(int fd) {
  const int error = Begin(CallKind::kProbeWriters);
  return error != 0 ? -error : calls_.ProbeWriters(fd);
}

}  // namespace belay
