// A disk in memory that knows what a crash would lose.
//
// To programs it is a POSIX file system with one process: files, folders and symbolic links below
// "/" (which is also the working folder), Linux's errnos, a umask of 022, permission bits that are
// stored but not enforced. Descriptors start above the kernel's, so that mixing the two up is an
// EBADF. A Lock that would have to wait returns EDEADLK: no other process could unlock it.
//
// Nothing is durable before it is synced:
//
//   what                                is durable after
//   ---------------------------------   --------------------------------------------------------
//   bytes and length of a file          Sync or SyncData of the file
//   permission bits                     Sync of the file or folder
//   a name made, removed or renamed     Sync or SyncData of the folder it is in, not of the file
//   a name moved to another folder      Sync of both: after one, it may have both names or neither
//
// What is pending at a crash may arrive or not, in any order, except that
// - changes of the same name arrive in the order they were made;
// - a rename within one folder arrives as a whole or not at all;
// - new permission bits, a new length, and each write up to a page boundary arrive by themselves; a
//   write may arrive in part (its first bytes), and the length that it needs without its bytes.
//   Where a file has grown and the bytes are missing there are zeros; old bytes stay as they were.
//
// So a file that was written, closed and renamed, but never synced, may come back empty, short,
// full of zeros or with holes. That is more than most file systems do and everything that POSIX
// permits.
//
//   SimulatedDisk disk;
//   disk.AfterEachChange([](const SimulatedDisk& now) {
//     for (SimulatedDisk& crashed : now.CrashStates(1000, 1)) ...  // must all recover
//   });

#ifndef BELAY_TESTING_SIMULATED_DISK_H_
#define BELAY_TESTING_SIMULATED_DISK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "os/file_calls.h"
#include "testing/disk_image.h"

namespace belay {

class SimulatedDisk final : public FileCalls {
 public:
  using Hook = std::function<void(const SimulatedDisk&)>;

  // The disks that a crash at this moment may leave, no two alike, with nothing open, nothing
  // locked, no hook, and everything on them durable. All of them when there are at most `limit`
  // combinations of what may arrive; otherwise at most `limit`: the extremes, then random ones that
  // depend only on `seed` (crash_fates.h).
  std::vector<SimulatedDisk> CrashStates(std::size_t limit, std::uint64_t seed) const;

  // Called at the end of every call that changed something: Open that creates or truncates, Write,
  // Truncate, ChangeMode, Rename, RenameSwap, Remove, MakeFolder, RemoveFolder, MakeLink; and of
  // every Sync.
  void AfterEachChange(Hook hook) { hook_ = std::move(hook); }
  std::size_t changes() const { return changes_; }          // how often that was
  std::size_t pending() const { return pending_.size(); }   // changes that a crash may lose
  std::size_t open_files() const { return files_.size(); }  // for finding leaks

  // For setting up and for checking the outcome.
  void SyncEverything();                                              // without calling the hook
  std::optional<std::string> Content(const std::string& path) const;  // of a regular file
  Snapshot TakeSnapshot() const { return live_.TakeSnapshot(); }

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
  int InspectMount(const std::string& path,
                   struct statfs& info) override;  // reports ext4, with free space
  int ReadLink(const std::string& path, std::string& target) override;
  int MakeLink(const std::string& target, const std::string& path) override;
  int RenameNew(const std::string& from, const std::string& to) override;
  int RenameSwap(const std::string& one, const std::string& other) override;
  int SyncDisk(int fd) override;
  int ProbeWriters(int fd) override;

 private:
  struct OpenFile {
    InodeNumber inode;
    int flags;
    std::size_t position = 0;
    int lock = 0;  // LOCK_SH, LOCK_EX or none
  };

  OpenFile* FindFile(int fd);
  int AddFile(InodeNumber inode, int flags);
  bool IsFolder(InodeNumber inode) const;
  bool IsBlocked(const OpenFile& file, int lock) const;

  int OpenExisting(const Place& place, int flags);
  InodeNumber Create(const Place& place, Inode inode);
  void SetName(InodeNumber folder, const std::string& name, InodeNumber inode);
  int RefuseRename(const Place& from, const Place& to) const;
  void MoveName(const Place& from, const Place& to);
  int SyncChanges(int fd, bool with_mode);

  // Record the effects of a call; Changed ends the call.
  void Record(Change change);
  void RecordWrite(InodeNumber inode, std::size_t offset, std::string_view bytes);
  int Changed();

  // Frees inodes that have no name, now or after any crash, and aren't open.
  void Sweep();
  std::set<InodeNumber> Referenced() const;
  std::vector<InodeNumber> NamedIn(InodeNumber folder) const;  // now or after any crash

  DiskImage ImageAfter(const std::vector<Fate>& fates) const;  // of the pending changes

  DiskImage live_;
  DiskImage durable_;
  std::vector<Change> pending_;  // from durable_ to live_
  InodeNumber next_inode_ = kRootFolder + 1;
  std::map<int, OpenFile> files_;
  Hook hook_;
  std::size_t changes_ = 0;
};

}  // namespace belay

#endif  // BELAY_TESTING_SIMULATED_DISK_H_
