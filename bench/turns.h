// Commands that are measured in turns, so that what else the machine does meets all of them.

#ifndef BELAY_BENCH_TURNS_H_
#define BELAY_BENCH_TURNS_H_

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "base/check.h"

struct Job {
  std::string name;
  std::vector<std::string> command;
  std::string input;        // a file
  std::string folder = {};  // empty: the current one
  std::vector<double> micros = {};
};

inline double RunOnce(const Job& job) {
  std::vector<const char*> words;
  for (const std::string& word : job.command) words.push_back(word.c_str());
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  BELAY_CHECK(posix_spawn_file_actions_init(&actions) == 0);
  BELAY_CHECK(posix_spawn_file_actions_addopen(&actions, 0, job.input.c_str(), O_RDONLY, 0) == 0);
  BELAY_CHECK(posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0);
  if (!job.folder.empty()) {
    BELAY_CHECK(posix_spawn_file_actions_addchdir_np(&actions, job.folder.c_str()) == 0);
  }
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  BELAY_CHECK(posix_spawnp(&pid, words[0], &actions, nullptr,
                           const_cast<char* const*>(words.data()), environ) == 0);
  int status = 0;
  BELAY_CHECK(waitpid(pid, &status, 0) == pid && status == 0);
  (void)posix_spawn_file_actions_destroy(&actions);
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

inline double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

inline void TakeTurns(std::vector<Job>& jobs, int rounds, int warm_up) {
  for (int i = 0; i < warm_up + rounds; ++i) {
    for (Job& job : jobs) {
      const double micros = RunOnce(job);
      if (i >= warm_up) job.micros.push_back(micros);
    }
  }
}

#endif  // BELAY_BENCH_TURNS_H_
