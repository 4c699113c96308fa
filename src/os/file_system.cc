#include "os/file_system.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/path.h"

namespace belay {
namespace {

constexpr std::uint32_t kPermissionBits = 07777;
constexpr std::uint32_t kOwnerBits = 0700;
constexpr int kMostTries = 100;
constexpr std::size_t kTemporaryDigits = 16;
constexpr std::string_view kTemporaryEnd = ".tmp";

// `result` is what a call of FileCalls returned: minus an errno.
Error CallError(std::string_view call, const std::string& path, ssize_t result) {
  return SystemError(fmt::format("{} {}", call, path), static_cast<int>(-result));
}

Result<void> OrError(std::string_view call, const std::string& path, ssize_t result) {
  if (result < 0) return CallError(call, path, result);
  return {};
}

// Repeats a call while it is only interrupted.
template <class Call>
auto Retry(Call call) {
  auto result = call();
  while (result == -EINTR) result = call();
  return result;
}

FileKind KindOf(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::kFile;
  if (S_ISDIR(mode)) return FileKind::kFolder;
  if (S_ISLNK(mode)) return FileKind::kLink;
  return FileKind::kOther;
}

std::int64_t Nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileInfo InfoFrom(const struct stat& info) {
  return {KindOf(info.st_mode),
          info.st_mode & kPermissionBits,
          info.st_uid,
          info.st_uid == geteuid(),
          static_cast<std::uint64_t>(info.st_size),
          info.st_dev,
          info.st_ino,
          Nanoseconds(info.st_mtim),
          Nanoseconds(info.st_ctim)};
}

std::string RandomDigits() {
  std::uint64_t random = 0;
  // Can't fail for so few bytes once the machine has started.
  (void)getrandom(&random, sizeof(random), 0);
  return fmt::format("{:016x}", random);
}

std::string TemporaryName(const std::string& path) {
  return JoinPath(ParentPath(path), fmt::format(".{}.{}.tmp", FileName(path), RandomDigits()));
}

Result<void> WriteSynced(File& file, FileCalls& calls, int fd, std::string_view bytes,
                         std::uint32_t mode) {
  BELAY_TRY(OrError("chmod", file.path(), Retry([&] { return calls.ChangeMode(fd, mode); })));
  BELAY_TRY(file.Write(bytes));
  return file.Sync();
}

Error NotRegular(const std::string& path) {
  return {ErrorCode::kRefused, fmt::format("open {}: it is not a regular file", path)};
}

// `made` is a new file, whose owner's bits the umask may have cleared.
Result<File> WithOwnerBits(Result<File> made, FileCalls& calls, int fd, std::uint32_t mode) {
  if (!made) return made;
  BELAY_TRY_ASSIGN(const FileInfo info, made->Inspect());
  const std::uint32_t wanted = info.mode | (mode & kOwnerBits);
  if (info.mode == wanted) return made;
  BELAY_TRY(OrError("chmod", made->path(), Retry([&] { return calls.ChangeMode(fd, wanted); })));
  return made;
}

}  // namespace

File::File(File&& other) noexcept
    : calls_(other.calls_), fd_(std::exchange(other.fd_, -1)), path_(std::move(other.path_)) {}

File& File::operator=(File&& other) noexcept {
  std::swap(calls_, other.calls_);
  std::swap(fd_, other.fd_);
  std::swap(path_, other.path_);
  return *this;
}

// Everything that matters was synced before; an error of close adds nothing.
File::~File() {
  if (fd_ >= 0) (void)calls_->Close(fd_);
}

Result<FileInfo> File::Inspect() const {
  struct stat info {};
  BELAY_TRY(OrError("stat", path_, calls_->Inspect(fd_, info)));
  return InfoFrom(info);
}

Result<std::size_t> File::ReadAt(std::uint64_t offset, char* buffer, std::size_t count) const {
  std::size_t total = 0;
  while (total < count) {
    const ssize_t got = Retry([&] {
      return calls_->Read(fd_, buffer + total, count - total, static_cast<off_t>(offset + total));
    });
    if (got < 0) return CallError("read", path_, got);
    if (got == 0) break;
    total += static_cast<std::size_t>(got);
  }
  return total;
}

Result<void> File::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = Retry([&] { return calls_->Write(fd_, bytes.data(), bytes.size()); });
    if (written < 0) return CallError("write", path_, written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> File::Truncate(std::uint64_t size) {
  return OrError("truncate", path_,
                 Retry([&] { return calls_->Truncate(fd_, static_cast<off_t>(size)); }));
}

Result<void> File::SetMode(std::uint32_t mode) {
  return OrError("chmod", path_, Retry([&] { return calls_->ChangeMode(fd_, mode); }));
}

Result<void> File::Sync() {
  return OrError("fsync", path_, Retry([&] { return calls_->Sync(fd_); }));
}

Result<void> File::SyncData() {
  return OrError("fdatasync", path_, Retry([&] { return calls_->SyncData(fd_); }));
}

Result<void> File::Lock(int operation) {
  const int result = calls_->Lock(fd_, operation);
  if (result == -EWOULDBLOCK || result == -EINTR) {
    return Error{ErrorCode::kBusy, fmt::format("lock {}: another process holds it", path_)};
  }
  return OrError("lock", path_, result);
}

Result<void> File::TryLock() { return Lock(LOCK_EX | LOCK_NB); }

bool File::IsBeingWritten() const { return calls_->ProbeWriters(fd_) == -EAGAIN; }

Result<FileInfo> FileSystem::Inspect(const std::string& path) const {
  struct stat info {};
  BELAY_TRY(OrError("stat", path, calls_.InspectPath(path, info)));
  return InfoFrom(info);
}

// A FIFO must not block the open, hence O_NONBLOCK.
int FileSystem::OpenFile(const std::string& path, int flags, std::uint32_t mode) const {
  return Retry([&] { return calls_.Open(path, flags | O_NOFOLLOW | O_NONBLOCK, mode); });
}

// The type of the opened file decides; `fd` is the result of OpenFile.
Result<File> FileSystem::Regular(const std::string& path, int fd) const {
  if (fd == -ELOOP) {
    return Error{ErrorCode::kRefused, fmt::format("open {}: it is a link", path)};
  }
  if (fd == -EISDIR) {
    return Error{ErrorCode::kRefused, fmt::format("open {}: it is a folder", path)};
  }
  if (fd == -ENXIO) return NotRegular(path);  // a socket can't even be opened
  if (fd < 0) return CallError("open", path, fd);
  File file(calls_, fd, path);
  BELAY_TRY_ASSIGN(const FileInfo info, file.Inspect());
  if (info.kind != FileKind::kFile) return NotRegular(path);
  return file;
}

Result<File> FileSystem::OpenForReading(const std::string& path) const {
  return Regular(path, OpenFile(path, O_RDONLY, 0));
}

Result<File> FileSystem::OpenForAppending(const std::string& path) {
  return Regular(path, OpenFile(path, O_RDWR | O_APPEND, 0));
}

// Lock files are opened often: an existing one costs no extra call.
Result<File> FileSystem::OpenForWriting(const std::string& path, std::uint32_t mode) {
  int fd = OpenFile(path, O_RDWR, 0);
  // Other processes may create and remove it all the time, but hardly between every two of our
  // calls.
  for (int tries = 0; fd == -ENOENT && tries < kMostTries; ++tries) {
    const int made = OpenFile(path, O_RDWR | O_CREAT | O_EXCL, mode);
    if (made != -EEXIST) return WithOwnerBits(Regular(path, made), calls_, made, mode);
    fd = OpenFile(path, O_RDWR, 0);
  }
  return Regular(path, fd);
}

Result<std::string> FileSystem::Read(const std::string& path, std::size_t limit) const {
  BELAY_TRY_ASSIGN(const File file, OpenForReading(path));
  BELAY_TRY_ASSIGN(const FileInfo info, file.Inspect());
  // Room for one byte more: the file may be growing, and exceeding the limit must be noticed.
  std::string bytes(std::min<std::uint64_t>(info.bytes, limit) + 1, '\0');
  std::size_t total = 0;
  while (total < bytes.size()) {
    BELAY_TRY_ASSIGN(const std::size_t got,
                     file.ReadAt(total, bytes.data() + total, bytes.size() - total));
    if (got == 0) break;
    total += got;
    if (total == bytes.size() && total <= limit) bytes.resize(std::min(2 * total, limit + 1));
  }
  if (total > limit) {
    return Error{ErrorCode::kDamaged, fmt::format("read {}: larger than {} bytes", path, limit)};
  }
  bytes.resize(total);
  return bytes;
}

// The kernel returns the same errno for a link and for a file where a folder is expected.
Error FileSystem::FolderError(std::string_view call, const std::string& path, int result) const {
  if (result != -ENOTDIR) return CallError(call, path, result);
  const Result<FileInfo> there = Inspect(path);
  if (!there || there->kind != FileKind::kLink) return CallError(call, path, result);
  return {ErrorCode::kRefused, fmt::format("{} {}: it is a link", call, path)};
}

Result<std::vector<std::string>> FileSystem::List(const std::string& path) const {
  std::vector<std::string> names;
  if (const int result = calls_.List(path, names); result < 0) {
    return FolderError("list", path, result);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> FileSystem::CreateFolder(const std::string& path, std::uint32_t mode) {
  return OrError("mkdir", path, calls_.MakeFolder(path, mode));
}

Result<std::string> FileSystem::CreateTemporary(const std::string& path, std::string_view bytes,
                                                std::uint32_t mode) {
  std::string temporary = TemporaryName(path);
  const int fd = Retry([&] { return calls_.Open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0600); });
  if (fd < 0) return CallError("create", path, fd);
  File file(calls_, fd, path);  // errors name the path that the caller knows
  if (Result<void> written = WriteSynced(file, calls_, fd, bytes, mode); !written) {
    (void)calls_.Remove(temporary);
    return std::move(written).error();
  }
  return temporary;
}

Result<void> FileSystem::Rename(const std::string& from, const std::string& to) {
  return OrError("rename", to, calls_.Rename(from, to));
}

Result<void> FileSystem::RenameNew(const std::string& from, const std::string& to) {
  const int result = calls_.RenameNew(from, to);
  if (result == -EEXIST) {
    return Error{ErrorCode::kRefused, fmt::format("rename {}: it already exists", to)};
  }
  return OrError("rename", to, result);
}

Result<void> FileSystem::RenameSwap(const std::string& one, const std::string& other) {
  return OrError("rename", other, calls_.RenameSwap(one, other));
}

Result<std::string> FileSystem::ReadLink(const std::string& path) const {
  std::string target;
  BELAY_TRY(OrError("readlink", path, calls_.ReadLink(path, target)));
  return target;
}

Result<void> FileSystem::MakeLink(const std::string& target, const std::string& path) {
  return OrError("symlink", path, calls_.MakeLink(target, path));
}

Result<void> FileSystem::SyncDisk(const std::string& folder) {
  const int fd = Retry([&] { return calls_.Open(folder, O_RDONLY | O_DIRECTORY, 0); });
  if (fd < 0) return CallError("open", folder, fd);
  const File opened(calls_, fd, folder);
  return OrError("syncfs", folder, Retry([&] { return calls_.SyncDisk(fd); }));
}

Result<void> FileSystem::SyncFolder(const std::string& path) {
  const int fd = Retry([&] { return calls_.Open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0); });
  if (fd < 0) return FolderError("open", path, fd);
  return File(calls_, fd, path).Sync();
}

Result<void> FileSystem::RemoveFile(const std::string& path) {
  return OrError("unlink", path, calls_.Remove(path));
}

Result<void> FileSystem::RemoveEmptyFolder(const std::string& path) {
  return OrError("rmdir", path, calls_.RemoveFolder(path));
}

Result<std::string> FileSystem::CreateUniqueFolder(const std::string& start, std::uint32_t mode) {
  std::string path = start + RandomDigits();
  BELAY_TRY(CreateFolder(path, mode));
  return path;
}

Result<void> FileSystem::RemoveTree(const std::string& path) {
  const Result<FileInfo> info = Inspect(path);
  if (!info) return IsMissing(info) ? Result<void>() : info.error();
  if (info->kind != FileKind::kFolder) return EmptyIfMissing(RemoveFile(path));
  const Result<std::vector<std::string>> names = List(path);
  if (!names) return IsMissing(names) ? Result<void>() : names.error();
  for (const std::string& name : *names) BELAY_TRY(RemoveTree(JoinPath(path, name)));
  return EmptyIfMissing(RemoveEmptyFolder(path));
}

bool IsTemporaryName(std::string_view name) {
  const std::size_t least = 1 + 1 + 1 + kTemporaryDigits + kTemporaryEnd.size();
  if (name.size() < least || name[0] != '.' || !name.ends_with(kTemporaryEnd)) return false;
  name.remove_suffix(kTemporaryEnd.size());
  const std::string_view digits = name.substr(name.size() - kTemporaryDigits);
  return name[name.size() - kTemporaryDigits - 1] == '.' &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<void> SetModifiedTime(const std::string& path, std::int64_t modified) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec written{modified / kSecond, modified % kSecond};
  const timespec times[] = {{0, UTIME_OMIT}, written};
  if (utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0) return {};
  return Error{ErrorCode::kFailed, "utimensat " + path + ": " + strerror(errno)};
}

}  // namespace belay
