#include "adapters/git/objects.h"

#include <fmt/core.h>

#include <memory>
#include <set>
#include <string>

#include "adapters/git/fields.h"
#include "adapters/git/status.h"
#include "base/path.h"

namespace belay {
namespace {

// Measured: from about ten objects on, one sync of the whole disk is faster than one of each file
// and folder, also while other processes write.
constexpr std::size_t kMostObjects = 16;
// Each has its own tree, those above its files, and the files: about that many, without asking git
// for the exact list.
constexpr std::size_t kMostCommits = 2;

// Trees and blobs that a commit has and its parent lacks. Listing all objects unreachable from the
// target would make git read its whole tree.
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

// For a loose object; git syncs packs itself.
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

namespace {

constexpr std::string_view kMark = "belay builds a candidate";
constexpr std::size_t kMostMark = 4096;
constexpr std::size_t kPiece = std::size_t{1} << 16U;

std::string PackFolder(const std::string& common_folder) {
  return JoinPath(common_folder, "objects/pack");
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// Without delta search: the next gc does that.
Result<std::string> PackInRoom(const MergeRoom& room, const ObjectId& commit,
                               std::span<const ObjectId> known) {
  std::string range = commit.text() + "\n";
  for (const ObjectId& id : known) range += "^" + id.text() + "\n";
  const std::string start = JoinPath(room.git_folder(), "built");
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      room.Run({.arguments = {"pack-objects", "--revs", "--no-sparse", "--window=0", "-q", start},
                .input = InputOf(std::move(range))}));
  return fmt::format("{}-{}.pack", start, FirstLine(answer.out));
}

ProgramRequest::Input ContentOf(File file) {
  const auto shared = std::make_shared<File>(std::move(file));
  return [shared, offset = std::uint64_t{0}](std::string& piece) mutable -> Result<bool> {
    piece.resize(kPiece);
    BELAY_TRY_ASSIGN(const std::size_t count, shared->ReadAt(offset, piece.data(), piece.size()));
    piece.resize(count);
    offset += count;
    return count > 0;
  };
}

}  // namespace

Result<std::string> PublishCommit(const MergeRoom& room, const ObjectId& commit,
                                  std::span<const ObjectId> known) {
  BELAY_TRY_ASSIGN(const std::string pack, PackInRoom(room, commit, known));
  BELAY_TRY_ASSIGN(File content, room.files().OpenForReading(pack));
  BELAY_TRY_ASSIGN(
      const GitAnswer answer,
      room.RunInRepository({.arguments = {"index-pack", "--stdin", fmt::format("--keep={}", kMark)},
                            .input = ContentOf(std::move(content))}));
  // "keep", or "pack" if that file existed; a tab; the name.
  const std::string line = FirstLine(answer.out);
  const std::size_t tab = line.find('\t');
  const Result<ObjectId> name = ObjectId::Parse(tab == line.npos ? "" : line.substr(tab + 1));
  if (!name) return Error{ErrorCode::kFailed, "git index-pack: the output doesn't name the pack"};
  const std::string folder = PackFolder(room.common_folder());
  BELAY_TRY(room.files().SyncFolder(folder));
  return JoinPath(folder, fmt::format("pack-{}.keep", name->text()));
}

Result<void> ReleasePack(FileSystem& files, const std::string& keep_file) {
  const Result<std::string> text = files.Read(keep_file, kMostMark);
  if (!text || !text->starts_with(kMark)) return {};
  Result<void> removed = files.RemoveFile(keep_file);
  if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  return {};
}

Result<void> ReleaseLeftPacks(FileSystem& files, const std::string& common_folder) {
  const std::string folder = PackFolder(common_folder);
  const Result<std::vector<std::string>> names = files.List(folder);
  if (!names) return names.error().code == ErrorCode::kNotFound ? Result<void>() : names.error();
  for (const std::string& name : *names) {
    if (name.ends_with(".keep")) BELAY_TRY(ReleasePack(files, JoinPath(folder, name)));
  }
  return {};
}

std::vector<std::string> WholeCommitQuestion(const std::string& commit, const std::string& known) {
  return {"rev-list", "--objects", "--quiet", commit, "^" + known, "--"};
}

}  // namespace belay
