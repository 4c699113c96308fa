#include "snapshot/sync_base.h"

#include <set>
#include <string>

#include "base/path.h"
#include "base/split.h"

namespace belay {
namespace {

constexpr std::size_t kMostObjects = 2000;

// A loose one; what is in a pack, git has synced.
Result<void> SyncObject(const Worktree& worktree, std::string_view id,
                        std::set<std::string>& folders) {
  const std::string folder =
      JoinPath(worktree.place.common_folder, "objects/" + std::string(id.substr(0, 2)));
  Result<File> file = worktree.files.OpenForReading(JoinPath(folder, id.substr(2)));
  if (!file) return file.error().code == ErrorCode::kNotFound ? Result<void>() : file.error();
  folders.insert(folder);
  return file->Sync();
}

}  // namespace

Result<void> SyncBase(const Worktree& worktree, const ObjectId& base, const ObjectId& synced) {
  if (base.IsNone() || base == synced) return {};
  const std::string& common = worktree.place.common_folder;
  if (synced.IsNone()) return worktree.files.SyncDisk(common);
  const Result<std::string> news = worktree.git.Ask(
      {"rev-list", "--objects", "--no-object-names", base.text(), "^" + synced.text()});
  if (!news || news->size() > kMostObjects * (base.text().size() + 1)) {
    return worktree.files.SyncDisk(common);
  }
  std::set<std::string> folders;
  for (const std::string_view id : Split(*news, '\n')) {
    if (ObjectId::Parse(id)) BELAY_TRY(SyncObject(worktree, id, folders));
  }
  for (const std::string& folder : folders) BELAY_TRY(worktree.files.SyncFolder(folder));
  return worktree.files.SyncFolder(JoinPath(common, "objects/"));
}

}  // namespace belay
