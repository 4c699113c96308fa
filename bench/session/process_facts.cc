#include "process_facts.h"

#include <fmt/core.h>

#include <fstream>

namespace belay::bench {
namespace {

// The number after `name` in a file of lines like "Pss:   120 kB"; 0 when it isn't there.
double NumberIn(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with(name)) return std::stod(line.substr(name.size()));
  }
  return 0;
}

}  // namespace

std::vector<pid_t> ChildrenOf(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", pid));
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

Memory MemoryOf(pid_t pid) {
  const std::string path = fmt::format("/proc/{}/smaps_rollup", pid);
  return {.proportional = NumberIn(path, "Pss:"),
          .resident = NumberIn(path, "Rss:"),
          .own = NumberIn(path, "Private_Clean:") + NumberIn(path, "Private_Dirty:")};
}

double WakeUpsOf(pid_t pid) {
  return NumberIn(fmt::format("/proc/{}/status", pid), "voluntary_ctxt_switches:");
}

double Load() {
  double load = 0;
  std::ifstream("/proc/loadavg") >> load;
  return load;
}

}  // namespace belay::bench
