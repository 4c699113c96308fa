#include "host/exec.h"

#include <fmt/core.h>

#include <memory>

#include "host/agent_terminal.h"
#include "host/launch.h"
#include "host/run_record.h"
#include "host/tree_ender.h"
#include "os/file_lock.h"
#include "os/process.h"
#include "os/real_event_loop.h"
#include "os/this_process.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr Duration kLockWait = std::chrono::seconds(10);
constexpr Duration kBetweenTries = std::chrono::milliseconds(500);
constexpr int kMostTries = 20;  // to record how it ended

// The fence in the run record: an incarnation starts once, never after a later one, and never
// beside an earlier one.
Result<void> CheckFence(const FileSystem& files, const Layout& project, const AgentId& agent) {
  BELAY_TRY_ASSIGN(const std::optional<RunRecord> run,
                   ReadRunRecord(files, project, agent.identity()));
  if (!run) return {};
  const auto refuse = [&](std::string_view why) {
    return Error{ErrorCode::kRefused, fmt::format("run {}: {}", agent.text(), why)};
  };
  if (run->agent.incarnation() > agent.incarnation())
    return refuse("a later incarnation was started");
  if (run->agent.incarnation() == agent.incarnation())
    return refuse("this incarnation was already started");
  if (run->process && IsAlive(*run->process)) {
    return refuse(
        fmt::format("{} is still running, as process {}", run->agent.text(), run->process->pid));
  }
  return {};
}

// The lock is held from here on.
class Exec {
 public:
  Exec(FileSystem& files, const Clock& clock, const Layout& project, EventLoop& loop,
       RunRecord record)
      : files_(files), clock_(clock), project_(project), loop_(loop), record_(std::move(record)) {}

  // Up to the point where the agent runs.
  Result<void> Start(LaunchSpec spec, const AttachServer::Admits& admits) {
    BELAY_TRY(Write());
    BELAY_TRY(WatchSignals());
    BELAY_TRY(BecomeSubreaper());
    BELAY_TRY(OpenTerminal(admits));
    oom_before_ = OomKills(files_);
    const std::string typed = std::move(spec.typed);
    BELAY_TRY(terminal_->Start());
    BELAY_TRY(StartAgent(std::move(spec)));
    terminal_->TypeLater(typed);
    return {};
  }

  int RunToEnd() {
    ReturnFreeMemory();
    Reap();  // it may have ended before the watch began
    loop_.Run();
    return record_.exit->code();
  }

  Error Fail(const Error& error) {
    record_.state = RunState::kFailed;
    record_.error = error.message;
    record_.ended_at = clock_.Wall();
    RunLog log(files_, clock_, project_, name());
    log.Append(fmt::format("[belay: {} could not be started: {}]\r\n", record_.agent.text(),
                           error.message));
    const Result<void> written = Write();
    RemoveSocket();
    if (!written) return written.error();
    return {ErrorCode::kFailed, error.message, error.hint};
  }

 private:
  const IdentityName& name() const { return record_.agent.identity(); }

  Result<void> Write() { return WriteRunRecord(files_, project_, record_); }

  // Whether to stop trying. The vault of a newer belay is left alone: that belay will find a run
  // record whose process is gone.
  bool WriteOrGiveUp() {
    const Result<void> written = Write();
    return written || written.error().code == ErrorCode::kDamaged;
  }

  Result<void> WatchSignals() {
    for (const int signal : {kSignalTerminate, kSignalInterrupt, kSignalHangUp}) {
      BELAY_TRY(loop_.WatchSignal(signal, [this] {
        if (agent_) (void)agent_->Signal(kSignalTerminate);
      }));
    }
    BELAY_TRY(loop_.WatchSignal(kSignalChild, [this] { Reap(); }));
    return {};
  }

  Result<void> OpenTerminal(const AttachServer::Admits& admits) {
    BELAY_TRY_ASSIGN(PseudoTerminal terminal, PseudoTerminal::Open({}));
    terminal_ = std::make_unique<AgentTerminal>(loop_, std::move(terminal),
                                                RunLog(files_, clock_, project_, name()));
    // An agent without attach is better than none.
    const Result<void> listens =
        terminal_->server().Listen(project_.RunFolder(), project_.RunSocketName(name()), admits);
    if (!listens) {
      terminal_->log().Append(
          fmt::format("[belay: can't attach: {}]\r\n", listens.error().message));
    }
    return {};
  }

  Result<void> StartAgent(LaunchSpec spec) {
    spec.environment.try_emplace("TERM", "xterm-256color");
    auto held = HeldProcess::Start(
        {std::move(spec.command), std::move(spec.folder), std::move(spec.environment)},
        terminal_->terminal());
    if (!held) return held.error().AsError();
    BELAY_TRY_ASSIGN(record_.process, IdentityOf(held->process().pid()));
    record_.state = RunState::kRunning;
    record_.started_at = clock_.Wall();
    BELAY_TRY(Write());
    const auto gone = held->LetGo();
    if (!gone) return gone.error().AsError();
    agent_ = std::move(held->process());
    return {};
  }

  // Reaps the agent, and orphans of its that became our children.
  void Reap() {
    const std::optional<ExitStatus> ended = ReapChildren(agent_ ? &*agent_ : nullptr);
    if (ended) AgentEnded(*ended);
    ender_.Poll();
  }

  void AgentEnded(const ExitStatus& exit) {
    agent_.reset();
    const bool killed = exit == ExitStatus::Killed(kSignalKill);
    record_.state = RunState::kEnded;
    record_.exit = exit;
    record_.ended_at = clock_.Wall();
    record_.oom = killed && OomKills(files_) > oom_before_;
    recorded_ = WriteOrGiveUp();
    terminal_->Finish();
    ender_.Start();
  }

  void TreeEnded(std::vector<std::string> survivors) {
    if (!survivors.empty()) {
      record_.survivors = std::move(survivors);
      recorded_ = false;
    }
    terminal_->server().End(record_.exit->text());
    RemoveSocket();
    Leave();
  }

  // A full disk may soon have space again.
  void Leave() {
    recorded_ = recorded_ || WriteOrGiveUp();
    if (recorded_ || ++tries_ > kMostTries) return loop_.Stop();
    (void)loop_.StartTimer(kBetweenTries, [this] { Leave(); });
  }

  void RemoveSocket() {
    if (CheckFormat(files_, project_)) (void)files_.RemoveFile(project_.RunSocket(name()));
  }

  FileSystem& files_;
  const Clock& clock_;
  const Layout& project_;
  EventLoop& loop_;
  RunRecord record_;
  std::unique_ptr<AgentTerminal> terminal_;
  std::optional<Process> agent_;  // while it runs
  TreeEnder ender_{loop_, [this](std::vector<std::string> left) { TreeEnded(std::move(left)); }};
  std::uint64_t oom_before_ = 0;
  bool recorded_ = false;
  int tries_ = 0;
};

Result<int> RunLocked(FileSystem& files, const Clock& clock, const Layout& project,
                      const AgentId& agent, const AttachServer::Admits& admits) {
  BELAY_TRY_ASSIGN(const ProcessIdentity self, IdentityOf(static_cast<pid_t>(ThisProcess())));
  BELAY_TRY_ASSIGN(const std::unique_ptr<RealEventLoop> loop, RealEventLoop::Create());
  Exec exec(files, clock, project, *loop,
            {.agent = agent, .parent = self, .started_at = clock.Wall()});
  Result<LaunchSpec> spec = ReadLaunchSpec(files, project, agent.identity());
  if (!spec) return exec.Fail(spec.error());
  if (spec->agent != agent) {
    return Error{ErrorCode::kRefused, fmt::format("run {}: the launch file is for {}", agent.text(),
                                                  spec->agent.text())};
  }
  const Result<void> started = exec.Start(*std::move(spec), admits);
  if (!started) return exec.Fail(started.error());
  return exec.RunToEnd();
}

}  // namespace

Result<int> RunExec(FileSystem& files, const Clock& clock, const Layout& project,
                    const AgentId& agent, const AttachServer::Admits& admits) {
  BELAY_TRY(CheckFormat(files, project));
  // Also checked before taking the lock: waiting for a running agent's lock would take long.
  BELAY_TRY(CheckFence(files, project, agent));
  BELAY_TRY(EnsureFolder(files, project.RunFolder()));
  BELAY_TRY_ASSIGN(const File lock,
                   OpenLocked(files, project.RunLock(agent.identity()), kPrivateFile, kLockWait));
  BELAY_TRY(CheckFence(files, project, agent));
  return RunLocked(files, clock, project, agent, admits);
}

}  // namespace belay
