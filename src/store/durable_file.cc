#include "store/durable_file.h"

#include <fmt/core.h>

#include "base/path.h"

namespace belay {
namespace {

constexpr std::size_t kLargestKept = std::size_t{64} << 20U;
constexpr std::size_t kTemporaryTail = 1 + 16 + 4;  // ".<digits>.tmp" after ".NAME"

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

// The file that a temporary one was meant to become.
std::string_view TargetOf(std::string_view temporary) {
  return temporary.substr(1, temporary.size() - 1 - kTemporaryTail);
}

// `file` itself, or a copy kept of it: .prev, .damaged-N, -N.
bool IsNamedAfter(std::string_view name, std::string_view file) {
  if (!name.starts_with(file)) return false;
  std::string_view rest = name.substr(file.size());
  if (rest.empty() || rest == ".prev") return true;
  constexpr std::string_view kDamaged = ".damaged";
  if (rest.starts_with(kDamaged)) rest.remove_prefix(kDamaged.size());
  return rest.size() > 1 && rest[0] == '-' &&
         rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

// A folder or a link with the name of a temporary file was never ours. A missing file is fine.
Result<void> RemoveIfFile(FileSystem& files, const std::string& path) {
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> info, IfThere(files.Inspect(path)));
  if (!info) return {};
  if (info->kind != FileKind::kFile) return {};
  Result<void> removed = files.RemoveFile(path);
  return EmptyIfMissing(std::move(removed));
}

}  // namespace

Result<void> ReplaceFileLazily(FileSystem& files, const std::string& path, std::string_view bytes,
                               std::uint32_t mode) {
  const Result<FileInfo> old = files.Inspect(path);
  if (!old && !IsMissing(old)) return old.error();
  if (old && old->kind != FileKind::kFile) return WrongKind("replace", path, old->kind);
  BELAY_TRY_ASSIGN(const std::string temporary,
                   files.CreateTemporary(path, bytes, old ? old->mode : mode));
  if (Result<void> renamed = files.Rename(temporary, path); !renamed) {
    (void)files.RemoveFile(temporary);
    return renamed;
  }
  return {};
}

Result<void> ReplaceFile(FileSystem& files, const std::string& path, std::string_view bytes,
                         std::uint32_t mode) {
  BELAY_TRY(ReplaceFileLazily(files, path, bytes, mode));
  return files.SyncFolder(std::string(ParentPath(path)));
}

Result<void> ReplaceFiles(FileSystem& files, const std::vector<FileContent>& contents) {
  for (const FileContent& content : contents) {
    BELAY_TRY(ReplaceFileLazily(files, content.path, content.bytes));
  }
  return files.SyncFolder(std::string(ParentPath(contents.front().path)));
}

Result<void> ReplaceFileKeepingPrevious(FileSystem& files, const std::string& path,
                                        std::string_view bytes, std::uint32_t mode) {
  const Result<std::string> old = files.Read(path, kLargestKept);
  if (!old && !IsMissing(old)) return old.error();
  if (old) BELAY_TRY(ReplaceFileLazily(files, path + ".prev", *old, mode));
  return ReplaceFileLazily(files, path, bytes, mode);
}

Result<void> RemoveLeftovers(FileSystem& files, const std::string& folder) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, files.List(folder));
  return RemoveLeftovers(files, folder, names);
}

Result<void> RemoveLeftovers(FileSystem& files, const std::string& folder,
                             const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (IsTemporaryName(name)) BELAY_TRY(RemoveIfFile(files, JoinPath(folder, name)));
  }
  return {};
}

Result<std::vector<std::string>> LeftoversOf(const FileSystem& files, const std::string& path) {
  const std::string folder(ParentPath(path));
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, EmptyIfMissing(files.List(folder)));
  std::vector<std::string> paths;
  for (const std::string& name : names) {
    const std::string there = JoinPath(folder, name);
    if (!IsTemporaryName(name) || !IsNamedAfter(TargetOf(name), FileName(path))) continue;
    const Result<FileInfo> info = files.Inspect(there);
    if (info && info->kind == FileKind::kFile) paths.push_back(there);
  }
  return paths;
}

Result<void> RemoveLeftoversOf(FileSystem& files, const std::string& path) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> paths, LeftoversOf(files, path));
  for (const std::string& leftover : paths) BELAY_TRY(RemoveIfFile(files, leftover));
  return {};
}

Result<void> EnsureFolder(FileSystem& files, const std::string& path, std::uint32_t mode) {
  constexpr int kTries = 5;
  Result<FileInfo> there = files.Inspect(path);
  Result<void> made;
  // Another process may create it in between, or remove it again.
  for (int i = 0; i < kTries && IsMissing(there); ++i) {
    made = files.CreateFolder(path, mode);
    if (IsMissing(made)) return made;
    there = files.Inspect(path);
  }
  if (!there) return made ? std::move(there).error() : std::move(made).error();
  if (there->kind != FileKind::kFolder) return WrongKind("create folder", path, there->kind);
  // Also when it existed: its creator may have been killed before the name was durable.
  return files.SyncFolder(std::string(ParentPath(path)));
}

Result<std::string> FreeName(const FileSystem& files, const std::string& stem) {
  for (int n = 1;; ++n) {
    std::string name = fmt::format("{}-{}", stem, n);
    const Result<FileInfo> there = files.Inspect(name);
    if (there) continue;
    if (there.error().code == ErrorCode::kNotFound) return name;
    return there.error();
  }
}

}  // namespace belay
