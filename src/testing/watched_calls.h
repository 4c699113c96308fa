// File calls and programs that report to a test before they act, so that it can change something in
// between.

#ifndef BELAY_TESTING_WATCHED_CALLS_H_
#define BELAY_TESTING_WATCHED_CALLS_H_

#include <functional>
#include <string>
#include <vector>

#include "os/file_calls.h"
#include "os/program.h"
#include "testing/faulty_calls.h"

namespace belay {

struct WatchedCall {
  CallKind kind;
  const std::string& path;  // of a rename: the destination; empty when a descriptor is used
  bool changes;             // something on the disk
};

class WatchedCalls final : public FileCalls {
 public:
  using Before = std::function<void(const WatchedCall&)>;
  WatchedCalls(FileCalls& calls, Before before) : calls_(calls), before_(std::move(before)) {}

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

 private:
  void Report(CallKind kind, bool changes, const std::string& path = {}) {
    before_({kind, path, changes});
  }

  FileCalls& calls_;
  Before before_;
};

class WatchedPrograms final : public Programs {
 public:
  using Before = std::function<void(const ProgramRequest&)>;
  WatchedPrograms(Programs& programs, Before before)
      : programs_(programs), before_(std::move(before)) {}

  Result<ProgramResult> Run(const ProgramRequest& request) override {
    before_(request);
    return programs_.Run(request);
  }

 private:
  Programs& programs_;
  Before before_;
};

}  // namespace belay

#endif  // BELAY_TESTING_WATCHED_CALLS_H_
