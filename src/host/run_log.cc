#include "host/run_log.h"

#include <fmt/core.h>

#include <algorithm>

#include "store/durable_file.h"

namespace belay {
namespace {

constexpr Duration kPause = std::chrono::seconds(1);

}  // namespace

RunLog::RunLog(FileSystem& files, const Clock& clock, const Layout& project,
               const IdentityName& agent)
    : files_(files),
      clock_(clock),
      path_(project.RunLog(agent)),
      older_path_(project.OlderRunLog(agent)) {}

void RunLog::Append(std::string_view bytes) {
  if (bytes.empty()) return;
  if (!Ready()) return GiveUpForAWhile(bytes.size());
  if (missing_ > 0) {
    const std::string note = fmt::format(
        "\r\n[belay: {} bytes are missing here, the log couldn't be written]\r\n", missing_);
    if (!Write(note)) return GiveUpForAWhile(bytes.size());
    missing_ = 0;
  }
  if (!Write(bytes)) GiveUpForAWhile(bytes.size());
}

bool RunLog::Ready() {
  if (missing_ > 0 && clock_.Monotonic() < try_again_) return false;
  if (!file_ && !Open()) return false;
  return size_ < kFull || Rotate().ok();
}

Result<void> RunLog::Open() {
  // Made first if need be: what is opened for appending has to be there.
  BELAY_TRY(files_.OpenForWriting(path_, kPrivateFile));
  BELAY_TRY_ASSIGN(File file, files_.OpenForAppending(path_));
  BELAY_TRY_ASSIGN(const FileInfo info, file.Inspect());
  size_ = info.bytes;
  file_ = std::move(file);
  return {};
}

Result<void> RunLog::Rotate() {
  file_.reset();
  // Removed first: to make a rename over a file safe, some file systems write the new one to the
  // disk at once, and then much output would go at the speed of the disk.
  (void)files_.RemoveFile(older_path_);
  const Result<void> moved = files_.Rename(path_, older_path_);
  BELAY_TRY(Open());
  // It must stay bounded, whatever is in the way.
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
  // Opened anew: a part may have been written, and it may be gone.
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

}  // namespace belay
