#include "guardian/guardian.h"

#include <fmt/core.h>

#include <utility>

#include "app/session_place.h"
#include "base/path.h"
#include "base/utf8.h"
#include "os/process.h"
#include "os/this_process.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr auto kLockLimit = std::chrono::milliseconds(250);
// If a guardian is killed while it starts a process, that process keeps the lock for a moment,
// until it calls exec.
constexpr auto kTakeOverLimit = std::chrono::seconds(1);
constexpr auto kSaidAgain = std::chrono::minutes(1);
constexpr std::size_t kMostComplaints = 1000;
constexpr std::string_view kRunEnd = ".json";
constexpr std::string_view kSocketName = "guardian.sock";

SessionEnv WithShortLocks(SessionEnv env) {
  env.lock_limit = kLockLimit;
  return env;
}

IdentityName OwnName() { return *IdentityName::Make("guardian", "main"); }

}  // namespace

Result<std::unique_ptr<Guardian>> Guardian::Create(const SessionEnv& env, EventLoop& loop,
                                                   ServiceNotice& service,
                                                   GuardianOptions options) {
  BELAY_TRY(EnsureFolder(env.files, env.project.LockFolder()));
  Result<StateLock> lock =
      StateLock::Acquire(env.files, env.project.GuardianLock(), kTakeOverLimit);
  if (!lock && lock.error().code == ErrorCode::kBusy) {
    return Error{ErrorCode::kBusy,
                 fmt::format("another guardian is already running in this project: {}",
                             lock.error().message),
                 "one is enough; belay agents shows it"};
  }
  if (!lock) return lock.error();
  std::unique_ptr<Guardian> guardian(
      new Guardian(env, loop, service, std::move(options), *std::move(lock)));
  BELAY_TRY(guardian->Begin());
  return guardian;
}

Guardian::Guardian(const SessionEnv& env, EventLoop& loop, ServiceNotice& service,
                   GuardianOptions options, StateLock lock)
    : env_(WithShortLocks(env)),
      loop_(loop),
      service_(service),
      options_(std::move(options)),
      lock_(std::move(lock)),
      lease_(OurLease(env.files, env.project)),
      ledgers_(env.files, env.clock, env.project),
      inbox_(BoxOf(Recipient::Guardian())),
      messages_(env.files, env.clock, env.random, env.project, kLockLimit),
      deferred_work_(loop),
      snapshots_(loop, env.project, [this] { return AwaitsEnds(); }),
      merging_(
          loop, env.project, [this](const std::string& line) { options_.say(line); },
          [this](const std::string& why) {
            NotifyPerson(SignalType::kEscalate, MakeObject({{"reason", ReplaceInvalidUtf8(why)}}));
          },
          [this] { OnMergeQueue(); }),
      checkout_watch_(loop, env.files, std::string(ParentPath(env.project.Vault())),
                      [this] { merging_.TryCheckouts(); }),
      sweeper_(
          loop, env_.project, [this](const std::string& line) { options_.say(line); },
          [this](const std::string& why) {
            NotifyPerson(SignalType::kEscalate, MakeObject({{"reason", ReplaceInvalidUtf8(why)}}));
          },
          [this] { OnTasks(); }),
      since_(env.clock.Wall()) {}

Guardian::~Guardian() = default;

Result<void> Guardian::Begin() {
  RaiseFileLimit();  // each agent takes two descriptors
  BELAY_TRY(EnsureFolder(env_.files, env_.project.RunFolder()));
  BELAY_TRY(inbox_.EnsureFolder());
  BELAY_TRY(identities_.CatchUp());
  BELAY_TRY(hooks_.CatchUp());
  BELAY_TRY(RecordOurselves(AgentStatus::kAlive, "a guardian starts"));
  BELAY_TRY(WatchEverything());
  (void)hooks_.book().TakeChanged();
  RenderEverything();
  ReconcileAll();
  oom_kills_ = OomKills(env_.files);
  cold_ = false;
  ReconcileChanged();
  ProcessAllEvents();
  OnSignals();  // only now: they name agents, which are known from here on
  if (self_) merging_.ActAs(*self_);
  if (env_.files.Inspect(env_.project.CheckoutMoveNote())) merging_.Recover();
  OnMergeQueue();
  OnTasks();
  DeliverToAll();
  Heartbeat();
  service_.Ready();
  return {};
}

// Watch first, then read: a change in between is seen twice rather than missed.
Result<void> Guardian::WatchEverything() {
  for (const int signal : {kSignalTerminate, kSignalInterrupt}) {
    BELAY_TRY(loop_.WatchSignal(signal, [this] { loop_.Stop(); }));
  }
  BELAY_TRY(
      loop_.WatchFolderContent(env_.project.JournalFolder(), [this](const FolderEvent& event) {
        RenderForeignChanges(event);
        OnJournals();
        const bool tasks = event.name == FileName(env_.project.JournalFile(TaskFamily::kJournal));
        if (tasks || event.change == FolderChange::kOverflow) OnTasks();
      }));
  BELAY_TRY(loop_.WatchFolder(env_.project.RunFolder(), [this](const FolderEvent& event) {
    if (event.change == FolderChange::kMovedIn) OnRunFile(event.name);
    if (event.change == FolderChange::kOverflow) ReconcileAll();
    if (event.name == kSocketName || event.change == FolderChange::kOverflow) KeepSocket();
  }));
  BELAY_TRY(loop_.WatchFolderContent(env_.project.Vault(),
                                     [this](const FolderEvent&) { (void)StopIfReplaced(); }));
  WatchEvents();
  WatchOutbox();
  WatchPersonsInbox();
  BELAY_TRY(loop_.WatchFolder(inbox_.folder(), [this](const FolderEvent& event) {
    if (event.change != FolderChange::kDeleted) OnSignals();
  }));
  // Also the folder above: when it is moved away, the watches of the folders inside move with it.
  std::vector<std::string> rendered = RenderingFolders(env_.project);
  rendered.insert(rendered.begin(), env_.project.ClaudeFolder());
  state_ = std::make_unique<StateWatch>(loop_, std::move(rendered), [this] { RenderEverything(); });
  Listen();
  return {};
}

// Without the socket everything works except sending signals through it.
void Guardian::Listen() {
  Result<std::unique_ptr<ControlServer>> control = ControlServer::Listen(
      loop_, env_.project.GuardianSocket(),
      [this](const Json& request, const Peer& peer) { return Answer(request, peer); });
  if (!control) return ReportProblem(control.error());
  control_ = *std::move(control);
  const Result<FileInfo> file = env_.files.Inspect(env_.project.GuardianSocket());
  socket_inode_ = file ? file->inode : 0;
}

// The guardian that holds the lock must stay reachable, so a lost socket is created again.
void Guardian::KeepSocket() {
  if (StopIfReplaced()) return;
  const Result<FileInfo> file = env_.files.Inspect(env_.project.GuardianSocket());
  const bool ours = control_ && file && file->inode == socket_inode_;
  if (ours) return;
  Listen();
  options_.say("created the control socket again: it had been removed or replaced");
}

// Once our lock file is gone, another guardian may have started: of two, the older one stops. It
// also stops when a newer belay has taken over the vault. A format that can't be read right now is
// no reason to stop.
bool Guardian::StopIfReplaced() {
  const Result<void> format = CheckFormat(env_.files, env_.project);
  if (!format && format.error().code == ErrorCode::kDamaged) {
    loop_.Stop();
    return true;
  }
  if (lock_.IsAt(env_.files, env_.project.GuardianLock())) return false;
  ReportProblem(Error{ErrorCode::kRefused,
                      "the guardian stops because its lock file was removed; agents keep running",
                      "belay guard starts another one"});
  loop_.Stop();
  return true;
}

Result<void> Guardian::Run() {
  StopIfDone();
  loop_.Run();
  ShowNewToPerson();
  service_.Stopping();
  for (const auto& [what, render] : std::exchange(to_render_, {})) render();
  return RecordOurselves(AgentStatus::kTerminated, "the guardian exits; agents keep running");
}

// One wake-up a minute updates our own last_seen and notifies the service manager's watchdog.
void Guardian::Heartbeat() {
  Duration period = env_.settings.heartbeat;
  if (service_.WatchdogPeriod()) period = std::min(period, *service_.WatchdogPeriod() / 2);
  loop_.StartTimer(period, [this] { Heartbeat(); });
  service_.StillAlive();
  if (StopIfReplaced()) return;
  CheckDeadlinesAfterSleep();
  OnSignals();  // the inbox later returns signals that a killed guardian had taken
  const Result<IdentityLock> lock = LockIdentities();
  if (!lock || !self_) return;
  const Result<void> seen = identities_.RecordSeen(*lock, *self_, std::nullopt);
  if (!seen) return ReportProblem(seen.error());
  RenderSoon(self_->identity());
  DeliverToAll();
  CleanUp();
}

// Uses a copy of the names, because reconciling an agent changes the book.
void Guardian::ReconcileAll() {
  std::vector<IdentityName> names;
  for (const auto& [name, entry] : identities_.book().entries()) names.push_back(name);
  for (const IdentityName& name : names) Reconcile(name);
}

Result<void> Guardian::RecordOurselves(AgentStatus status, std::string_view why) {
  BELAY_TRY_ASSIGN(const IdentityLock lock, IdentityLedger::Lock(env_.files, env_.project));
  BELAY_TRY(identities_.CatchUp());
  const WallTime now = env_.clock.Wall();
  const Identity* before = identities_.book().Find(OwnName());
  std::vector<IdentityChange> changes;
  if (status == AgentStatus::kAlive) {
    const std::uint32_t number = before == nullptr ? 1 : before->id.incarnation() + 1;
    if (before != nullptr && IsRunning(before->status)) {
      Identity ended = *before;
      ended.status = AgentStatus::kCrashed;
      ended.exit = AgentExit{.cause = ExitCause::kUnknown, .at = now};
      changes.push_back({"crashed", "it ended without recording its end", std::move(ended)});
    }
    Identity self{AgentId(OwnName(), number)};
    self.created_at = self.last_seen = now;
    self.started_at = now;
    self.host = AgentHost::kSelf;
    self.respawn = false;
    if (before != nullptr) self.predecessor_id = before->id.text();
    self.lease = lease_;
    if (const auto us = IdentityOf(static_cast<pid_t>(ThisProcess()))) {
      self.process = ProcessMark{us->pid, us->start_time};
      self.boot_id = us->boot_id;
    }
    self.status = status;
    self_ = self.id;
    changes.push_back({"alive", std::string(why), std::move(self)});
  } else if (before != nullptr && self_ && before->id == *self_) {
    Identity ended = *before;
    ended.status = status;
    ended.exit = AgentExit{.code = 0, .cause = ExitCause::kClean, .at = now};
    changes.push_back({"terminated", std::string(why), std::move(ended)});
  }
  BELAY_TRY(identities_.Record(lock, changes));
  (void)identities_.Render(lock, OwnName());
  return {};
}

void Guardian::OnJournals() {
  const Result<void> caught_up = identities_.CatchUp();
  if (!caught_up) return ReportProblem(caught_up.error());
  ReconcileChanged();
  OnHooks();
  OnMergeQueue();
}

void Guardian::ReconcileChanged() {
  for (const IdentityName& name : identities_.book().TakeChanged()) {
    RenderSoon(name);
    Reconcile(name);
    NoteForDeadlines(name);
    if (HasInbox(name)) DeliverSoon(name);
  }
  snapshots_.GoOn();
  StopIfDone();
}

// "orchestrator-login.json": its exec has changed the run record.
void Guardian::OnRunFile(const std::string& name) {
  if (!name.ends_with(kRunEnd) || name.ends_with(".launch.json")) return;
  const Result<IdentityName> agent =
      IdentityName::Parse(name.substr(0, name.size() - kRunEnd.size()));
  if (agent) Reconcile(*agent);
}

// With `once`: stops when no agent is starting, about to be recorded, being captured, being stopped
// at its deadline, or due.
void Guardian::StopIfDone() {
  if (!options_.once) return;
  deferred_work_.Add("stop", [this] {
    if (!deferred_work_.idle()) return StopIfDone();
    bool busy = !snapshots_.idle() || !merging_.idle() || !sweeper_.idle() || !ends_.empty();
    for (const auto& [name, runtime] : runtimes_) {
      const Identity* identity = identities_.book().Find(name);
      if (identity == nullptr) continue;
      const bool due = identity->status == AgentStatus::kCrashed && identity->restart.due &&
                       IsOurs(*identity, lease_) && !runtime.exec_noted &&
                       runtime.trouble.empty() &&
                       TimeUntil(identity->restart, env_.clock.Wall()) <= Duration::zero();
      const bool stopping = IsTimedOut(*identity) && (runtime.agent.runs() || runtime.exec.runs());
      busy = busy || identity->status == AgentStatus::kSpawning || due || runtime.capturing ||
             stopping;
    }
    if (!busy) loop_.Stop();
  });
}

// Prints the same problem at most once a minute: retries fail with the same message.
void Guardian::ReportProblem(const Error& error) {
  const MonotonicTime now = loop_.Now();
  std::erase_if(complaints_, [&](const auto& said) { return said.second + kSaidAgain < now; });
  if (complaints_.size() >= kMostComplaints || !complaints_.emplace(error.message, now).second) {
    return;
  }
  options_.say(error.hint.empty() ? error.message
                                  : fmt::format("{} ({})", error.message, error.hint));
}

void Guardian::Say(const AgentId& agent, std::string_view what) {
  options_.say(fmt::format("{} {}", agent.text(), what));
}

Result<IdentityLock> Guardian::LockIdentities() const {
  return IdentityLedger::Lock(env_.files, env_.project, env_.lock_limit);
}

void Guardian::Note(const AgentId& agent, std::string_view why) {
  Say(agent, why);
  const Result<IdentityLock> lock = LockIdentities();
  if (!lock) return ReportProblem(lock.error());
  const Result<void> noted = identities_.Note(*lock, agent, why);
  if (!noted) ReportProblem(noted.error());
}

}  // namespace belay
