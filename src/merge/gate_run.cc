#include "merge/gate_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "host/tree_ender.h"
#include "os/process.h"
#include "os/process_tree.h"
#include "os/program.h"
#include "os/this_process.h"
#include "store/durable_file.h"

namespace belay {
namespace {

constexpr Duration kGrace = std::chrono::seconds(2);
constexpr Duration kBetweenReports = std::chrono::milliseconds(100);
constexpr Duration kLongestSilence = std::chrono::seconds(1);
constexpr std::size_t kPiece = std::size_t{256} << 10U;
constexpr int kMostPiecesAfterTheEnd = 16;  // more than a pipe holds
constexpr std::size_t kMostNamed = 3;

// Whether the failure is about the command, and not about the machine at this moment.
bool IsAboutTheCommand(SpawnStage stage) {
  return stage == SpawnStage::kFolder || stage == SpawnStage::kExec;
}

// "left 2 processes behind: sleep 600, cat"; TreeEnder's names start with the pid.
std::string LeftBehind(const std::vector<std::string>& names) {
  std::string text =
      fmt::format("left {} {} behind: ", names.size(), names.size() == 1 ? "process" : "processes");
  for (std::size_t i = 0; i < names.size() && i < kMostNamed; ++i) {
    text += (i == 0 ? "" : ", ") + names[i].substr(names[i].find(' ') + 1);
  }
  return names.size() > kMostNamed ? text + ", ..." : text;
}

class Runner {
 public:
  Runner(EventLoop& loop, const GateRequest& request, const GateWatch& watch, BoundedLog log,
         OutputPipe output)
      : loop_(loop),
        request_(request),
        watch_(watch),
        log_(std::move(log)),
        output_(std::move(output)) {}
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;
  ~Runner() {
    for (const WatchId id : {reading_, reaping_, cancelling_}) loop_.Unwatch(id);
    for (const TimerId id : {limit_, report_}) loop_.CancelTimer(id);
  }

  Result<GateRun> Run() {
    WatchCancelFolder();
    if (watch_.cancelled()) return GateRun{GateOutcome::kCancelled, 0, {}, "cancelled"};
    // Everything that can fail comes before the start.
    BELAY_TRY_ASSIGN(reaping_, loop_.WatchSignal(kSignalChild, [this] { Reap(); }));
    BELAY_TRY_ASSIGN(reading_,
                     loop_.Watch(output_.ours(), Readiness::kReadable, [this] { Read(); }));
    auto shell = Start();
    if (!shell && !IsAboutTheCommand(shell.error().stage)) return shell.error().AsError();
    if (!shell) {
      return GateRun{GateOutcome::kUnrunnable, 127, {}, shell.error().AsError().message};
    }
    shell_ = *std::move(shell);
    RunLoop();
    if (failure_) return *std::move(failure_);
    return Outcome();
  }

 private:
  tl::expected<Process, ExecFailure> Start() {
    output_.Widen();
    Environment::Variables environment = request_.environment;
    environment.insert_or_assign("BELAY_GATE", request_.mark);
    auto shell = Process::Spawn({.command = {"/bin/sh", "-c", request_.rule.run},
                                 .folder = request_.folder,
                                 .environment = std::move(environment),
                                 .output = output_.theirs(),
                                 .errors = output_.theirs(),
                                 .group = SpawnGroup::kNewSession});
    output_.CloseTheirs();
    return shell;
  }

  void RunLoop() {
    started_ = loop_.Now();
    reported_ = started_;
    limit_ = loop_.StartTimer(request_.rule.timeout, [this] { End(GateOutcome::kTimedOut); });
    report_ = loop_.StartTimer(kLongestSilence, [this] { Report(); });
    loop_.Run();
    const bool stopped = !over_;
    while (!over_) {
      End(GateOutcome::kCancelled);
      if (!over_) loop_.Run();
    }
    if (stopped) loop_.Stop();
  }

  // The gate runs even if the folder can't be watched: then `cancelled` is polled every second.
  void WatchCancelFolder() {
    if (watch_.cancel_folder.empty()) return;
    const auto watching =
        loop_.WatchFolderContent(watch_.cancel_folder, [this](const FolderEvent& event) {
          unwatched_ = unwatched_ || event.change == FolderChange::kGone;
          AskWhetherCancelled();
        });
    unwatched_ = !watching;
    if (watching) cancelling_ = *watching;
  }

  void AskWhetherCancelled() {
    if (CanBeEnded() && watch_.cancelled()) End(GateOutcome::kCancelled);
  }

  void Read() {
    const auto [bytes, ended] = output_.Read(buffer_.data(), buffer_.size());
    if (ended) return loop_.Unwatch(reading_);
    if (bytes.empty()) return;
    last_line_.Add(bytes);
    if (!failure_) Keep(log_.Append(bytes));
    if (std::exchange(has_news_, true)) return;
    loop_.CancelTimer(report_);
    report_ = loop_.StartTimerAt(reported_ + kBetweenReports, [this] { Report(); });
  }

  // Without its output, the result would be worthless.
  void Keep(const Result<void>& written) {
    if (written) return;
    failure_ = written.error();
    End(GateOutcome::kCancelled);
  }

  void Report() {
    has_news_ = false;
    reported_ = loop_.Now();
    report_ = loop_.StartTimer(kLongestSilence, [this] { Report(); });
    if (unwatched_) AskWhetherCancelled();
    watch_.progress({reported_ - started_, last_line_.Text()});
  }

  bool CanBeEnded() const { return shell_ && !forced_; }

  // Only once; and not when it has ended by itself.
  void End(GateOutcome why) {
    if (!CanBeEnded()) return;
    forced_ = why;
    ender_.Start();
  }

  void Reap() {
    const std::optional<ExitStatus> ended = ReapChildren(shell_ ? &*shell_ : nullptr);
    if (ended) ShellEnded(*ended);
    ender_.Poll();
  }

  void ShellEnded(const ExitStatus& exit) {
    shell_.reset();
    exit_ = exit;
    took_ = loop_.Now() - started_;
    loop_.CancelTimer(limit_);
    if (!forced_) ender_.Start();
  }

  void TreeEnded(std::vector<std::string> names) {
    if (!forced_) left_ = std::move(names);
    if (!exit_) took_ = loop_.Now() - started_;
    for (int i = 0; i < kMostPiecesAfterTheEnd; ++i) Read();
    if (!failure_) Keep(log_.Finish());
    over_ = true;
    loop_.Stop();
  }

  GateRun Outcome() const {
    // A killed process that doesn't exit has no status.
    const ExitStatus exit = exit_.value_or(ExitStatus::Killed(kSignalKill));
    GateRun run{OutcomeBy(exit), exit.code(), took_, DetailBy(exit)};
    const auto add = [&](const std::string& more) {
      run.detail += (run.detail.empty() ? "" : "; ") + more;
    };
    if (!left_.empty()) add(LeftBehind(left_));
    if (HasChildren()) add("some of its processes were killed but still exist");
    return run;
  }

  GateOutcome OutcomeBy(const ExitStatus& exit) const {
    if (forced_) return *forced_;
    if (exit.how == ExitStatus::How::kUnknown) return GateOutcome::kUnrunnable;
    return OutcomeOf(exit.code(), false);
  }

  std::string DetailBy(const ExitStatus& exit) const {
    if (forced_ == GateOutcome::kCancelled) return "cancelled";
    if (forced_) return fmt::format("not finished after {}", FormatDuration(request_.rule.timeout));
    if (exit.clean()) return {};
    if (OutcomeBy(exit) != GateOutcome::kUnrunnable) return exit.text();
    const std::string line = last_line_.Text();
    return fmt::format("{}: a program couldn't be run{}{}", exit.text(), line.empty() ? "" : ": ",
                       line);
  }

  EventLoop& loop_;
  const GateRequest& request_;
  const GateWatch& watch_;
  BoundedLog log_;
  OutputPipe output_;
  std::string buffer_ = std::string(kPiece, '\0');
  LastLine last_line_;
  WatchId reading_{}, reaping_{}, cancelling_{};
  TimerId limit_{}, report_{};
  bool unwatched_ = false;  // there is a folder, but it can't be watched
  MonotonicTime started_{}, reported_{};
  bool has_news_ = false;  // since the last report

  std::optional<Process> shell_;       // while it runs
  std::optional<GateOutcome> forced_;  // why we ended it
  std::optional<ExitStatus> exit_;
  std::optional<Error> failure_;
  Duration took_{};
  std::vector<std::string> left_;
  bool over_ = false;
  TreeEnder ender_{loop_, [this](std::vector<std::string> names) { TreeEnded(std::move(names)); },
                   kGrace};
};

}  // namespace

Result<GateRun> RunGate(FileSystem& files, EventLoop& loop, const GateRequest& request,
                        const GateWatch& watch) {
  if (HasChildren()) {
    return Error{ErrorCode::kRefused,
                 fmt::format("run gate {}: this process has children that aren't the gate's",
                             request.rule.name)};
  }
  BELAY_TRY_ASSIGN(BoundedLog log, BoundedLog::Create(files, request.log));
  BELAY_TRY_ASSIGN(OutputPipe output, OutputPipe::Make());
  BELAY_TRY_ASSIGN(const SubreaperScope subreaper, SubreaperScope::Begin());
  return Runner(loop, request, watch, std::move(log), std::move(output)).Run();
}

namespace {

constexpr Duration kLongestWait = std::chrono::seconds(5);
constexpr std::size_t kLongestName = 120;

// All processes with the mark, and descendants without it (`env -i`). Each is held by its pidfd
// before the second check, so that no other process is hit.
std::map<pid_t, Process> FindLeft(const std::string& mark) {
  std::map<pid_t, Process> left;
  std::vector<Process> marked = ProcessesStartedWith({"BELAY_GATE=" + mark});
  const Result<ProcessTree> tree = ProcessTree::Read();
  for (Process& process : marked) {
    const pid_t root = process.pid();
    left.emplace(root, std::move(process));
    if (!tree) continue;
    for (const SeenProcess& seen : tree->Descendants(root)) {
      Result<Process> child = Process::Open(seen.pid);
      const Result<ProcStat> now = ReadProcStat(seen.pid);
      const bool same = now && now->start_time == seen.stat.start_time && !now->ended();
      if (child && same) left.emplace(seen.pid, *std::move(child));
    }
  }
  left.erase(static_cast<pid_t>(ThisProcess()));  // a gate may run belay
  return left;
}

Error WontGo(const Process& process) {
  return {ErrorCode::kBusy,
          fmt::format("end an earlier gate: process {} ({}) was killed but still exists",
                      process.pid(), CommandLineOf(process.pid(), kLongestName))};
}

}  // namespace

Result<int> EndLeftGates(const Clock& clock, const std::string& mark) {
  const MonotonicTime deadline = clock.Monotonic() + kLongestWait;
  std::set<pid_t> ended;
  // Repeated until none is left: a process may have started others before it was killed.
  for (auto left = FindLeft(mark); !left.empty(); left = FindLeft(mark)) {
    for (const auto& [pid, process] : left) (void)process.Signal(kSignalKill);
    for (auto& [pid, process] : left) {
      const Duration time = std::max(deadline - clock.Monotonic(), Duration::zero());
      if (!process.WaitAtMost(time)) return WontGo(process);
      ended.insert(pid);
    }
  }
  return static_cast<int>(ended.size());
}

namespace {

constexpr std::uint64_t kLogPiece = std::uint64_t{128} << 10U;

}  // namespace

Result<BoundedLog> BoundedLog::Create(FileSystem& files, const std::string& path,
                                      const Limits& limits) {
  BELAY_TRY_ASSIGN(File file, files.OpenForWriting(path, kPrivateFile));
  BELAY_TRY(file.Truncate(0));
  (void)files.RemoveFile(path + ".new");  // left by a killed belay
  return BoundedLog(files, std::move(file), limits);
}

Result<void> BoundedLog::Append(std::string_view bytes) {
  BELAY_TRY(file_.Write(bytes));
  total_ += bytes.size();
  size_ += bytes.size();
  if (size_ > shortest_ + limits_.slack) return TakeOutMiddle();
  return {};
}

Result<void> BoundedLog::Finish() {
  if (size_ > shortest_) return TakeOutMiddle();
  return {};
}

Result<void> BoundedLog::TakeOutMiddle() {
  const std::string path = file_.path();
  const std::string fresh = path + ".new";
  const std::string note =
      fmt::format("\n[belay: {} bytes left out here]\n", total_ - limits_.head - limits_.tail);
  Result<void> written = WriteShorter(fresh, note);
  if (!written) {
    (void)files_.RemoveFile(fresh);
    return written;
  }
  BELAY_TRY(MoveOver(fresh, path));
  BELAY_TRY_ASSIGN(file_, files_.OpenForAppending(path));
  size_ = shortest_ = limits_.head + note.size() + limits_.tail;
  return {};
}

Result<void> BoundedLog::WriteShorter(const std::string& path, std::string_view note) {
  BELAY_TRY_ASSIGN(File file, files_.OpenForWriting(path, kPrivateFile));
  BELAY_TRY(file.Truncate(0));
  BELAY_TRY(Copy(0, limits_.head, file));
  BELAY_TRY(file.Write(note));
  return Copy(size_ - limits_.tail, limits_.tail, file);
}

Result<void> BoundedLog::Copy(std::uint64_t from, std::uint64_t count, File& to) const {
  std::string piece(std::min(count, kLogPiece), '\0');
  while (count > 0) {
    BELAY_TRY_ASSIGN(const std::size_t got,
                     file_.ReadAt(from, piece.data(), std::min(count, kLogPiece)));
    if (got == 0) {
      return Error{ErrorCode::kDamaged,
                   fmt::format("read {}: the file is shorter than expected", file_.path())};
    }
    BELAY_TRY(to.Write(std::string_view(piece).substr(0, got)));
    from += got;
    count -= got;
  }
  return {};
}

// They change places, and the old one is removed: to make renaming over a file safe, some file
// systems write the new one to the disk at once, and then much output would slow down to the speed
// of the disk.
Result<void> BoundedLog::MoveOver(const std::string& fresh, const std::string& path) {
  if (!files_.RenameSwap(fresh, path)) return files_.Rename(fresh, path);
  return files_.RemoveFile(fresh);
}

namespace {

constexpr std::size_t kKept = 4096;
constexpr std::size_t kLongestLine = 200;

constexpr char32_t kEscape = 0x1B;
constexpr char32_t kBell = 0x07;
constexpr char32_t kControlSequence = 0x9B;  // as one character; else it is an escape and "["
constexpr char32_t kStringEnd = 0x9C;

bool IsControl(char32_t value) { return value < 0x20 || (value >= 0x7F && value < 0xA0); }

bool IsHiddenFormat(char32_t value) {
  return value == 0x061C || value == 0x200E || value == 0x200F || value == 0xFEFF ||
         (value >= 0x2028 && value <= 0x202E) || (value >= 0x2066 && value <= 0x2069);
}

char32_t Take(std::string_view& text) {
  const CodePoint point = DecodeUtf8(text);
  text.remove_prefix(point.bytes);
  return point.value;
}

// "[1;31m", without the escape and the bracket: up to its last character.
void SkipControlSequence(std::string_view& text) {
  while (!text.empty() && text[0] >= 0x20 && text[0] < 0x40) text.remove_prefix(1);
  if (!text.empty() && text[0] >= 0x40 && text[0] < 0x7F) text.remove_prefix(1);
}

// A title or a link, up to the bell or the terminating sequence.
void SkipString(std::string_view& text) {
  while (!text.empty()) {
    const char32_t value = Take(text);
    if (value == kBell || value == kStringEnd) return;
    if (value != kEscape) continue;
    if (!text.empty() && text[0] == '\\') text.remove_prefix(1);
    return;
  }
}

void SkipEscape(std::string_view& text) {
  if (text.empty()) return;
  const char kind = text[0];
  if (kind == '[') {
    text.remove_prefix(1);
    return SkipControlSequence(text);
  }
  if (std::string_view("]PX^_").find(kind) != std::string_view::npos) return SkipString(text);
  while (!text.empty() && text[0] >= 0x20 && text[0] < 0x30) text.remove_prefix(1);
  if (!text.empty() && text[0] >= 0x30 && text[0] < 0x7F) text.remove_prefix(1);
}

std::string Harmless(std::string_view text) {
  std::string line;
  for (std::size_t count = 0; !text.empty() && count < kLongestLine;) {
    const char32_t value = Take(text);
    if (value == kEscape) {
      SkipEscape(text);
    } else if (value == kControlSequence) {
      SkipControlSequence(text);
    } else if (value == '\t' || value == ' ') {
      if (!line.empty()) AppendUtf8(' ', line);
      ++count;
    } else if (!IsControl(value) && !IsHiddenFormat(value)) {
      AppendUtf8(value, line);
      ++count;
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

void LastLine::Add(std::string_view bytes) {
  if (bytes.size() > kKept) bytes.remove_prefix(bytes.size() - kKept);
  end_.append(bytes);
  if (end_.size() > kKept) end_.erase(0, end_.size() - kKept);
}

std::string LastLine::Text() const {
  std::string_view rest = end_;
  while (!rest.empty()) {
    const std::size_t before = rest.find_last_of("\r\n");
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    std::string line = Harmless(rest.substr(start));
    if (!line.empty()) return line;
    rest = rest.substr(0, start == 0 ? 0 : before);
  }
  return {};
}

}  // namespace belay
