#include "os/file_calls.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <memory>
#include <string_view>

namespace belay {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { (void)closedir(folder); }
};

// The result of a call, or minus the errno.
template <class T>
T OrError(T result) {
  return result < 0 ? static_cast<T>(-errno) : result;
}

}  // namespace

int RealFileCalls::Open(const std::string& path, int flags, mode_t mode) {
  return OrError(open(path.c_str(), flags | O_CLOEXEC, mode));
}

int RealFileCalls::Close(int fd) { return OrError(close(fd)); }

ssize_t RealFileCalls::Read(int fd, char* buffer, std::size_t count, off_t offset) {
  return OrError(pread(fd, buffer, count, offset));
}

ssize_t RealFileCalls::Write(int fd, const char* bytes, std::size_t count) {
  return OrError(write(fd, bytes, count));
}

int RealFileCalls::Sync(int fd) { return OrError(fsync(fd)); }
int RealFileCalls::SyncData(int fd) { return OrError(fdatasync(fd)); }
int RealFileCalls::Truncate(int fd, off_t size) { return OrError(ftruncate(fd, size)); }
int RealFileCalls::ChangeMode(int fd, mode_t mode) { return OrError(fchmod(fd, mode)); }
int RealFileCalls::Inspect(int fd, struct stat& info) { return OrError(fstat(fd, &info)); }

int RealFileCalls::InspectPath(const std::string& path, struct stat& info) {
  return OrError(lstat(path.c_str(), &info));
}

int RealFileCalls::Lock(int fd, int operation) { return OrError(flock(fd, operation)); }

int RealFileCalls::Rename(const std::string& from, const std::string& to) {
  return OrError(rename(from.c_str(), to.c_str()));
}

int RealFileCalls::Remove(const std::string& path) { return OrError(unlink(path.c_str())); }

int RealFileCalls::MakeFolder(const std::string& path, mode_t mode) {
  if (mkdir(path.c_str(), mode) != 0) return -errno;
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) return -errno;
  const mode_t owner = mode & 0700U;
  if ((info.st_mode & owner) == owner) return 0;
  return OrError(chmod(path.c_str(), (info.st_mode | owner) & 07777U));
}

int RealFileCalls::RemoveFolder(const std::string& path) { return OrError(rmdir(path.c_str())); }

int RealFileCalls::List(const std::string& path, std::vector<std::string>& names) {
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -errno;
  const std::unique_ptr<DIR, CloseFolder> folder(fdopendir(fd));
  if (!folder) {
    const int error = errno;
    (void)close(fd);
    return -error;
  }
  while (true) {
    errno = 0;  // readdir returns null at the end and on an error; only errno tells which
    const dirent* entry = readdir(folder.get());
    if (entry == nullptr) return -errno;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
}

int RealFileCalls::InspectMount(const std::string& path, struct statfs& info) {
  return OrError(statfs(path.c_str(), &info));
}

int RealFileCalls::ReadLink(const std::string& path, std::string& target) {
  char buffer[PATH_MAX];
  const ssize_t length = readlink(path.c_str(), buffer, sizeof(buffer));
  if (length < 0) return -errno;
  target.assign(buffer, static_cast<std::size_t>(length));
  return 0;
}

int RealFileCalls::MakeLink(const std::string& target, const std::string& path) {
  return OrError(symlink(target.c_str(), path.c_str()));
}

int RealFileCalls::RenameNew(const std::string& from, const std::string& to) {
  return OrError(renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE));
}

int RealFileCalls::RenameSwap(const std::string& one, const std::string& other) {
  return OrError(renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE));
}

int RealFileCalls::SyncDisk(int fd) { return OrError(syncfs(fd)); }

// The kernel grants a lease for reading only on a file that no process has open for writing. A
// process that opens it while we hold the lease waits until it is given back, and we get a signal:
// one that is ignored by default.
int RealFileCalls::ProbeWriters(int fd) {
  if (fcntl(fd, F_SETSIG, SIGURG) != 0 || fcntl(fd, F_SETLEASE, F_RDLCK) != 0) return -errno;
  return OrError(fcntl(fd, F_SETLEASE, F_UNLCK));
}

}  // namespace belay
