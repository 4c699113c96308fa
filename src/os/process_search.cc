#include "os/process_search.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <memory>
#include <utility>

#include "os/clock.h"
#include "os/proc_file.h"
#include "os/proc_stat.h"
#include "os/process_tree.h"

namespace belay {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20U;

bool StartedWith(pid_t pid, const std::vector<std::string>& assignments) {
  const std::string zero(1, '\0');
  const std::string text = zero + ReadProcFile(pid, "environ", kMostBytes) + zero;
  return std::all_of(assignments.begin(), assignments.end(), [&](const std::string& one) {
    // Between two zero bytes, so that it is all of a variable.
    return text.find(zero + one + zero) != std::string::npos;
  });
}

std::vector<pid_t> AllProcesses() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  if (!folder) return pids;
  while (const dirent* entry = readdir(folder.get())) {
    const char* name = entry->d_name;
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name, name + std::strlen(name), pid);
    if (error == std::errc() && *end == '\0') pids.push_back(pid);
  }
  return pids;
}

// As the kernel tells it: cut to 15 bytes.
bool IsNamed(pid_t pid, std::string_view program) {
  constexpr std::size_t kMostName = 64;
  const std::string name = ReadProcFile(pid, "comm", kMostName);
  return name == std::string(program) + "\n";
}

bool MayWorkIn(pid_t pid, const std::string& folder) {
  char path[PATH_MAX];
  const std::string link = "/proc/" + std::to_string(pid) + "/cwd";
  const ssize_t count = readlink(link.c_str(), path, sizeof path);
  if (count < 0) return errno == EACCES || errno == EPERM;
  return std::string_view(path, static_cast<std::size_t>(count)) == folder;
}

// Since the machine was started, in the unit of ProcStat::start_time.
std::uint64_t TicksBefore(Duration age) {
  const auto then = SystemClock().Boot().time_since_epoch() - age;
  const auto seconds = std::chrono::duration<double>(then).count();
  const double ticks = seconds * static_cast<double>(sysconf(_SC_CLK_TCK));
  return ticks > 0 ? static_cast<std::uint64_t>(ticks) : 0;
}

}  // namespace

std::vector<Process> YoungLeaves(std::string_view program, const std::string& folder,
                                 Duration age) {
  std::vector<Process> found;
  const std::uint64_t oldest = TicksBefore(age);
  std::optional<ProcessTree> tree;  // only if there is one at all
  for (const pid_t pid : AllProcesses()) {
    if (!IsNamed(pid, program) || !MayWorkIn(pid, folder)) continue;
    Result<Process> process = Process::Open(pid);
    const Result<ProcStat> stat = ReadProcStat(pid);
    if (!process || !stat || stat->ended() || stat->start_time < oldest) continue;
    if (!tree) {
      Result<ProcessTree> read = ProcessTree::Read();
      if (read) tree = *std::move(read);
    }
    if (tree && !tree->Descendants(pid).empty()) continue;
    found.push_back(*std::move(process));
  }
  return found;
}

std::vector<Process> ProcessesStartedWith(const std::vector<std::string>& assignments) {
  std::vector<Process> found;
  for (const pid_t pid : AllProcesses()) {
    if (!StartedWith(pid, assignments)) continue;
    Result<Process> process = Process::Open(pid);
    // Asked again, now that it can't become another one.
    if (process && StartedWith(pid, assignments)) found.push_back(*std::move(process));
  }
  return found;
}

}  // namespace belay
