// A journal of a million records, read from the beginning: the time, against plain reading and
// against nlohmann's parser; and the memory, which must not grow with the file.

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "journal_scene.h"
#include "peak_memory.h"
#include "row.h"
#include "rows.h"

namespace belay::bench {
namespace {

constexpr int kRecords = 1'000'000;
constexpr int kBatch = 10'000;
constexpr int kTurns = 5;
constexpr double kMostSeconds = 2;
constexpr double kMostMegabytes = 4;

void Fill(const std::string& path) {
  JournalScene scene(path);
  for (int i = 0; i < kRecords / kBatch; ++i) {
    std::vector<Json> records;
    for (int n = 0; n < kBatch; ++n) records.push_back(SampleRecord(i * kBatch + n));
    scene.Append(records);
  }
}

void Recover(const std::string& path) {
  RealFileCalls calls;
  FileSystem files(calls);
  Journal journal(files, path, "bench");
  int seen = 0;
  JournalFollower follower;
  follower.record = [&](std::uint64_t, const Json& record) {
    seen += static_cast<int>(*record.Find("step")->AsInteger() == seen);
  };
  BELAY_CHECK(journal.CatchUp(follower).ok() && seen == kRecords);
}

// The number of lines; each is passed to `use`.
int ReadLines(const std::string& path, const std::function<void(std::string_view)>& use) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  BELAY_CHECK(fd >= 0);
  std::string text;
  std::size_t kept = 0;  // of a line that continues in the next piece
  int lines = 0;
  while (true) {
    text.resize(kept + (std::size_t{64} << 10U));
    const ssize_t count = read(fd, text.data() + kept, text.size() - kept);
    if (count <= 0) break;
    std::string_view rest =
        std::string_view(text).substr(0, kept + static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos; ++lines) {
      use(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    kept = rest.size();
    text = std::string(rest);
  }
  (void)close(fd);
  return lines;
}

double SecondsOf(const std::function<void()>& job) {
  const double start = MicrosNow();
  job();
  return (MicrosNow() - start) / 1e6;
}

bool PrintTime(const std::string& path) {
  std::vector<double> ours;
  std::vector<double> reading;
  std::vector<double> peer;
  for (int turn = 0; turn < kTurns; ++turn) {
    ours.push_back(SecondsOf([&] { Recover(path); }));
    reading.push_back(
        SecondsOf([&] { BELAY_CHECK(ReadLines(path, [](std::string_view) {}) == kRecords + 1); }));
    peer.push_back(SecondsOf([&] {
      ReadLines(path, [](std::string_view line) {
        BELAY_CHECK(nlohmann::ordered_json::parse(line).is_object());
      });
    }));
  }
  // Other load on the machine only adds to it: the least counts.
  const double seconds = Least(ours);
  return Print(
      {"recovery of a journal of 1,000,000 records", fmt::format("{:.2f} s", seconds),
       fmt::format("{:.2f} s plain reading; {:.2f} s nlohmann", Least(reading), Least(peer)),
       fmt::format("{:.2f} of nlohmann", seconds / Least(peer)),
       fmt::format("under {} s", kMostSeconds), seconds < kMostSeconds});
}

bool PrintMemory(const std::string& path) {
  const double start = PeakMegabytes([] {});
  const double peak = PeakMegabytes([&] { Recover(path); });
  return Print({"recovery of a journal of 1,000,000 records: memory",
                fmt::format("{:.1f} MB", peak - start),
                fmt::format("{:.1f} MB at the start", start), fmt::format("{:.2f}", peak / start),
                fmt::format("at most {} MB over", kMostMegabytes), peak - start <= kMostMegabytes});
}

}  // namespace

bool RecoveryRows(ScratchFolder& scratch) {
  const std::string path = scratch.NewPath("journal");
  // In a separate process, so that this one stays small and its growth is visible.
  (void)PeakMegabytes([&] { Fill(path); });
  const bool small = PrintMemory(path);
  return PrintTime(path) && small;
}

}  // namespace belay::bench
