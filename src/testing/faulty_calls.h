// File calls that fail when a test wants them to.
//
// Calls are counted from 1, all together and by kind. A test runs an operation once to learn how
// many calls it makes, and then once for each number:
//
//   FaultyCalls calls(disk);
//   operation(calls);
//   for (std::size_t n = calls.count(); n > 0; --n) {
//     calls.Restart();
//     calls.Plan({.number = n, .error = EIO});
//     operation(calls);
//   }
//
// A call that fails never reaches the calls below: a Sync makes nothing durable, a Rename renames
// nothing. Only Close still closes, as the kernel's does.

#ifndef BELAY_TESTING_FAULTY_CALLS_H_
#define BELAY_TESTING_FAULTY_CALLS_H_

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "os/file_calls.h"

namespace belay {

enum class CallKind {
  kOpen,
  kClose,
  kRead,
  kWrite,
  kSync,
  kSyncData,
  kTruncate,
  kChangeMode,
  kInspect,
  kInspectPath,
  kLock,
  kRename,
  kRemove,
  kMakeFolder,
  kRemoveFolder,
  kList,
  kInspectMount,
  kReadLink,
  kMakeLink,
  kRenameNew,
  kRenameSwap,
  kSyncDisk,
  kProbeWriters,
};

struct Fault {
  std::optional<CallKind> kind = {};  // what `number` counts; all calls when empty
  std::size_t number = 1;
  int error = 0;         // errno of the call; 0: it is only shortened
  bool lasting = false;  // the calls after it (of `kind`) fail too
  // A Read or Write transfers at most this many bytes. With an error, this call transfers them and
  // the next one of its kind fails: how a disk fills up.
  std::optional<std::size_t> bytes = {};
};

class FaultyCalls final : public FileCalls {
 public:
  explicit FaultyCalls(FileCalls& calls) : calls_(calls) {}

  // Faults add up; of several errors for one call the one planned first counts.
  void Plan(const Fault& fault) { plans_.push_back({fault}); }
  void Restart();  // counts from 1 again, without faults

  std::size_t count() const { return log_.size(); }
  std::size_t count(CallKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  const std::vector<CallKind>& log() const { return log_; }  // the kind of each call, in order
  std::size_t faults() const { return faults_; }             // calls that failed or were shortened

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
  struct Planned {
    Fault fault;
    std::optional<CallKind> cut = {};  // the kind of call that was shortened before the error
    bool over = false;
  };

  // Counts a call. Its errno, or 0 when it passes, with at most `*bytes`.
  int Begin(CallKind kind, std::size_t* bytes = nullptr);
  int Meet(Planned& planned, CallKind kind, std::size_t* bytes) const;
  bool IsDue(const Planned& planned, CallKind kind) const;

  FileCalls& calls_;
  std::vector<Planned> plans_;
  std::vector<CallKind> log_;
  std::array<std::size_t, static_cast<std::size_t>(CallKind::kProbeWriters) + 1> counts_{};
  std::size_t faults_ = 0;
};

}  // namespace belay

#endif  // BELAY_TESTING_FAULTY_CALLS_H_
