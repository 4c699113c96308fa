// How much memory a job needs.

#ifndef BELAY_BENCH_PEAK_MEMORY_H_
#define BELAY_BENCH_PEAK_MEMORY_H_

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "base/check.h"

// The peak of a separate process that does it. Subtract that of an empty job.
inline double PeakMegabytes(const std::function<void()>& job) {
  const pid_t child = fork();
  if (child == 0) {
    job();
    _exit(0);
  }
  int status = 0;
  rusage usage{};
  BELAY_CHECK(wait4(child, &status, 0, &usage) == child && status == 0);
  return static_cast<double>(usage.ru_maxrss) / 1000;
}

#endif  // BELAY_BENCH_PEAK_MEMORY_H_
