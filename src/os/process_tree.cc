#include "os/process_tree.h"

#include <dirent.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <csignal>
#include <deque>
#include <memory>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "os/clock.h"

namespace belay {
namespace {

constexpr std::size_t kMostCommandLine = 4096;

struct CloseProcFolder {
  void operator()(DIR* folder) const { (void)closedir(folder); }
};

bool IsControl(CodePoint point) {
  return point.value < 0x20 || (point.value >= 0x7F && point.value < 0xA0);
}

std::string OneLine(std::string_view text, std::size_t length) {
  std::string line;
  for (std::size_t count = 0; !text.empty() && count < length; ++count) {
    const CodePoint point = DecodeUtf8(text);
    AppendUtf8(IsControl(point) ? U' ' : point.value, line);
    text.remove_prefix(point.bytes);
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

Result<ProcessTree> ProcessTree::Read() {
  const std::unique_ptr<DIR, CloseProcFolder> folder(opendir("/proc"));
  if (!folder) return SystemError("read /proc", errno);
  ProcessTree tree;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the folder is ours alone.
  while (const dirent* entry = readdir(folder.get())) {
    const pid_t pid = ParseNumber<pid_t>(entry->d_name).value_or(0);
    if (pid <= 0) continue;
    const Result<ProcStat> stat = ReadProcStat(pid);
    if (!stat) continue;
    tree.processes_.emplace(pid, *stat);
    tree.children_.emplace(stat->parent, pid);
  }
  return tree;
}

const ProcStat* ProcessTree::Find(pid_t pid) const {
  const auto found = processes_.find(pid);
  return found == processes_.end() ? nullptr : &found->second;
}

std::vector<SeenProcess> ProcessTree::Descendants(pid_t pid) const {
  std::vector<SeenProcess> found;
  const auto add_children = [&](pid_t parent) {
    const auto [begin, end] = children_.equal_range(parent);
    for (auto child = begin; child != end; ++child) {
      found.push_back({child->second, processes_.at(child->second)});
    }
  };
  add_children(pid);
  // Read at different moments, the parents could form a cycle: no process is visited twice.
  for (std::size_t i = 0; i < found.size() && found.size() <= processes_.size(); ++i) {
    add_children(found[i].pid);
  }
  return found;
}

std::string CommandLineOf(pid_t pid, std::size_t length) {
  std::string line = OneLine(ReadProcFile(pid, "cmdline", kMostCommandLine), length);
  if (!line.empty()) return line;
  const std::string name = OneLine(ReadProcFile(pid, "comm", kMostCommandLine), length);
  return name.empty() ? std::string() : fmt::format("[{}]", name);
}

bool HasChildren() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

namespace {

constexpr std::size_t kMostProcesses = 4096;
constexpr std::size_t kMostActivity = std::size_t{64} << 10U;

// The kernel lists children by the thread that created them; the first thread creates nearly all.
void AddChildren(pid_t pid, std::deque<pid_t>& found) {
  const std::string text = ReadProcFile(pid, fmt::format("task/{}/children", pid), kMostActivity);
  for (const std::string_view word : Split(text, ' ')) {
    if (const auto child = ParseNumber<pid_t>(word)) found.push_back(*child);
  }
}

// The first number of schedstat: exact, while the ticks are coarse.
std::uint64_t RunTime(pid_t pid) {
  const std::string text = ReadProcFile(pid, "schedstat", kMostActivity);
  std::uint64_t time = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), time);
  return time;
}

std::vector<std::string> ArgumentsOf(pid_t pid) {
  std::vector<std::string> words;
  const std::string text = ReadProcFile(pid, "cmdline", kMostActivity);
  for (const std::string_view word : Split(text, '\0')) words.emplace_back(word);
  if (!words.empty() && words.back().empty()) words.pop_back();
  return words;
}

}  // namespace

TreeActivity ReadTreeActivity(pid_t root) {
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

namespace {

constexpr std::size_t kMostEnvironment = std::size_t{4} << 20U;

bool StartedWith(pid_t pid, const std::vector<std::string>& assignments) {
  const std::string zero(1, '\0');
  const std::string text = zero + ReadProcFile(pid, "environ", kMostEnvironment) + zero;
  return std::all_of(assignments.begin(), assignments.end(), [&](const std::string& one) {
    // Between two zero bytes, so that it matches a whole variable.
    return text.find(zero + one + zero) != std::string::npos;
  });
}

std::vector<pid_t> AllProcesses() {
  std::vector<pid_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  if (!folder) return pids;
  while (const dirent* entry = readdir(folder.get())) {
    if (const auto pid = ParseNumber<pid_t>(entry->d_name)) pids.push_back(*pid);
  }
  return pids;
}

// As the kernel reports it: cut to 15 bytes.
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

// Since boot, in the unit of ProcStat::start_time.
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
    // Checked again, now that the pidfd keeps the pid from being reused.
    if (process && StartedWith(pid, assignments)) found.push_back(*std::move(process));
  }
  return found;
}

namespace {

constexpr int kMostWalks = 5;

std::map<std::string, std::string, std::less<>> VariablesOf(
    pid_t pid, const std::vector<std::string>& variables) {
  const std::string zero(1, '\0');
  const std::string text = zero + ReadProcFile(pid, "environ", kMostEnvironment) + zero;
  std::map<std::string, std::string, std::less<>> values;
  for (const std::string& variable : variables) {
    const std::string name = zero + variable + "=";
    const std::size_t found = text.find(name);
    if (found == std::string::npos) continue;
    const std::size_t value = found + name.size();
    values.emplace(variable, text.substr(value, text.find('\0', value) - value));
  }
  return values;
}

// It exists, belongs to another user, and /proc doesn't show it.
bool IsHidden(pid_t pid) { return kill(pid, 0) != 0 && errno == EPERM; }

Ancestry Walk(pid_t pid, const std::vector<std::string>& variables, const std::string& boot_id) {
  Ancestry found;
  while (found.chain.size() < Ancestry::kMostAncestors) {
    const Result<ProcStat> stat = ReadProcStat(pid);
    if (!stat) {
      if (!found.chain.empty() && IsHidden(pid)) found.end = Ancestry::End::kHidden;
      return found;
    }
    if (found.chain.empty()) found.at_terminal = stat->terminal != 0;
    found.chain.push_back({{pid, stat->start_time, boot_id},
                           VariablesOf(pid, variables),
                           ProgramFileOf(pid),
                           ArgumentsOf(pid)});
    if (stat->parent == 0) {
      found.end = Ancestry::End::kFirst;
      return found;
    }
    pid = stat->parent;
  }
  found.end = Ancestry::End::kDeep;
  return found;
}

// A parent that ended between two steps may have left its pid to a new process: that one is younger
// than the child, which no parent is.
bool IsInOrder(const Ancestry& found) {
  for (std::size_t i = 1; i < found.chain.size(); ++i) {
    if (found.chain[i].process.start_time > found.chain[i - 1].process.start_time) return false;
  }
  return true;
}

}  // namespace

Ancestry AncestryOf(pid_t pid, const std::vector<std::string>& variables) {
  const Result<std::string> boot_id = BootId();
  if (!boot_id) return {.end = Ancestry::End::kUnseen};
  for (int walks = 0; walks < kMostWalks; ++walks) {
    Ancestry found = Walk(pid, variables, *boot_id);
    if (found.end == Ancestry::End::kLost || !IsInOrder(found)) continue;
    if (found.end == Ancestry::End::kDeep) found.chain.clear();
    return found;
  }
  return {};
}

std::vector<AncestorId> AncestorIds(pid_t pid, std::size_t most) {
  std::vector<AncestorId> chain;
  Result<ProcStat> stat = ReadProcStat(pid);
  while (stat && stat->parent > 1 && chain.size() < most) {
    const pid_t parent = stat->parent;
    const std::uint64_t child_start = stat->start_time;
    stat = ReadProcStat(parent);
    if (!stat || stat->start_time > child_start) break;  // the pid was reused
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
