#include "base/result.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>

namespace belay {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kFailed:
      return "failed";
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kRefused:
      return "refused";
    case ErrorCode::kDamaged:
      return "damaged";
    case ErrorCode::kBusy:
      return "busy";
  }
  __builtin_unreachable();
}

int ExitCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kFailed:
      return 1;
    case ErrorCode::kUsage:
      return 2;
    case ErrorCode::kNotFound:
      return 3;
    case ErrorCode::kRefused:
      return 4;
    case ErrorCode::kDamaged:
      return 5;
    case ErrorCode::kBusy:
      return 75;
  }
  __builtin_unreachable();
}

Error Error::In(std::string_view object) && {
  message = fmt::format("{}: {}", object, message);
  return std::move(*this);
}

namespace {

std::string_view HintFor(int errno_value) {
  switch (errno_value) {
    case ENOSPC:
    case EDQUOT:
      return "free some space, then try again";
    case EROFS:
      return "mount the disk writable, then try again";
    case EACCES:
    case EPERM:
      return "permission denied: check owner and mode (ls -ld)";
    case EMFILE:
      return "raise the limit of open files (ulimit -n), then try again";
    case ENFILE:
      return "raise the machine's limit of open files (sysctl fs.file-max), then try again";
    case EIO:
      return "the disk reported an error; look at dmesg";
    default:
      return {};
  }
}

}  // namespace

Error SystemError(std::string_view what, int errno_value) {
  const bool missing = errno_value == ENOENT || errno_value == ENOTDIR;
  // Some file systems give numbers that have no name.
  const char* const name = strerrordesc_np(errno_value);
  return {missing ? ErrorCode::kNotFound : ErrorCode::kFailed,
          name == nullptr ? fmt::format("{}: error {}", what, errno_value)
                          : fmt::format("{}: {}", what, name),
          std::string(HintFor(errno_value))};
}

}  // namespace belay
