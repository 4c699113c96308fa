#include "ledger/event_log.h"

#include <functional>
#include <optional>

#include "base/text.h"
#include "codec/json_lines.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr std::uint64_t kMostAtOnce = std::uint64_t{4}
                                      << 20U;  // of a log that couldn't be replaced
constexpr std::uint64_t kTail = std::uint64_t{64} << 10U;

// Opening for appending requires that it exists.
Result<File> Open(FileSystem& files, const Layout& project, const std::string& path) {
  Result<File> file = files.OpenForAppending(path);
  if (file || !IsMissing(file)) return file;
  Result<File> made = files.OpenForWriting(path, kPrivateFile);
  if (IsMissing(made)) {
    (void)files.CreateFolder(project.EventsFolder(),
                             kPrivateFolder);  // another process may create it first
    made = files.OpenForWriting(path, kPrivateFile);
  }
  if (!made) return made;
  return files.OpenForAppending(path);
}

// Whether the last write was cut off.
bool EndsInsideALine(const File& file, std::uint64_t size) {
  char last = '\n';
  return size > 0 && file.ReadAt(size - 1, &last, 1) && last != '\n';
}

// Moves a full log aside. Of several processes that find it full only the first does it: a late one
// would move the new log, and lose the old.
void ReplaceIfFull(FileSystem& files, const Layout& project, const IdentityName& agent, File& log,
                   const FileInfo& opened) {
  if (opened.bytes < kFullEventLog || !log.TryLock()) return;
  const Result<FileInfo> there = files.Inspect(log.path());
  const bool same = there && there->inode == opened.inode && there->device == opened.device;
  if (same) (void)files.Rename(log.path(), project.OlderEventLog(agent));
}

struct Opened {
  File file;
  FileInfo info;
  std::uint64_t first;
};

// Distinguishes a file from a later one with the same inode number: its first line never changes.
std::uint64_t FirstLine(const File& file) {
  char text[512];
  const Result<std::size_t> count = file.ReadAt(0, text, sizeof(text));
  const std::string_view bytes(text, count ? *count : 0);
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  return line.empty() ? 0 : std::hash<std::string_view>()(line) >> 1U;  // JSON takes 63 bits
}

bool IsAt(const Opened& log, const EventPlace& place) {
  return log.info.inode == place.inode && log.first == place.first;
}

Result<std::optional<Opened>> OpenIfThere(const FileSystem& files, const std::string& path) {
  BELAY_TRY_ASSIGN(std::optional<File> file, IfThere(files.OpenForReading(path)));
  if (!file) return std::nullopt;
  BELAY_TRY_ASSIGN(const FileInfo info, file->Inspect());
  const std::uint64_t first = FirstLine(*file);
  return Opened{*std::move(file), info, first};
}

// Adds the complete lines from `offset` on, and moves `offset` past them.
Result<void> ReadLines(const File& file, std::uint64_t& offset, std::vector<AgentEvent>& events) {
  BELAY_TRY_ASSIGN(const FileInfo info, file.Inspect());
  if (info.bytes < offset) offset = 0;  // another file
  if (info.bytes - offset > kMostAtOnce) offset = info.bytes - kMostAtOnce;
  std::string text(info.bytes - offset, '\0');
  BELAY_TRY_ASSIGN(const std::size_t count, file.ReadAt(offset, text.data(), text.size()));
  text.resize(count);
  const std::size_t end = text.rfind('\n');
  if (end == std::string::npos) return {};
  offset += end + 1;
  for (const std::string_view line : Split(std::string_view(text).substr(0, end), '\n')) {
    const Result<Json> record = ParseJsonLine(line);
    Result<AgentEvent> event = record ? AgentEventFromJson(*record) : record.error();
    if (event) events.push_back(*std::move(event));
  }
  return {};
}

}  // namespace

Result<void> AppendEvent(FileSystem& files, const Layout& project, const IdentityName& agent,
                         const AgentEvent& event) {
  BELAY_TRY(CheckFormat(files, project));
  BELAY_TRY(CheckIsFolder(files, project.EventsFolder()));
  const std::string path = project.EventLog(agent);
  BELAY_TRY_ASSIGN(File file, Open(files, project, path));
  BELAY_TRY_ASSIGN(const FileInfo info, file.Inspect());
  ReplaceIfFull(files, project, agent, file, info);
  if (info.bytes >= kFullEventLog) {
    BELAY_TRY_ASSIGN(file, Open(files, project, path));
  }
  BELAY_TRY_ASSIGN(const FileInfo now, file.Inspect());
  std::string line = EndsInsideALine(file, now.bytes) ? "\n" : "";
  BELAY_TRY(AppendJsonLine(ToJson(event), line));
  return file.Write(line);
}

Result<std::vector<AgentEvent>> ReadEvents(const FileSystem& files, const Layout& project,
                                           const IdentityName& agent, EventPlace& place) {
  std::vector<AgentEvent> events;
  BELAY_TRY_ASSIGN(const std::optional<Opened> present,
                   OpenIfThere(files, project.EventLog(agent)));
  EventPlace next = place;
  if (present && !IsAt(*present, place)) {
    BELAY_TRY_ASSIGN(const std::optional<Opened> older,
                     OpenIfThere(files, project.OlderEventLog(agent)));
    std::uint64_t offset = older && IsAt(*older, place) ? place.offset : 0;
    if (older) BELAY_TRY(ReadLines(older->file, offset, events));
    next = {present->info.inode, 0, present->first};
  }
  if (present) BELAY_TRY(ReadLines(present->file, next.offset, events));
  place = next;
  return events;
}

std::vector<AgentEvent> LastEvents(const FileSystem& files, const Layout& project,
                                   const IdentityName& agent) {
  std::vector<AgentEvent> events;
  for (const std::string& path : {project.OlderEventLog(agent), project.EventLog(agent)}) {
    const Result<std::optional<Opened>> log = OpenIfThere(files, path);
    if (!log || !*log) continue;
    std::uint64_t offset = (*log)->info.bytes > kTail ? (*log)->info.bytes - kTail : 0;
    (void)ReadLines((*log)->file, offset, events);  // unreadable lines don't count
  }
  return events;
}

}  // namespace belay
