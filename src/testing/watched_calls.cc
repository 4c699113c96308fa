#include "testing/watched_calls.h"

#include <fcntl.h>

namespace belay {

int WatchedCalls::Open(const std::string& path, int flags, mode_t mode) {
  Report(CallKind::kOpen, (flags & (O_CREAT | O_TRUNC)) != 0, path);
  return calls_.Open(path, flags, mode);
}

int WatchedCalls::Close(int fd) {
  Report(CallKind::kClose, false);
  return calls_.Close(fd);
}

ssize_t WatchedCalls::Read(int fd, char* buffer, std::size_t count, off_t offset) {
  Report(CallKind::kRead, false);
  return calls_.Read(fd, buffer, count, offset);
}

ssize_t WatchedCalls::Write(int fd, const char* bytes, std::size_t count) {
  Report(CallKind::kWrite, true);
  return calls_.Write(fd, bytes, count);
}

int WatchedCalls::Sync(int fd) {
  Report(CallKind::kSync, false);
  return calls_.Sync(fd);
}

int WatchedCalls::SyncData(int fd) {
  Report(CallKind::kSyncData, false);
  return calls_.SyncData(fd);
}

int WatchedCalls::Truncate(int fd, off_t size) {
  Report(CallKind::kTruncate, true);
  return calls_.Truncate(fd, size);
}

int WatchedCalls::ChangeMode(int fd, mode_t mode) {
  Report(CallKind::kChangeMode, true);
  return calls_.ChangeMode(fd, mode);
}

int WatchedCalls::Inspect(int fd, struct stat& info) {
  Report(CallKind::kInspect, false);
  return calls_.Inspect(fd, info);
}

int WatchedCalls::InspectPath(const std::string& path, struct stat& info) {
  Report(CallKind::kInspectPath, false, path);
  return calls_.InspectPath(path, info);
}

int WatchedCalls::Lock(int fd, int operation) {
  Report(CallKind::kLock, false);
  return calls_.Lock(fd, operation);
}

int WatchedCalls::Rename(const std::string& from, const std::string& to) {
  Report(CallKind::kRename, true, to);
  return calls_.Rename(from, to);
}

int WatchedCalls::Remove(const std::string& path) {
  Report(CallKind::kRemove, true, path);
  return calls_.Remove(path);
}

int WatchedCalls::MakeFolder(const std::string& path, mode_t mode) {
  Report(CallKind::kMakeFolder, true, path);
  return calls_.MakeFolder(path, mode);
}

int WatchedCalls::RemoveFolder(const std::string& path) {
  Report(CallKind::kRemoveFolder, true, path);
  return calls_.RemoveFolder(path);
}

int WatchedCalls::List(const std::string& path, std::vector<std::string>& names) {
  Report(CallKind::kList, false, path);
  return calls_.List(path, names);
}

int WatchedCalls::InspectMount(const std::string& path, struct statfs& info) {
  Report(CallKind::kInspectMount, false, path);
  return calls_.InspectMount(path, info);
}

int WatchedCalls::ReadLink(const std::string& path, std::string& target) {
  Report(CallKind::kReadLink, false, path);
  return calls_.ReadLink(path, target);
}

int WatchedCalls::MakeLink(const std::string& target, const std::string& path) {
  Report(CallKind::kMakeLink, true, path);
  return calls_.MakeLink(target, path);
}

int WatchedCalls::RenameNew(const std::string& from, const std::string& to) {
  Report(CallKind::kRenameNew, true, to);
  return calls_.RenameNew(from, to);
}

int WatchedCalls::RenameSwap(const std::string& one, const std::string& other) {
  Report(CallKind::kRenameSwap, true, other);
  return calls_.RenameSwap(one, other);
}

int WatchedCalls::SyncDisk(int fd) {
  Report(CallKind::kSyncDisk, false);
  return calls_.SyncDisk(fd);
}

int WatchedCalls::ProbeWriters(int fd) {
  Report(CallKind::kProbeWriters, false);
  return calls_.ProbeWriters(fd);
}

}  // namespace belay
