#include "app/state_files.h"

#include <set>

#include "adapters/agents.h"
#include "base/path.h"
#include "ledger/family_table.h"
#include "ledger/outbox.h"
#include "store/archive.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::string_view kPreviousEnd = ".prev";

bool IsPreviousOf(const std::set<std::string>& renderings, std::string_view path) {
  if (!path.ends_with(kPreviousEnd)) return false;
  path.remove_suffix(kPreviousEnd.size());
  return renderings.contains(std::string(path));
}

// What is in the place of a folder is there as itself; the state root was checked before.
Result<std::vector<std::string>> FilesAmongRenderings(const FileSystem& files,
                                                      const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  for (const std::string& folder : folders) {
    const Result<FileInfo> there = files.Inspect(folder);
    if (folder != folders.front() && there && there->kind != FileKind::kFolder) {
      paths.push_back(folder);
      continue;
    }
    BELAY_TRY_ASSIGN(const std::vector<std::string> names, EmptyIfMissing(files.List(folder)));
    for (const std::string& name : names) {
      if (!IsTemporaryName(name)) paths.push_back(JoinPath(folder, name));
    }
  }
  return paths;
}

constexpr Duration kOldTemporary = std::chrono::hours(1);

bool IsOlder(const FileInfo& file, WallTime than) {
  const auto at = std::chrono::duration_cast<std::chrono::nanoseconds>(than.time_since_epoch());
  return file.modified < at.count();
}

}  // namespace

Result<std::vector<OddRendering>> FindOddRenderings(const FileSystem& files, AnyLedger& ledger) {
  BELAY_TRY(ledger.CatchUp());
  std::vector<OddRendering> odd;
  BELAY_TRY(ledger.EachRendering([&](const Rendering& one) -> Result<void> {
    BELAY_TRY_ASSIGN(const RenderingState state, InspectRendering(files, one.path, one.record()));
    if (state != RenderingState::kCurrent) odd.push_back({one.path, state});
    return {};
  }));
  return odd;
}

// The files first, then the journals: what is rendered in between is already recorded.
Result<std::vector<StrayFile>> FindStrays(const FileSystem& files, const Layout& project,
                                          std::span<AnyLedger* const> ledgers) {
  const std::vector<std::string> folders = RenderingFolders(project);
  BELAY_TRY_ASSIGN(const std::vector<std::string> paths, FilesAmongRenderings(files, folders));
  std::set<std::string> known;
  for (const std::string& folder : folders) {
    const Result<FileInfo> there = files.Inspect(folder);
    if (there && there->kind == FileKind::kFolder) known.insert(folder);
  }
  std::set<std::string> unknown;  // files, and folders of files, of damaged journals
  for (AnyLedger* ledger : ledgers) {
    const Result<void> read = ledger->CatchUp();
    if (!read && read.error().code != ErrorCode::kDamaged) return read.error();
    if (!read) {
      RenderingPlace place = RenderingPlaceOf(project, ledger->journal());
      unknown.insert(std::move(place.file));
      unknown.insert(place.folders.begin(), place.folders.end());
      continue;
    }
    BELAY_TRY(ledger->EachRendering([&](const Rendering& one) -> Result<void> {
      known.insert(one.path);
      return {};
    }));
  }
  std::vector<StrayFile> strays;
  for (const std::string& path : paths) {
    if (known.contains(path) || IsPreviousOf(known, path)) continue;
    if (unknown.contains(path) || unknown.contains(std::string(ParentPath(path)))) continue;
    BELAY_TRY_ASSIGN(const RenderingState state,
                     InspectRendering(files, path, Json::EmptyObject()));
    if (state == RenderingState::kMissing) continue;
    strays.push_back({path, state == RenderingState::kOutdated});
  }
  return strays;
}

Result<std::vector<std::string>> LeftoversOfProject(FileSystem& files, const Layout& project) {
  const std::string rendering = project.JournalRendering(kProjectJournal);
  std::vector<std::string> written = {
      project.FormatFile(),
      project.RootFile(),
      project.JournalFile(kProjectJournal),
      BeginningOf(project, kProjectJournal),
      JoinPath(project.EditedFolder(), FileName(rendering)),
      rendering,
      project.ConfigFile(),
  };
  for (const AgentHooksFile& hooks : HooksFilesOf(files, project)) {
    const std::string path = hooks.file->path();
    written.insert(written.end(), {path, hooks.file->note_path(),
                                   JoinPath(project.EditedFolder(), FileName(path))});
  }
  if (const auto exclude = project.ExcludeFile()) written.push_back(*exclude);
  std::vector<std::string> leftovers;
  for (const std::string& path : written) {
    BELAY_TRY_ASSIGN(const std::vector<std::string> found, LeftoversOf(files, path));
    leftovers.insert(leftovers.end(), found.begin(), found.end());
  }
  return leftovers;
}

Result<void> RemoveLeftoversOfProject(FileSystem& files, const StateLock&, const Layout& project) {
  BELAY_TRY_ASSIGN(const std::vector<std::string> paths, LeftoversOfProject(files, project));
  for (const std::string& path : paths) {
    BELAY_TRY(EmptyIfMissing(files.RemoveFile(path)));
  }
  return {};
}

std::vector<std::string> FoldersToCleanUp(const FileSystem& files, const Layout& project) {
  std::vector<std::string> folders = RenderingFolders(project);
  for (std::string folder :
       {project.Vault(), project.RunFolder(), project.JournalFolder(), project.ArchiveFolder(),
        project.EditedFolder(), project.OutboxFolder(), project.EventsFolder(),
        project.MergeFolder()}) {
    folders.push_back(std::move(folder));
  }
  const Result<std::vector<std::string>> boxes = files.List(project.SignalsFolder());
  if (!boxes) return folders;
  for (const std::string& name : *boxes) folders.push_back(project.SignalFolder(name));
  return folders;
}

void RemoveOldFiles(FileSystem& files, const std::string& folder, WallTime than,
                    bool (*wanted)(std::string_view name)) {
  const Result<std::vector<std::string>> names = files.List(folder);
  if (!names) return;
  for (const std::string& name : *names) {
    if (!wanted(name)) continue;
    const std::string path = JoinPath(folder, name);
    const Result<FileInfo> file = files.Inspect(path);
    const bool old = file && file->kind == FileKind::kFile && IsOlder(*file, than);
    if (old) (void)files.RemoveFile(path);
  }
}

void RemoveOldTemporaries(FileSystem& files, const std::string& folder, WallTime now) {
  RemoveOldFiles(files, folder, now - kOldTemporary, IsTemporaryName);
}

namespace {

constexpr Duration kOldEvents = std::chrono::hours(24 * 7);
constexpr Duration kOldCheckpoints = std::chrono::hours(24 * 90);

bool IsEventLog(std::string_view name) {
  return name.find(kJournalEnd) != std::string_view::npos;  // also the older one
}

}  // namespace

void RemoveOldEventLogs(FileSystem& files, const Layout& project, WallTime now) {
  RemoveOldFiles(files, project.EventsFolder(), now - kOldEvents, IsEventLog);
}

void RemoveOldTexts(FileSystem& files, const Layout& project, WallTime now) {
  RemoveOldFiles(files, project.OutboxFolder(), now - kOldEvents, [](std::string_view name) {
    const auto parsed = ParseOutboxName(name);
    return parsed && parsed->state == OutboxName::State::kText;
  });
}

void RemoveOldCheckpoints(FileSystem& files, const Layout& project, WallTime now) {
  RemoveOldFiles(files, project.CheckpointFolder(), now - kOldCheckpoints,
                 [](std::string_view name) { return name.ends_with(".json"); });
}

bool DropOldestNews(SignalBox& person) {
  Result<std::vector<Signal>> waiting = person.Peek();
  if (!waiting) return false;
  std::erase_if(*waiting, [](const Signal& signal) { return !IsNews(signal.type); });
  return waiting->size() > kMostNews && person.Acknowledge(waiting->front().id).ok();
}

}  // namespace belay
