#include "ledger/state_file.h"

#include "base/path.h"
#include "store/durable_file.h"
#include "store/rendering.h"

namespace belay {
namespace {

// Existing folders are checked, not synced: a rendering that a power cut loses is written again. A
// link is refused.
Result<void> EnsureOneFolder(FileSystem& files, const std::string& path, std::uint32_t mode) {
  const Result<FileInfo> there = files.Inspect(path);
  if (there && there->kind == FileKind::kFolder) return {};
  return EnsureFolder(files, path, mode);
}

Result<void> EnsureFolders(FileSystem& files, const Layout& project, const std::string& folder) {
  if (folder == project.ClaudeFolder()) return EnsureOneFolder(files, folder, kSharedFolder);
  BELAY_TRY(EnsureFolders(files, project, std::string(ParentPath(folder))));
  return EnsureOneFolder(files, folder, kPrivateFolder);
}

Result<void> KeepIfEdited(FileSystem& files, const Layout& project, const std::string& path,
                          RenderingState state, const StateFileRules& rules) {
  BELAY_TRY_ASSIGN(const std::optional<std::string> kept,
                   KeepForeign(files, path, project.EditedFolder(), state));
  return kept ? rules.edited(*kept) : Result<void>();
}

}  // namespace

Result<void> UpdateStateFile(FileSystem& files, const StateLock&, const Layout& project,
                             const std::string& path, const Json& record,
                             const StateFileRules& rules) {
  BELAY_TRY(EnsureFolders(files, project, std::string(ParentPath(path))));
  BELAY_TRY_ASSIGN(const RenderingState state, InspectRendering(files, path, record));
  if (state == RenderingState::kCurrent) return {};
  BELAY_TRY(KeepIfEdited(files, project, path, state, rules));
  const std::string text = RenderingText(record);
  // An edited file isn't one of our versions.
  const bool keep = rules.previous == Previous::kKept && state == RenderingState::kOutdated;
  return keep ? ReplaceFileKeepingPrevious(files, path, text)
              : ReplaceFileLazily(files, path, text);
}

Result<void> RemoveStateFile(FileSystem& files, const StateLock&, const Layout& project,
                             const std::string& path, const StateFileRules& rules) {
  BELAY_TRY_ASSIGN(const RenderingState state, InspectRendering(files, path, Json::EmptyObject()));
  if (state == RenderingState::kMissing) return {};
  BELAY_TRY(KeepIfEdited(files, project, path, state, rules));
  Result<void> removed = files.RemoveFile(path);
  // A file that was too large to copy was moved away.
  const bool gone = !removed && removed.error().code == ErrorCode::kNotFound;
  return gone ? Result<void>() : removed;
}

Result<void> RemoveStateLeftovers(FileSystem& files, const StateLock&, const std::string& folder) {
  Result<void> removed = RemoveLeftovers(files, folder);
  const bool missing = !removed && removed.error().code == ErrorCode::kNotFound;
  return missing ? Result<void>() : removed;
}

}  // namespace belay
