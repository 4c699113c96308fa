#include "snapshot/restore_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>

#include "adapters/git/fields.h"
#include "base/path.h"
#include "base/text.h"

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

Error ChangedDuringRestore(std::string_view what) {
  return {ErrorCode::kFailed,
          fmt::format("restore {}: another process changed it during the restore", what),
          "run restore again: it continues where it stopped"};
}

Result<bool> FileRestorer::IsAsSeen(const std::string& path) const {
  const auto seen = seen_.find(path);
  BELAY_TRY_ASSIGN(const std::optional<std::string> blocker, FindBlocker(files_, root_, path));
  if (blocker) return seen == seen_.end();
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> now,
                   IfThere(files_.Inspect(JoinPath(root_, path))));
  if (seen == seen_.end() || !now) return seen == seen_.end() && !now;
  const bool folders = now->kind == FileKind::kFolder && seen->second.info.kind == now->kind;
  return folders || IsUnchanged(seen->second.info, *now);
}

Result<void> FileRestorer::Check(const std::vector<std::string>& paths) const {
  for (const std::string& path : paths) {
    BELAY_TRY_ASSIGN(const bool same, IsAsSeen(path));
    if (!same) return ChangedDuringRestore(QuotePath(path));
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
  Error error = ChangedDuringRestore(QuotePath(path));
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
    BELAY_TRY_ASSIGN(const std::optional<FileInfo> there, IfThere(files_.Inspect(folder)));
    if (there && there->kind != FileKind::kFolder) return ChangedDuringRestore(QuotePath(path));
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
    if (info.kind != FileKind::kFolder) return ChangedDuringRestore(QuotePath(path));
    BELAY_TRY(RemoveEmptyFolders(path));
  }
  return files_.RemoveEmptyFolder(folder);
}

// Not every file system can refuse to replace a file: then we check right before.
Result<void> FileRestorer::MoveNew(const std::string& from, const std::string& to) {
  const Result<void> moved = files_.RenameNew(from, to);
  if (moved) return {};
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> there, IfThere(files_.Inspect(to)));
  if (there) return ChangedDuringRestore(QuotePath(to));
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
    BELAY_TRY_ASSIGN(const std::optional<FileInfo> there, IfThere(files_.Inspect(to)));
    if (there && there->kind != FileKind::kFolder)
      return ChangedDuringRestore(QuotePath(file.path));
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

namespace {

constexpr std::size_t kMostHead = 200;
constexpr std::uint64_t kMostTarget = 4095;  // the kernel's limit

// "ID blob SIZE"
std::optional<std::uint64_t> SizeIn(std::string_view head, const ObjectId& id) {
  const std::string start = id.text() + " blob ";
  if (!head.starts_with(start)) return std::nullopt;
  return ParseNumber<std::uint64_t>(head.substr(start.size()));
}

}  // namespace

Error BlobWriter::Damaged(std::string_view why) const {
  return {ErrorCode::kDamaged,
          fmt::format("git cat-file {}: {}",
                      blobs_[std::min(next_, blobs_.size() - 1)].entry.id.text(), why),
          "git fsck shows which objects are lost"};
}

Result<void> BlobWriter::ReadHead() {
  const BlobToWrite& blob = blobs_[next_];
  const std::optional<std::uint64_t> size = SizeIn(head_, blob.entry.id);
  if (!size) return Damaged("it is missing, or not a blob");
  head_.clear();
  left_ = *size;
  hasher_.emplace(blob.entry.id.format(), *size);
  part_ = *size == 0 ? Part::kEnd : Part::kContent;
  if (blob.entry.mode == kLinkMode) {
    if (*size == 0 || *size > kMostTarget) return Damaged("not a valid link target");
    return {};
  }
  const std::uint32_t usual = blob.entry.mode == kProgramMode ? 0777 : 0666;
  BELAY_TRY_ASSIGN(file_, files_.OpenForWriting(blob.path, usual));
  return {};
}

Result<void> BlobWriter::AddContent(std::string_view bytes) {
  hasher_->Add(bytes);
  left_ -= bytes.size();
  if (file_) return file_->Write(bytes);
  target_ += bytes;
  return {};
}

Result<void> BlobWriter::EndBlob() {
  const BlobToWrite& blob = blobs_[next_];
  if (hasher_->Hex() != blob.entry.id.text()) return Damaged("its content doesn't match its id");
  if (file_ && blob.permissions) BELAY_TRY(file_->SetMode(*blob.permissions & 0777U));
  if (!file_) {
    if (target_.find('\0') != std::string::npos) return Damaged("not a valid link target");
    BELAY_TRY(files_.MakeLink(target_, blob.path));
  }
  file_.reset();
  target_.clear();
  part_ = Part::kHead;
  ++next_;
  return {};
}

Result<void> BlobWriter::AddPart(std::string_view& piece) {
  switch (part_) {
    case Part::kHead: {
      const std::size_t end = piece.find('\n');
      head_ += piece.substr(0, end);
      if (head_.size() > kMostHead) return Damaged("unknown answer");
      const bool whole = end != std::string_view::npos;
      piece.remove_prefix(whole ? end + 1 : piece.size());
      return whole ? ReadHead() : Result<void>();
    }
    case Part::kContent: {
      const std::size_t count = std::min<std::uint64_t>(left_, piece.size());
      BELAY_TRY(AddContent(piece.substr(0, count)));
      piece.remove_prefix(count);
      if (left_ == 0) part_ = Part::kEnd;
      return {};
    }
    case Part::kEnd:
      if (piece[0] != '\n') return Damaged("it is longer than git reported");
      piece.remove_prefix(1);
      return EndBlob();
  }
  return {};
}

Result<void> BlobWriter::Add(std::string_view piece) {
  while (!piece.empty()) {
    if (next_ == blobs_.size()) return Damaged("more answers than requests");
    BELAY_TRY(AddPart(piece));
  }
  return {};
}

Result<void> BlobWriter::Finish() const {
  if (next_ < blobs_.size()) return Damaged("no answer");
  return {};
}

Result<void> WriteBlobs(const Git& git, FileSystem& files, const std::vector<BlobToWrite>& blobs) {
  if (blobs.empty()) return {};
  std::string questions;
  for (const BlobToWrite& blob : blobs) questions += blob.entry.id.text() + "\n";
  BlobWriter writer(files, blobs);
  BELAY_TRY(git.Run({.arguments = {"cat-file", "--batch"},
                     .input = InputOf(std::move(questions)),
                     .output = [&](std::string_view piece) { return writer.Add(piece); },
                     .limit = std::chrono::hours(2)}));
  return writer.Finish();
}

namespace {

constexpr std::uint32_t kExecutable = 0111;

// Clean, any number of conflicts that an exit code can express, or impossible to merge.
std::vector<int> MergeExits() {
  std::vector<int> exits(128);
  for (int i = 0; i < 128; ++i) exits[static_cast<std::size_t>(i)] = i;
  exits.push_back(255);
  return exits;
}

// Writes the output of a git call to a file. Returns the exit code.
Result<int> RunInto(const Worktree& worktree, const std::string& path, GitCall call,
                    std::uint32_t mode) {
  BELAY_TRY_ASSIGN(File file, worktree.files.OpenForWriting(path, 0666));
  call.output = [&](std::string_view piece) { return file.Write(piece); };
  BELAY_TRY_ASSIGN(const GitAnswer answer, worktree.git.Run(call));
  BELAY_TRY(file.SetMode(mode));
  return answer.exit_code;
}

// A change of the execute permission, on either side, wins over the base.
std::uint32_t MergedMode(const PathToRestore& path, const FileInfo& now) {
  const bool runs = now.IsExecutable();
  const bool base_runs = path.base.mode == kProgramMode;
  const bool target_runs = path.target.mode == kProgramMode;
  if (runs != base_runs || target_runs == base_runs) return now.mode & 0777U;
  if (!target_runs) return now.mode & 0777U & ~kExecutable;
  return (now.mode & 0777U) | ((now.mode & 0444U) >> 2U);  // for everyone who may read it
}

// False: not cleanly.
Result<bool> Merge(const Worktree& worktree, WorkFolder& staging, const PathToRestore& path,
                   const FileInfo& now, const std::string& to) {
  const std::string base = staging.NewPath();
  const std::string target = staging.NewPath();
  BELAY_TRY(RunInto(
      worktree, base,
      {.arguments = {"cat-file", "--filters", "--path=" + path.path, path.base.id.text()}}, 0600));
  BELAY_TRY(WriteBlobs(worktree.git, worktree.files, {{target, {kFileMode, path.target.id}}}));
  BELAY_TRY_ASSIGN(
      const int conflicts,
      RunInto(worktree, to,
              {.arguments = {"merge-file", "-p", JoinPath(worktree.place.worktree, path.path), base,
                             target},
               .good_exits = MergeExits()},
              MergedMode(path, now)));
  return conflicts == 0;
}

}  // namespace

Result<std::optional<std::vector<StagedFile>>> StageMerges(const Worktree& worktree,
                                                           WorkFolder& staging,
                                                           const RestorePlan& plan,
                                                           const Present& present) {
  using Staged = std::optional<std::vector<StagedFile>>;
  std::vector<StagedFile> staged;
  for (const PlannedConflict& conflict : plan.conflicts) {
    if (!conflict.in_file) continue;
    const auto path =
        std::find_if(present.paths.begin(), present.paths.end(),
                     [&](const PathToRestore& other) { return other.path == conflict.path; });
    const auto seen = present.seen.find(conflict.path);
    const bool can =
        conflict.can_merge && path != present.paths.end() && seen != present.seen.end();
    if (!can) return Staged();
    staged.push_back({staging.NewPath(), conflict.path});
    BELAY_TRY_ASSIGN(const bool clean,
                     Merge(worktree, staging, *path, seen->second.info, staged.back().staged));
    if (!clean) return Staged();
  }
  return Staged(std::move(staged));
}

}  // namespace belay
