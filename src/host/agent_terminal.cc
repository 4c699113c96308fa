#include "host/agent_terminal.h"

#include <fmt/core.h>

#include <algorithm>

#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr Duration kPause = std::chrono::seconds(1);
constexpr Duration kBetweenChecks = std::chrono::milliseconds(100);

}  // namespace

RunLog::RunLog(FileSystem& files, const Clock& clock, const Layout& project,
               const IdentityName& agent)
    : files_(files),
      clock_(clock),
      project_(project),
      path_(project.RunLog(agent)),
      older_path_(project.OlderRunLog(agent)) {}

void RunLog::Append(std::string_view bytes) {
  if (bytes.empty()) return;
  if (!Ready()) return GiveUpForAWhile(bytes.size());
  if (missing_ > 0) {
    const std::string note = fmt::format(
        "\r\n[belay: {} bytes are missing here: the log couldn't be written]\r\n", missing_);
    if (!Write(note)) return GiveUpForAWhile(bytes.size());
    missing_ = 0;
  }
  if (!Write(bytes)) GiveUpForAWhile(bytes.size());
}

bool RunLog::Ready() {
  if (missing_ > 0 && clock_.Monotonic() < try_again_) return false;
  if (!MayWrite()) return false;
  if (!file_ && !Open()) return false;
  return size_ < kFull || Rotate().ok();
}

bool RunLog::MayWrite() {
  const MonotonicTime now = clock_.Monotonic();
  if (checked_ && now - *checked_ < kBetweenChecks) return true;
  checked_.reset();
  if (CheckFormat(files_, project_)) checked_ = now;
  return checked_.has_value();
}

Result<void> RunLog::Open() {
  // Created first if missing: opening for append doesn't create it.
  BELAY_TRY(files_.OpenForWriting(path_, kPrivateFile));
  BELAY_TRY_ASSIGN(File file, files_.OpenForAppending(path_));
  BELAY_TRY_ASSIGN(const FileInfo info, file.Inspect());
  size_ = info.bytes;
  file_ = std::move(file);
  return {};
}

Result<void> RunLog::Rotate() {
  file_.reset();
  // Removed first: to make renaming over a file safe, some file systems write the new one to the
  // disk at once, and then much output would slow down to the speed of the disk.
  (void)files_.RemoveFile(older_path_);
  const Result<void> moved = files_.Rename(path_, older_path_);
  BELAY_TRY(Open());
  // The log must stay bounded, even if the rename fails.
  if (!moved && size_ >= kFull) {
    BELAY_TRY(file_->Truncate(0));
    size_ = 0;
  }
  return {};
}

bool RunLog::Write(std::string_view bytes) {
  if (!file_->Write(bytes)) return false;
  size_ += bytes.size();
  return true;
}

void RunLog::GiveUpForAWhile(std::size_t bytes) {
  // Reopened: a part may have been written, and the file may be gone.
  if (missing_ == 0 || clock_.Monotonic() >= try_again_) {
    try_again_ = clock_.Monotonic() + kPause;
    file_.reset();
  }
  missing_ += bytes;
}

std::string RunLog::Tail(std::size_t bytes) const {
  if (!file_) return {};
  const std::uint64_t start = size_ > bytes ? size_ - bytes : 0;
  std::string text(std::min<std::uint64_t>(size_, bytes), '\0');
  const Result<std::size_t> got = file_->ReadAt(start, text.data(), text.size());
  text.resize(got ? *got : 0);
  const std::size_t line = start == 0 ? std::string::npos : text.find('\n');
  return line == std::string::npos ? text : text.substr(line + 1);
}

namespace {

constexpr std::size_t kMostKeys = std::size_t{64} << 10U;
constexpr std::size_t kShownFirst = std::size_t{16} << 10U;  // more than a large screen holds
constexpr int kPumpsPerRound = 16;                           // then other work gets a turn
constexpr int kPumpsAtTheEnd = 256;
constexpr Duration kLongestSilence = std::chrono::milliseconds(500);
constexpr std::string_view kPasteOn = "\x1B[?2004h";
constexpr std::string_view kPasteBegins = "\x1B[200~";
constexpr std::string_view kPasteEnds = "\x1B[201~";

// Typed text must not be read as a key combination, or as the end of a paste.
std::string WithoutControls(std::string_view text) {
  std::string kept;
  for (const char c : text) {
    const bool control = (c >= 0 && c < 0x20) || c == 0x7F;
    if (!control || c == '\n' || c == '\t') kept.push_back(c);
  }
  return kept;
}

}  // namespace

AgentTerminal::AgentTerminal(EventLoop& loop, PseudoTerminal terminal, RunLog log)
    : loop_(loop),
      terminal_(std::move(terminal)),
      log_(std::move(log)),
      server_(loop, {.type = [this](std::string_view keys) { return Type(keys); },
                     .resize = [this](TerminalSize size) { (void)terminal_.Resize(size); },
                     .recent = [this] { return log_.Tail(kShownFirst); }}) {}

AgentTerminal::~AgentTerminal() {
  loop_.Unwatch(readable_);
  loop_.Unwatch(writable_);
  loop_.CancelTimer(typing_);
}

Result<void> AgentTerminal::Start() {
  BELAY_TRY_ASSIGN(readable_,
                   loop_.Watch(terminal_.fd(), Readiness::kReadable, [this] { Pump(); }));
  return {};
}

void AgentTerminal::Finish() {
  loop_.CancelTimer(typing_);
  loop_.Unwatch(readable_);
  loop_.Unwatch(writable_);
  // Bounded: another process may have the terminal open and keep writing.
  for (int i = 0; i < kPumpsAtTheEnd && PumpOnce() > 0; ++i) {
  }
  keys_ = std::string();
}

void AgentTerminal::Pump() {
  for (int i = 0; i < kPumpsPerRound && PumpOnce() == buffer_.size(); ++i) {
  }
}

std::size_t AgentTerminal::PumpOnce() {
  std::size_t filled = 0;
  while (filled < buffer_.size()) {
    const std::size_t count = terminal_.Read(buffer_.data() + filled, buffer_.size() - filled);
    if (count == 0) break;
    filled += count;
  }
  const std::string_view output(buffer_.data(), filled);
  log_.Append(output);
  server_.Show(output);
  if (filled > 0 && !to_type_.empty()) {
    marks_paste_ = marks_paste_ || output.find(kPasteOn) != std::string_view::npos;
    TypeNow();
  }
  return filled;
}

void AgentTerminal::TypeLater(std::string_view text) {
  to_type_ = WithoutControls(text);
  if (to_type_.empty()) return;
  typing_ = loop_.StartTimer(kLongestSilence, [this] { TypeNow(); });
}

void AgentTerminal::TypeNow() {
  loop_.CancelTimer(typing_);
  std::string text = std::exchange(to_type_, {});
  if (marks_paste_) text = std::string(kPasteBegins).append(text).append(kPasteEnds);
  keys_ += text + "\r";
  FlushKeys();
}

bool AgentTerminal::Type(std::string_view keys) {
  if (keys_.size() + keys.size() > kMostKeys) return false;
  keys_ += keys;
  FlushKeys();
  return true;
}

void AgentTerminal::FlushKeys() {
  if (!keys_.empty()) keys_.erase(0, terminal_.Write(keys_));
  const bool watched = writable_ != WatchId{};
  if (keys_.empty() == !watched) return;
  if (watched) return loop_.Unwatch(std::exchange(writable_, WatchId{}));
  const Result<WatchId> id =
      loop_.Watch(terminal_.fd(), Readiness::kWritable, [this] { FlushKeys(); });
  if (id) writable_ = *id;
}

}  // namespace belay
