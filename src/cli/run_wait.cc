#include "cli/run_wait.h"

#include <functional>

#include "os/process_tree.h"
#include "store/durable_file.h"

namespace belay {
namespace {

// That a process has become another program is no event.
constexpr Duration kLookAgain = std::chrono::milliseconds(2);
constexpr std::size_t kLongestLine = 4096;

Result<std::optional<RunRecord>> RecordOf(const SessionDoors& doors, const AgentId& agent) {
  BELAY_TRY_ASSIGN(std::optional<RunRecord> run,
                   ReadRunRecord(doors.files, doors.project, agent.identity()));
  if (run && run->agent != agent) run.reset();
  return run;
}

// The record says that it runs before its process has become the agent's program: until then that
// is a copy of its exec, with the same arguments. If it is gone or just going, which leaves it
// without arguments, its exec is about to say more.
bool IsOpen(const RunRecord& run) {
  if (run.state == RunState::kStarting) return true;
  if (run.state != RunState::kRunning || !run.process) return false;
  if (!IsAlive(*run.process)) return IsAlive(run.parent);
  const std::string line = CommandLineOf(run.process->pid, kLongestLine);
  const bool going = line.empty() || line.starts_with('[');
  return going ? IsAlive(run.parent) : line == CommandLineOf(run.parent.pid, kLongestLine);
}

}  // namespace

Result<std::optional<RunRecord>> WaitForStart(EventLoop& loop, const SessionDoors& doors,
                                              const AgentId& agent,
                                              const std::optional<Process>& exec, Duration limit) {
  Result<std::optional<RunRecord>> run = std::optional<RunRecord>();
  TimerId again{};
  std::function<bool()> look = [&] {
    loop.CancelTimer(again);
    run = RecordOf(doors, agent);
    const bool decided = !run || (*run && !IsOpen(**run));
    if (decided) {
      run = RecordOf(doors, agent);  // an exec that was just ending has said all it had to say
      loop.Stop();
    }
    const bool soon = !decided && *run && (*run)->state == RunState::kRunning;
    if (soon) again = loop.StartTimer(kLookAgain, [&] { look(); });
    return decided;
  };
  BELAY_TRY(EnsureFolder(doors.files, doors.project.RunFolder()));
  BELAY_TRY_ASSIGN(const WatchId folder, loop.WatchFolder(doors.project.RunFolder(),
                                                          [&](const FolderEvent&) { look(); }));
  WatchId process{};
  if (exec) {
    BELAY_TRY_ASSIGN(process, loop.WatchProcess(*exec, [&] {
      look();
      loop.Stop();
    }));
  }
  const TimerId timer = loop.StartTimer(limit, [&] {
    look();
    loop.Stop();
  });
  if (!look()) loop.Run();
  loop.CancelTimer(again);
  loop.CancelTimer(timer);
  loop.Unwatch(process);
  loop.Unwatch(folder);
  return run;
}

}  // namespace belay
