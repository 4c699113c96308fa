#include "os/process_tree.h"

#include <dirent.h>
#include <fmt/core.h>
#include <sys/wait.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>

#include "base/utf8.h"
#include "os/proc_file.h"

namespace belay {
namespace {

constexpr std::size_t kMostCommandLine = 4096;

struct CloseFolder {
  void operator()(DIR* folder) const { (void)closedir(folder); }
};

// 0 for a name that is none.
pid_t ParsePid(std::string_view name) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  return error == std::errc() && end == name.data() + name.size() ? pid : 0;
}

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
  const std::unique_ptr<DIR, CloseFolder> folder(opendir("/proc"));
  if (!folder) return SystemError("read /proc", errno);
  ProcessTree tree;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the folder is ours alone.
  while (const dirent* entry = readdir(folder.get())) {
    const pid_t pid = ParsePid(entry->d_name);
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
  // Read at different moments, parents could go round in a circle: nobody is visited twice.
  for (std::size_t i = 0; i < found.size() && found.size() <= processes_.size(); ++i) {
    add_children(found[i].pid);
  }
  return found;
}

std::uint64_t ProcessTree::CpuTicks(pid_t pid) const {
  const ProcStat* root = Find(pid);
  std::uint64_t ticks = root == nullptr ? 0 : root->cpu_ticks;
  for (const SeenProcess& one : Descendants(pid)) ticks += one.stat.cpu_ticks;
  return ticks;
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

}  // namespace belay
