#include "measure.h"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/check.h"

namespace belay::bench {

double MicrosNow() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(since).count();
}

double Median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double Largest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

double Least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}

double MedianRatio(const std::vector<double>& ours, const std::vector<double>& floor) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(ours[i] / floor[i]);
  return Median(std::move(ratios));
}

Samples TakeTurns(double micros, const std::function<void()>& ours,
                  const std::function<void()>& floor) {
  constexpr int kWarmUp = 20;
  Samples samples;
  const double end = MicrosNow() + micros;
  for (int i = 0; i <= kWarmUp || MicrosNow() < end; ++i) {
    const double start = MicrosNow();
    ours();
    const double between = MicrosNow();
    floor();
    const double after = MicrosNow();
    if (i < kWarmUp) continue;
    samples.ours.push_back(between - start);
    samples.floor.push_back(after - between);
  }
  return samples;
}

ScratchFolder::ScratchFolder(const std::string& parent) : path_(parent + "/bench-XXXXXX") {
  BELAY_CHECK(mkdtemp(path_.data()) != nullptr);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::NewPath(const std::string& name) {
  return fmt::format("{}/{}-{}", path_, name, ++count_);
}

std::string ScratchFolder::NewFolder(const std::string& name) {
  std::string path = NewPath(name);
  BELAY_CHECK(mkdir(path.c_str(), 0700) == 0);
  return path;
}

}  // namespace belay::bench
