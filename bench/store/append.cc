// Acknowledged appends: of one writer, against write and fdatasync in plain C; and of many threads
// through a group commit, against one thread.

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/check.h"
#include "codec/json_lines.h"
#include "journal_scene.h"
#include "row.h"
#include "rows.h"
#include "store/group_commit.h"

namespace belay::bench {
namespace {

constexpr double kMicros = 3'000'000;
constexpr double kMost = 1.3;

constexpr int kThreads = 64;
constexpr int kTurns = 7;
constexpr double kTurnMicros = 400'000;
constexpr double kLeast = 4;
// Where a sync takes less, there is little to share.
constexpr double kSlowSyncMicros = 50;

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

// Appends per second of that many threads, each waiting for its own before the next.
double RateOf(int threads, GroupCommit& commit) {
  std::atomic<int> count = 0;
  const double start = MicrosNow();
  std::vector<std::thread> running;
  for (int t = 0; t < threads; ++t) {
    running.emplace_back([&] {
      while (MicrosNow() - start < kTurnMicros) {
        BELAY_CHECK(commit.Append(SampleRecord(count)).ok());
        ++count;
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  return count / (MicrosNow() - start) * 1e6;
}

bool PrintManyThreads(const std::string& path, double sync_micros) {
  JournalScene scene(path);
  GroupCommit commit(scene.files(), scene.journal(), scene.lock_path(), JournalScene::kLockLimit);
  std::vector<double> one;
  std::vector<double> many;
  for (int turn = 0; turn < kTurns; ++turn) {
    one.push_back(RateOf(1, commit));
    many.push_back(RateOf(kThreads, commit));
  }
  const double ratio = MedianRatio(many, one);
  const bool slow = sync_micros >= kSlowSyncMicros;
  const std::string must =
      slow ? fmt::format("at least {}", kLeast)
           : fmt::format("no goal: a sync takes less than {} us", kSlowSyncMicros);
  return Print({fmt::format("journal append, group commit of {} threads", kThreads),
                fmt::format("{:.0f}/s", Median(many)),
                fmt::format("{:.0f}/s, one thread", Median(one)), fmt::format("{:.2f}", ratio),
                must, !slow || ratio >= kLeast});
}

}  // namespace

bool AppendRows(ScratchFolder& scratch) {
  JournalScene scene(scratch.NewPath("journal"));
  const PlainLog plain(scratch.NewPath("plain-log"));
  int number = 0;
  const Samples samples = TakeTurns(
      kMicros, [&] { scene.AppendOne(++number); }, [&] { plain.Append(); });
  const bool one_reached = PrintOneWriter(samples);
  const bool many_reached = PrintManyThreads(scratch.NewPath("journal"), Median(samples.floor));
  return one_reached && many_reached;
}

}  // namespace belay::bench
