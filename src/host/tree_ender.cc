#include "host/tree_ender.h"

#include <fmt/core.h>

#include "os/process.h"
#include "os/process_tree.h"
#include "os/this_process.h"

namespace belay {
namespace {

constexpr Duration kBetweenKills = std::chrono::milliseconds(20);
constexpr std::size_t kMostNamed = 50;
constexpr std::size_t kLongestName = 120;

// Through its pidfd, and only if it is still the same process.
void SignalSeen(const SeenProcess& seen, std::initializer_list<int> signals) {
  const Result<Process> process = Process::Open(seen.pid);
  if (!process) return;
  const Result<ProcStat> now = ReadProcStat(seen.pid);
  if (!now || now->start_time != seen.stat.start_time) return;
  for (const int signal : signals) (void)process->Signal(signal);
}

}  // namespace

void TreeEnder::Start() {
  active_ = true;
  if (!HasChildren()) return Finish();
  // A stopped process handles the first only after the second.
  Signal({kSignalTerminate, kSignalContinue});
  timer_ = loop_.StartTimer(grace_, [this] { Kill(); });
}

void TreeEnder::Poll() {
  if (active_ && !HasChildren()) Finish();
}

void TreeEnder::Kill() {
  if (!HasChildren() || kills_left_-- == 0) return Finish();
  Signal({kSignalKill});
  timer_ = loop_.StartTimer(kBetweenKills, [this] { Kill(); });
}

void TreeEnder::Signal(std::initializer_list<int> signals) {
  const Result<ProcessTree> tree = ProcessTree::Read();
  if (!tree) return;
  for (const SeenProcess& seen : tree->Descendants(static_cast<pid_t>(ThisProcess()))) {
    if (seen.stat.ended()) continue;
    if (found_.size() < kMostNamed && !found_.contains(seen.pid)) {
      found_.emplace(seen.pid, CommandLineOf(seen.pid, kLongestName));
    }
    SignalSeen(seen, signals);
  }
}

void TreeEnder::Finish() {
  active_ = false;
  loop_.CancelTimer(timer_);
  std::vector<std::string> names;
  for (const auto& [pid, name] : found_) names.push_back(fmt::format("{} {}", pid, name));
  done_(std::move(names));
}

}  // namespace belay
