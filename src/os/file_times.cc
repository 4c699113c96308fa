#include "os/file_times.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

namespace belay {

Result<void> SetModifiedTime(const std::string& path, std::int64_t modified) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec written{modified / kSecond, modified % kSecond};
  const timespec times[] = {{0, UTIME_OMIT}, written};
  if (utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) == 0) return {};
  return Error{ErrorCode::kFailed, "utimensat " + path + ": " + strerror(errno)};
}

}  // namespace belay
