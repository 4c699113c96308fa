#include "app/hosted_agent.h"

#include <fmt/core.h>

#include "app/authority.h"
#include "app/session_place.h"
#include "app/settings.h"
#include "base/path.h"
#include "host/exec.h"
#include "host/host.h"
#include "host/run_record.h"
#include "ledger/identity_ledger.h"
#include "os/process.h"
#include "os/terminal.h"

namespace belay {
namespace {

bool HasStarted(const Identity& identity) {
  return identity.started_at.has_value() || identity.id.incarnation() > 1;
}

std::optional<Identity> Recorded(const Env& env, const Layout& project, const IdentityName& agent) {
  IdentityLedger ledger(env.files, env.clock, project);
  const Identity* identity = ledger.CatchUp() ? ledger.book().Find(agent) : nullptr;
  return identity != nullptr ? std::optional(*identity) : std::nullopt;
}

std::string WhyItNeverRan(const Env& env, const Layout& project, const IdentityName& agent) {
  const std::optional<Identity> identity = Recorded(env, project, agent);
  if (identity && !FactsOf(identity->host).launched) {
    return fmt::format("{} {}; use the terminal where it was started", agent.text(),
                       FactsOf(identity->host).not_ours);
  }
  if (identity && HasStarted(*identity)) {
    return fmt::format("{} was started, but its run record is missing", agent.text());
  }
  if (!identity || IsRunning(identity->status)) {
    return fmt::format("{} has not run yet", agent.text());
  }
  const std::string& reason = identity->restart.reason;
  return fmt::format("{} never ran{}{}", agent.text(), reason.empty() ? "" : ": ", reason);
}

std::string EndText(const RunRecord& run) {
  return run.exit ? fmt::format("{} has ended: {}", run.agent.identity().text(), run.exit->text())
                  : fmt::format("{} has ended", run.agent.identity().text());
}

enum class Incarnations { kPresent, kAny };

Result<IdentityName> FindHostedAgent(const Env& env, const Layout& project,
                                     std::string_view argument, Incarnations which) {
  Result<IdentityName> name = IdentityName::Parse(argument);
  if (name && env.files.Inspect(project.RunFile(*name))) return name;
  IdentityLedger ledger(env.files, env.clock, project);
  if (which == Incarnations::kPresent) return FindAgent(ledger, argument);
  BELAY_TRY_ASSIGN(const AgentId named, FindIncarnation(ledger, argument));
  return named.identity();
}

// "orchestrator-login has ended: exit code 3", or why it could not be started, or that it has not
// run yet. Nothing when it runs.
std::optional<std::string> WhyNotRunning(const Env& env, const Layout& project,
                                         const IdentityName& agent) {
  const Result<std::optional<RunRecord>> run = ReadRunRecord(env.files, project, agent);
  if (!run) return std::nullopt;  // unknown
  if (!*run) return WhyItNeverRan(env, project, agent);
  const RunRecord& record = **run;
  switch (record.state) {
    case RunState::kStarting:
      return fmt::format("{} is being started", agent.text());
    case RunState::kRunning:
      if (record.process && !IsAlive(*record.process)) return EndText(record);
      return std::nullopt;
    case RunState::kEnded:
      return EndText(record);
    case RunState::kFailed:
      return fmt::format("{} could not be started: {}", agent.text(), record.error);
  }
  __builtin_unreachable();
}

Error NotRunning(const IdentityName& agent, const std::string& why) {
  return {ErrorCode::kNotFound, why,
          fmt::format("belay logs {} shows what it wrote", agent.text())};
}

constexpr std::size_t kPiece = std::size_t{64} << 10U;

// Reads the log of an agent from its beginning, then follows it. The log is split into two files
// (host/agent_terminal.h), and the writer may switch to the next one during the read.
class LogReader {
 public:
  using Taker = std::function<Result<void>(std::string_view)>;

  LogReader(const FileSystem& files, const Layout& project, const IdentityName& agent)
      : files_(files), path_(project.RunLog(agent)), older_path_(project.OlderRunLog(agent)) {}

  // Reads what is new since the last call.
  Result<void> CatchUp(const Taker& take) {
    if (file_) BELAY_TRY(ReadOn(take));
    BELAY_TRY_ASSIGN(const bool another, IsAnother(path_));
    if (!another) return {};
    BELAY_TRY_ASSIGN(const bool between, IsAnother(older_path_));
    if (between) BELAY_TRY(ReadFrom(older_path_, take));
    return ReadFrom(path_, take);
  }

 private:
  // Whether the path has a file other than the one that is being read.
  Result<bool> IsAnother(const std::string& path) const {
    BELAY_TRY_ASSIGN(const std::optional<FileInfo> there, IfThere(files_.Inspect(path)));
    if (!there) return false;
    if (!file_) return true;
    BELAY_TRY_ASSIGN(const FileInfo ours, file_->Inspect());
    return ours.inode != there->inode || ours.device != there->device;
  }

  Result<void> ReadFrom(const std::string& path, const Taker& take) {
    BELAY_TRY_ASSIGN(std::optional<File> file, IfThere(files_.OpenForReading(path)));
    if (!file) return {};
    file_ = *std::move(file);
    offset_ = 0;
    return ReadOn(take);
  }

  Result<void> ReadOn(const Taker& take) {
    std::string piece(kPiece, '\0');
    while (true) {
      BELAY_TRY_ASSIGN(const std::size_t count, file_->ReadAt(offset_, piece.data(), piece.size()));
      if (count == 0) return {};
      offset_ += count;
      BELAY_TRY(take(std::string_view(piece).substr(0, count)));
    }
  }

  const FileSystem& files_;
  std::string path_;
  std::string older_path_;
  std::optional<File> file_;
  std::uint64_t offset_ = 0;
};

// Follows until the exec that writes the log has ended, the reader of our output is gone, or a
// signal ends the program.
Result<void> Follow(Env& env, const Layout& project, const IdentityName& agent,
                    std::optional<int> out_pipe, const std::function<Result<void>()>& catch_up) {
  BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, env.make_loop());
  Result<void> outcome;
  const auto look = [&] {
    outcome = catch_up();
    if (!outcome) loop->Stop();
  };
  const std::string name(FileName(project.RunLog(agent)));
  BELAY_TRY(loop->WatchFolderContent(project.RunFolder(), [&](const FolderEvent& event) {
    if (event.change == FolderChange::kGone) return loop->Stop();
    if (event.change == FolderChange::kOverflow || event.name == name) look();
  }));
  BELAY_TRY_ASSIGN(const std::optional<RunRecord> run, ReadRunRecord(env.files, project, agent));
  const Result<Process> exec = run ? Process::Open(run->parent)
                                   : Result<Process>(Error{ErrorCode::kNotFound, "it never ran"});
  if (!exec) return catch_up();
  BELAY_TRY(loop->WatchProcess(*exec, [&] {
    look();
    loop->Stop();
  }));
  BELAY_TRY(StopWhenReaderIsGone(*loop, out_pipe));
  look();
  if (outcome) loop->Run();
  return outcome;
}

Result<void> CheckThereIsLog(Env& env, const Layout& project, const IdentityName& agent) {
  const auto there = [&](const std::string& path) { return env.files.Inspect(path).ok(); };
  if (there(project.RunLog(agent)) || there(project.OlderRunLog(agent))) return {};
  if (there(project.RunFile(agent))) {
    // The log is created with its first byte.
    env.say(fmt::format("{} wrote nothing, or its log is missing", agent.text()));
    return {};
  }
  const std::optional<Identity> identity = Recorded(env, project, agent);
  const bool started = identity && FactsOf(identity->host).launched && HasStarted(*identity);
  const std::string why = started
                              ? fmt::format("{} was started, but its log is missing", agent.text())
                              : WhyNotRunning(env, project, agent).value_or("no log");
  return Error{ErrorCode::kNotFound, why, fmt::format("belay why {} shows more", agent.text())};
}

}  // namespace

Result<AttachOutcome> AttachToAgent(Env& env, std::string_view agent) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(env));
  BELAY_TRY_ASSIGN(const IdentityName name,
                   FindHostedAgent(env, project, agent, Incarnations::kPresent));
  if (!IsTerminal(0) || !IsTerminal(1)) {
    return Error{ErrorCode::kUsage, "attach: standard input and output must be a terminal",
                 fmt::format("belay logs -f {} shows what it writes", name.text())};
  }
  if (const auto why = WhyNotRunning(env, project, name)) return NotRunning(name, *why);
  BELAY_TRY_ASSIGN(const std::unique_ptr<EventLoop> loop, env.make_loop());
  env.say(fmt::format("{}: detach with {}", name.text(), kDetachKeyName));
  // An agent of that name ran here, even if the journal doesn't know it.
  const std::optional<Identity> identity = Recorded(env, project, name);
  const Host& host = HostOf(identity ? identity->host : AgentHost::kProcess);
  Result<Attached> attached = host.Attach(*loop, project, name);
  if (attached) return AttachOutcome{name, *std::move(attached)};
  if (attached.error().code != ErrorCode::kNotFound) return attached.error();
  // Nothing listens: the agent or its exec has ended since.
  const auto why = WhyNotRunning(env, project, name);
  return NotRunning(name, why ? *why : fmt::format("{} has no terminal", name.text()));
}

Result<void> ReadAgentLog(Env& env, const AgentLogRequest& request) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(env));
  BELAY_TRY_ASSIGN(const IdentityName agent,
                   FindHostedAgent(env, project, request.agent, Incarnations::kAny));
  BELAY_TRY(CheckThereIsLog(env, project, agent));
  if (request.agent.find('#') != std::string::npos) {
    env.say(fmt::format("all incarnations of {} write to one log", agent.text()));
  }
  LogReader reader(env.files, project, agent);
  const auto catch_up = [&] { return reader.CatchUp(request.take); };
  return request.follow ? Follow(env, project, agent, request.out_pipe, catch_up) : catch_up();
}

Result<int> ExecAgent(Env& env, const AgentId& agent) {
  BELAY_TRY_ASSIGN(const Layout project, LocateProject(env));
  const auto admits = [&](const Peer& peer) {
    return MayAttach(env.files, env.clock, project, peer);
  };
  return RunExec(env.files, env.clock, project, agent, admits);
}

}  // namespace belay
