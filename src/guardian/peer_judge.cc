#include "guardian/peer_judge.h"

#include <fmt/core.h>

#include <map>

#include "os/proc_stat.h"
#include "os/process_identity.h"

namespace belay {
namespace {

constexpr int kDeepest = 512;  // ancestors; more is a loop of reused numbers

using Marks = std::multimap<std::int64_t, std::pair<ProcessMark, const Identity*>>;

Marks RunningProcesses(const IdentityBook& book, const std::string& boot_id) {
  Marks marks;
  for (const auto& [name, entry] : book.entries()) {
    const Identity& identity = entry.present;
    if (!IsRunning(identity.status) || identity.boot_id != boot_id) continue;
    if (identity.host == AgentHost::kSelf) continue;
    for (const auto& mark : {identity.process, identity.parent}) {
      if (mark) marks.emplace(mark->pid, std::pair(*mark, &identity));
    }
  }
  return marks;
}

const Identity* AgentAround(const Marks& marks, pid_t pid) {
  for (int i = 0; i < kDeepest && pid > 0; ++i) {
    const Result<ProcStat> stat = ReadProcStat(pid);
    if (!stat) return nullptr;
    const auto [begin, end] = marks.equal_range(pid);
    for (auto it = begin; it != end; ++it) {
      if (it->second.first.start == stat->start_time) return it->second.second;
    }
    pid = stat->parent;
  }
  return nullptr;
}

Speaker AsAgent(const AgentId& agent) { return {Party::kAgent, agent.text(), agent}; }

}  // namespace

Speaker JudgePeer(const IdentityBook& book, pid_t pid, std::string_view claim) {
  const Result<std::string> boot_id = BootId();
  const Identity* around = boot_id ? AgentAround(RunningProcesses(book, *boot_id), pid) : nullptr;
  if (around != nullptr) return AsAgent(around->id);
  const Result<AgentId> claimed = AgentId::Parse(claim);
  if (!claimed) return {};
  Speaker speaker = AsAgent(*claimed);
  const Identity* present = book.Find(claimed->identity());
  if (present == nullptr) {
    speaker.objection = fmt::format("there is no agent {}", claimed->text());
  } else if (present->id != *claimed || !IsRunning(present->status)) {
    speaker.objection =
        fmt::format("{} has ended: what it says now changes nothing", claimed->text());
    speaker.about = present->id;
  }
  return speaker;
}

}  // namespace belay
