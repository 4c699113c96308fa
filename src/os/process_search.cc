#include "os/process_search.h"

#include <dirent.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

#include "os/proc_file.h"

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

}  // namespace

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
