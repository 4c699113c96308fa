#include "host/host.h"

#include <fmt/core.h>

#include "host/launch.h"
#include "os/process_tree.h"

namespace belay {
namespace {

// A missing row of facts doesn't compile here, nor a missing host below.
constexpr ExecHost kProcessHost(FactsOf(AgentHost::kProcess));
constexpr ExecHost kTmuxHost(FactsOf(AgentHost::kTmux));
constexpr Host kExternalHost(FactsOf(AgentHost::kExternal));
constexpr Host kSelfHost(FactsOf(AgentHost::kSelf));

}  // namespace

const Host& HostOf(AgentHost host) {
  switch (host) {
    case AgentHost::kProcess:
      return kProcessHost;
    case AgentHost::kTmux:
      return kTmuxHost;
    case AgentHost::kExternal:
      return kExternalHost;
    case AgentHost::kSelf:
      return kSelfHost;
  }
  __builtin_unreachable();
}

namespace {

// Unless it is certain that no process holds it.
bool MayBeHeld(const FileSystem& files, const std::string& lock) {
  Result<File> file = files.OpenForReading(lock);
  return file ? !file->TryLock() : !IsMissing(file);
}

// An incarnation that is just starting has only a run record.
std::string BootOf(const FileSystem& files, const Layout& project, const Identity& identity) {
  const bool has_run = FactsOf(identity.host).launched && IsRunning(identity.status);
  if (!identity.boot_id.empty() || !has_run) return identity.boot_id;
  const auto run = ReadRunRecord(files, project, identity.id.identity());
  const bool its = run && *run && (*run)->agent == identity.id;
  return its ? (*run)->parent.boot_id : std::string();
}

bool MayRunElsewhere(const FileSystem& files, const Layout& project, const Identity& identity) {
  if (identity.host == AgentHost::kSelf) return MayBeHeld(files, project.GuardianLock());
  if (!FactsOf(identity.host).launched) return IsRunning(identity.status);
  return MayBeHeld(files, project.RunLock(identity.id.identity()));
}

}  // namespace

Result<void> CheckInSight(const FileSystem& files, const Layout& project, const Identity& identity,
                          const Result<std::string>& our_boot) {
  if (!IsOfAnotherNamespace(BootOf(files, project, identity), our_boot)) return {};
  if (!MayRunElsewhere(files, project, identity)) return {};
  return Error{ErrorCode::kRefused,
               fmt::format("{} was started in another pid namespace (a container?), and can't be "
                           "seen from this one",
                           identity.id.text()),
               "run belay where it was started"};
}

Error Host::Refusal(std::string_view agent, std::string_view hint) const {
  return {ErrorCode::kRefused, fmt::format("{} {}", agent, facts_.not_ours), std::string(hint)};
}

Result<Process> Host::Launch(const Layout&, const AgentId& agent) const {
  return Refusal(agent.text(), facts_.start_hint);
}

Result<ProbeResult> Host::Probe(const FileSystem&, const Layout&, const Identity& identity) const {
  const std::optional<ProcessMark>& mark = identity.process;
  const bool runs = mark && IsAlive({static_cast<pid_t>(mark->pid), mark->start, identity.boot_id});
  return ProbeResult{runs ? ActualState::kRuns : ActualState::kEnded};
}

Result<Attached> Host::Attach(EventLoop&, const Layout&, const IdentityName& agent) const {
  return Refusal(agent.text(), "it runs in the terminal that it was started from");
}

Result<void> Host::Type(const Layout&, const IdentityName& agent, std::string_view,
                        Duration) const {
  return Refusal(agent.text(), "it runs in the terminal that it was started from");
}

Result<void> Host::End(const RunRecord& run, Force) const {
  return Refusal(run.agent.text(), facts_.end_hint);
}

namespace {

bool HasEnded(const RunRecord& run) {
  return run.state == RunState::kEnded || run.state == RunState::kFailed;
}

ActualState TruthOf(const RunRecord& run) {
  switch (run.state) {
    case RunState::kStarting:
      return IsAlive(run.parent) ? ActualState::kStarting : ActualState::kEnded;
    case RunState::kRunning:
      if (run.process && IsAlive(*run.process)) return ActualState::kRuns;
      return IsAlive(run.parent) ? ActualState::kEnding : ActualState::kEnded;
    case RunState::kEnded:
    case RunState::kFailed:
      return ActualState::kEnded;
  }
  __builtin_unreachable();
}

std::optional<RunRecord> RunFrom(const Identity& identity) {
  if (!identity.process || !identity.parent) return std::nullopt;
  const auto named = [&](const ProcessMark& mark) {
    return ProcessIdentity{static_cast<pid_t>(mark.pid), mark.start, identity.boot_id};
  };
  RunRecord run{.agent = identity.id, .parent = named(*identity.parent)};
  run.state = RunState::kRunning;
  run.process = named(*identity.process);
  run.started_at = identity.started_at.value_or(identity.created_at);
  return run;
}

// The agent leads the group, and so gets the signal once. A stopped agent would not notice it.
void Ask(const Process& agent) {
  if (!agent.SignalGroup(kSignalTerminate)) (void)agent.Signal(kSignalTerminate);
  (void)agent.SignalGroup(kSignalContinue);
}

void KillBelow(const ProcessIdentity& exec) {
  const Result<ProcessTree> tree = ProcessTree::Read();
  if (!tree || !IsAlive(exec)) return;
  for (const SeenProcess& seen : tree->Descendants(exec.pid)) {
    const Result<Process> process = Process::Open({seen.pid, seen.stat.start_time, exec.boot_id});
    if (process) (void)process->Signal(kSignalKill);
  }
}

}  // namespace

Result<Process> ExecHost::Launch(const Layout& project, const AgentId& agent) const {
  if (!facts().built) {
    return Error{ErrorCode::kUsage, fmt::format("the host {} isn't supported yet", facts().name)};
  }
  return StartExec(project, agent);
}

Result<ProbeResult> ExecHost::Probe(const FileSystem& files, const Layout& project,
                                    const Identity& identity) const {
  const auto read = [&] { return ReadRunRecord(files, project, identity.id.identity()); };
  const auto is_its = [&](const Result<std::optional<RunRecord>>& run) {
    return run && *run && (*run)->agent == identity.id;
  };
  Result<std::optional<RunRecord>> run = read();
  if (is_its(run)) {
    const ActualState actual = TruthOf(**run);
    // Its exec may have recorded the end between our read and its own end.
    const bool last_words = actual == ActualState::kEnded && !HasEnded(**run);
    Result<std::optional<RunRecord>> last = last_words ? read() : run;
    return ProbeResult{actual, is_its(last) ? *std::move(last) : *std::move(run)};
  }
  // The record is missing or unreadable: the process stored in the identity still counts.
  std::optional<RunRecord> known = RunFrom(identity);
  if (known && IsAlive(*known->process)) return ProbeResult{ActualState::kRuns, std::move(known)};
  if (!run) return run.error();
  return ProbeResult{known ? ActualState::kEnded : ActualState::kAbsent, std::move(known)};
}

Result<Attached> ExecHost::Attach(EventLoop& loop, const Layout& project,
                                  const IdentityName& agent) const {
  return AttachTerminal(loop, project, agent);
}

Result<void> ExecHost::Type(const Layout& project, const IdentityName& agent, std::string_view text,
                            Duration limit) const {
  return TypeInto(project, agent, text, limit);
}

// The agent first, by its pidfd, then its group and all descendants of its exec. An exec that
// hasn't started the agent yet would still start it.
Result<void> ExecHost::End(const RunRecord& run, Force force) const {
  if (run.process) {
    const Result<Process> agent = Process::Open(*run.process);
    if (agent && force == Force::kAsk) Ask(*agent);
    if (agent && force == Force::kKill) {
      (void)agent->Signal(kSignalKill);
      (void)agent->SignalGroup(kSignalKill);
    }
  }
  if (force == Force::kAsk) return {};
  if (run.state == RunState::kStarting) {
    if (const auto exec = Process::Open(run.parent)) (void)exec->Signal(kSignalKill);
  }
  KillBelow(run.parent);
  return {};
}

}  // namespace belay
