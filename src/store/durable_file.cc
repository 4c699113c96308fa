#include "store/durable_file.h"

#include <fmt/core.h>

#include "base/path.h"

namespace belay {
namespace {

constexpr std::size_t kLargestKept = std::size_t{64} << 20U;
constexpr std::size_t kTemporaryTail = 16 + 4;  // the digits and ".tmp" behind ".NAME."

std::string_view KindName(FileKind kind) {
  switch (kind) {
    case FileKind::kFile:
      return "a file";
    case FileKind::kFolder:
      return "a folder";
    case FileKind::kLink:
      return "a link";
    case FileKind::kOther:
      return "a special file";
  }
  __builtin_unreachable();
}

Error WrongKind(std::string_view operation, const std::string& path, FileKind kind) {
  return {ErrorCode::kRefused, fmt::format("{} {}: it is {}", operation, path, KindName(kind)),
          "move it away, then try again"};
}

}  // namespace

Result<void> ReplaceFile(FileSystem& files, const std::string& path, std::string_view bytes,
                         std::uint32_t mode) {
  const Result<FileInfo> old = files.Inspect(path);
  if (!old && old.error().code != ErrorCode::kNotFound) return old.error();
  if (old && old->kind != FileKind::kFile) return WrongKind("replace", path, old->kind);
  BELAY_TRY_ASSIGN(const std::string temporary,
                   files.CreateTemporary(path, bytes, old ? old->mode : mode));
  if (Result<void> renamed = files.Rename(temporary, path); !renamed) {
    (void)files.RemoveFile(temporary);
    return renamed;
  }
  return files.SyncFolder(std::string(ParentPath(path)));
}

Result<void> ReplaceFileKeepingPrevious(FileSystem& files, const std::string& path,
                                        std::string_view bytes, std::uint32_t mode) {
  const Result<std::string> old = files.Read(path, kLargestKept);
  if (!old && old.error().code != ErrorCode::kNotFound) return old.error();
  if (old) BELAY_TRY(ReplaceFile(files, path + ".prev", *old, mode));
  return ReplaceFile(files, path, bytes, mode);
}

Result<void> RemoveLeftovers(FileSystem& files, const std::string& folder) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files.List(folder));
  return RemoveLeftovers(files, folder, names);
}

Result<void> RemoveLeftovers(FileSystem& files, const std::string& folder,
                             const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!IsTemporaryName(name)) continue;
    const std::string path = JoinPath(folder, name);
    BELAY_TRY_ASSIGN(const FileInfo info, files.Inspect(path));
    // A folder or a link with such a name was never ours.
    if (info.kind == FileKind::kFile) BELAY_TRY(files.RemoveFile(path));
  }
  return {};
}

Result<void> RemoveLeftoversOf(FileSystem& files, const std::string& path) {
  const std::string folder(ParentPath(path));
  const std::string start = fmt::format(".{}.", FileName(path));
  Result<std::vector<std::string>> names = files.List(folder);
  if (!names && names.error().code == ErrorCode::kNotFound) return {};
  if (!names) return std::move(names).error();
  std::erase_if(*names, [&](const std::string& name) {
    return !name.starts_with(start) || name.size() != start.size() + kTemporaryTail;
  });
  return RemoveLeftovers(files, folder, *names);
}

Result<void> EnsureFolder(FileSystem& files, const std::string& path, std::uint32_t mode) {
  Result<FileInfo> there = files.Inspect(path);
  if (!there && there.error().code != ErrorCode::kNotFound) return std::move(there).error();
  if (!there) {
    Result<void> made = files.CreateFolder(path, mode);
    there = files.Inspect(path);
    // Somebody else may have made it in between.
    if (!made && (!there || there->kind != FileKind::kFolder)) return made;
  }
  if (there && there->kind != FileKind::kFolder) return WrongKind("make folder", path, there->kind);
  // Also when it was there: whoever made it may have been killed before its name was safe.
  return files.SyncFolder(std::string(ParentPath(path)));
}

}  // namespace belay
