#include "ledger/event_log.h"

#include <algorithm>
#include <optional>

#include "base/split.h"
#include "codec/json_lines.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr std::uint64_t kMostAtOnce = std::uint64_t{4} << 20U;  // of one that nobody could shorten
constexpr std::uint64_t kTail = std::uint64_t{64} << 10U;

bool IsMissing(const Error& error) { return error.code == ErrorCode::kNotFound; }

// Opened for appending means that it is there already.
Result<File> Open(FileSystem& files, const Layout& project, const std::string& path) {
  Result<File> file = files.OpenForAppending(path);
  if (file || !IsMissing(file.error())) return file;
  Result<File> made = files.OpenForWriting(path, kPrivateFile);
  if (!made && IsMissing(made.error())) {
    (void)files.CreateFolder(project.EventsFolder(), kPrivateFolder);  // by somebody else: fine
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

// Whether the file is full and still the one that is written to: somebody else may just have begun
// the next one.
bool IsToBeReplaced(const FileSystem& files, const std::string& path, const FileInfo& opened) {
  if (opened.bytes < kFullEventLog) return false;
  const Result<FileInfo> there = files.Inspect(path);
  return there && there->inode == opened.inode;
}

struct Opened {
  File file;
  FileInfo info;
};

Result<std::optional<Opened>> OpenIfThere(const FileSystem& files, const std::string& path) {
  Result<File> file = files.OpenForReading(path);
  if (!file && IsMissing(file.error())) return std::nullopt;
  if (!file) return file.error();
  BELAY_TRY_ASSIGN(const FileInfo info, file->Inspect());
  return Opened{*std::move(file), info};
}

// Adds the whole lines from `offset` on, and moves that behind them.
Result<void> ReadLines(const File& file, std::uint64_t& offset, std::vector<AgentEvent>& events) {
  BELAY_TRY_ASSIGN(const FileInfo info, file.Inspect());
  if (info.bytes < offset) offset = 0;  // not the file that it was
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
  const std::string path = project.EventLog(agent);
  BELAY_TRY_ASSIGN(File file, Open(files, project, path));
  BELAY_TRY_ASSIGN(const FileInfo info, file.Inspect());
  std::uint64_t size = info.bytes;
  if (IsToBeReplaced(files, path, info) && files.Rename(path, project.OlderEventLog(agent))) {
    BELAY_TRY_ASSIGN(file, Open(files, project, path));
    size = 0;
  }
  std::string line = EndsInsideALine(file, size) ? "\n" : "";
  BELAY_TRY(AppendJsonLine(ToJson(event), line));
  return file.Write(line);
}

Result<std::vector<AgentEvent>> ReadEvents(const FileSystem& files, const Layout& project,
                                           const IdentityName& agent, EventPlace& place) {
  std::vector<AgentEvent> events;
  BELAY_TRY_ASSIGN(const std::optional<Opened> present,
                   OpenIfThere(files, project.EventLog(agent)));
  EventPlace next = place;
  if (present && present->info.inode != place.inode) {
    BELAY_TRY_ASSIGN(const std::optional<Opened> older,
                     OpenIfThere(files, project.OlderEventLog(agent)));
    std::uint64_t offset = older && older->info.inode == place.inode ? place.offset : 0;
    if (older) BELAY_TRY(ReadLines(older->file, offset, events));
    next = {present->info.inode, 0};
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
    (void)ReadLines((*log)->file, offset, events);  // what can't be read tells nothing
  }
  return events;
}

}  // namespace belay
