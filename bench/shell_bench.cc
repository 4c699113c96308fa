// A command line of 300 words: parsed, and followed to its effects. In the hook of every shell
// call, so it has to be far below what starting a process costs.

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/check.h"
#include "codec/shell.h"
#include "engine/shell/effects.h"
#include "row.h"

namespace {

constexpr int kRounds = 2000;
constexpr std::size_t kWords = 300;
constexpr double kMostMicros = 200;

// One program with many arguments.
std::string OneCommand() {
  std::string line = "git add";
  for (std::size_t i = 2; i < kWords; ++i) line += fmt::format(" src/file-{}.cc", i);
  return line;
}

// Many programs, quotes, variables, substitutions and redirections; about five words each.
std::string ManyCommands() {
  std::string line = "cd src";
  for (std::size_t words = 2; words < kWords; words += 10) {
    line += " && grep -n \"a $X\" b.cc > out && sed -i 's/a/b/' $(ls c.cc)";
  }
  return line;
}

template <class Work>
double MedianMicros(Work work) {
  std::vector<double> micros;
  for (int i = 0; i < kRounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    micros.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
            .count());
  }
  std::nth_element(micros.begin(), micros.begin() + kRounds / 2, micros.end());
  return micros[kRounds / 2];
}

bool Measure(const std::string& what, const std::string& line) {
  const double parse = MedianMicros([&] { BELAY_CHECK(belay::ParseShell(line).problem.empty()); });
  const double all =
      MedianMicros([&] { BELAY_CHECK(!belay::EffectsOf(line, {.folder = "/w"}).empty()); });
  return Print({what, fmt::format("{:.0f} us", all), fmt::format("{:.0f} us, parsing alone", parse),
                fmt::format("{:.2f}", all / parse), fmt::format("at most {:.0f} us", kMostMicros),
                all <= kMostMicros});
}

}  // namespace

int main() {
  const bool one = Measure("effects of a line of 300 words, one command", OneCommand());
  const bool many = Measure("effects of a line of 300 words, many commands", ManyCommands());
  return one && many ? 0 : 1;
}
