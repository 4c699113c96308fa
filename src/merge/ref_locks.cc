#include "merge/ref_locks.h"

#include <chrono>
#include <set>
#include <vector>

#include "base/path.h"
#include "os/clock.h"

namespace belay {
namespace {

constexpr std::size_t kMostText = 4096;
constexpr int kLooks = 25;
constexpr Duration kBetweenLooks = std::chrono::milliseconds(40);

struct Lock {
  std::string path;
  std::uint64_t inode;

  bool operator==(const Lock&) const = default;
};

// The lock at `path`, if it exists, is not older than the move, and holds a prefix of `text`: git
// may have been killed while it wrote it.
std::optional<Lock> LockWith(const FileSystem& files, const std::string& path,
                             std::string_view text, std::int64_t since) {
  const Result<FileInfo> info = files.Inspect(path);
  if (!info || info->kind != FileKind::kFile || info->modified < since) {
    return std::nullopt;
  }
  const Result<std::string> found = files.Read(path, kMostText);
  if (!found || !text.starts_with(*found)) return std::nullopt;
  return Lock{path, info->inode};
}

std::vector<Lock> OurLocks(const FileSystem& files, const std::string& common_folder,
                           const MoveNote& note, std::int64_t since) {
  std::vector<Lock> locks;
  const std::string ref = JoinPath(common_folder, note.ref + ".lock");
  const std::optional<Lock> of_ref = LockWith(files, ref, note.to.text() + "\n", since);
  // Another git is moving the target: the other locks are that git's too.
  if (!of_ref && files.Inspect(ref)) return locks;
  if (of_ref) locks.push_back(*of_ref);
  std::set<std::string> folders = {common_folder};
  for (const CheckoutPlan& plan : note.checkouts) folders.insert(plan.git_folder);
  for (const std::string& folder : folders) {
    if (const auto lock = LockWith(files, JoinPath(folder, "HEAD.lock"), "", since)) {
      locks.push_back(*lock);
    }
  }
  return locks;
}

}  // namespace

bool FreeRefLocks(FileSystem& files, const std::string& common_folder, const MoveNote& note,
                  std::int64_t since) {
  if (!note.moves_ref) return false;
  const std::vector<Lock> seen = OurLocks(files, common_folder, note, since);
  if (seen.empty()) return false;
  std::vector<Lock> left = seen;
  for (int looks = 0; looks < kLooks && !left.empty(); ++looks) {
    PauseFor(kBetweenLooks);  // a lock that stays is no event
    const std::vector<Lock> now = OurLocks(files, common_folder, note, since);
    std::erase_if(left, [&](const Lock& lock) {
      return std::find(now.begin(), now.end(), lock) == now.end();
    });
  }
  for (const Lock& lock : left) (void)files.RemoveFile(lock.path);
  return !left.empty();
}

}  // namespace belay
