// The guardian: one for each project. It watches every agent that is recorded, records how it ended
// the moment it does, keeps its work, and brings it back as the restart policy says.
//
// Everything it does about an agent is done by one function, Attend, which compares what is
// recorded with what is true and takes the next step; it may be called at any time and any number
// of times. What calls it are events: a process ended, a record was written (by anybody), a run
// record changed, a timer came due, a snapshot is done. So a guardian that was killed at any moment
// is made up for by the next one, which attends to everybody once at its start.
//
// It owns nothing that agents need to live: they go on when it ends, however it ends.

#ifndef BELAY_GUARDIAN_GUARDIAN_H_
#define BELAY_GUARDIAN_GUARDIAN_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/agent_adapters.h"
#include "app/end.h"
#include "app/session_doors.h"
#include "base/result.h"
#include "engine/supervise/suspicion.h"
#include "guardian/chores.h"
#include "guardian/control_server.h"
#include "guardian/merge_driver.h"
#include "guardian/respawn.h"
#include "guardian/snapshotter.h"
#include "guardian/state_watch.h"
#include "guardian/ward.h"
#include "ledger/dispatcher.h"
#include "ledger/families.h"
#include "ledger/signal_box.h"
#include "os/event_loop.h"
#include "os/service_notice.h"
#include "store/state_lock.h"

namespace belay {

struct GuardianOptions {
  bool once = false;  // do all that is due, then end
  // One line for people, about what happened.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

class Guardian {
 public:
  // kBusy when another one guards this project, naming it. From here on it is ours.
  static Result<std::unique_ptr<Guardian>> Create(const SessionDoors& doors, EventLoop& loop,
                                                  ServiceNotice& service, GuardianOptions options);
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;
  ~Guardian();

  // Until SIGTERM or SIGINT, or with `once` until nothing is left to do. Agents go on.
  Result<void> Run();

 private:
  Guardian(const SessionDoors& doors, EventLoop& loop, ServiceNotice& service,
           GuardianOptions options, StateLock lock);

  // guardian.cc: start, end, events
  Result<void> Begin();
  Result<void> WatchEverything();
  void Listen();
  void KeepSocket();
  bool LeaveIfReplaced();
  Result<void> RecordOurselves(AgentStatus status, std::string_view why);
  void Beat();
  void OnJournals();
  void RenderWhatOthersRecorded(const FolderEvent& event);
  void OnRunFile(const std::string& name);
  void AttendChanged();
  void AttendEverybody();
  void StopIfDone();
  void Complain(const Error& error);
  void Say(const AgentId& agent, std::string_view what);

  // attend.cc: the one function, by status
  void Attend(const IdentityName& name);
  Ward& WardOf(const Identity& identity);
  void AttendForeign(Ward& ward, const Identity& identity);
  void AttendSpawning(Ward& ward, const Identity& identity);
  void AttendRunning(Ward& ward, const Identity& identity);
  void AttendFinished(Ward& ward, const Identity& identity);
  void Adopt(Ward& ward, const RunRecord& run);
  Result<void> WatchProcesses(Ward& ward, const ProcessIdentity& agent,
                              const ProcessIdentity& exec);
  Result<void> WatchExec(Ward& ward, const ProcessIdentity& exec);
  void ForgetExec(Ward& ward);
  Result<void> WatchOne(WatchedProcess& watched, const ProcessIdentity& identity,
                        EventLoop::Callback callback);
  void EndIfAsked(Ward& ward, const Identity& identity);
  void LaunchWard(Ward& ward, const Identity& identity);
  void AttendLater(Ward& ward, Duration wait);
  void TryAgainLater(Ward& ward, const Error& error);

  // comebacks.cc: from a crash to the successor
  void AttendCrashed(Ward& ward, const Identity& identity);
  void BringBack(const AgentId& crashed);
  void StepOfRespawn(const std::shared_ptr<Respawn>& respawn);
  void RespawnFailed(const AgentId& crashed, const Error& error);

  // in_the_way.cc: what can't be waited for
  void ReapLater(WatchedProcess exec);
  void GiveUpStart(Ward& ward, const Identity& identity, const Found& found);
  bool WaitForExec(Ward& ward);
  bool AwaitsEnds() const;
  void RecordWait(Ward& ward, const Identity& identity);
  bool LacksLaunchFile(const AgentId& crashed) const;
  std::string WhyNeverBack(const AgentId& crashed, const Error& error) const;
  void GiveUpRespawn(const AgentId& crashed, const std::string& why);
  Result<void> ChangeCrashed(const AgentId& crashed, const std::string& why,
                             const std::function<void(Identity&)>& change);
  void EndOrphans(Ward& ward);

  // ends.cc: from a death to its record
  void OnAgentGone(const AgentId& agent);
  bool RanOutOfMemory(const ExitStatus& exit);
  void OnExecGone(const AgentId& agent);
  void AddEnd(Ward& ward, End end);
  void AskWhatItTold(Ward& ward, End& end);
  void FlushEnds();
  Result<std::vector<Identity>> RecordAllEnds();
  void TellAboutEnd(const Identity& identity);
  void TellOfNew(const Identity& identity);
  void TellOfEnd(Ward& ward, const Identity& identity);
  void TellPerson(SignalType type, Json payload);
  void SendToPerson(const Signal& signal, int tries);

  // looks.cc: looking after those that run
  LookSchedule Schedule() const;
  void LookAt(Ward& ward, MonotonicTime at);
  void LookSoon(const Ward& ward);
  void Look(Ward& ward, const Identity& identity);
  void LookEarly(const Ward& ward);
  void LookWithoutHooks(Ward& ward, const Identity& identity, bool last);
  void NoteKind(const Identity& identity, AgentKind kind);
  void RecordLook(Ward& ward, bool active);
  bool ActOnSuspicion(Ward& ward, const Identity& identity, const SuspicionStep& step);
  bool ActOnHung(Ward& ward, const Identity& identity);
  Result<void> EndHung(const AgentId& agent);
  void EndProcesses(Ward& ward);
  void ForceEnd(const AgentId& agent, Force force);
  void CaptureThenEnd(Ward& ward);
  Result<void> SetStatus(const AgentId& agent, AgentStatus status, std::string_view why);

  // work.cc: keeping their work, and what is known of it
  void Capture(Ward& ward, std::string message);
  void OnCaptured(const AgentId& agent, const Result<SnapshotOutcome>& outcome);
  void CaptureAgainIfNeeded(Ward& ward);
  Result<void> NoteWork(Ward& ward, const SnapshotOutcome& outcome);
  void OnHooks();

  // listening.cc: what their hooks tell
  void WatchEvents();
  void OnEventFile(const std::string& name);
  void ListenSoon(const IdentityName& name);
  void ListenToEverybody();
  void ListenTo(Ward& ward);
  void BeginToListen(Ward& ward);
  bool CatchUpOnEvents(Ward& ward);
  void ActOnHearing(Ward& ward, const Hearing& before);
  void NoteConversation(const Ward& ward);
  void NoteSession(const AgentId& agent, const std::string& session, SeenKind seen);
  void NoteHearing(Ward& ward, const std::string& why, std::optional<WorkPhase> phase);
  void ActOnWaiting(Ward& ward);
  void TakeHearing(const Ward& ward, Hook& hook) const;

  // listening.cc: how full it is
  void ReadContextSoon(const Ward& ward);
  void ReadContext(Ward& ward, const Identity& identity);

  // listening.cc: sessions that were started without belay
  void RegisterExternal(const IdentityName& name);
  void AttendExternal(Ward& ward, const Identity& identity);
  void OnExternalGone(const AgentId& agent);

  // housekeeping.cc: what the person should know, on the guardian's own terminal too
  void WatchPersonsInbox();
  void ShowNewToPerson();

  // inbox.cc: what others ask for
  void OnSignals();
  void LookAgainAtSignals(const Error& error);
  SignalBox BoxOf(const Recipient& who);
  enum class Handled { kDone, kGoesOn };  // kGoesOn: acknowledged when that is done
  Result<Handled> Handle(const Signal& signal);
  Result<void> HandleKill(const Signal& signal);
  Result<Handled> HandleAgents(const Signal& signal, const AgentId& from);
  Result<void> MoveToCompletion(const AgentId& agent);
  Result<void> StopByRequest(const AgentId& agent, std::string_view by);
  Result<Json> Answer(const Json& request, const Peer& peer);
  Result<Json> TakeSignal(const Json& request, const Peer& peer);

  // delivering.cc: messages to agents
  void WatchOutbox();
  void DeliverToEverybody();
  bool HasInbox(const IdentityName& name) const;
  void DeliverSoon(const IdentityName& name);
  void ReviewSoon(const IdentityName& name);
  void DeliverAgain(const IdentityName& name, Duration wait);
  void Deliver(const IdentityName& name);
  void ReportIfLate(const Identity& identity, const std::vector<Delivery>& waiting);
  void ReportUndelivered(const Identity& identity, const std::vector<Delivery>& late);

  // merging.cc: finished work
  void OnMergeQueue();
  void TakeMergeReady(const Signal& signal);

  // Writing, always under the lock of the journal, which is waited for only briefly.
  Result<IdentityLock> LockIdentities() const;
  void Note(const AgentId& agent, std::string_view why);

  // housekeeping.cc: so that nothing grows for ever
  void TidyUp();
  void TidyNews();

  // housekeeping.cc: for people and scripts, always behind everything else
  void RenderLater(std::string what, std::function<void()> render);
  void RenderNow();
  void RenderSoon(std::vector<RenderJob> jobs);
  void RenderSoon(const IdentityName& name) { RenderSoon(identities_.RenderJobsOf(name)); }
  void RenderHookSoon(const IdentityName& name) { RenderSoon({hooks_.RenderJobOf(name)}); }
  void RenderEverything();
  void WatchRenderings();
  bool LacksRenderings() const;

  SessionDoors doors_;
  EventLoop& loop_;
  ServiceNotice& service_;
  GuardianOptions options_;
  StateLock lock_;  // that we are the only one
  Json lease_;      // of those that are ours
  Ledgers ledgers_;
  IdentityLedger& identities_ = ledgers_.Get<IdentityFamily>();
  HookLedger& hooks_ = ledgers_.Get<HookFamily>();
  TaintLedger& taints_ = ledgers_.Get<TaintFamily>();
  MergeLedger& merges_ = ledgers_.Get<MergeFamily>();
  SignalBox inbox_;
  Dispatcher messages_;
  std::map<IdentityName, TimerId> message_timers_;  // when to look at an agent's messages again
  TimerId signals_again_ = {};
  std::set<std::string> shown_to_person_;  // ids of what waits for the person and was printed
  Chores chores_;
  Snapshotter snapshots_;
  MergeDriver merging_;
  CheckoutWatch checkout_watch_;
  std::unique_ptr<StateWatch> state_;
  std::unique_ptr<ControlServer> control_;
  std::uint64_t socket_inode_ = 0;  // of its file; can't be another's as long as it listens
  std::optional<AgentId> self_;
  std::map<IdentityName, Ward> wards_;
  std::vector<End> ends_;
  std::map<std::string, MonotonicTime> complaints_;         // said lately, and when
  std::map<std::string, std::function<void()>> to_render_;  // in a moment, by what
  Duration flush_again_ = {};  // after so long, if recording them failed
  bool flushing_ = false;
  unsigned looks_ = 0;         // in a row that found renderings missing, or failing
  bool not_rendered_ = false;  // since the last time that everything was to be rendered
  TimerId look_again_ = {};
  bool cold_ = true;  // the first round: nobody else is about to launch what was never started
  WallTime since_ = {};
  unsigned tidied_ = 0;          // how often
  std::uint64_t oom_kills_ = 0;  // by the kernel, when that was last looked at
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_GUARDIAN_H_
