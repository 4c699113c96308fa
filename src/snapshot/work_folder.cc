#include "snapshot/work_folder.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "adapters/git/merge_room.h"
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
    const bool left = locked ? lock.ok() : IsMissing(lock);
    if (left && (!first || first(folder))) (void)files.RemoveTree(folder);
  }
}

Result<WorkFolder> WorkFolder::TryCreate(FileSystem& files, const std::string& start) {
  BELAY_TRY_ASSIGN(std::string path, files.CreateUniqueFolder(start, kPrivateFolder));
  BELAY_TRY_ASSIGN(File lock, LockFolder(files, path));
  return WorkFolder(files, std::move(path), std::move(lock));
}

// A sweeper may remove the folder at any moment before its lock is held, also right after mkdir.
Result<WorkFolder> WorkFolder::Create(FileSystem& files, const std::string& start) {
  for (int tries = 1;; ++tries) {
    Result<WorkFolder> made = TryCreate(files, start);
    if (made || tries == kMostNames) return made;
    const ErrorCode code = made.error().code;
    if (code != ErrorCode::kBusy && code != ErrorCode::kNotFound) return made;
  }
}

std::string WorkFolder::NewPath() { return JoinPath(path_, std::to_string(++names_)); }

namespace {

constexpr std::string_view kKeepText = "belay\n";
constexpr std::size_t kMostHash = 100;

std::string ObjectsOf(const std::string& common_folder) {
  return JoinPath(common_folder, "objects");
}

std::string StartOf(const std::string& common_folder) {
  return JoinPath(ObjectsOf(common_folder), "belay-");
}

std::string PackPath(const std::string& common_folder, std::string_view hash,
                     std::string_view end) {
  return JoinPath(ObjectsOf(common_folder), fmt::format("pack/pack-{}.{}", hash, end));
}

Result<void> WriteNew(FileSystem& files, const std::string& path, std::string_view text) {
  BELAY_TRY_ASSIGN(File file, files.OpenForWriting(path, kPrivateFile));
  return file.Write(text);
}

// A pack without its index is useless, and git never removes it.
Result<void> RemoveHalfPack(FileSystem& files, const std::string& common_folder,
                            std::string_view hash) {
  const auto index = files.Inspect(PackPath(common_folder, hash, "idx"));
  if (index) return {};
  if (!IsMissing(index)) return index.error();
  BELAY_TRY(files.RemoveTree(PackPath(common_folder, hash, "rev")));
  return files.RemoveTree(PackPath(common_folder, hash, "pack"));
}

// An error leaves everything to the next sweep: without the note, the .keep would have no owner.
Result<void> RemoveKeep(FileSystem& files, const std::string& common_folder,
                        const std::string& scratch) {
  const Result<std::string> hash = files.Read(JoinPath(scratch, "keep"), kMostHash);
  if (!hash && !IsMissing(hash)) return hash.error();
  if (!hash || !ObjectId::Parse(*hash)) return {};
  const std::string keep = PackPath(common_folder, *hash, "keep");
  const Result<std::string> text = files.Read(keep, kMostHash);
  if (!text && !IsMissing(text)) return text.error();
  // An empty file is ours too, from before anything was written to it.
  if (!text || (*text != kKeepText && !text->empty())) return {};
  BELAY_TRY(RemoveHalfPack(files, common_folder, *hash));
  return files.RemoveFile(keep);
}

}  // namespace

// The next Sweep retries what can't be removed now.
ScratchRepository::~ScratchRepository() {
  if (folder_.path().empty()) return;
  if (!RemoveKeep(*files_, common_folder_, folder_.path())) folder_.Leave();
}

void ScratchRepository::Sweep(FileSystem& files, const std::string& common_folder) {
  WorkFolder::Sweep(files, StartOf(common_folder), [&](const std::string& folder) {
    return RemoveKeep(files, common_folder, folder);
  });
}

Result<ScratchRepository> ScratchRepository::Create(FileSystem& files,
                                                    const std::string& common_folder,
                                                    ObjectFormat format) {
  BELAY_TRY_ASSIGN(WorkFolder folder, WorkFolder::Create(files, StartOf(common_folder)));
  ScratchRepository scratch(files, common_folder, std::move(folder));
  // Larger files than the threshold are streamed.
  BELAY_TRY(MakeBorrowingRepository(files, scratch.folder_.path(), ObjectsOf(common_folder), format,
                                    "bare = true\nbigFileThreshold = 1m\n"));
  return scratch;
}

Result<GitAnswer> ScratchRepository::Run(const Git& git, GitCall call) const {
  call.environment["GIT_DIR"] = folder_.path();
  // The user's configuration doesn't apply to this repository.
  call.environment["GIT_CONFIG_GLOBAL"] = "/dev/null";
  call.environment["GIT_CONFIG_NOSYSTEM"] = "1";
  call.settings.emplace_back("core.ignoreCase=false");
  call.settings.emplace_back("core.fsync=none");  // nothing here has to survive
  return git.In(folder_.path()).Run(call);
}

// Runs in the real repository, which may be shallow or shared by a group, but with the scratch
// repository's objects first: git writes its temporary files there, out of reach of `git prune`.
Result<std::string> ScratchRepository::Pack(const Git& git, const ObjectId& commit,
                                            const ObjectId& base) const {
  std::string wanted = commit.text() + "\n";
  if (!base.IsNone()) wanted += "^" + base.text() + "\n";
  BELAY_TRY_ASSIGN(
      GitAnswer answer,
      git.Run({.arguments = {"pack-objects", "--quiet", "--revs", "--window=0", "--threads=1",
                             JoinPath(folder_.path(), "out")},
               .input = InputOf(std::move(wanted)),
               .environment = {{"GIT_OBJECT_DIRECTORY", JoinPath(folder_.path(), "objects")}}}));
  while (answer.out.ends_with('\n')) answer.out.pop_back();
  BELAY_TRY(ObjectId::Parse(answer.out));
  return std::move(answer.out);
}

Result<void> ScratchRepository::MoveOut(const Git& git, const ObjectId& commit,
                                        const ObjectId& base) {
  BELAY_TRY_ASSIGN(const std::string hash, Pack(git, commit, base));
  BELAY_TRY(WriteNew(*files_, JoinPath(folder_.path(), "keep"), hash));
  BELAY_TRY(WriteNew(*files_, PackPath(common_folder_, hash, "keep"), kKeepText));
  for (const std::string_view end : {"pack", "rev", "idx"}) {
    const std::string from = JoinPath(folder_.path(), fmt::format("out-{}.{}", hash, end));
    if (end == "rev" && !files_->Inspect(from)) continue;  // git makes one only on request
    BELAY_TRY(files_->Rename(from, PackPath(common_folder_, hash, end)));
  }
  return files_->SyncFolder(JoinPath(ObjectsOf(common_folder_), "pack/"));
}

}  // namespace belay
