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
#include "os/clock.h"
#include "os/file_system.h"
#include "store/repository.h"

namespace belay {

constexpr std::string_view kStagingStart = ".belay-restore-";  // an own path (capture_rules.h)

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

}  // namespace belay

#endif  // BELAY_SNAPSHOT_WORK_FOLDER_H_
