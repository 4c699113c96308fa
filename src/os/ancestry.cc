#include "os/ancestry.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <string_view>

#include "os/proc_file.h"
#include "os/proc_stat.h"

namespace belay {
namespace {

constexpr std::size_t kMostAncestors = 1000;  // a bound, should /proc change under us in a circle
constexpr std::size_t kMostEnvironment = std::size_t{4} << 20U;
constexpr int kMostWalks = 5;

std::optional<std::string> StartedWith(pid_t pid, const std::string& variable) {
  const std::string zero(1, '\0');
  const std::string text = zero + ReadProcFile(pid, "environ", kMostEnvironment) + zero;
  const std::string name = zero + variable + "=";
  const std::size_t found = text.find(name);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t value = found + name.size();
  return text.substr(value, text.find('\0', value) - value);
}

// It is there, is somebody else's, and /proc doesn't show it.
bool IsHidden(pid_t pid) { return kill(pid, 0) != 0 && errno == EPERM; }

Ancestry Walk(pid_t pid, const std::string& variable, const std::string& boot_id) {
  Ancestry found;
  while (found.chain.size() < kMostAncestors) {
    const Result<ProcStat> stat = ReadProcStat(pid);
    if (!stat) {
      if (!found.chain.empty() && IsHidden(pid)) found.end = Ancestry::End::kHidden;
      return found;
    }
    if (found.chain.empty()) found.at_terminal = stat->terminal != 0;
    found.chain.push_back({{pid, stat->start_time, boot_id}, StartedWith(pid, variable)});
    if (stat->parent == 0) {
      found.end = Ancestry::End::kFirst;
      return found;
    }
    pid = stat->parent;
  }
  return found;
}

// A parent that ended between two steps may have a successor with its number by now: then that one
// is younger than its child, which no parent is.
bool IsInOrder(const Ancestry& found) {
  for (std::size_t i = 1; i < found.chain.size(); ++i) {
    if (found.chain[i].process.start_time > found.chain[i - 1].process.start_time) return false;
  }
  return true;
}

}  // namespace

Ancestry AncestryOf(pid_t pid, const std::string& variable) {
  const Result<std::string> boot_id = BootId();
  if (!boot_id) return {};
  for (int walks = 0; walks < kMostWalks; ++walks) {
    Ancestry found = Walk(pid, variable, *boot_id);
    if (found.end != Ancestry::End::kLost && IsInOrder(found)) return found;
  }
  return {};
}

std::vector<ProcessAbove> ProcessesAbove(pid_t pid, std::size_t most) {
  std::vector<ProcessAbove> chain;
  Result<ProcStat> stat = ReadProcStat(pid);
  while (stat && stat->parent > 1 && chain.size() < most) {
    const pid_t parent = stat->parent;
    const std::uint64_t child_start = stat->start_time;
    stat = ReadProcStat(parent);
    if (!stat || stat->start_time > child_start) break;  // the number is somebody else's by now
    chain.push_back({parent, stat->start_time});
  }
  return chain;
}

std::string ProgramFileOf(pid_t pid) {
  char target[PATH_MAX];
  const std::string path = fmt::format("/proc/{}/exe", pid);
  const ssize_t length = readlink(path.c_str(), target, sizeof(target));
  return length > 0 ? std::string(target, static_cast<std::size_t>(length)) : std::string();
}

}  // namespace belay
