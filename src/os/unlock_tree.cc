#include "os/unlock_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "os/fd.h"

namespace belay {
namespace {

constexpr mode_t kOwner = S_IRUSR | S_IWUSR | S_IXUSR;

// A folder of ours on this file system, opened with all permissions; nothing: not such a folder.
UniqueFd OpenUnlocked(int parent, const char* name, dev_t device) {
  struct stat info {};
  if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(info.st_mode)) return {};
  if (info.st_dev != device || info.st_uid != geteuid()) return {};
  if ((info.st_mode & kOwner) != kOwner) {
    (void)fchmodat(parent, name, (info.st_mode & 07777U) | kOwner, 0);
  }
  return UniqueFd(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

struct Entry {
  std::string name;
  bool may_be_folder;
};

// The entries of an open folder; closes it.
std::vector<Entry> EntriesOf(int fd) {
  std::vector<Entry> entries;
  DIR* const stream = fdopendir(fd);
  if (stream == nullptr) {
    close(fd);
    return entries;
  }
  while (const dirent* const entry = readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    entries.push_back({std::string(name), entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN});
  }
  closedir(stream);
  return entries;
}

bool IsFolder(int parent, const std::string& name) {
  struct stat info {};
  return fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

// `path` is that of the folder, ending with a slash; empty for the first one.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the tree; one descriptor for each level.
void UnlockBelow(const UniqueFd& folder, dev_t device, const std::string& path,
                 std::vector<std::string>& paths) {
  const int copy = openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::vector<Entry> entries = copy < 0 ? std::vector<Entry>() : EntriesOf(copy);
  if (entries.empty() && !path.empty()) paths.push_back(path);
  for (const Entry& entry : entries) {
    const UniqueFd below =
        entry.may_be_folder ? OpenUnlocked(folder.get(), entry.name.c_str(), device) : UniqueFd();
    if (below) {
      UnlockBelow(below, device, path + entry.name + "/", paths);
    } else {
      const bool skipped = entry.may_be_folder && IsFolder(folder.get(), entry.name);
      paths.push_back(path + entry.name + (skipped ? "/" : ""));
    }
  }
}

}  // namespace

Result<std::vector<std::string>> UnlockTree(const std::string& folder) {
  struct stat info {};
  std::vector<std::string> paths;
  if (lstat(folder.c_str(), &info) != 0) {
    if (errno == ENOENT) return paths;
    return SystemError("stat " + folder, errno);
  }
  const UniqueFd top = OpenUnlocked(AT_FDCWD, folder.c_str(), info.st_dev);
  if (top) UnlockBelow(top, info.st_dev, "", paths);
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace belay
