// The cost of code in CPU time of its thread: a busy machine hardly changes it.

#ifndef BELAY_TESTING_CPU_TIME_H_
#define BELAY_TESTING_CPU_TIME_H_

#include <time.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

namespace belay {

template <class Work>
std::chrono::nanoseconds CpuTime(Work&& work) {
  const auto now = [] {
    timespec at{};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return std::chrono::seconds(at.tv_sec) + std::chrono::nanoseconds(at.tv_nsec);
  };
  const auto start = now();
  work();
  return now() - start;
}

inline std::string Repeated(std::string_view part, std::size_t bytes) {
  std::string text;
  while (text.size() + part.size() <= bytes) text += part;
  return text;
}

constexpr double kNotQuadratic = 9;

// How much longer `work` takes for a text of four times the length, which repeats `part`: about 4
// if the time is linear, 16 if it is quadratic. The quickest runs count: of two, or of more while
// it looks quadratic, since other programs empty the caches.
template <class Work>
double CostOfFourTimes(std::string_view part, std::size_t bytes, Work&& work) {
  constexpr int kMostRuns = 8;
  const auto once = [&](std::size_t size) {
    const std::string text = Repeated(part, size);
    return std::chrono::duration<double>(CpuTime([&] { work(text); })).count();
  };
  double four = once(4 * bytes);
  double one = once(bytes);
  for (int run = 1; run < 2 || (run < kMostRuns && four / one >= kNotQuadratic); ++run) {
    four = std::min(four, once(4 * bytes));
    one = std::min(one, once(bytes));
  }
  return four / one;
}

}  // namespace belay

#endif  // BELAY_TESTING_CPU_TIME_H_
