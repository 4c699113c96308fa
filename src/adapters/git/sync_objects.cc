#include "adapters/git/sync_objects.h"

#include <set>
#include <string>

#include "adapters/git/fields.h"
#include "adapters/git/status.h"
#include "base/path.h"

namespace belay {
namespace {

// Measured: from about ten objects on, one sync of the whole disk takes less time than one of each
// file and folder, also while others write.
constexpr std::size_t kMostObjects = 16;
// Each has a tree of its own, those above its files, and the files: that is as many, without asking
// git which ones they are.
constexpr std::size_t kMostCommits = 2;

// Trees and blobs that a commit has and its parent hasn't. Asking for all objects that aren't
// reachable from the target would make git read the whole of its tree.
Result<void> AddNewObjects(const MergeRoom& room, std::span<const CommitToSync> commits,
                           std::set<ObjectId>& objects) {
  std::string pairs;
  for (const CommitToSync& commit : commits) {
    pairs += commit.commit.text();
    if (!commit.parent.IsNone()) pairs += " " + commit.parent.text();
    pairs += '\n';
  }
  BELAY_TRY_ASSIGN(const GitAnswer answer,
                   room.Run({.arguments = {"diff-tree", "--stdin", "--root", "-r", "-t", "-z",
                                           "--no-renames", "--no-commit-id", "--raw"},
                             .input = InputOf(std::move(pairs))}));
  Fields fields(answer.out, "diff-tree");
  while (!fields.AtEnd()) {  // ":MODE MODE ID ID STATUS<nul>PATH<nul>"
    BELAY_TRY(fields.Until(' '));
    BELAY_TRY_ASSIGN(const std::uint32_t mode, fields.ModeUntil(' '));
    BELAY_TRY(fields.Until(' '));
    BELAY_TRY_ASSIGN(ObjectId id, fields.IdUntil(' '));
    BELAY_TRY(fields.Until('\0'));
    BELAY_TRY(fields.PathUntilNul());
    if (mode != kNoMode && mode != kSubmoduleMode) objects.insert(std::move(id));
  }
  return {};
}

// A loose one; what is in a pack, git has synced.
Result<void> SyncLoose(FileSystem& files, const std::string& objects, const ObjectId& id,
                       std::set<std::string>& folders) {
  const std::string folder = JoinPath(objects, id.text().substr(0, 2));
  Result<File> file = files.OpenForReading(JoinPath(folder, id.text().substr(2)));
  if (!file) return file.error().code == ErrorCode::kNotFound ? Result<void>() : file.error();
  folders.insert(folder);
  return file->Sync();
}

}  // namespace

Result<void> SyncCommits(const MergeRoom& room, std::span<const CommitToSync> commits) {
  if (commits.empty()) return {};
  FileSystem& files = room.files();
  const std::string folder = JoinPath(room.common_folder(), "objects");
  if (commits.size() > kMostCommits) return files.SyncDisk(folder);
  std::set<ObjectId> objects;
  for (const CommitToSync& commit : commits) {
    objects.insert(commit.commit);
    objects.insert(commit.tree);
  }
  BELAY_TRY(AddNewObjects(room, commits, objects));
  if (objects.size() > kMostObjects) return files.SyncDisk(folder);
  std::set<std::string> folders;
  for (const ObjectId& id : objects) BELAY_TRY(SyncLoose(files, folder, id, folders));
  for (const std::string& changed : folders) BELAY_TRY(files.SyncFolder(changed));
  return folders.empty() ? Result<void>() : files.SyncFolder(folder);
}

}  // namespace belay
