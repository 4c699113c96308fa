#include <fmt/core.h>

#include "app/hosted_agent.h"
#include "app/settings.h"
#include "base/path.h"
#include "base/text.h"
#include "cli/commands/commands.h"
#include "host/run_record.h"
#include "os/process.h"

namespace belay {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10U;
constexpr std::size_t kMostLines = 200;  // with --json

bool IsNoLog(const Error& error) { return error.code == ErrorCode::kNotFound; }

// The log of an agent from its beginning to its end, and on from there. It is cut in two files
// (host/agent_terminal.h), and the writer goes on to the next while it is read.
class LogReader {
 public:
  using Taker = std::function<Result<void>(std::string_view)>;

  LogReader(const FileSystem& files, const Layout& project, const IdentityName& agent)
      : files_(files), path_(project.RunLog(agent)), older_path_(project.OlderRunLog(agent)) {}

  // What is new since the last time.
  Result<void> CatchUp(const Taker& take) {
    if (file_) BELAY_TRY(ReadOn(take));
    BELAY_TRY_ASSIGN(const bool another, IsAnother(path_));
    if (!another) return {};
    BELAY_TRY_ASSIGN(const bool between, IsAnother(older_path_));
    if (between) BELAY_TRY(ReadFrom(older_path_, take));
    return ReadFrom(path_, take);
  }

 private:
  // Whether there is a file which isn't the one that is being read.
  Result<bool> IsAnother(const std::string& path) const {
    const Result<FileInfo> there = files_.Inspect(path);
    if (!there && IsNoLog(there.error())) return false;
    if (!there) return there.error();
    if (!file_) return true;
    BELAY_TRY_ASSIGN(const FileInfo ours, file_->Inspect());
    return ours.inode != there->inode || ours.device != there->device;
  }

  Result<void> ReadFrom(const std::string& path, const Taker& take) {
    Result<File> file = files_.OpenForReading(path);
    if (!file && IsNoLog(file.error())) return {};
    if (!file) return file.error();
    file_ = *std::move(file);
    offset_ = 0;
    return ReadOn(take);
  }

  Result<void> ReadOn(const Taker& take) {
    std::string piece(kPiece, '\0');
    while (true) {
      BELAY_TRY_ASSIGN(const std::size_t count, file_->ReadAt(offset_, piece.data(), piece.size()));
      if (count == 0) return {};
      offset_ += count;
      BELAY_TRY(take(std::string_view(piece).substr(0, count)));
    }
  }

  const FileSystem& files_;
  std::string path_;
  std::string older_path_;
  std::optional<File> file_;
  std::uint64_t offset_ = 0;
};

Result<void> ShowLines(LogReader& reader, Io& io) {
  std::string tail;
  BELAY_TRY(reader.CatchUp([&](std::string_view piece) -> Result<void> {
    tail += piece;
    if (tail.size() > 4 * kPiece) tail.erase(0, tail.size() - 2 * kPiece);
    return {};
  }));
  std::vector<std::string_view> lines = Split(tail, '\n');
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  const std::size_t first = lines.size() > kMostLines ? lines.size() - kMostLines : 0;
  Json list = Json::EmptyArray();
  for (std::size_t i = first; i < lines.size(); ++i) {
    if (lines[i].ends_with('\r')) lines[i].remove_suffix(1);
    list.Append(lines[i]);
  }
  io.Show(MakeObject({{"lines", std::move(list)}}), "");
  return {};
}

// Until the exec that writes it has ended, nobody reads any more, or a signal ends the program.
Result<void> Follow(Services& services, const Layout& project, const IdentityName& agent,
                    const std::function<Result<void>()>& catch_up) {
  BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, services.make_loop());
  Result<void> outcome;
  const auto look = [&] {
    outcome = catch_up();
    if (!outcome) loop->Stop();
  };
  const std::string name(FileName(project.RunLog(agent)));
  BELAY_TRY(loop->WatchFolderContent(project.RunFolder(), [&](const FolderEvent& event) {
    if (event.change == FolderChange::kGone) return loop->Stop();
    if (event.change == FolderChange::kOverflow || event.name == name) look();
  }));
  BELAY_TRY_ASSIGN(const std::optional<RunRecord> run,
                   ReadRunRecord(services.files, project, agent));
  const Result<Process> exec = run ? Process::Open(run->parent)
                                   : Result<Process>(Error{ErrorCode::kNotFound, "it never ran"});
  if (!exec) return catch_up();
  BELAY_TRY(loop->WatchProcess(*exec, [&] {
    look();
    loop->Stop();
  }));
  // The writing end of a pipe becomes readable only when nobody reads any more.
  if (services.io.out_pipe) {
    BELAY_TRY(loop->Watch(*services.io.out_pipe, Readiness::kReadable, [&] { loop->Stop(); }));
  }
  look();
  if (outcome) loop->Run();
  return outcome;
}

Result<void> CheckThereIsOne(Services& services, const Layout& project, const IdentityName& agent) {
  const auto there = [&](const std::string& path) { return services.files.Inspect(path).ok(); };
  if (there(project.RunLog(agent)) || there(project.OlderRunLog(agent))) return {};
  if (there(project.RunFile(agent))) {
    // A log is made with its first byte.
    services.io.Say(fmt::format("{} wrote nothing, or its log is gone", agent.text()));
    return {};
  }
  const std::string why = HasStarted(services, project, agent)
                              ? fmt::format("{} was started, but its log is gone", agent.text())
                              : WhyNotRunning(services, project, agent).value_or("there is no log");
  return Error{ErrorCode::kNotFound, why, fmt::format("belay why {} tells more", agent.text())};
}

}  // namespace

Result<int> RunLogs(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(services));
  const std::string& operand = invocation.operands().front();
  BELAY_TRY_ASSIGN(const IdentityName agent,
                   FindHostedAgent(services, project, operand, Incarnations::kAny));
  BELAY_TRY(CheckThereIsOne(services, project, agent));
  if (operand.find('#') != std::string::npos) {
    services.io.Say(fmt::format("all incarnations of {} write to one log", agent.text()));
  }
  LogReader reader(services.files, project, agent);
  if (services.io.json) {
    BELAY_TRY(ShowLines(reader, services.io));
    return 0;
  }
  const auto print = [&](std::string_view piece) {
    services.io.out += piece;
    return services.io.Flush();
  };
  const auto catch_up = [&] { return reader.CatchUp(print); };
  BELAY_TRY(invocation.Has("--follow") ? Follow(services, project, agent, catch_up) : catch_up());
  return 0;
}

}  // namespace belay
