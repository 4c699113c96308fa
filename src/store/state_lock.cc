#include "store/state_lock.h"

#include <fmt/core.h>

#include "os/file_lock.h"
#include "os/this_process.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::size_t kMostBytes = 32;

std::string HolderOf(const File& file) {
  std::string text(kMostBytes, '\0');
  const Result<std::size_t> got = file.ReadAt(0, text.data(), text.size());
  text.resize(got ? *got : 0);
  const bool number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return number ? fmt::format("process {}", text) : "another process";
}

}  // namespace

Result<StateLock> StateLock::Acquire(FileSystem& files, const std::string& path, Duration limit) {
  BELAY_TRY_ASSIGN(File file, files.OpenForAppending(path, kPrivateFile));
  Result<void> locked = LockExclusively(file, limit);
  if (!locked && locked.error().code == ErrorCode::kBusy) {
    return Error{ErrorCode::kBusy, fmt::format("lock {}: {} has it", path, HolderOf(file)),
                 "try again in a moment"};
  }
  if (!locked) return std::move(locked).error();
  // Only for messages: whether it can be written decides nothing.
  if (file.Truncate(0)) (void)file.Write(fmt::format("{}", ThisProcess()));
  return StateLock(std::move(file));
}

}  // namespace belay
