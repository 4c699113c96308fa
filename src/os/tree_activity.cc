#include "os/tree_activity.h"

#include <fmt/core.h>

#include <charconv>
#include <deque>

#include "base/split.h"
#include "os/proc_file.h"
#include "os/proc_stat.h"

namespace belay {
namespace {

constexpr std::size_t kMostProcesses = 4096;
constexpr std::size_t kMostBytes = std::size_t{64} << 10U;

// Children are listed by the thread that made them; the first thread makes nearly all.
void AddChildren(pid_t pid, std::deque<pid_t>& found) {
  const std::string text = ReadProcFile(pid, fmt::format("task/{}/children", pid), kMostBytes);
  for (const std::string_view word : Split(text, ' ')) {
    pid_t child = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), child);
    if (error == std::errc() && child > 0) found.push_back(child);
  }
}

// The first number of schedstat: exact, where the ticks are coarse.
std::uint64_t RunTime(pid_t pid) {
  const std::string text = ReadProcFile(pid, "schedstat", kMostBytes);
  std::uint64_t time = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), time);
  return time;
}

std::vector<std::string> ArgumentsOf(pid_t pid) {
  std::vector<std::string> words;
  const std::string text = ReadProcFile(pid, "cmdline", kMostBytes);
  for (const std::string_view word : Split(text, '\0')) words.emplace_back(word);
  if (!words.empty() && words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

TreeActivity LookAtTree(pid_t root) {
  TreeActivity activity;
  std::deque<pid_t> waiting = {root};
  for (std::size_t seen = 0; !waiting.empty() && seen < kMostProcesses; ++seen) {
    const pid_t pid = waiting.front();
    waiting.pop_front();
    const Result<ProcStat> stat = ReadProcStat(pid);
    if (!stat) continue;
    activity.cpu_ticks += stat->cpu_ticks;
    activity.run_time += RunTime(pid) + stat->cpu_ticks;
    activity.commands.push_back(ArgumentsOf(pid));
    activity.processes.push_back({pid, stat->start_time});
    AddChildren(pid, waiting);
  }
  return activity;
}

}  // namespace belay
