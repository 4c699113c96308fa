// The system calls for files, one to one, as a seam: the kernel's (RealFileCalls), or in tests a
// simulated disk that can lose unsynced data, and a wrapper that makes any call fail. Everything
// above (FileSystem, and through it the store) is the same code in all cases.
//
// Each call returns the kernel's result, or minus the errno. Nothing is retried here.

#ifndef BELAY_OS_FILE_CALLS_H_
#define BELAY_OS_FILE_CALLS_H_

#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

namespace belay {

class FileCalls {
 public:
  virtual ~FileCalls() = default;

  virtual int Open(const std::string& path, int flags, mode_t mode) = 0;
  virtual int Close(int fd) = 0;
  virtual ssize_t Read(int fd, char* buffer, std::size_t count, off_t offset) = 0;  // pread
  virtual ssize_t Write(int fd, const char* bytes, std::size_t count) = 0;
  virtual int Sync(int fd) = 0;                  // fsync; also of folders
  virtual int SyncData(int fd) = 0;              // fdatasync
  virtual int Truncate(int fd, off_t size) = 0;  // ftruncate
  virtual int ChangeMode(int fd, mode_t mode) = 0;
  virtual int Inspect(int fd, struct stat& info) = 0;                       // fstat
  virtual int InspectPath(const std::string& path, struct stat& info) = 0;  // lstat
  virtual int Lock(int fd, int operation) = 0;                              // flock
  virtual int Rename(const std::string& from, const std::string& to) = 0;
  virtual int Remove(const std::string& path) = 0;  // unlink
  // mkdir; the owner's bits are set whatever the umask.
  virtual int MakeFolder(const std::string& path, mode_t mode) = 0;
  virtual int RemoveFolder(const std::string& path) = 0;
  // Without . and ..; ENOTDIR for a link.
  virtual int List(const std::string& path, std::vector<std::string>& names) = 0;
  virtual int InspectMount(const std::string& path, struct statfs& info) = 0;  // statfs
  virtual int ReadLink(const std::string& path, std::string& target) = 0;
  virtual int MakeLink(const std::string& target, const std::string& path) = 0;  // symlink
  // EEXIST when `to` exists.
  virtual int RenameNew(const std::string& from, const std::string& to) = 0;
  // Swaps the two. EINVAL where the file system can't do that.
  virtual int RenameSwap(const std::string& one, const std::string& other) = 0;
  virtual int SyncDisk(int fd) = 0;  // syncfs: the whole file system that holds it
  // EAGAIN when a process has that file open for writing, 0 when none has. Any other error: that
  // can't be known here. `fd` is open for reading only.
  virtual int ProbeWriters(int fd) = 0;
};

class RealFileCalls : public FileCalls {
 public:
  int Open(const std::string& path, int flags, mode_t mode) override;
  int Close(int fd) override;
  ssize_t Read(int fd, char* buffer, std::size_t count, off_t offset) override;
  ssize_t Write(int fd, const char* bytes, std::size_t count) override;
  int Sync(int fd) override;
  int SyncData(int fd) override;
  int Truncate(int fd, off_t size) override;
  int ChangeMode(int fd, mode_t mode) override;
  int Inspect(int fd, struct stat& info) override;
  int InspectPath(const std::string& path, struct stat& info) override;
  int Lock(int fd, int operation) override;
  int Rename(const std::string& from, const std::string& to) override;
  int Remove(const std::string& path) override;
  int MakeFolder(const std::string& path, mode_t mode) override;
  int RemoveFolder(const std::string& path) override;
  int List(const std::string& path, std::vector<std::string>& names) override;
  int InspectMount(const std::string& path, struct statfs& info) override;
  int ReadLink(const std::string& path, std::string& target) override;
  int MakeLink(const std::string& target, const std::string& path) override;
  int RenameNew(const std::string& from, const std::string& to) override;
  int RenameSwap(const std::string& one, const std::string& other) override;
  int SyncDisk(int fd) override;
  int ProbeWriters(int fd) override;
};

}  // namespace belay

#endif  // BELAY_OS_FILE_CALLS_H_
