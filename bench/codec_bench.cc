// JSON lines, on a file of 10 MB: scanned with checksums and the good lines copied, against the
// same reading and copying without checksums; parsed and written again, against nlohmann's
// ordered_json. Memory is the peak of a child process that does the work, minus that of one that
// doesn't.

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "codec/json_lines.h"
#include "peak_memory.h"
#include "row.h"

namespace {

constexpr std::size_t kFileBytes = 10'000'000;
constexpr std::size_t kPiece = 64 * 1024;

std::string MakeFile() {
  std::string text;
  for (int i = 0; text.size() < kFileBytes; ++i) {
    (void)belay::AppendJsonLine(
        belay::MakeObject({{"seq", i},
                           {"at", "2026-11-15T06:36:00.123456Z"},
                           {"kind", "hook_updated"},
                           {"agent", fmt::format("orchestrator-fix-login#{}", i % 7 + 1)},
                           {"phase", "implementation"},
                           {"files", belay::Json::Array{"src/a.cc", "src/b.cc", "docs/ü.md"}},
                           {"fill", belay::Json::FromDouble(0.25)},
                           {"note", "a line with \"quotes\"\nand a second one"}}),
        text);
  }
  char path[] = "/tmp/belay-bench-XXXXXX";
  const int fd = mkstemp(path);
  BELAY_CHECK(fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  close(fd);
  return path;
}

class Copy {
 public:
  Copy() : fd_(open("/dev/null", O_WRONLY | O_CLOEXEC)) { buffer_.reserve(2 * kPiece); }
  ~Copy() {
    Flush();
    close(fd_);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  std::string& buffer() { return buffer_; }
  void Add(std::string_view line) {
    buffer_.append(line).push_back('\n');
    if (buffer_.size() > kPiece) Flush();
  }
  void Flush() {
    BELAY_CHECK(write(fd_, buffer_.data(), buffer_.size()) >= 0);
    buffer_.clear();
  }

 private:
  int fd_;
  std::string buffer_;
};

template <class UsePiece>
std::size_t ReadPieces(const std::string& path, UsePiece use) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  BELAY_CHECK(fd >= 0);
  std::string piece(kPiece, '\0');
  std::size_t total = 0;
  for (ssize_t count = 0; (count = read(fd, piece.data(), piece.size())) > 0;) {
    use(std::string_view(piece).substr(0, static_cast<std::size_t>(count)));
    total += static_cast<std::size_t>(count);
  }
  close(fd);
  return total;
}

std::size_t ScanAndCopy(const std::string& path) {
  Copy copy;
  belay::JsonLinesScanner scanner([&](const belay::JsonLine& line) {
    BELAY_CHECK(line.good);
    copy.Add(line.text);
  });
  const std::size_t total = ReadPieces(path, [&](std::string_view piece) { scanner.Feed(piece); });
  BELAY_CHECK(scanner.Finish().torn_bytes == 0);
  return total;
}

template <class UseLine>
std::size_t SplitLines(const std::string& path, UseLine use) {
  std::string partial;
  return ReadPieces(path, [&](std::string_view piece) {
    for (std::size_t end = 0; (end = piece.find('\n')) != std::string_view::npos;
         piece.remove_prefix(end + 1)) {
      partial.append(piece.substr(0, end));
      use(std::string_view(partial));
      partial.clear();
    }
    partial.append(piece);
  });
}

std::size_t CopyOnly(const std::string& path) {
  Copy copy;
  return SplitLines(path, [&](std::string_view line) { copy.Add(line); });
}

std::size_t ParseAndWrite(const std::string& path) {
  Copy copy;
  return SplitLines(path, [&](std::string_view line) {
    (void)belay::AppendJsonLine(*belay::ParseJsonLine(line), copy.buffer());
    if (copy.buffer().size() > kPiece) copy.Flush();
  });
}

std::size_t ParseAndWriteByPeer(const std::string& path) {
  Copy copy;
  return SplitLines(
      path, [&](std::string_view line) { copy.Add(nlohmann::ordered_json::parse(line).dump()); });
}

using Job = std::size_t (*)(const std::string&);

void Run(benchmark::State& state, Job job, const std::string& path) {
  std::int64_t bytes = 0;
  for (auto _ : state) bytes += static_cast<std::int64_t>(job(path));
  state.SetBytesProcessed(bytes);
}

// Keeps the speed of each benchmark instead of printing it.
class Speeds : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.aggregate_name == "median") {
        by_name[run.run_name.function_name] = run.counters.at("bytes_per_second") / 1e6;
      }
    }
  }
  std::map<std::string, double> by_name;
};

bool PrintSpeed(Speeds& speeds, const std::string& ours, const std::string& peer, double least) {
  const double speed = speeds.by_name.at(ours);
  const double other = speeds.by_name.at(peer);
  return Print({"10 MB of JSON lines: " + ours, fmt::format("{:.0f} MB/s", speed),
                fmt::format("{:.0f} MB/s, {}", other, peer), fmt::format("{:.2f}", speed / other),
                fmt::format("at least {:.0f} MB/s", least), speed >= least});
}

bool PrintMemory(const std::string& what, Job job, const std::string& path) {
  const double start = PeakMegabytes([] {});
  const double peak = PeakMegabytes([&] { job(path); });
  return Print({"10 MB of JSON lines: memory of " + what, fmt::format("{:.1f} MB", peak - start),
                fmt::format("{:.1f} MB at the start", start), fmt::format("{:.2f}", peak / start),
                "at most 16 MB over", peak - start <= 16});
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = MakeFile();
  const std::pair<const char*, Job> jobs[] = {{"scan and copy", ScanAndCopy},
                                              {"copy without checksums", CopyOnly},
                                              {"parse and write again", ParseAndWrite},
                                              {"nlohmann parse and dump", ParseAndWriteByPeer}};
  bool reached = PrintMemory("scan and copy", ScanAndCopy, path);
  reached &= PrintMemory("parse and write again", ParseAndWrite, path);
  for (const auto& [name, job] : jobs) {
    benchmark::RegisterBenchmark(name, Run, job, path)->Repetitions(5)->ReportAggregatesOnly();
  }
  benchmark::Initialize(&argc, argv);
  Speeds speeds;
  benchmark::RunSpecifiedBenchmarks(&speeds);
  reached &= PrintSpeed(speeds, "scan and copy", "copy without checksums", 300);
  reached &= PrintSpeed(speeds, "parse and write again", "nlohmann parse and dump", 50);
  (void)unlink(path.c_str());
  return reached ? 0 : 1;
}
