#include "guardian/guardian.h"

#include <fmt/core.h>

#include <utility>

#include "app/session_place.h"
#include "base/path.h"
#include "base/utf8.h"
#include "os/memory.h"
#include "os/signals.h"
#include "os/this_process.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr auto kLockLimit = std::chrono::milliseconds(250);
// One that was killed while it started a process leaves the lock to that one for a moment, until it
// has become another program.
constexpr auto kTakeOverLimit = std::chrono::seconds(1);
constexpr auto kSaidAgain = std::chrono::minutes(1);
constexpr std::size_t kMostComplaints = 1000;
constexpr std::string_view kRunEnd = ".json";
constexpr std::string_view kSocketName = "guardian.sock";

SessionDoors WithShortLocks(SessionDoors doors) {
  doors.lock_limit = kLockLimit;
  return doors;
}

IdentityName OwnName() { return *IdentityName::Make("guardian", "main"); }

}  // namespace

Result<std::unique_ptr<Guardian>> Guardian::Create(const SessionDoors& doors, EventLoop& loop,
                                                   ServiceNotice& service,
                                                   GuardianOptions options) {
  BELAY_TRY(EnsureFolder(doors.files, doors.project.LockFolder()));
  Result<StateLock> lock =
      StateLock::Acquire(doors.files, doors.project.GuardianLock(), kTakeOverLimit);
  if (!lock && lock.error().code == ErrorCode::kBusy) {
    return Error{ErrorCode::kBusy,
                 fmt::format("another guardian guards this project: {}", lock.error().message),
                 "one is enough; belay agents shows it"};
  }
  if (!lock) return lock.error();
  std::unique_ptr<Guardian> guardian(
      new Guardian(doors, loop, service, std::move(options), *std::move(lock)));
  BELAY_TRY(guardian->Begin());
  return guardian;
}

Guardian::Guardian(const SessionDoors& doors, EventLoop& loop, ServiceNotice& service,
                   GuardianOptions options, StateLock lock)
    : doors_(WithShortLocks(doors)),
      loop_(loop),
      service_(service),
      options_(std::move(options)),
      lock_(std::move(lock)),
      lease_(OurLease(doors.files, doors.project)),
      ledgers_(doors.files, doors.clock, doors.project),
      inbox_(BoxOf(Recipient::Guardian())),
      messages_(doors.files, doors.clock, doors.random, doors.project, kLockLimit),
      chores_(loop),
      snapshots_(loop, doors.project, [this] { return AwaitsEnds(); }),
      merging_(
          loop, doors.project, [this](const std::string& line) { options_.say(line); },
          [this](const std::string& why) {
            TellPerson(SignalType::kEscalate, MakeObject({{"reason", ReplaceInvalidUtf8(why)}}));
          },
          [this] { OnMergeQueue(); }),
      checkout_watch_(loop, doors.files, std::string(ParentPath(doors.project.Vault())),
                      [this] { merging_.TryCheckouts(); }),
      since_(doors.clock.Wall()) {}

Guardian::~Guardian() = default;

Result<void> Guardian::Begin() {
  RaiseFileLimit();  // each agent takes two descriptors
  BELAY_TRY(EnsureFolder(doors_.files, doors_.project.RunFolder()));
  BELAY_TRY(inbox_.EnsureFolder());
  BELAY_TRY(identities_.CatchUp());
  BELAY_TRY(hooks_.CatchUp());
  BELAY_TRY(RecordOurselves(AgentStatus::kAlive, "a guardian starts"));
  BELAY_TRY(WatchEverything());
  (void)hooks_.book().TakeChanged();
  RenderEverything();
  AttendEverybody();
  oom_kills_ = OomKills(doors_.files);
  cold_ = false;
  AttendChanged();
  ListenToEverybody();
  OnSignals();  // now that those whom they are about are known
  if (self_) merging_.ActAs(*self_);
  if (doors_.files.Inspect(doors_.project.CheckoutMoveNote())) merging_.Recover();
  OnMergeQueue();
  DeliverToEverybody();
  Beat();
  service_.Ready();
  return {};
}

// Watch first, then look: what happens in between is seen twice rather than never.
Result<void> Guardian::WatchEverything() {
  for (const int signal : {kSignalTerminate, kSignalInterrupt}) {
    BELAY_TRY(loop_.WatchSignal(signal, [this] { loop_.Stop(); }));
  }
  BELAY_TRY(
      loop_.WatchFolderContent(doors_.project.JournalFolder(), [this](const FolderEvent& event) {
        RenderWhatOthersRecorded(event);
        OnJournals();
      }));
  BELAY_TRY(loop_.WatchFolder(doors_.project.RunFolder(), [this](const FolderEvent& event) {
    if (event.change == FolderChange::kMovedIn) OnRunFile(event.name);
    if (event.change == FolderChange::kOverflow) AttendEverybody();
    if (event.name == kSocketName || event.change == FolderChange::kOverflow) KeepSocket();
  }));
  BELAY_TRY(loop_.WatchFolderContent(doors_.project.Vault(),
                                     [this](const FolderEvent&) { (void)LeaveIfReplaced(); }));
  WatchEvents();
  WatchOutbox();
  WatchPersonsInbox();
  BELAY_TRY(loop_.WatchFolder(inbox_.folder(), [this](const FolderEvent& event) {
    if (event.change != FolderChange::kDeleted) OnSignals();
  }));
  // Also the folder above: when that is moved away, the watches of those in it go with it.
  std::vector<std::string> rendered = RenderingFolders(doors_.project);
  rendered.insert(rendered.begin(), doors_.project.ClaudeFolder());
  state_ = std::make_unique<StateWatch>(loop_, std::move(rendered), [this] { RenderEverything(); });
  Listen();
  return {};
}

// Everything but sending signals through it works without.
void Guardian::Listen() {
  Result<std::unique_ptr<ControlServer>> control = ControlServer::Listen(
      loop_, doors_.project.GuardianSocket(),
      [this](const Json& request, const Peer& peer) { return Answer(request, peer); });
  if (!control) return Complain(control.error());
  control_ = *std::move(control);
  const Result<FileInfo> file = doors_.files.Inspect(doors_.project.GuardianSocket());
  socket_inode_ = file ? file->inode : 0;
}

// Whoever removed or replaced it didn't mean that nobody should reach us: we have the lock.
void Guardian::KeepSocket() {
  if (LeaveIfReplaced()) return;
  const Result<FileInfo> file = doors_.files.Inspect(doors_.project.GuardianSocket());
  const bool ours = control_ && file && file->inode == socket_inode_;
  if (ours) return;
  Listen();
  options_.say("its socket was removed or replaced: it is made again");
}

// Without the file of our lock another guardian may have begun: of two the older one goes. So it
// does when a newer belay has taken over the vault. A format that can't be read this moment is
// none.
bool Guardian::LeaveIfReplaced() {
  const Result<void> format = CheckFormat(doors_.files, doors_.project);
  if (!format && format.error().code == ErrorCode::kDamaged) {
    loop_.Stop();
    return true;
  }
  if (lock_.IsAt(doors_.files, doors_.project.GuardianLock())) return false;
  Complain(Error{ErrorCode::kRefused,
                 "the lock of this guardian was removed: it ends; agents go on",
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
  return RecordOurselves(AgentStatus::kTerminated, "the guardian ends; agents go on");
}

// One wake-up a minute keeps our own last_seen, and tells a service manager that we are well.
void Guardian::Beat() {
  Duration period = doors_.settings.heartbeat;
  if (service_.WatchdogPeriod()) period = std::min(period, *service_.WatchdogPeriod() / 2);
  loop_.StartTimer(period, [this] { Beat(); });
  service_.StillAlive();
  if (LeaveIfReplaced()) return;
  OnSignals();  // what a guardian that was killed had taken is handed out again, later
  const Result<IdentityLock> lock = LockIdentities();
  if (!lock || !self_) return;
  const Result<void> seen = identities_.RecordSeen(*lock, *self_, std::nullopt);
  if (!seen) return Complain(seen.error());
  RenderSoon(self_->identity());
  DeliverToEverybody();
  TidyUp();
}

// By a copy of the names: what is done about one changes the book.
void Guardian::AttendEverybody() {
  std::vector<IdentityName> names;
  for (const auto& [name, entry] : identities_.book().entries()) names.push_back(name);
  for (const IdentityName& name : names) Attend(name);
}

Result<void> Guardian::RecordOurselves(AgentStatus status, std::string_view why) {
  BELAY_TRY_ASSIGN(const IdentityLock lock, IdentityLedger::Lock(doors_.files, doors_.project));
  BELAY_TRY(identities_.CatchUp());
  const WallTime now = doors_.clock.Wall();
  const Identity* before = identities_.book().Find(OwnName());
  std::vector<IdentityChange> changes;
  if (status == AgentStatus::kAlive) {
    const std::uint32_t number = before == nullptr ? 1 : before->id.incarnation() + 1;
    if (before != nullptr && IsRunning(before->status)) {
      Identity ended = *before;
      ended.status = AgentStatus::kCrashed;
      ended.exit = AgentExit{.cause = ExitCause::kUnknown, .at = now};
      changes.push_back({"crashed", "it ended without a word", std::move(ended)});
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
  if (!caught_up) return Complain(caught_up.error());
  AttendChanged();
  OnHooks();
  OnMergeQueue();
}

void Guardian::AttendChanged() {
  for (const IdentityName& name : identities_.book().TakeChanged()) {
    RenderSoon(name);
    Attend(name);
    if (HasInbox(name)) DeliverSoon(name);
  }
  snapshots_.GoOn();
  StopIfDone();
}

// "orchestrator-login.json": its exec has something to say.
void Guardian::OnRunFile(const std::string& name) {
  if (!name.ends_with(kRunEnd) || name.ends_with(".launch.json")) return;
  const Result<IdentityName> agent =
      IdentityName::Parse(name.substr(0, name.size() - kRunEnd.size()));
  if (agent) Attend(*agent);
}

// With `once`: when nobody starts, waits for being recorded, is captured, or is due.
void Guardian::StopIfDone() {
  if (!options_.once) return;
  chores_.Add("stop", [this] {
    if (!chores_.idle()) return StopIfDone();
    bool busy = !snapshots_.idle() || !merging_.idle() || !ends_.empty();
    for (const auto& [name, ward] : wards_) {
      const Identity* identity = identities_.book().Find(name);
      if (identity == nullptr) continue;
      const bool due = identity->status == AgentStatus::kCrashed && identity->restart.due &&
                       IsOurs(*identity, lease_) && !ward.exec_noted && ward.trouble.empty() &&
                       TimeUntil(identity->restart, doors_.clock.Wall()) <= Duration::zero();
      busy = busy || identity->status == AgentStatus::kSpawning || due || ward.capturing;
    }
    if (!busy) loop_.Stop();
  });
}

// The same once a minute: what is tried again and again fails again and again.
void Guardian::Complain(const Error& error) {
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
  return IdentityLedger::Lock(doors_.files, doors_.project, doors_.lock_limit);
}

void Guardian::Note(const AgentId& agent, std::string_view why) {
  Say(agent, why);
  const Result<IdentityLock> lock = LockIdentities();
  if (!lock) return Complain(lock.error());
  const Result<void> noted = identities_.Note(*lock, agent, why);
  if (!noted) Complain(noted.error());
}

}  // namespace belay
