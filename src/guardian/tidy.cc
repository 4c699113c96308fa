#include "guardian/tidy.h"

#include "base/path.h"

namespace belay {
namespace {

constexpr Duration kOldTemporary = std::chrono::hours(1);

bool IsOlder(const FileInfo& file, WallTime than) {
  const auto at = std::chrono::duration_cast<std::chrono::nanoseconds>(than.time_since_epoch());
  return file.modified < at.count();
}

}  // namespace

void RemoveOldTemporaries(FileSystem& files, const std::string& folder, WallTime now) {
  const Result<std::vector<std::string>> names = files.List(folder);
  if (!names) return;
  for (const std::string& name : *names) {
    if (!IsTemporaryName(name)) continue;
    const std::string path = JoinPath(folder, name);
    const Result<FileInfo> file = files.Inspect(path);
    const bool old = file && file->kind == FileKind::kFile && IsOlder(*file, now - kOldTemporary);
    if (old) (void)files.RemoveFile(path);
  }
}

std::vector<std::string> FoldersToTidy(const FileSystem& files, const Layout& project) {
  std::vector<std::string> folders = {project.RunFolder(),   project.JournalFolder(),
                                      project.StateRoot(),   project.IdentitiesFolder(),
                                      project.HooksFolder(), project.IdentityHistoryFolder()};
  const Result<std::vector<std::string>> boxes = files.List(project.SignalsFolder());
  if (!boxes) return folders;
  for (const std::string& name : *boxes) folders.push_back(project.SignalFolder(name));
  return folders;
}

bool IsNews(SignalType type) {
  return type == SignalType::kAgentRegistered || type == SignalType::kAgentTerminated;
}

bool DropOldestNews(SignalBox& person) {
  Result<std::vector<Signal>> waiting = person.Peek();
  if (!waiting) return false;
  std::erase_if(*waiting, [](const Signal& signal) { return !IsNews(signal.type); });
  return waiting->size() > kMostNews && person.Acknowledge(waiting->front().id).ok();
}

}  // namespace belay
