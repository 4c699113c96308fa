#include <fmt/core.h>

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "merge/gate_run.h"
#include "os/process.h"
#include "os/process_search.h"
#include "os/process_tree.h"
#include "os/signals.h"
#include "os/this_process.h"

namespace belay {
namespace {

constexpr Duration kLongest = std::chrono::seconds(5);
constexpr std::size_t kLongestName = 120;

// Whoever has the mark, and whoever descends from them without it (`env -i`). Each is held by its
// pidfd before it is looked at again, so that nobody else is meant.
std::map<pid_t, Process> FindLeft(const std::string& mark) {
  std::map<pid_t, Process> left;
  std::vector<Process> marked = ProcessesStartedWith({"BELAY_GATE=" + mark});
  const Result<ProcessTree> tree = ProcessTree::Read();
  for (Process& process : marked) {
    const pid_t root = process.pid();
    left.emplace(root, std::move(process));
    if (!tree) continue;
    for (const SeenProcess& seen : tree->Descendants(root)) {
      Result<Process> child = Process::Open(seen.pid);
      const Result<ProcStat> now = ReadProcStat(seen.pid);
      const bool same = now && now->start_time == seen.stat.start_time && !now->ended();
      if (child && same) left.emplace(seen.pid, *std::move(child));
    }
  }
  left.erase(static_cast<pid_t>(ThisProcess()));  // a gate may run belay
  return left;
}

Error WontGo(const Process& process) {
  return {ErrorCode::kBusy, fmt::format("end an earlier gate: process {} ({}) was killed and is "
                                        "still there",
                                        process.pid(), CommandLineOf(process.pid(), kLongestName))};
}

}  // namespace

Result<int> EndLeftGates(const Clock& clock, const std::string& mark) {
  const MonotonicTime deadline = clock.Monotonic() + kLongest;
  std::set<pid_t> ended;
  // Again, until a look finds nobody: one may have started others before it was killed.
  for (auto left = FindLeft(mark); !left.empty(); left = FindLeft(mark)) {
    for (const auto& [pid, process] : left) (void)process.Signal(kSignalKill);
    for (auto& [pid, process] : left) {
      const Duration time = std::max(deadline - clock.Monotonic(), Duration::zero());
      if (!process.WaitAtMost(time)) return WontGo(process);
      ended.insert(pid);
    }
  }
  return static_cast<int>(ended.size());
}

}  // namespace belay
