#include "cli/run_wait.h"

#include "store/durable_file.h"

namespace belay {
namespace {

Result<std::optional<RunRecord>> RecordOf(const SessionDoors& doors, const AgentId& agent) {
  BELAY_TRY_ASSIGN(std::optional<RunRecord> run,
                   ReadRunRecord(doors.files, doors.project, agent.identity()));
  if (run && run->agent != agent) run.reset();
  return run;
}

}  // namespace

Result<std::optional<RunRecord>> WaitForStart(EventLoop& loop, const SessionDoors& doors,
                                              const AgentId& agent,
                                              const std::optional<Process>& exec, Duration limit) {
  Result<std::optional<RunRecord>> run = std::optional<RunRecord>();
  const auto look = [&] {
    run = RecordOf(doors, agent);
    const bool decided = !run || (*run && (*run)->state != RunState::kStarting);
    if (decided) loop.Stop();
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
  loop.CancelTimer(timer);
  loop.Unwatch(process);
  loop.Unwatch(folder);
  return run;
}

}  // namespace belay
