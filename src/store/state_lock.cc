#include "store/state_lock.h"

#include <fmt/core.h>

#include "os/file_lock.h"
#include "os/this_process.h"
#include "store/durable_file.h"

namespace belay {
namespace {

// Fixed width, so that the next holder overwrites all of it. Truncating the file first would make
// ext4 write it to the disk at every release.
constexpr std::size_t kWidth = 11;
std::string NumberText(std::int64_t process) { return fmt::format("{:<10}\n", process); }

std::string ReadText(const File& file) {
  std::string text(kWidth, '\0');
  const Result<std::size_t> got = file.ReadAt(0, text.data(), text.size());
  text.resize(got ? *got : 0);
  return text;
}

std::string HolderOf(const FileSystem& files, const std::string& path) {
  const Result<File> file = files.OpenForReading(path);
  const std::string text = file ? ReadText(*file) : "";
  const std::string number = text.substr(0, text.find_first_not_of("0123456789"));
  return number.empty() ? "another process" : "process " + number;
}

// Only for messages: a failed write doesn't matter.
void SignAs(std::int64_t process, File& file) {
  const std::string text = NumberText(process);
  if (ReadText(file) != text) (void)file.Write(text);
}

}  // namespace

Result<StateLock> StateLock::Acquire(FileSystem& files, const std::string& path, Duration limit) {
  Result<File> file = OpenLocked(files, path, kPrivateFile, limit);
  if (!file && file.error().code == ErrorCode::kBusy) {
    return Error{ErrorCode::kBusy, fmt::format("lock {}: {} holds it", path, HolderOf(files, path)),
                 "try again in a moment"};
  }
  if (!file) return std::move(file).error();
  SignAs(ThisProcess(), *file);
  return StateLock(*std::move(file));
}

bool StateLock::IsAt(const FileSystem& files, const std::string& path) const {
  const Result<FileInfo> ours = file_.Inspect();
  const Result<FileInfo> there = files.Inspect(path);
  return ours && there && ours->inode == there->inode && ours->device == there->device;
}

}  // namespace belay
