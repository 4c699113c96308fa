#include "testing/watched_calls.h"

#include <fcntl.h>

namespace belay {

int WatchedCalls::Open(const std::string& path, int flags, mode_t mode) {
  Tell(CallKind::kOpen, (flags & (O_CREAT | O_TRUNC)) != 0, path);
  return calls_.Open(path, flags, mode);
}

int WatchedCalls::Close(int fd) {
  Tell(CallKind::kClose, false);
  return calls_.Close(fd);
}

ssize_t WatchedCalls::Read(int fd, char* buffer, std::size_t count, off_t offset) {
  Tell(CallKind::kRead, false);
  return calls_.Read(fd, buffer, count, offset);
}

ssize_t WatchedCalls::Write(int fd, const char* bytes, std::size_t count) {
  Tell(CallKind::kWrite, true);
  return calls_.Write(fd, bytes, count);
}

int WatchedCalls::Sync(int fd) {
  Tell(CallKind::kSync, false);
  return calls_.Sync(fd);
}

int WatchedCalls::SyncData(int fd) {
  Tell(CallKind::kSyncData, false);
  return calls_.SyncData(fd);
}

int WatchedCalls::Truncate(int fd, off_t size) {
  Tell(CallKind::kTruncate, true);
  return calls_.Truncate(fd, size);
}

int WatchedCalls::ChangeMode(int fd, mode_t mode) {
  Tell(CallKind::kChangeMode, true);
  return calls_.ChangeMode(fd, mode);
}

int WatchedCalls::Inspect(int fd, struct stat& info) {
  Tell(CallKind::kInspect, false);
  return calls_.Inspect(fd, info);
}

int WatchedCalls::InspectPath(const std::string& path, struct stat& info) {
  Tell(CallKind::kInspectPath, false, path);
  return calls_.InspectPath(path, info);
}

int WatchedCalls::Lock(int fd, int operation) {
  Tell(CallKind::kLock, false);
  return calls_.Lock(fd, operation);
}

int WatchedCalls::Rename(const std::string& from, const std::string& to) {
  Tell(CallKind::kRename, true, to);
  return calls_.Rename(from, to);
}

int WatchedCalls::Remove(const std::string& path) {
  Tell(CallKind::kRemove, true, path);
  return calls_.Remove(path);
}

int WatchedCalls::MakeFolder(const std::string& path, mode_t mode) {
  Tell(CallKind::kMakeFolder, true, path);
  return calls_.MakeFolder(path, mode);
}

int WatchedCalls::RemoveFolder(const std::string& path) {
  Tell(CallKind::kRemoveFolder, true, path);
  return calls_.RemoveFolder(path);
}

int WatchedCalls::List(const std::string& path, std::vector<std::string>& names) {
  Tell(CallKind::kList, false, path);
  return calls_.List(path, names);
}

int WatchedCalls::InspectMount(const std::string& path, struct statfs& info) {
  Tell(CallKind::kInspectMount, false, path);
  return calls_.InspectMount(path, info);
}

int WatchedCalls::ReadLink(const std::string& path, std::string& target) {
  Tell(CallKind::kReadLink, false, path);
  return calls_.ReadLink(path, target);
}

int WatchedCalls::MakeLink(const std::string& target, const std::string& path) {
  Tell(CallKind::kMakeLink, true, path);
  return calls_.MakeLink(target, path);
}

int WatchedCalls::RenameNew(const std::string& from, const std::string& to) {
  Tell(CallKind::kRenameNew, true, to);
  return calls_.RenameNew(from, to);
}

int WatchedCalls::SyncDisk(int fd) {
  Tell(CallKind::kSyncDisk, false);
  return calls_.SyncDisk(fd);
}

}  // namespace belay
