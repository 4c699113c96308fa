// A durable replace of 1 KB, against the necessary system calls in plain C.

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/check.h"
#include "row.h"
#include "rows.h"
#include "store/durable_file.h"

namespace belay::bench {
namespace {

constexpr double kMicros = 3'000'000;
constexpr double kMost = 1.15;

void ReplacePlainly(const std::string& folder, const std::string& path, std::string_view bytes,
                    int number) {
  const std::string temporary = fmt::format("{}/.plain.{:016x}.tmp", folder, number);
  const int file = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  BELAY_CHECK(file >= 0);
  BELAY_CHECK(write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  BELAY_CHECK(fsync(file) == 0 && close(file) == 0);
  BELAY_CHECK(rename(temporary.c_str(), path.c_str()) == 0);
  const int parent = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  BELAY_CHECK(parent >= 0 && fsync(parent) == 0 && close(parent) == 0);
}

}  // namespace

bool ReplaceRows(ScratchFolder& scratch) {
  RealFileCalls calls;
  FileSystem files(calls);
  const std::string folder = scratch.NewFolder("replace");
  const std::string bytes(1000, 'x');
  int number = 0;
  const Samples samples = TakeTurns(
      kMicros, [&] { BELAY_CHECK(ReplaceFile(files, folder + "/ours", bytes).ok()); },
      [&] { ReplacePlainly(folder, folder + "/plain", bytes, ++number); });
  const double ratio = samples.Ratio();
  return Print({"durable replace of 1 KB", fmt::format("{:.0f} us", Median(samples.ours)),
                fmt::format("{:.0f} us, the same calls in C", Median(samples.floor)),
                fmt::format("{:.2f}", ratio), fmt::format("at most {}", kMost), ratio <= kMost});
}

}  // namespace belay::bench
