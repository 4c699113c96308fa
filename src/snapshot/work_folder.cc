#include "snapshot/work_folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/path.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::size_t kDigits = 16;
constexpr std::string_view kLockName = "lock";
constexpr int kMostNames = 10;

bool IsStagingName(std::string_view name, std::string_view start) {
  return name.size() == start.size() + kDigits && name.starts_with(start) &&
         name.find_first_not_of("0123456789abcdef", start.size()) == std::string_view::npos;
}

// The lock that the folder's creator left in it. Never created here: otherwise two processes could
// lock the same folder, one of them through a file that is just being removed.
Result<File> LockLeftFolder(FileSystem& files, const std::string& folder) {
  BELAY_TRY_ASSIGN(File lock, files.OpenForAppending(JoinPath(folder, kLockName)));
  BELAY_TRY(lock.TryLock());
  return lock;
}

// Others may see the folder before its lock is taken; the second one leaves it alone. A sweeper may
// have come first and removed everything: then the locked file no longer exists, and this is
// kNotFound.
Result<File> LockFolder(FileSystem& files, const std::string& folder) {
  const std::string path = JoinPath(folder, kLockName);
  BELAY_TRY_ASSIGN(File lock, files.OpenForWriting(path, kPrivateFile));
  BELAY_TRY(lock.TryLock());
  BELAY_TRY_ASSIGN(const FileInfo ours, lock.Inspect());
  BELAY_TRY_ASSIGN(const FileInfo there, files.Inspect(path));
  if (ours.inode == there.inode) return lock;
  return Error{ErrorCode::kNotFound, fmt::format("{}: another process removed it", folder)};
}

}  // namespace

WorkFolder::WorkFolder(WorkFolder&& other) noexcept
    : files_(other.files_),
      path_(std::exchange(other.path_, {})),
      lock_(std::exchange(other.lock_, std::nullopt)),
      names_(other.names_) {}

// The next Sweep retries what can't be removed now.
WorkFolder::~WorkFolder() {
  if (!path_.empty()) (void)files_->RemoveTree(path_);
}

void WorkFolder::Sweep(FileSystem& files, const std::string& start, const Before& first) {
  const std::string_view parent = ParentPath(start);
  const Result<std::vector<std::string>> names = files.List(std::string(parent) + "/");
  if (!names) return;
  for (const std::string& name : *names) {
    if (!IsStagingName(name, FileName(start))) continue;
    const std::string folder = JoinPath(parent, name);
    const Result<FileInfo> info = files.Inspect(folder);
    if (!info || info->kind != FileKind::kFolder) continue;
    const Result<std::vector<std::string>> content = files.List(folder);
    if (!content) continue;
    // The lock comes first: a process about to take it has put nothing in, and makes another folder
    // if this one is gone. A folder with content but without a lock is half removed.
    const bool locked = std::find(content->begin(), content->end(), kLockName) != content->end();
    if (content->empty()) (void)files.RemoveEmptyFolder(folder);
    if (content->empty()) continue;
    const Result<File> lock = LockLeftFolder(files, folder);
    const bool left = locked ? lock.ok() : !lock && lock.error().code == ErrorCode::kNotFound;
    if (left && (!first || first(folder))) (void)files.RemoveTree(folder);
  }
}

Result<WorkFolder> WorkFolder::Create(FileSystem& files, const std::string& start) {
  for (int tries = 1;; ++tries) {
    BELAY_TRY_ASSIGN(std::string path, files.CreateUniqueFolder(start, kPrivateFolder));
    Result<File> lock = LockFolder(files, path);
    if (lock) return WorkFolder(files, std::move(path), *std::move(lock));
    const bool swept =
        lock.error().code == ErrorCode::kBusy || lock.error().code == ErrorCode::kNotFound;
    if (!swept || tries == kMostNames) return std::move(lock).error();
  }
}

std::string WorkFolder::NewPath() { return JoinPath(path_, std::to_string(++names_)); }

}  // namespace belay
