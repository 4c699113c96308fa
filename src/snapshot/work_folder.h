// A folder in which something is built, on its final disk: it is renamed into place when it is
// complete.
//
//   START<16 hexadecimal digits>/lock     locked while in use
//
// The destructor removes it. Sweep removes what a kill left.

#ifndef BELAY_SNAPSHOT_WORK_FOLDER_H_
#define BELAY_SNAPSHOT_WORK_FOLDER_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "adapters/git/git.h"
#include "base/result.h"
#include "codec/hash.h"
#include "os/clock.h"
#include "os/file_system.h"
#include "store/repository.h"

namespace belay {

constexpr std::string_view kStagingStart = ".belay-restore-";  // an own path (capture_list.h)

class WorkFolder {
 public:
  // `start` is a path without the digits. Removes as much as it can: a git process that outlived
  // its belay may still be writing there. `first` is called with each folder before it is removed;
  // on an error the folder stays.
  using Before = std::function<Result<void>(const std::string& folder)>;
  static void Sweep(FileSystem& files, const std::string& start, const Before& first = {});
  static Result<WorkFolder> Create(FileSystem& files, const std::string& start);
  WorkFolder(WorkFolder&& other) noexcept;
  WorkFolder& operator=(WorkFolder&&) = delete;
  ~WorkFolder();

  const std::string& path() const { return path_; }
  // Unique each time: no user-provided name appears in it.
  std::string NewPath();
  void Leave() { path_.clear(); }  // leaves it to a later Sweep

 private:
  static Result<WorkFolder> TryCreate(FileSystem& files, const std::string& start);
  WorkFolder(FileSystem& files, std::string path, File lock)
      : files_(&files), path_(std::move(path)), lock_(std::move(lock)) {}

  FileSystem* files_;
  std::string path_;
  std::optional<File> lock_;
  int names_ = 0;
};

// One worktree and access to it: what taking and restoring a snapshot need.

struct Worktree {
  FileSystem& files;
  const Git& git;  // runs in the worktree's folder
  const Clock& clock;
  const Repository& place;
};

// A small repository beside the real one's objects, in which a snapshot is built: unfinished work
// never shows up in the real one.
//
//   OBJECTS/belay-<16 hex digits>/          a bare repository that borrows the real objects
//   OBJECTS/belay-<16 hex digits>/lock      locked while in use
//   OBJECTS/belay-<16 hex digits>/keep      the hash of the pack that is moving out
//
// A pack moves out in this order: its name is noted in `keep`; a file pack-HASH.keep makes git's gc
// leave it alone; the pack; its index; the folder is synced. Once a ref holds its content, the
// .keep is removed, and then the scratch repository. Sweep removes what a kill leaves of all this.

class ScratchRepository {
 public:
  // Removes what killed processes left, as far as possible: a git process that outlived its belay
  // may still be writing there. `common_folder` is the repository's.
  static void Sweep(FileSystem& files, const std::string& common_folder);

  static Result<ScratchRepository> Create(FileSystem& files, const std::string& common_folder,
                                          ObjectFormat format);
  ScratchRepository(ScratchRepository&& other) noexcept = default;
  ScratchRepository& operator=(ScratchRepository&&) = delete;
  ~ScratchRepository();  // removes it, and the .keep: a ref protects the pack by now

  // Runs git in this repository.
  Result<GitAnswer> Run(const Git& git, GitCall call) const;

  // Packs everything that `commit` holds and `base` (which may be none) doesn't, and moves the pack
  // to the real repository, synced; gc leaves it alone as long as this object exists.
  Result<void> MoveOut(const Git& git, const ObjectId& commit, const ObjectId& base);

 private:
  ScratchRepository(FileSystem& files, std::string common_folder, WorkFolder folder)
      : files_(&files), common_folder_(std::move(common_folder)), folder_(std::move(folder)) {}

  Result<std::string> Pack(const Git& git, const ObjectId& commit, const ObjectId& base) const;

  FileSystem* files_;
  std::string common_folder_;
  WorkFolder folder_;
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_WORK_FOLDER_H_
