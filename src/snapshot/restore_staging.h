// A folder beside what is restored, on the same disk: files are made in it, and renamed from it.
//
//   START<16 hexadecimal digits>/lock     locked as long as somebody works here
//
// It goes when the object goes. What a kill left, Sweep removes.

#ifndef BELAY_SNAPSHOT_RESTORE_STAGING_H_
#define BELAY_SNAPSHOT_RESTORE_STAGING_H_

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/file_system.h"

namespace belay {

constexpr std::string_view kStagingStart = ".belay-restore-";  // an own path (capture_rules.h)

class Staging {
 public:
  // `start` is a path without the digits. As far as it can: a git process that outlived its belay
  // may still be writing there.
  static void Sweep(FileSystem& files, const std::string& start);
  static Result<Staging> Create(FileSystem& files, const std::string& start);
  Staging(Staging&& other) noexcept;
  Staging& operator=(Staging&&) = delete;
  ~Staging();

  const std::string& path() const { return path_; }
  // Another one each time: no name of a user's gets in here.
  std::string NewPath();

 private:
  Staging(FileSystem& files, std::string path, File lock)
      : files_(&files), path_(std::move(path)), lock_(std::move(lock)) {}

  FileSystem* files_;
  std::string path_;
  std::optional<File> lock_;
  int names_ = 0;
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_RESTORE_STAGING_H_
