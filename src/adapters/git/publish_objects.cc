#include "adapters/git/publish_objects.h"

#include <fmt/core.h>

#include <memory>

#include "base/path.h"

namespace belay {
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

// Without a search for deltas: the next gc makes them.
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
  // "keep", or "pack" if that file was there; a tab; the name.
  const std::string line = FirstLine(answer.out);
  const std::size_t tab = line.find('\t');
  const Result<ObjectId> name = ObjectId::Parse(tab == line.npos ? "" : line.substr(tab + 1));
  if (!name) return Error{ErrorCode::kFailed, "git index-pack: it doesn't name the pack"};
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

}  // namespace belay
