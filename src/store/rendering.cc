#include "store/rendering.h"

#include "base/check.h"
#include "base/path.h"
#include "codec/sha256.h"
#include "store/durable_file.h"
#include "store/free_name.h"

namespace belay {
namespace {

constexpr std::size_t kLargest = std::size_t{64} << 20U;
constexpr std::uint32_t kSharedFolder = 0755;  // .claude belongs to others too
constexpr std::string_view kDigest = "sha256";

// Whether belay wrote it: its digest is right. How it is laid out doesn't matter.
bool IsOurs(std::string_view text) {
  Result<Json> record = ParseJson(text);
  const Json* digest = record && record->AsObject() ? record->Find(kDigest) : nullptr;
  if (digest == nullptr || digest->AsString() == nullptr) return false;
  const std::string said = *digest->AsString();
  record->Remove(kDigest);
  return Sha256Hex(WriteJson(*record)) == said;
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
  const Result<std::string> text = files.Read(path, kLargest);
  if (!text && text.error().code == ErrorCode::kNotFound) return RenderingState::kMissing;
  // Too large to be ours.
  if (!text && text.error().code == ErrorCode::kDamaged) return RenderingState::kEdited;
  if (!text) return text.error();
  if (*text == RenderingText(record)) return RenderingState::kCurrent;
  return IsOurs(*text) ? RenderingState::kOutdated : RenderingState::kEdited;
}

Result<std::string> KeepEdited(FileSystem& files, const std::string& path,
                               const std::string& folder) {
  BELAY_TRY_ASSIGN(const std::string text, files.Read(path, kLargest));
  BELAY_TRY(EnsureFolder(files, folder));
  BELAY_TRY_ASSIGN(std::string kept, FreeName(files, JoinPath(folder, FileName(path))));
  BELAY_TRY(ReplaceFile(files, kept, text));
  return kept;
}

Result<void> WriteRendering(FileSystem& files, const std::string& path, const Json& record) {
  const std::string folder(ParentPath(path));
  BELAY_TRY(EnsureFolder(files, std::string(ParentPath(folder)), kSharedFolder));
  BELAY_TRY(EnsureFolder(files, folder));
  return ReplaceFile(files, path, RenderingText(record));
}

}  // namespace belay
