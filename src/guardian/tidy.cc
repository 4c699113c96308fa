#include "guardian/tidy.h"

#include "base/path.h"
#include "ledger/families.h"
#include "ledger/outbox.h"

namespace belay {
namespace {

constexpr Duration kOldTemporary = std::chrono::hours(1);
constexpr Duration kOldEvents = std::chrono::hours(24 * 7);

bool IsOlder(const FileInfo& file, WallTime than) {
  const auto at = std::chrono::duration_cast<std::chrono::nanoseconds>(than.time_since_epoch());
  return file.modified < at.count();
}

void RemoveOld(FileSystem& files, const std::string& folder, WallTime than,
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

bool IsEventLog(std::string_view name) {
  return name.find(kJournalEnd) != std::string_view::npos;  // also the older one
}

}  // namespace

void RemoveOldTemporaries(FileSystem& files, const std::string& folder, WallTime now) {
  RemoveOld(files, folder, now - kOldTemporary, IsTemporaryName);
}

void RemoveOldEventLogs(FileSystem& files, const Layout& project, WallTime now) {
  RemoveOld(files, project.EventsFolder(), now - kOldEvents, IsEventLog);
}

void RemoveOldTexts(FileSystem& files, const Layout& project, WallTime now) {
  RemoveOld(files, project.OutboxFolder(), now - kOldEvents, [](std::string_view name) {
    const auto parsed = ParseOutboxName(name);
    return parsed && parsed->state == OutboxName::State::kText;
  });
}

std::vector<std::string> FoldersToTidy(const FileSystem& files, const Layout& project) {
  std::vector<std::string> folders = RenderingFolders(project);
  for (std::string folder :
       {project.RunFolder(), project.JournalFolder(), project.OutboxFolder()}) {
    folders.push_back(std::move(folder));
  }
  const Result<std::vector<std::string>> boxes = files.List(project.SignalsFolder());
  if (!boxes) return folders;
  for (const std::string& name : *boxes) folders.push_back(project.SignalFolder(name));
  return folders;
}

bool DropOldestNews(SignalBox& person) {
  Result<std::vector<Signal>> waiting = person.Peek();
  if (!waiting) return false;
  std::erase_if(*waiting, [](const Signal& signal) { return !IsNews(signal.type); });
  return waiting->size() > kMostNews && person.Acknowledge(waiting->front().id).ok();
}

}  // namespace belay
