#include "testing/simulated_disk.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "testing/crash_fates.h"

namespace belay {
namespace {

constexpr int kFirstDescriptor = 1 << 20;
constexpr mode_t kUmask = 022;
constexpr std::size_t kPage = 4096;
constexpr off_t kLongestFile = off_t{1} << 30;
constexpr int kKnownFlags = O_ACCMODE | O_CREAT | O_EXCL | O_TRUNC | O_APPEND | O_DIRECTORY |
                            O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

bool Reads(int flags) { return (flags & O_ACCMODE) != O_WRONLY; }
bool Writes(int flags) { return (flags & O_ACCMODE) != O_RDONLY; }
bool IsExclusive(int flags) { return (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0; }

int RefuseFlags(int flags) {
  const bool unknown = (flags & ~kKnownFlags) != 0 || (flags & O_ACCMODE) == O_ACCMODE;
  const bool makes_folder = (flags & O_CREAT) != 0 && (flags & O_DIRECTORY) != 0;
  return unknown || makes_folder ? EINVAL : 0;
}

// Why it can't be opened, checked in the kernel's order.
int RefuseOpen(mode_t mode, int flags, bool slash) {
  if (IsExclusive(flags)) return EEXIST;
  if ((flags & O_CREAT) != 0 && S_ISDIR(mode)) return EISDIR;
  if (((flags & O_DIRECTORY) != 0 || slash) && !S_ISDIR(mode)) return ENOTDIR;
  if (S_ISLNK(mode)) return ELOOP;
  if (S_ISDIR(mode) && (Writes(flags) || (flags & O_TRUNC) != 0)) return EISDIR;
  return 0;
}

bool Contains(const std::vector<InodeNumber>& folders, InodeNumber inode) {
  return std::ranges::find(folders, inode) != folders.end();
}

void Describe(InodeNumber number, const Inode& inode, std::size_t names, struct stat& info) {
  info = {};
  info.st_dev = 1;
  info.st_ino = number;
  info.st_mode = inode.mode;
  info.st_nlink = names;
  info.st_uid = geteuid();
  info.st_gid = getegid();
  info.st_size = static_cast<off_t>(inode.content.size());
  info.st_blksize = kPage;
  info.st_blocks = static_cast<blkcnt_t>((inode.content.size() + 511) / 512);
}

}  // namespace

// Open files.

SimulatedDisk::OpenFile* SimulatedDisk::FindFile(int fd) {
  const auto file = files_.find(fd);
  return file == files_.end() ? nullptr : &file->second;
}

int SimulatedDisk::AddFile(InodeNumber inode, int flags) {
  int fd = kFirstDescriptor;
  while (files_.contains(fd)) ++fd;
  files_[fd] = {.inode = inode, .flags = flags};
  return fd;
}

bool SimulatedDisk::IsFolder(InodeNumber inode) const { return S_ISDIR(live_.Get(inode).mode); }

int SimulatedDisk::Open(const std::string& path, int flags, mode_t mode) {
  if (const int error = RefuseFlags(flags)) return -error;
  const bool stays = IsExclusive(flags) || (flags & O_NOFOLLOW) != 0;
  const Place place = FindPlace(live_, path, stays ? Follow::kBeforeSlash : Follow::kAlways);
  if (place.error != 0) return -place.error;
  if ((flags & O_CREAT) != 0 && place.slash && place.last == LastPart::kName) return -EISDIR;
  if (place.inode != 0) return OpenExisting(place, flags);
  if ((flags & O_CREAT) == 0) return -ENOENT;
  const InodeNumber inode = Create(place, {.mode = S_IFREG | (mode & 07777 & ~kUmask)});
  const int fd = AddFile(inode, flags);
  (void)Changed();
  return fd;
}

int SimulatedDisk::OpenExisting(const Place& place, int flags) {
  const Inode& inode = live_.Get(place.inode);
  if (const int error = RefuseOpen(inode.mode, flags, place.slash)) return -error;
  const int fd = AddFile(place.inode, flags);
  if ((flags & O_TRUNC) != 0 && !inode.content.empty()) {
    Record({place.inode, LengthChange{0}});
    (void)Changed();
  }
  return fd;
}

int SimulatedDisk::Close(int fd) {
  const auto file = files_.find(fd);
  if (file == files_.end()) return -EBADF;
  const bool is_named = live_.CountNames(file->second.inode) > 0;
  files_.erase(file);
  if (!is_named) Sweep();
  return 0;
}

ssize_t SimulatedDisk::Read(int fd, char* buffer, std::size_t count, off_t offset) {
  if (offset < 0) return -EINVAL;
  const OpenFile* file = FindFile(fd);
  if (file == nullptr || !Reads(file->flags)) return -EBADF;
  if (IsFolder(file->inode)) return -EISDIR;
  const std::string& content = live_.Get(file->inode).content;
  if (static_cast<std::size_t>(offset) >= content.size()) return 0;
  return static_cast<ssize_t>(content.copy(buffer, count, static_cast<std::size_t>(offset)));
}

ssize_t SimulatedDisk::Write(int fd, const char* bytes, std::size_t count) {
  OpenFile* file = FindFile(fd);
  if (file == nullptr || !Writes(file->flags)) return -EBADF;
  if (count == 0) return 0;
  if ((file->flags & O_APPEND) != 0) file->position = live_.Get(file->inode).content.size();
  if (file->position + count > static_cast<std::size_t>(kLongestFile)) return -EFBIG;
  RecordWrite(file->inode, file->position, {bytes, count});
  file->position += count;
  (void)Changed();
  return static_cast<ssize_t>(count);
}

int SimulatedDisk::Truncate(int fd, off_t size) {
  if (size < 0) return -EINVAL;
  const OpenFile* file = FindFile(fd);
  if (file == nullptr) return -EBADF;
  if (!Writes(file->flags)) return -EINVAL;
  if (size > kLongestFile) return -EFBIG;
  const auto length = static_cast<std::size_t>(size);
  if (length == live_.Get(file->inode).content.size()) return 0;
  Record({file->inode, LengthChange{length}});
  return Changed();
}

int SimulatedDisk::ChangeMode(int fd, mode_t mode) {
  const OpenFile* file = FindFile(fd);
  if (file == nullptr) return -EBADF;
  if ((live_.Get(file->inode).mode & 07777) == (mode & 07777)) return 0;
  Record({file->inode, ModeChange{mode & 07777}});
  return Changed();
}

int SimulatedDisk::Inspect(int fd, struct stat& info) {
  const OpenFile* file = FindFile(fd);
  if (file == nullptr) return -EBADF;
  Describe(file->inode, live_.Get(file->inode), live_.CountNames(file->inode), info);
  return 0;
}

// As in the kernel: the old lock is released first, even if the new one isn't available.
int SimulatedDisk::Lock(int fd, int operation) {
  const int lock = operation & ~LOCK_NB;
  if (lock != LOCK_SH && lock != LOCK_EX && lock != LOCK_UN) return -EINVAL;
  OpenFile* file = FindFile(fd);
  if (file == nullptr) return -EBADF;
  if (lock == file->lock) return 0;
  file->lock = 0;
  if (lock == LOCK_UN) return 0;
  if (IsBlocked(*file, lock)) return (operation & LOCK_NB) != 0 ? -EWOULDBLOCK : -EDEADLK;
  file->lock = lock;
  return 0;
}

bool SimulatedDisk::IsBlocked(const OpenFile& file, int lock) const {
  return std::ranges::any_of(files_, [&](const auto& item) {
    const OpenFile& other = item.second;
    return other.inode == file.inode && other.lock != 0 &&
           (lock == LOCK_EX || other.lock == LOCK_EX);
  });
}

// Names.

int SimulatedDisk::InspectPath(const std::string& path, struct stat& info) {
  const Place place = FindPlace(live_, path, Follow::kBeforeSlash);
  if (place.error != 0) return -place.error;
  if (place.inode == 0) return -ENOENT;
  if (place.slash && !IsFolder(place.inode)) return -ENOTDIR;
  Describe(place.inode, live_.Get(place.inode), live_.CountNames(place.inode), info);
  return 0;
}

InodeNumber SimulatedDisk::Create(const Place& place, Inode inode) {
  const InodeNumber number = next_inode_++;
  live_.Put(number, inode);
  durable_.Put(number, std::move(inode));
  SetName(place.folders.back(), place.name, number);
  return number;
}

void SimulatedDisk::SetName(InodeNumber folder, const std::string& name, InodeNumber inode) {
  Record({folder, NameChange{{{name, inode}}}});
}

int SimulatedDisk::MakeFolder(const std::string& path, mode_t mode) {
  const Place place = FindPlace(live_, path, Follow::kNever);
  if (place.error != 0) return -place.error;
  if (place.inode != 0) return -EEXIST;
  Create(place, {.mode = S_IFDIR | (mode & 01777 & ~kUmask)});
  return Changed();
}

int SimulatedDisk::MakeLink(const std::string& target, const std::string& path) {
  const Place place = FindPlace(live_, path, Follow::kNever);
  if (place.error != 0) return -place.error;
  if (place.inode != 0) return -EEXIST;
  if (target.empty() || place.slash) return -ENOENT;
  Create(place, {.mode = S_IFLNK | 0777, .content = target});
  return Changed();
}

int SimulatedDisk::Remove(const std::string& path) {
  const Place place = FindPlace(live_, path, Follow::kNever);
  if (place.error != 0) return -place.error;
  if (place.inode == 0) return -ENOENT;
  if (IsFolder(place.inode)) return -EISDIR;
  if (place.slash) return -ENOTDIR;
  SetName(place.folders.back(), place.name, 0);
  return Changed();
}

int SimulatedDisk::RemoveFolder(const std::string& path) {
  const Place place = FindPlace(live_, path, Follow::kNever);
  if (place.error != 0) return -place.error;
  switch (place.last) {
    case LastPart::kRoot:
      return -EBUSY;
    case LastPart::kDot:
      return -EINVAL;
    case LastPart::kDotDot:
      return -ENOTEMPTY;
    case LastPart::kName:
      break;
  }
  if (place.inode == 0) return -ENOENT;
  if (!IsFolder(place.inode)) return -ENOTDIR;
  if (!live_.Get(place.inode).entries.empty()) return -ENOTEMPTY;
  SetName(place.folders.back(), place.name, 0);
  return Changed();
}

int SimulatedDisk::Rename(const std::string& from, const std::string& to) {
  const Place source = FindPlace(live_, from, Follow::kNever);
  const Place target = FindPlace(live_, to, Follow::kNever);
  if (source.error != 0) return -source.error;
  if (target.error != 0) return -target.error;
  if (const int error = RefuseRename(source, target)) return -error;
  if (source.inode == target.inode) return 0;
  MoveName(source, target);
  return Changed();
}

// In the kernel's order.
int SimulatedDisk::RefuseRename(const Place& from, const Place& to) const {
  if (from.last != LastPart::kName || to.last != LastPart::kName) return EBUSY;
  if (from.inode == 0) return ENOENT;
  const bool is_folder = IsFolder(from.inode);
  if (!is_folder && (from.slash || to.slash)) return ENOTDIR;
  if (Contains(to.folders, from.inode)) return EINVAL;
  if (to.inode == 0 || to.inode == from.inode) return 0;
  if (Contains(from.folders, to.inode)) return ENOTEMPTY;
  if (is_folder && !IsFolder(to.inode)) return ENOTDIR;
  if (!is_folder && IsFolder(to.inode)) return EISDIR;
  return live_.Get(to.inode).entries.empty() ? 0 : ENOTEMPTY;
}

void SimulatedDisk::MoveName(const Place& from, const Place& to) {
  const InodeNumber folder = from.folders.back();
  if (folder == to.folders.back()) {
    return Record({folder, NameChange{{{from.name, 0}, {to.name, from.inode}}}});
  }
  SetName(to.folders.back(), to.name, from.inode);
  SetName(folder, from.name, 0);
}

// Backwards: the kernel guarantees no order, and code that relies on one must fail.
int SimulatedDisk::List(const std::string& path, std::vector<std::string>& names) {
  const Place place = FindPlace(live_, path, Follow::kBeforeSlash);
  if (place.error != 0) return -place.error;
  if (place.inode == 0) return -ENOENT;
  if (!IsFolder(place.inode)) return -ENOTDIR;
  const auto& entries = live_.Get(place.inode).entries;
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    names.push_back(entry->first);
  }
  return 0;
}

int SimulatedDisk::ReadLink(const std::string& path, std::string& target) {
  const Place place = FindPlace(live_, path, Follow::kNever);
  if (place.error != 0) return -place.error;
  if (place.inode == 0) return -ENOENT;
  const Inode& inode = live_.Get(place.inode);
  if (!S_ISLNK(inode.mode)) return -EINVAL;
  target = inode.content;
  return 0;
}

int SimulatedDisk::RenameNew(const std::string& from, const std::string& to) {
  const Place place = FindPlace(live_, to, Follow::kNever);
  if (place.error == 0 && place.inode != 0) return -EEXIST;
  return Rename(from, to);
}

int SimulatedDisk::RenameSwap(const std::string& one, const std::string& other) {
  const Place a = FindPlace(live_, one, Follow::kNever);
  const Place b = FindPlace(live_, other, Follow::kNever);
  if (a.error != 0 || b.error != 0) return a.error != 0 ? -a.error : -b.error;
  if (a.last != LastPart::kName || b.last != LastPart::kName) return -EBUSY;
  if (a.inode == 0 || b.inode == 0) return -ENOENT;
  if ((a.slash && !IsFolder(a.inode)) || (b.slash && !IsFolder(b.inode))) return -ENOTDIR;
  if (Contains(b.folders, a.inode) || Contains(a.folders, b.inode)) return -EINVAL;
  if (a.inode == b.inode) return 0;
  const InodeNumber folder = a.folders.back();
  if (folder == b.folders.back()) {
    Record({folder, NameChange{{{a.name, b.inode}, {b.name, a.inode}}}});
  } else {
    SetName(b.folders.back(), b.name, a.inode);
    SetName(folder, a.name, b.inode);
  }
  return Changed();
}

int SimulatedDisk::SyncDisk(int fd) {
  if (FindFile(fd) == nullptr) return -EBADF;
  SyncEverything();
  return Changed();
}

int SimulatedDisk::ProbeWriters(int fd) {
  const OpenFile* file = FindFile(fd);
  if (file == nullptr) return -EBADF;
  const bool written = std::ranges::any_of(files_, [&](const auto& item) {
    return item.second.inode == file->inode && Writes(item.second.flags);
  });
  return written ? -EAGAIN : 0;
}

int SimulatedDisk::InspectMount(const std::string& path, struct statfs& info) {
  const Place place = FindPlace(live_, path, Follow::kAlways);
  if (place.error != 0) return -place.error;
  if (place.inode == 0) return -ENOENT;
  info = {};
  info.f_type = EXT4_SUPER_MAGIC;
  info.f_bsize = 4096;
  info.f_bavail = 1'000'000;
  return 0;
}

std::optional<std::string> SimulatedDisk::Content(const std::string& path) const {
  const Place place = FindPlace(live_, path, Follow::kAlways);
  if (place.error != 0 || place.inode == 0) return std::nullopt;
  const Inode& inode = live_.Get(place.inode);
  if (!S_ISREG(inode.mode)) return std::nullopt;
  return inode.content;
}

// Durability.

void SimulatedDisk::Record(Change change) {
  live_.Apply(change, Kept(change));
  pending_.push_back(std::move(change));
}

void SimulatedDisk::RecordWrite(InodeNumber inode, std::size_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, kPage - offset % kPage);
    Record({inode, WriteChange{offset, std::string(piece)}});
    offset += piece.size();
    bytes.remove_prefix(piece.size());
  }
}

int SimulatedDisk::Changed() {
  ++changes_;
  if (hook_) hook_(*this);
  return 0;
}

int SimulatedDisk::Sync(int fd) { return SyncChanges(fd, true); }
int SimulatedDisk::SyncData(int fd) { return SyncChanges(fd, false); }

int SimulatedDisk::SyncChanges(int fd, bool with_mode) {
  const OpenFile* file = FindFile(fd);
  if (file == nullptr) return -EBADF;
  std::erase_if(pending_, [&](const Change& change) {
    const bool is_mode = std::holds_alternative<ModeChange>(change.what);
    if (change.inode != file->inode || (is_mode && !with_mode)) return false;
    durable_.Apply(change, Kept(change));
    return true;
  });
  if (IsFolder(file->inode)) Sweep();
  return Changed();
}

void SimulatedDisk::SyncEverything() {
  durable_ = live_;
  pending_.clear();
  Sweep();
}

void SimulatedDisk::Sweep() {
  const std::set<InodeNumber> referenced = Referenced();
  live_.KeepOnly(referenced);
  durable_.KeepOnly(referenced);
  std::erase_if(pending_, [&](const Change& change) { return !referenced.contains(change.inode); });
}

std::set<InodeNumber> SimulatedDisk::Referenced() const {
  std::set<InodeNumber> found;
  std::vector<InodeNumber> todo{kRootFolder};
  for (const auto& [fd, file] : files_) todo.push_back(file.inode);
  while (!todo.empty()) {
    const InodeNumber number = todo.back();
    todo.pop_back();
    if (!found.insert(number).second) continue;
    const std::vector<InodeNumber> named = NamedIn(number);
    todo.insert(todo.end(), named.begin(), named.end());
  }
  return found;
}

std::vector<InodeNumber> SimulatedDisk::NamedIn(InodeNumber folder) const {
  std::vector<InodeNumber> named;
  const auto add = [&](const auto& entries) {
    for (const auto& [name, inode] : entries) {
      if (inode != 0) named.push_back(inode);
    }
  };
  add(live_.Get(folder).entries);
  add(durable_.Get(folder).entries);
  for (const Change& change : pending_) {
    const auto* names = std::get_if<NameChange>(&change.what);
    if (names != nullptr && change.inode == folder) add(names->entries);
  }
  return named;
}

std::vector<SimulatedDisk> SimulatedDisk::CrashStates(std::size_t limit, std::uint64_t seed) const {
  SimulatedDisk stopped = *this;
  stopped.files_.clear();
  stopped.Sweep();
  std::vector<SimulatedDisk> states;
  std::set<std::size_t> seen;
  ForEachCrash(stopped.pending_, limit, seed, [&](const Fates& fates) {
    DiskImage image = stopped.ImageAfter(fates);
    if (!seen.insert(image.Fingerprint()).second) return false;
    SimulatedDisk& state = states.emplace_back();
    state.live_ = state.durable_ = std::move(image);
    state.next_inode_ = next_inode_;
    return true;
  });
  return states;
}

DiskImage SimulatedDisk::ImageAfter(const std::vector<Fate>& fates) const {
  DiskImage image = durable_;
  for (std::size_t i = 0; i < fates.size(); ++i) image.Apply(pending_[i], fates[i]);
  image.KeepOnly(image.Reachable());
  return image;
}

}  // namespace belay
