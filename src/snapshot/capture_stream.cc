#include "snapshot/capture_stream.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/path.h"
#include "base/text.h"

namespace belay {
namespace {

constexpr std::uint64_t kMostInMemory = std::uint64_t{4} << 20U;
constexpr std::size_t kPiece = std::size_t{1} << 20U;
constexpr int kMostTries = 4;
// The kernel's file clock ticks every 10 ms at worst: a write in the same tick as our look doesn't
// show in the file's times.
constexpr auto kTick = std::chrono::milliseconds(20);

bool IsSame(const FileInfo& a, const FileInfo& b) {
  return a.bytes == b.bytes && a.modified == b.modified && a.changed == b.changed;
}

std::uint32_t GitModeOf(const FileInfo& info) {
  return info.IsExecutable() ? kProgramMode : kFileMode;
}

std::vector<ImportFile> KnownFiles(const std::vector<KnownEntry>& entries) {
  std::vector<ImportFile> files;
  for (const KnownEntry& known : entries) {
    files.push_back({known.path, known.entry.mode, {.id = known.entry.id}});
  }
  return files;
}

std::vector<ImportFile> ReadFiles(const CaptureStream& stream, bool tracked) {
  std::vector<ImportFile> files;
  for (const CapturedFile& file : stream.captured()) {
    if (file.item.tracked != tracked) continue;
    files.push_back({file.item.path, file.entry.mode, {.mark = file.mark}});
  }
  return files;
}

std::vector<ImportFile> WorktreeFiles(const WorktreeScan& scan, const CaptureStream& stream) {
  std::vector<ImportFile> files = ReadFiles(stream, true);
  std::set<std::string_view> captured;
  for (const CapturedFile& file : stream.captured()) captured.insert(file.item.path);
  for (const std::string& path : scan.list.gone) {
    const bool left_out = scan.left_there.contains(path) && !captured.contains(path);
    if (!left_out) files.push_back({path});
  }
  // A staged file without changes that is missing is outside of a sparse checkout.
  std::map<std::string_view, GitEntry> staged;
  for (const KnownEntry& known : scan.list.as_staged) staged.emplace(known.path, known.entry);
  for (const CaptureItem& item : stream.gone()) {
    if (!item.tracked) continue;
    const auto known = staged.find(item.path);
    const GitEntry entry = known == staged.end() ? GitEntry() : known->second;
    files.push_back({item.path, entry.mode, {.id = entry.id}});
  }
  for (ImportFile& module : KnownFiles(scan.modules)) files.push_back(std::move(module));
  return files;
}

}  // namespace

Result<bool> CaptureStream::Next(std::string& piece) {
  piece.clear();
  while (next_ < items_.size() && piece.empty()) {
    const CaptureItem& item = items_[next_];
    BELAY_TRY(large_ ? GoOn(item, piece) : Begin(item, piece));
  }
  return !piece.empty();
}

void CaptureStream::NextItem() {
  ++next_;
  tries_ = 0;
  large_.reset();
}

void CaptureStream::Skip(const CaptureItem& item, SkipReason reason) {
  skipped_.push_back({item.path, reason});
  NextItem();
}

// A file that disappeared counts as never seen; every other failure is reported to the user.
void CaptureStream::Fail(const CaptureItem& item, const Error& error) {
  if (error.code != ErrorCode::kNotFound) return Skip(item, SkipReason::kUnreadable);
  gone_.push_back(item);
  NextItem();
}

bool CaptureStream::IsFresh(const FileInfo& info) const {
  const Duration now = clock_.Wall().time_since_epoch();
  return Duration(std::max(info.modified, info.changed)) + kTick > now;
}

void CaptureStream::AddBlob(const CaptureItem& item, const FileInfo& info,
                            const std::string& content, std::string& piece) {
  const std::uint32_t mode = info.kind == FileKind::kLink ? kLinkMode : GitModeOf(info);
  piece = ImportBlobHead(++marks_, content.size()) + content + "\n";
  captured_.push_back({item,
                       marks_,
                       {mode, *ObjectId::Parse(BlobIdOf(format_, content))},
                       info.mode & 0777U,
                       content.size()});
  NextItem();
}

// The file must be inside this worktree.
bool CaptureStream::LiesBehindLink(const std::string& path) {
  const std::string folder(ParentPath(path));
  if (folder == "." || folder == known_folder_) return false;
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    const Result<FileInfo> info = files_.Inspect(JoinPath(worktree_, path.substr(0, end)));
    if (info && info->kind == FileKind::kLink) return true;
  }
  known_folder_ = folder;
  return false;
}

Result<void> CaptureStream::Begin(const CaptureItem& item, std::string& piece) {
  if (LiesBehindLink(item.path)) {
    Skip(item, SkipReason::kBehindLink);
    return {};
  }
  const std::string path = JoinPath(worktree_, item.path);
  const Result<FileInfo> info = files_.Inspect(path);
  if (!info) {
    Fail(item, info.error());
    return {};
  }
  switch (info->kind) {
    case FileKind::kFile:
      return BeginFile(item, *info, piece);
    case FileKind::kLink:
      if (const Result<std::string> target = files_.ReadLink(path)) {
        AddBlob(item, *info, *target, piece);
      } else {
        Fail(item, target.error());
      }
      return {};
    case FileKind::kFolder:  // the file is gone; the folder's content has its own paths
      if (!item.tracked && files_.Inspect(JoinPath(path, ".git"))) {
        Skip(item, SkipReason::kRepository);
        return {};
      }
      gone_.push_back(item);
      NextItem();
      return {};
    case FileKind::kOther:
      Skip(item, SkipReason::kSpecial);
      return {};
  }
  return {};
}

// Reads as much as there was; false if another process wrote to it in between.
Result<bool> CaptureStream::ReadSmall(const File& file, const FileInfo& info,
                                      std::string& content) const {
  content.assign(info.bytes, '\0');
  BELAY_TRY_ASSIGN(const std::size_t got, file.ReadAt(0, content.data(), content.size()));
  content.resize(got);
  BELAY_TRY_ASSIGN(const FileInfo after, file.Inspect());
  if (!IsSame(info, after) || got != info.bytes) return false;
  if (!IsFresh(info)) return true;
  std::string again(info.bytes, '\0');
  BELAY_TRY_ASSIGN(const std::size_t got_again, file.ReadAt(0, again.data(), again.size()));
  BELAY_TRY_ASSIGN(const FileInfo at_last, file.Inspect());
  return got_again == got && again == content && IsSame(info, at_last);
}

Result<void> CaptureStream::BeginFile(const CaptureItem& item, const FileInfo& seen,
                                      std::string& piece) {
  if (seen.bytes > rules_.most_bytes) {
    Skip(item, SkipReason::kTooLarge);
    return {};
  }
  Result<File> file = files_.OpenForReading(JoinPath(worktree_, item.path));
  Result<FileInfo> info = file ? file->Inspect() : Result<FileInfo>(file.error());
  if (!info) {
    Fail(item, info.error());
    return {};
  }
  if (info->bytes > kMostInMemory) {
    piece = ImportBlobHead(++marks_, info->bytes);
    large_.emplace(Large{*std::move(file), *info, BlobHasher(format_, info->bytes)});
    return {};
  }
  std::string content;
  const Result<bool> steady = ReadSmall(*file, *info, content);
  if (!steady) {
    Fail(item, steady.error());
    return {};
  }
  if (!*steady && ++tries_ < kMostTries) return {};
  if (!*steady) unsteady_.push_back(item.path);
  AddBlob(item, *info, content, piece);
  return {};
}

// The stream announced a number of bytes, and must deliver them in any case.
Result<void> CaptureStream::GoOn(const CaptureItem& item, std::string& piece) {
  const std::uint64_t left = large_->info.bytes - large_->sent;
  piece.assign(std::min<std::uint64_t>(left, kPiece), '\0');
  const Result<std::size_t> got = large_->file.ReadAt(large_->sent, piece.data(), piece.size());
  large_->shrunk = large_->shrunk || !got || *got < piece.size();
  large_->hasher.Add(piece);
  large_->sent += piece.size();
  if (large_->sent < large_->info.bytes) return {};
  piece += '\n';
  return Finish(item);
}

// An unused blob is not part of the snapshot.
Result<void> CaptureStream::Finish(const CaptureItem& item) {
  const Result<FileInfo> after = large_->file.Inspect();
  const bool steady = after && !large_->shrunk && IsSame(large_->info, *after);
  if (!steady && ++tries_ < kMostTries) {
    large_.reset();
    return {};
  }
  if (large_->shrunk) {
    Skip(item, SkipReason::kUnreadable);
    return {};
  }
  if (!steady) unsteady_.push_back(item.path);
  captured_.push_back({item,
                       marks_,
                       {GitModeOf(large_->info), *ObjectId::Parse(large_->hasher.Hex())},
                       large_->info.mode & 0777U,
                       large_->info.bytes});
  NextItem();
  return {};
}

CommitBuilder::CommitBuilder(std::uint64_t marks, const SnapshotRecord& record,
                             const WorktreeScan& scan)
    : marks_(marks), record_(record), scene_(scan), base_{.id = scan.status.head} {
  if (scan.status.head.IsNone()) base_ = Add({.message = "no commit yet\n"});
}

ImportRef CommitBuilder::Add(ImportCommit commit) {
  commit.mark = ++marks_;
  commit.at = record_.at;
  text_ += ImportCommitText(commit);
  questions_ += ImportQuestion(commit.mark);
  return {.mark = commit.mark};
}

std::string CommitBuilder::Build(const CaptureStream& stream) {
  const ImportRef index = Add({.message = "index\n",
                               .parents = {base_},
                               .on_first_parent = true,
                               .files = KnownFiles(scene_.list.index)});
  const ImportRef untracked =
      Add({.message = "untracked files\n", .files = ReadFiles(stream, false)});
  std::vector<ImportRef> parents = {base_, index, untracked};
  if (!scene_.list.rest.empty()) {
    parents.push_back(
        Add({.message = "what a tree can't say\n", .files = KnownFiles(scene_.list.rest)}));
  }
  Add({.message = WriteSnapshotMessage(record_),
       .parents = std::move(parents),
       .on_first_parent = true,
       .files = WorktreeFiles(scene_, stream)});
  return std::move(text_) + std::move(questions_);
}

// The answers come in the order of the commits.
Result<SnapshotCommits> CommitBuilder::Read(std::string_view answers) const {
  std::vector<ObjectId> ids;
  if (!scene_.status.head.IsNone()) ids.push_back(scene_.status.head);
  for (const std::string_view line : Split(answers, '\n')) {
    if (line.empty()) continue;
    BELAY_TRY_ASSIGN(ObjectId id, ObjectId::Parse(line));
    ids.push_back(std::move(id));
  }
  const std::size_t wanted = scene_.list.rest.empty() ? 4 : 5;
  if (ids.size() != wanted) {
    return Error{ErrorCode::kDamaged, "git fast-import: unexpected number of answers"};
  }
  return SnapshotCommits{ids.back(), ids[0], ids[1], ids[2], wanted == 5 ? ids[3] : ObjectId()};
}

}  // namespace belay
