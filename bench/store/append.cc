// Acknowledged appends of one writer, against write and fdatasync in plain C.

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/check.h"
#include "codec/json_lines.h"
#include "journal_scene.h"
#include "row.h"
#include "rows.h"

namespace belay::bench {
namespace {

constexpr double kMicros = 3'000'000;
constexpr double kMost = 1.3;

class PlainLog {
 public:
  explicit PlainLog(const std::string& path)
      : fd_(open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600)) {
    BELAY_CHECK(fd_ >= 0 && AppendJsonLine(SampleRecord(0), line_).ok());
  }
  PlainLog(const PlainLog&) = delete;
  PlainLog& operator=(const PlainLog&) = delete;
  ~PlainLog() { (void)close(fd_); }

  void Append() const {
    BELAY_CHECK(write(fd_, line_.data(), line_.size()) == static_cast<ssize_t>(line_.size()));
    BELAY_CHECK(fdatasync(fd_) == 0);
  }

 private:
  int fd_;
  std::string line_;
};

bool PrintOneWriter(const Samples& samples) {
  const double ratio = samples.Ratio();
  return Print({"journal append, one writer", fmt::format("{:.0f} us", Median(samples.ours)),
                fmt::format("{:.0f} us, write + fdatasync in C", Median(samples.floor)),
                fmt::format("{:.2f}", ratio), fmt::format("at most {}", kMost), ratio <= kMost});
}

}  // namespace

bool AppendRows(ScratchFolder& scratch) {
  JournalScene scene(scratch.NewPath("journal"));
  const PlainLog plain(scratch.NewPath("plain-log"));
  int number = 0;
  const Samples samples = TakeTurns(
      kMicros, [&] { scene.AppendOne(++number); }, [&] { plain.Append(); });
  return PrintOneWriter(samples);
}

}  // namespace belay::bench
