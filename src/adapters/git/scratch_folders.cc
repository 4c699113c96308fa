#include "adapters/git/scratch_folders.h"

#include <string_view>

#include "base/is_in.h"
#include "base/path.h"
#include "codec/sha256.h"

namespace belay {
namespace {

constexpr std::size_t kMostText = 1U << 16U;
constexpr std::size_t kMostIndex = std::size_t{1} << 30U;
constexpr std::uint32_t kRights = 0644;
constexpr std::string_view kOwnIndex = "belay-index";
constexpr std::string_view kNames = "belay-names";
constexpr std::string_view kKept[] = {"HEAD",   "commondir", "gitdir", "index",
                                      "locked", kOwnIndex,   kNames,   "logs"};

Result<void> WriteAnew(FileSystem& files, const std::string& path, std::string_view text) {
  BELAY_TRY(files.RemoveTree(path));
  BELAY_TRY_ASSIGN(File file, files.OpenForWriting(path, kRights));
  return file.Write(text);
}

// Left alone when it says that already.
Result<void> LetSay(FileSystem& files, const std::string& path, std::string_view text) {
  const Result<std::string> now = files.Read(path, kMostText);
  return now && *now == text ? Result<void>() : WriteAnew(files, path, text);
}

}  // namespace

std::string OwnIndex(const std::string& git_folder) { return JoinPath(git_folder, kOwnIndex); }

std::string FindGitFolder(const FileSystem& files, const ScratchPlace& place) {
  const std::string all = JoinPath(place.common_folder, "worktrees");
  const std::string link = JoinPath(place.folder, ".git");
  const auto names = files.List(all);
  if (!names) return {};
  for (const std::string& name : *names) {
    std::string folder = JoinPath(all, name);
    const Result<std::string> said = files.Read(JoinPath(folder, "gitdir"), kMostText);
    if (said && *said == link + "\n") return folder;
  }
  return {};
}

Result<void> TidyGitFolder(FileSystem& files, const ScratchPlace& place,
                           const std::string& git_folder, const ObjectId& commit) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files.List(git_folder));
  for (const std::string& name : names) {
    if (!IsIn(kKept, name)) BELAY_TRY(files.RemoveTree(JoinPath(git_folder, name)));
  }
  BELAY_TRY(LetSay(files, JoinPath(git_folder, "commondir"), "../..\n"));
  BELAY_TRY(LetSay(files, JoinPath(git_folder, "HEAD"), commit.text() + "\n"));
  return LetSay(files, JoinPath(place.folder, ".git"), "gitdir: " + git_folder + "\n");
}

std::string TakeNames(FileSystem& files, const std::string& git_folder) {
  const std::string path = JoinPath(git_folder, kNames);
  Result<std::string> text = files.Read(path, kMostText);
  if (!files.RemoveTree(path) || !text) return {};
  return *std::move(text);
}

Result<void> KeepNames(FileSystem& files, const std::string& git_folder,
                       const std::string& digest) {
  return WriteAnew(files, JoinPath(git_folder, kNames), digest);
}

std::string DigestOf(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += name + '\0';
  return Sha256Hex(all);
}

Result<void> PublishIndex(FileSystem& files, const std::string& git_folder) {
  BELAY_TRY_ASSIGN(const std::string bytes, files.Read(OwnIndex(git_folder), kMostIndex));
  const std::string copy = OwnIndex(git_folder) + "-copy";
  BELAY_TRY(WriteAnew(files, copy, bytes));
  const Result<FileInfo> there = files.Inspect(JoinPath(git_folder, "index"));
  if (there && there->kind == FileKind::kFolder) {
    BELAY_TRY(files.RemoveTree(JoinPath(git_folder, "index")));
  }
  return files.Rename(copy, JoinPath(git_folder, "index"));
}

}  // namespace belay
