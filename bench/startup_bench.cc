// How long `belay version` takes from start to end, against a static program that does nothing. The
// two alternate, so that other load on the machine affects both; the median of each counts.

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/check.h"
#include "row.h"

namespace {

constexpr int kWarmUp = 200;
constexpr int kRounds = 3000;
constexpr double kMost = 1.5;

double RunOnce(std::vector<const char*> command, const posix_spawn_file_actions_t& actions) {
  command.push_back(nullptr);
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  BELAY_CHECK(posix_spawn(&pid, command[0], &actions, nullptr,
                          const_cast<char* const*>(command.data()), environ) == 0);
  int status = 0;
  BELAY_CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  BELAY_CHECK(argc == 3);
  posix_spawn_file_actions_t actions;
  BELAY_CHECK(posix_spawn_file_actions_init(&actions) == 0);
  BELAY_CHECK(posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0);
  std::vector<double> belay;
  std::vector<double> nothing;
  for (int i = 0; i < kWarmUp + kRounds; ++i) {
    const double one = RunOnce({argv[1], "version"}, actions);
    const double other = RunOnce({argv[2]}, actions);
    if (i < kWarmUp) continue;
    belay.push_back(one);
    nothing.push_back(other);
  }
  const double ratio = Median(belay) / Median(nothing);
  return Print({"belay version, start to end", fmt::format("{:.0f} us", Median(belay)),
                fmt::format("{:.0f} us, static program that does nothing", Median(nothing)),
                fmt::format("{:.2f}", ratio), fmt::format("at most {}", kMost), ratio <= kMost})
             ? 0
             : 1;
}
