// Several processes that append to one journal as fast as they can, against one alone; and the
// longest that any of them waited for a single append.

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "journal_scene.h"
#include "row.h"
#include "rows.h"

namespace belay::bench {
namespace {

constexpr int kProcesses = 4;
constexpr int kTurns = 15;
constexpr double kTurnMicros = 400'000;
constexpr double kLeast = 0.7;
constexpr double kLongestWaitMicros = 1'000'000;

struct Tally {
  int count = 0;
  double longest = 0;  // micros of one append
};

Tally AppendUntil(const std::string& path, double end) {
  JournalScene scene(path);
  Tally tally;
  for (double now = MicrosNow(); now < end; ++tally.count) {
    scene.AppendOne(tally.count);
    const double after = MicrosNow();
    tally.longest = std::max(tally.longest, after - now);
    now = after;
  }
  return tally;
}

Tally Sum(Tally one, const Tally& other) {
  return {one.count + other.count, std::max(one.longest, other.longest)};
}

// All begin at the same time, each with its own view of the journal.
Tally RunProcesses(int processes, const std::string& path) {
  JournalScene(path).AppendOne(0);
  int ends[2];
  BELAY_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  const double end = MicrosNow() + kTurnMicros;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = fork();
    BELAY_CHECK(child >= 0);
    if (child > 0) continue;
    const Tally tally = AppendUntil(path, end);
    _exit(write(ends[1], &tally, sizeof(tally)) == sizeof(tally) ? 0 : 1);
  }
  Tally sum;
  for (int i = 0; i < processes; ++i) {
    int status = 0;
    Tally tally;
    BELAY_CHECK(wait(&status) > 0 && status == 0);
    BELAY_CHECK(read(ends[0], &tally, sizeof(tally)) == sizeof(tally));
    sum = Sum(sum, tally);
  }
  (void)close(ends[0]);
  (void)close(ends[1]);
  return sum;
}

bool PrintRate(const std::vector<double>& together, const std::vector<double>& alone) {
  const double ratio = MedianRatio(together, alone);
  return Print({fmt::format("journal append, {} processes together", kProcesses),
                fmt::format("{:.0f}/s", Median(together)),
                fmt::format("{:.0f}/s, one process", Median(alone)), fmt::format("{:.2f}", ratio),
                fmt::format("at least {}", kLeast), ratio >= kLeast});
}

bool PrintWait(double together, double alone) {
  return Print({fmt::format("journal append, {} processes: longest wait", kProcesses),
                fmt::format("{:.1f} ms", together / 1000),
                fmt::format("{:.1f} ms, one process", alone / 1000),
                fmt::format("{:.2f}", together / alone), "at most 1 s",
                together <= kLongestWaitMicros});
}

}  // namespace

bool ProcessRows(ScratchFolder& scratch) {
  std::vector<double> alone;
  std::vector<double> together;
  Tally all_alone;
  Tally all_together;
  for (int turn = 0; turn < kTurns; ++turn) {
    const Tally one = RunProcesses(1, scratch.NewPath("journal"));
    const Tally several = RunProcesses(kProcesses, scratch.NewPath("journal"));
    alone.push_back(one.count / kTurnMicros * 1e6);
    together.push_back(several.count / kTurnMicros * 1e6);
    all_alone = Sum(all_alone, one);
    all_together = Sum(all_together, several);
  }
  const bool fast = PrintRate(together, alone);
  return PrintWait(all_together.longest, all_alone.longest) && fast;
}

}  // namespace belay::bench
