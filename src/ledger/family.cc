#include "ledger/family.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/path.h"
#include "store/durable_file.h"
#include "store/rendering.h"

namespace belay {
namespace {

// Members that are noise in a line for people.
constexpr std::string_view kLeftOut[] = {"at",     "kind",     "seq",  "compacted",
                                         "commit", "worktree", "bytes"};

}  // namespace

RecordText KindAndWhy(const Json& record) {
  return {.who = {}, .what = TextIn(record, "kind"), .why = TextIn(record, "why")};
}

bool IsEditedNote(const Json& record) { return TextIn(record, "kind") == "edited"; }

RecordText PlainRecordText(const Json& record) {
  return {.who = {}, .what = TextIn(record, "kind"), .why = SingleValues(record)};
}

// A string unchanged, anything else as JSON; objects and lists are too long for a line.
std::string SingleValues(const Json& record) {
  std::string text;
  for (const JsonMember& member : *record.AsObject()) {
    const bool single = member.value.AsObject() == nullptr && member.value.AsArray() == nullptr;
    if (!single || std::ranges::find(kLeftOut, member.key) != std::end(kLeftOut)) continue;
    const std::string* string = member.value.AsString();
    text += fmt::format("{}{}: {}", text.empty() ? "" : "  ", member.key,
                        string != nullptr ? *string : WriteJson(member.value));
  }
  return text;
}

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
  return EmptyIfMissing(files.RemoveFile(path));  // one that was too large to copy was moved away
}

namespace {

std::vector<std::string> FilesIn(const FileSystem& files, const RenderingPlace& place) {
  std::vector<std::string> paths = {place.file};
  for (const std::string& folder : place.folders) {
    const Result<std::vector<std::string>> names = files.List(folder);
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      if (!IsTemporaryName(name)) paths.push_back(JoinPath(folder, name));
    }
  }
  std::erase_if(paths, [&](const std::string& path) {
    const Result<FileInfo> there = files.Inspect(path);
    return !there || there->kind != FileKind::kFile;
  });
  return paths;
}

// A journal that can't be read is reported elsewhere.
bool HasNoRecord(FileSystem& files, const Layout& project, std::string_view journal) {
  Journal one(files, project.JournalFile(journal), std::string(journal));
  return one.CatchUpSome({}) && one.last_seq() == 0;
}

}  // namespace

// The journal is looked at again: it may have begun in between.
Result<void> CheckRenderingsRecorded(FileSystem& files, const Layout& project,
                                     std::string_view journal, const RenderingPlace& place) {
  if (!HasNoRecord(files, project, journal)) return {};
  for (const std::string& path : FilesIn(files, place)) {
    const Result<RenderingState> state = InspectRendering(files, path, Json::EmptyObject());
    if (!state || *state != RenderingState::kOutdated) continue;
    if (!HasNoRecord(files, project, journal)) return {};
    return Error{ErrorCode::kDamaged,
                 fmt::format("{} has no records, but it had those that {} was made from",
                             project.JournalFile(journal), path),
                 "put it back if you have a copy; otherwise belay doctor --repair moves the old "
                 "state files away"};
  }
  return {};
}

Result<std::vector<KeptRendering>> KeepRenderings(FileSystem& files, const Layout& project,
                                                  const RenderingPlace& place) {
  std::vector<KeptRendering> kept;
  for (const std::string& path : FilesIn(files, place)) {
    Result<std::string> copy = KeepEdited(files, path, project.EditedFolder());
    if (IsMissing(copy)) continue;  // the state root may be wiped at any moment
    if (!copy) return copy.error();
    kept.push_back({path, *std::move(copy)});
  }
  return kept;
}

Result<void> RemoveStateLeftovers(FileSystem& files, const StateLock&, const std::string& folder) {
  return EmptyIfMissing(RemoveLeftovers(files, folder));
}

}  // namespace belay
