#include "snapshot/restore_present.h"

#include <algorithm>
#include <set>

#include "base/path.h"
#include "codec/hash.h"
#include "snapshot/capture_list.h"

namespace belay {
namespace {

constexpr std::size_t kReadPiece = std::size_t{1} << 20U;

using StatusKind = StatusEntry::Kind;
using PresentPaths = std::set<std::string, std::less<>>;

bool IsTracked(const StatusEntry& entry) {
  return entry.kind == StatusKind::kChanged || entry.kind == StatusKind::kUnmerged;
}

IndexState IndexOf(const StatusEntry& entry) {
  return {entry.index, entry.stages, entry.intent_to_add};
}

Result<ObjectId> HashFile(const FileSystem& files, const std::string& path, const FileInfo& info,
                          ObjectFormat format) {
  if (info.kind == FileKind::kLink) {
    BELAY_TRY_ASSIGN(const std::string target, files.ReadLink(path));
    return ObjectId::Parse(BlobIdOf(format, target));
  }
  BELAY_TRY_ASSIGN(const File file, files.OpenForReading(path));
  BlobHasher hasher(format, info.bytes);
  std::string piece(std::min<std::uint64_t>(info.bytes, kReadPiece), '\0');
  for (std::uint64_t at = 0; at < info.bytes;) {
    const std::size_t wanted = std::min<std::uint64_t>(info.bytes - at, piece.size());
    BELAY_TRY_ASSIGN(const std::size_t got, file.ReadAt(at, piece.data(), wanted));
    if (got == 0) break;  // it shrank: no content has this id, so it counts as changed
    hasher.Add(std::string_view(piece).substr(0, got));
    at += got;
  }
  return ObjectId::Parse(hasher.Hex());
}

std::uint32_t ModeInGit(const FileInfo& info) {
  if (info.kind == FileKind::kLink) return kLinkMode;
  return info.IsExecutable() ? kProgramMode : kFileMode;
}

class PresentReader {
 public:
  PresentReader(const Worktree& worktree, const SavedSnapshot& snapshot, const Wanted& wanted,
                const GitStatus& status)
      : worktree_(worktree), snapshot_(snapshot), wanted_(wanted), status_(status) {}

  Result<Present> Read();

 private:
  void ReadStatusEntries();
  Result<void> AddMissing();
  Result<void> InspectPath(PathToRestore& path);
  Result<void> InspectFolder(const std::string& folder, std::vector<std::string>& found) const;
  FileNow Judge(const PathToRestore& path, const InspectedFile& seen) const;

  const Worktree& worktree_;
  const SavedSnapshot& snapshot_;
  const Wanted& wanted_;
  const GitStatus& status_;

  PresentPaths dirty_;    // git sees content that differs from the index
  PresentPaths missing_;  // tracked, unchanged from the base, and not there
  Present present_;
};

void PresentReader::ReadStatusEntries() {
  PresentPaths moved;
  for (const TreeChange& change : wanted_.head) {
    moved.insert(change.path);
    if (change.after.IsThere()) present_.index_paths.push_back(change.path);
  }
  PresentPaths left_out;
  for (const SkippedPath& skipped : snapshot_.record.skipped) left_out.insert(skipped.path);
  for (const StatusEntry& entry : status_.entries) {
    if (!IsTracked(entry)) continue;
    if (IndexOf(entry).IsThere()) present_.index_paths.push_back(entry.path);
    if (entry.worktree_changed) dirty_.insert(entry.path);
    const bool as_base = entry.kind == StatusKind::kChanged && entry.head.IsThere() &&
                         !moved.contains(entry.path) && !left_out.contains(entry.path);
    if (as_base && entry.worktree_mode == kNoMode) missing_.insert(entry.path);
  }
}

// For an intent-to-add entry without its file, git reports an empty file in HEAD. So empty files
// have to be looked up.
Result<void> PresentReader::AddMissing() {
  const std::string empty = BlobIdOf(snapshot_.commit.format(), "");
  std::vector<std::string> doubtful;
  for (const StatusEntry& entry : status_.entries) {
    const bool only_missing = IsTracked(entry) && IndexOf(entry).IsThere() &&
                              missing_.contains(entry.path) &&
                              !wanted_.paths.contains(entry.path) && !IsOwnPath(entry.path);
    if (!only_missing) continue;
    if (entry.head.id.text() == empty) doubtful.push_back(entry.path);
    present_.paths.push_back({.path = entry.path,
                              .base = entry.head,
                              .target = entry.head,
                              .target_index = {.entry = entry.head},
                              .index_now = IndexOf(entry),
                              .missing = true});
  }
  BELAY_TRY_ASSIGN(const GitEntries there, ReadEntries(worktree_.git, snapshot_.base, doubtful));
  for (const std::string& path : doubtful) {
    if (there.contains(path)) continue;
    std::erase_if(present_.paths, [&](const PathToRestore& other) { return other.path == path; });
  }
  return {};
}

// Everything in it except folders; stops at the first path that the snapshot doesn't know, since
// that decides.
Result<void> PresentReader::InspectFolder(const std::string& folder,
                                          std::vector<std::string>& found) const {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names,
                   worktree_.files.List(JoinPath(worktree_.place.worktree, folder)));
  for (const std::string& name : names) {
    const std::string path = JoinPath(folder, name);
    BELAY_TRY_ASSIGN(const FileInfo info,
                     worktree_.files.Inspect(JoinPath(worktree_.place.worktree, path)));
    if (info.kind == FileKind::kFolder) {
      BELAY_TRY(InspectFolder(path, found));
    } else {
      found.push_back(path);
    }
    if (!found.empty() && !wanted_.paths.contains(found.back())) return {};
  }
  return {};
}

FileNow PresentReader::Judge(const PathToRestore& path, const InspectedFile& seen) const {
  if (seen.info.kind == FileKind::kFolder) return FileNow::kFolder;
  if (seen.info.kind == FileKind::kOther) return FileNow::kOther;
  if (path.target.IsThere() && seen.entry == path.target) {
    const auto mode = snapshot_.record.modes.find(path.path);
    const bool same = seen.info.kind == FileKind::kLink || mode == snapshot_.record.modes.end() ||
                      (mode->second & 0777U) == (seen.info.mode & 0777U);
    return same ? FileNow::kTarget : FileNow::kOtherRights;
  }
  if (!path.base.IsThere()) return FileNow::kOther;
  const bool clean =
      path.index_now == IndexState{.entry = path.base} && !dirty_.contains(path.path);
  return clean || seen.entry == path.base ? FileNow::kBase : FileNow::kOther;
}

Result<void> PresentReader::InspectPath(PathToRestore& path) {
  const std::string& root = worktree_.place.worktree;
  BELAY_TRY_ASSIGN(std::optional<std::string> blocker,
                   FindBlocker(worktree_.files, root, path.path));
  if (blocker) {
    path.blockers.push_back(*std::move(blocker));
    return {};
  }
  const std::string full = JoinPath(root, path.path);
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> info, IfThere(worktree_.files.Inspect(full)));
  if (!info) return {};
  InspectedFile seen{.info = *info};
  if (info->kind == FileKind::kFile || info->kind == FileKind::kLink) {
    seen.entry.mode = ModeInGit(*info);
    BELAY_TRY_ASSIGN(seen.entry.id,
                     HashFile(worktree_.files, full, *info, snapshot_.commit.format()));
  }
  path.now = Judge(path, seen);
  path.now_regular = info->kind == FileKind::kFile;
  const bool written = path.target.IsThere() && path.IsChanged();
  if (path.now == FileNow::kFolder && written && path.target.mode != kSubmoduleMode) {
    BELAY_TRY(InspectFolder(path.path, path.blockers));
  }
  present_.seen.emplace(path.path, std::move(seen));
  return {};
}

Result<Present> PresentReader::Read() {
  ReadStatusEntries();
  const auto index = PresentIndex(wanted_, status_);
  for (const auto& [path, wanted] : wanted_.paths) {
    const IndexState& now = index.find(path)->second;
    // The user untracked it on purpose, whatever its bytes were.
    const bool untracked = !now.IsThere() && wanted.index == IndexState{.entry = wanted.base};
    present_.paths.push_back({.path = path,
                              .base = wanted.base,
                              .target = wanted.target,
                              .target_index = wanted.index,
                              .index_now = now,
                              .missing = missing_.contains(path),
                              .raw = wanted.raw && !untracked});
  }
  BELAY_TRY(AddMissing());
  for (PathToRestore& path : present_.paths) BELAY_TRY(InspectPath(path));
  return std::move(present_);
}

}  // namespace

Result<Present> InspectPresent(const Worktree& worktree, const SavedSnapshot& snapshot,
                               const Wanted& wanted, const GitStatus& status) {
  return PresentReader(worktree, snapshot, wanted, status).Read();
}

Result<bool> HaveSameBytes(const FileSystem& files, const std::string& one,
                           const std::string& other) {
  BELAY_TRY_ASSIGN(const FileInfo first, files.Inspect(one));
  BELAY_TRY_ASSIGN(const FileInfo second, files.Inspect(other));
  if (first.bytes != second.bytes) return false;
  BELAY_TRY_ASSIGN(const ObjectId a, HashFile(files, one, first, ObjectFormat::kSha1));
  BELAY_TRY_ASSIGN(const ObjectId b, HashFile(files, other, second, ObjectFormat::kSha1));
  return a == b;
}

bool HoldsOnlyPaths(const FileSystem& files, const std::string& root, const std::string& path,
                    const std::set<std::string, std::less<>>& known) {
  const Result<std::vector<std::string>> names = files.List(JoinPath(root, path));
  if (!names) return false;
  return std::all_of(names->begin(), names->end(), [&](const std::string& name) {
    const std::string inner = JoinPath(path, name);
    const Result<FileInfo> info = files.Inspect(JoinPath(root, inner));
    if (!info) return false;
    return info->kind == FileKind::kFolder ? HoldsOnlyPaths(files, root, inner, known)
                                           : known.contains(inner);
  });
}

Result<std::optional<std::string>> FindBlocker(const FileSystem& files, const std::string& root,
                                               std::string_view path) {
  for (std::size_t end = path.find('/'); end != std::string_view::npos;
       end = path.find('/', end + 1)) {
    const std::string folder(path.substr(0, end));
    BELAY_TRY_ASSIGN(const std::optional<FileInfo> info,
                     IfThere(files.Inspect(JoinPath(root, folder))));
    if (!info) break;
    if (info->kind != FileKind::kFolder) return std::optional<std::string>(folder);
  }
  return std::optional<std::string>();
}

std::map<std::string, IndexState, std::less<>> PresentIndex(const Wanted& wanted,
                                                            const GitStatus& status) {
  std::map<std::string, IndexState, std::less<>> index;
  for (const auto& [path, entry] : wanted.paths) {
    index[path] = status.head.IsNone() ? IndexState() : IndexState{.entry = entry.base};
  }
  for (const TreeChange& change : wanted.head) {
    const auto at = index.find(change.path);
    if (at != index.end()) at->second = {.entry = change.after};
  }
  for (const StatusEntry& entry : status.entries) {
    const auto at = IsTracked(entry) ? index.find(entry.path) : index.end();
    if (at == index.end()) continue;
    // What git reports for an intent-to-add entry without its file.
    const bool not_in_head = entry.head.IsThere() && !at->second.IsThere();
    at->second = not_in_head ? IndexState{.intent_to_add = true} : IndexOf(entry);
  }
  return index;
}

}  // namespace belay
