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

// How much longer `work` takes for a text of four times the length, which repeats `part`: about 4
// if the time is linear, 16 if it is quadratic. The quicker of two runs counts.
template <class Work>
double CostOfFourTimes(std::string_view part, std::size_t bytes, Work&& work) {
  const auto cost = [&](std::size_t size) {
    const std::string text = Repeated(part, size);
    const auto once = [&] { return CpuTime([&] { work(text); }); };
    return std::chrono::duration<double>(std::min(once(), once())).count();
  };
  return cost(4 * bytes) / cost(bytes);
}
constexpr double kNotQuadratic = 9;

}  // namespace belay

#endif  // BELAY_TESTING_CPU_TIME_H_
