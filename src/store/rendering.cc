#include "store/rendering.h"

#include <fmt/core.h>

#include "base/check.h"
#include "base/path.h"
#include "codec/hash.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::size_t kLargest = std::size_t{64} << 20U;
constexpr std::string_view kDigest = "sha256";
constexpr std::uint32_t kOwnerReads = 0400;

// Whether belay wrote it: its digest is right. Its layout doesn't matter.
bool IsOurs(std::string_view text) {
  Result<Json> record = ParseJson(text);
  const Json* digest = record && record->AsObject() ? record->Find(kDigest) : nullptr;
  if (digest == nullptr || digest->AsString() == nullptr) return false;
  const std::string said = *digest->AsString();
  record->Remove(kDigest);
  return Sha256Hex(WriteJson(*record)) == said;
}

// The path of an earlier copy, if there is one.
Result<std::optional<std::string>> FindKept(const FileSystem& files, const std::string& path,
                                            const std::string& folder, std::string_view text) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> names, KeptEdits(files, path, folder));
  for (const std::string& name : names) {
    std::string kept = JoinPath(folder, name);
    const Result<std::string> old = files.Read(kept, text.size());
    if (old && *old == text) return std::optional<std::string>(std::move(kept));
  }
  return std::optional<std::string>();
}

// The new name first: at every moment at least one name must be on the disk.
Result<std::string> MoveAway(FileSystem& files, const std::string& path, std::string kept) {
  if (const Result<void> moved = files.Rename(path, kept); !moved) {
    return Error{ErrorCode::kRefused,
                 fmt::format("{} can't be copied or moved: {}", path, moved.error().message),
                 "move it away yourself, then run belay doctor --repair"};
  }
  BELAY_TRY(files.SyncFolder(std::string(ParentPath(kept))));
  BELAY_TRY(files.SyncFolder(std::string(ParentPath(path))));
  return kept;
}

}  // namespace

std::string RenderingText(const Json& record) {
  BELAY_CHECK(record.AsObject() != nullptr && record.Find(kDigest) == nullptr);
  Json with_digest = record;
  with_digest.Set(kDigest, Sha256Hex(WriteJson(record)));
  return WriteJson(with_digest, JsonStyle::kIndented);
}

Result<RenderingState> InspectRendering(const FileSystem& files, const std::string& path,
                                        const Json& record) {
  BELAY_TRY_ASSIGN(const std::optional<FileInfo> info, IfThere(files.Inspect(path)));
  if (!info) return RenderingState::kMissing;
  if (info->kind != FileKind::kFile || (info->mode & kOwnerReads) == 0) {
    return RenderingState::kReplaced;
  }
  const Result<std::string> text = files.Read(path, kLargest);
  if (IsMissing(text)) return RenderingState::kMissing;
  // Too large to be ours.
  if (!text && text.error().code == ErrorCode::kDamaged) return RenderingState::kEdited;
  if (!text) return text.error();
  if (*text == RenderingText(record)) return RenderingState::kCurrent;
  return IsOurs(*text) ? RenderingState::kOutdated : RenderingState::kEdited;
}

Result<std::vector<std::string>> KeptEdits(const FileSystem& files, const std::string& path,
                                           const std::string& folder) {
  const std::string start = fmt::format("{}-", FileName(path));
  BELAY_TRY_ASSIGN(std::vector<std::string> names, EmptyIfMissing(files.List(folder)));
  std::erase_if(names, [&](const std::string& name) {
    return !name.starts_with(start) || name.size() == start.size() ||
           name.find_first_not_of("0123456789", start.size()) != std::string::npos;
  });
  return names;
}

Result<std::string> KeepEdited(FileSystem& files, const std::string& path,
                               const std::string& folder) {
  BELAY_TRY(EnsureFolder(files, folder));
  BELAY_TRY_ASSIGN(std::string free, FreeName(files, JoinPath(folder, FileName(path))));
  const Result<std::string> text = files.Read(path, kLargest);
  if (!text && text.error().code == ErrorCode::kDamaged) return MoveAway(files, path, free);
  if (!text) return text.error();
  BELAY_TRY_ASSIGN(const std::optional<std::string> kept, FindKept(files, path, folder, *text));
  if (!kept) {
    BELAY_TRY(ReplaceFile(files, free, *text));
    return free;
  }
  // The process that made the copy may have been killed before its name was durable.
  BELAY_TRY(files.SyncFolder(folder));
  return *kept;
}

Result<std::optional<std::string>> KeepForeign(FileSystem& files, const std::string& path,
                                               const std::string& folder, RenderingState state) {
  std::optional<std::string> kept;
  if (state == RenderingState::kEdited) {
    BELAY_TRY_ASSIGN(kept, KeepEdited(files, path, folder));
  } else if (state == RenderingState::kReplaced) {
    BELAY_TRY(EnsureFolder(files, folder));
    BELAY_TRY_ASSIGN(const std::string free, FreeName(files, JoinPath(folder, FileName(path))));
    BELAY_TRY_ASSIGN(kept, MoveAway(files, path, free));
  }
  return kept;
}

Result<void> WriteRendering(FileSystem& files, const std::string& path, const Json& record) {
  const std::string folder(ParentPath(path));
  BELAY_TRY(EnsureFolder(files, std::string(ParentPath(folder)), kSharedFolder));
  BELAY_TRY(EnsureFolder(files, folder));
  return ReplaceFile(files, path, RenderingText(record));
}

}  // namespace belay
