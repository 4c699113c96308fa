// The kernel's file calls, with the moments of the last rename and the last sync.

#ifndef BELAY_BENCH_STORE_STAMPED_CALLS_H_
#define BELAY_BENCH_STORE_STAMPED_CALLS_H_

#include <string>
#include <vector>

#include "measure.h"
#include "os/file_calls.h"

namespace belay::bench {

class StampedCalls final : public FileCalls {
 public:
  double before_rename() const { return before_rename_; }
  double after_sync() const { return after_sync_; }

  int Rename(const std::string& from, const std::string& to) override {
    before_rename_ = MicrosNow();
    return real_.Rename(from, to);
  }
  int Sync(int fd) override {
    const int result = real_.Sync(fd);
    after_sync_ = MicrosNow();
    return result;
  }

  int Open(const std::string& path, int flags, mode_t mode) override {
    return real_.Open(path, flags, mode);
  }
  int Close(int fd) override { return real_.Close(fd); }
  ssize_t Read(int fd, char* buffer, std::size_t count, off_t offset) override {
    return real_.Read(fd, buffer, count, offset);
  }
  ssize_t Write(int fd, const char* bytes, std::size_t count) override {
    return real_.Write(fd, bytes, count);
  }
  int SyncData(int fd) override { return real_.SyncData(fd); }
  int Truncate(int fd, off_t size) override { return real_.Truncate(fd, size); }
  int ChangeMode(int fd, mode_t mode) override { return real_.ChangeMode(fd, mode); }
  int Inspect(int fd, struct stat& info) override { return real_.Inspect(fd, info); }
  int InspectPath(const std::string& path, struct stat& info) override {
    return real_.InspectPath(path, info);
  }
  int Lock(int fd, int operation) override { return real_.Lock(fd, operation); }
  int Remove(const std::string& path) override { return real_.Remove(path); }
  int MakeFolder(const std::string& path, mode_t mode) override {
    return real_.MakeFolder(path, mode);
  }
  int RemoveFolder(const std::string& path) override { return real_.RemoveFolder(path); }
  int List(const std::string& path, std::vector<std::string>& names) override {
    return real_.List(path, names);
  }

 private:
  RealFileCalls real_;
  double before_rename_ = 0;
  double after_sync_ = 0;
};

}  // namespace belay::bench

#endif  // BELAY_BENCH_STORE_STAMPED_CALLS_H_
