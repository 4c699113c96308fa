#include "snapshot/restore_files.h"

#include <fmt/core.h>

#include "adapters/git/fields.h"
#include "base/path.h"
#include "snapshot/restore_blobs.h"

namespace belay {
namespace {

constexpr std::uint32_t kUsualFolder = 0777;  // the umask restricts it

// Moving a file changes only `changed`.
bool IsSameMoved(const FileInfo& a, const FileInfo& b) {
  return a.kind == b.kind && a.mode == b.mode && a.bytes == b.bytes && a.device == b.device &&
         a.inode == b.inode && a.modified == b.modified;
}

bool IsUnchanged(const FileInfo& a, const FileInfo& b) {
  return IsSameMoved(a, b) && a.changed == b.changed;
}

}  // namespace

Error ChangedMeanwhile(std::string_view what) {
  return {ErrorCode::kFailed,
          fmt::format("restore {}: another process changed it during the restore", what),
          "restore again: it continues where it stopped"};
}

Result<bool> FileRestorer::IsAsSeen(const std::string& path) const {
  const auto seen = seen_.find(path);
  BELAY_TRY_ASSIGN(const std::optional<std::string> blocker, FindBlocker(files_, root_, path));
  if (blocker) return seen == seen_.end();
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> now,
                   InspectIfThere(files_, JoinPath(root_, path)));
  if (seen == seen_.end() || !now) return seen == seen_.end() && !now;
  const bool folders = now->kind == FileKind::kFolder && seen->second.info.kind == now->kind;
  return folders || IsUnchanged(seen->second.info, *now);
}

Result<void> FileRestorer::Check(const std::vector<std::string>& paths) const {
  for (const std::string& path : paths) {
    BELAY_TRY_ASSIGN(const bool same, IsAsSeen(path));
    if (!same) return ChangedMeanwhile(QuotePath(path));
  }
  return {};
}

bool FileRestorer::IsSeenOne(const std::string& moved, const std::string& path) const {
  const auto seen = seen_.find(path);
  const Result<FileInfo> info = files_.Inspect(moved);
  return info && seen != seen_.end() && IsSameMoved(seen->second.info, *info);
}

Error FileRestorer::PutBack(const Result<void>& put, const std::string& moved,
                            const std::string& path) {
  Error error = ChangedMeanwhile(QuotePath(path));
  if (put) return error;
  staging_.Leave();
  error.hint = fmt::format(
      "the previous file is now {}: save it from there before you restore again", QuotePath(moved));
  return error;
}

Result<void> FileRestorer::RemoveOne(const std::string& path) {
  const std::string at = JoinPath(root_, path);
  const std::string moved = staging_.NewPath();
  BELAY_TRY(Check({path}));
  if (!files_.Rename(at, moved)) {
    BELAY_TRY(Check({path}));
    return files_.RemoveFile(at);
  }
  if (IsSeenOne(moved, path)) return {};
  return PutBack(MoveNew(moved, at), moved, path);
}

Result<void> FileRestorer::Remove(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) BELAY_TRY(RemoveOne(path));
  return {};
}

Result<void> FileRestorer::MakeParents(std::string_view path) {
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', end + 1)) {
    const std::string folder = JoinPath(root_, path.substr(0, end));
    BELAY_TRY_ASSIGN(const std::optional<FileInfo> there, InspectIfThere(files_, folder));
    if (there && there->kind != FileKind::kFolder) return ChangedMeanwhile(QuotePath(path));
    if (!there) BELAY_TRY(files_.CreateFolder(folder, kUsualFolder));
  }
  return {};
}

Result<void> FileRestorer::MakeFolders(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) BELAY_TRY(MakeParents(path + "/"));
  return {};
}

// It holds only folders, unless another process added files: then it stays.
Result<void> FileRestorer::RemoveEmptyFolders(const std::string& folder) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files_.List(folder));
  for (const std::string& name : names) {
    const std::string path = JoinPath(folder, name);
    BELAY_TRY_ASSIGN(const FileInfo info, files_.Inspect(path));
    if (info.kind != FileKind::kFolder) return ChangedMeanwhile(QuotePath(path));
    BELAY_TRY(RemoveEmptyFolders(path));
  }
  return files_.RemoveEmptyFolder(folder);
}

// Not every file system can refuse to replace a file: then we check right before.
Result<void> FileRestorer::MoveNew(const std::string& from, const std::string& to) {
  const Result<void> moved = files_.RenameNew(from, to);
  if (moved) return {};
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> there, InspectIfThere(files_, to));
  if (there) return ChangedMeanwhile(QuotePath(to));
  return files_.Rename(from, to);
}

Result<void> FileRestorer::Replace(const StagedFile& file) {
  const std::string to = JoinPath(root_, file.path);
  BELAY_TRY(Check({file.path}));
  if (!files_.RenameSwap(file.staged, to)) {
    BELAY_TRY(Check({file.path}));
    return files_.Rename(file.staged, to);
  }
  if (IsSeenOne(file.staged, file.path)) return {};
  return PutBack(files_.RenameSwap(file.staged, to), file.staged, file.path);
}

Result<void> FileRestorer::MoveOne(const StagedFile& file) {
  const std::string to = JoinPath(root_, file.path);
  const auto seen = seen_.find(file.path);
  const bool folder = seen != seen_.end() && seen->second.info.kind == FileKind::kFolder;
  BELAY_TRY(MakeParents(file.path));
  if (folder) {
    BELAY_TRY_ASSIGN(const std::optional<FileInfo> there, InspectIfThere(files_, to));
    if (there && there->kind != FileKind::kFolder) return ChangedMeanwhile(QuotePath(file.path));
    if (there) BELAY_TRY(RemoveEmptyFolders(to));
  } else {
    if (seen != seen_.end()) return Replace(file);
    BELAY_TRY(Check({file.path}));
  }
  return MoveNew(file.staged, to);
}

Result<void> FileRestorer::MoveIn(const std::vector<StagedFile>& staged) {
  for (const StagedFile& file : staged) BELAY_TRY(MoveOne(file));
  return {};
}

// A folder that isn't empty stays, and ends the walk upwards.
void FileRestorer::RemoveEmptied(const std::vector<std::string>& removed) {
  for (const std::string& path : removed) {
    for (std::string_view folder = ParentPath(path); folder != "."; folder = ParentPath(folder)) {
      if (!files_.RemoveEmptyFolder(JoinPath(root_, folder))) break;
    }
  }
}

Result<std::vector<StagedFile>> StageFiles(const Worktree& worktree, WorkFolder& staging,
                                           const std::vector<PlannedWrite>& writes,
                                           const std::map<std::string, std::uint32_t>& modes) {
  std::vector<StagedFile> staged;
  std::vector<BlobToWrite> blobs;
  for (const PlannedWrite& write : writes) {
    staged.push_back({staging.NewPath(), write.path});
    BlobToWrite blob{staged.back().staged, write.entry};
    if (const auto mode = modes.find(write.path); mode != modes.end()) {
      blob.permissions = mode->second;
    }
    blobs.push_back(std::move(blob));
  }
  BELAY_TRY(WriteBlobs(worktree.git, worktree.files, blobs));
  return staged;
}

}  // namespace belay
