// The guardian: one for each project. It watches every recorded agent, records its end at once,
// saves its work, and restarts it according to the restart policy.
//
// One function, Reconcile, does everything about an agent: it compares the record with reality and
// takes the next step. It may be called at any time and any number of times. Events call it: a
// process ended, any process wrote a record, a run record changed, a timer expired, a snapshot is
// done. So a guardian may be killed at any moment: the next one reconciles every agent once at its
// start.
//
// It owns nothing that agents need to live: they keep running however it ends.

#ifndef BELAY_GUARDIAN_GUARDIAN_H_
#define BELAY_GUARDIAN_GUARDIAN_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/agent_end.h"
#include "app/agent_facts.h"
#include "app/env.h"
#include "base/result.h"
#include "engine/resumption/triggers.h"
#include "engine/supervise/hung_agent.h"
#include "engine/task/deadline.h"
#include "guardian/agent_runtime.h"
#include "guardian/control_server.h"
#include "guardian/deferred_work.h"
#include "guardian/merge_driver.h"
#include "guardian/respawn.h"
#include "guardian/snapshotter.h"
#include "guardian/state_watch.h"
#include "guardian/task_sweeper.h"
#include "ledger/dispatcher.h"
#include "ledger/family_table.h"
#include "ledger/signal_box.h"
#include "os/event_loop.h"
#include "os/service_notice.h"
#include "store/state_lock.h"

namespace belay {

struct GuardianOptions {
  bool once = false;  // do everything that is due, then end
  // Prints one line about an event, for people.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

class Guardian {
 public:
  // kBusy, naming the other one, when another guardian is running for this project. Takes the lock.
  static Result<std::unique_ptr<Guardian>> Create(const SessionEnv& env, EventLoop& loop,
                                                  ServiceNotice& service, GuardianOptions options);
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;
  ~Guardian();

  // Until SIGTERM or SIGINT, or with `once` until nothing is left to do. Agents keep running.
  Result<void> Run();

 private:
  Guardian(const SessionEnv& env, EventLoop& loop, ServiceNotice& service, GuardianOptions options,
           StateLock lock);

  // guardian.cc: start, end, events
  Result<void> Begin();
  Result<void> WatchEverything();
  void Listen();
  void KeepSocket();
  bool StopIfReplaced();
  Result<void> RecordOurselves(AgentStatus status, std::string_view why);
  void Heartbeat();
  void OnJournals();
  void RenderForeignChanges(const FolderEvent& event);
  void OnRunFile(const std::string& name);
  void ReconcileChanged();
  void ReconcileAll();
  void StopIfDone();
  void ReportProblem(const Error& error);
  void Say(const AgentId& agent, std::string_view what);

  // reconcile.cc: Reconcile, by status
  void Reconcile(const IdentityName& name);
  AgentRuntime* FindRuntime(const IdentityName& name);  // null: none
  AgentRuntime* FindRuntime(const AgentId& agent);      // of that incarnation only
  AgentRuntime& RuntimeOf(const Identity& identity);
  void ReconcileForeign(AgentRuntime& runtime, const Identity& identity);
  void ReconcileSpawning(AgentRuntime& runtime, const Identity& identity);
  void ReconcileRunning(AgentRuntime& runtime, const Identity& identity);
  void BeginWatching(AgentRuntime& runtime, const Identity& identity);
  void ReconcileFinished(AgentRuntime& runtime, const Identity& identity);
  void Adopt(AgentRuntime& runtime, const RunRecord& run);
  Result<void> WatchProcesses(AgentRuntime& runtime, const ProcessIdentity& agent,
                              const ProcessIdentity& exec);
  Result<void> WatchExec(AgentRuntime& runtime, const ProcessIdentity& exec);
  void ForgetExec(AgentRuntime& runtime);
  Result<void> WatchOne(WatchedProcess& watched, const ProcessIdentity& identity,
                        EventLoop::Callback callback);
  void EndIfAsked(AgentRuntime& runtime, const Identity& identity);
  void LaunchAgent(AgentRuntime& runtime, const Identity& identity);
  void ReconcileLater(AgentRuntime& runtime, Duration wait);
  void TryAgainLater(AgentRuntime& runtime, const Error& error);

  // agent_exits.cc: from a crash to the successor
  void ReconcileCrashed(AgentRuntime& runtime, const Identity& identity);
  void StartRespawn(const AgentId& crashed);
  void ContinueRespawn(const std::shared_ptr<Respawn>& respawn);
  void RespawnFailed(const AgentId& crashed, const Error& error);

  // restart_obstacles.cc: what blocks an agent's next step
  void ReapLater(WatchedProcess exec);
  void GiveUpStart(AgentRuntime& runtime, const Identity& identity, const ProbeResult& found);
  bool WaitForExec(AgentRuntime& runtime);
  bool AwaitsEnds() const;
  void RecordWait(AgentRuntime& runtime, const Identity& identity);
  bool LacksLaunchFile(const AgentId& crashed) const;
  std::string WhyNoRespawn(const AgentId& crashed, const Error& error) const;
  void GiveUpRespawn(const AgentId& crashed, const std::string& why);
  Result<void> ChangeCrashed(const AgentId& crashed, const std::string& why,
                             const std::function<void(Identity&)>& change);
  void EndOrphans(AgentRuntime& runtime);

  // agent_exits.cc: recording an agent's end
  void OnAgentGone(const AgentId& agent);
  bool RanOutOfMemory(const ExitStatus& exit);
  void OnExecGone(const AgentId& agent);
  void AddEnd(AgentRuntime& runtime, AgentEnd end);
  void AddReports(AgentRuntime& runtime, AgentEnd& end);
  void FlushEnds();
  Result<std::vector<Identity>> RecordAllEnds();
  void ReportEnd(const Identity& identity);
  void ReportRegistered(const Identity& identity);
  void ReportTerminated(AgentRuntime& runtime, const Identity& identity);
  void NotifyPerson(SignalType type, Json payload);
  void SendToPerson(const Signal& signal, int tries);

  // sampling.cc: checking running agents
  SampleSchedule Schedule() const;
  void ScheduleSample(AgentRuntime& runtime, MonotonicTime at);
  void SampleSoon(const AgentRuntime& runtime);
  void TakeSample(AgentRuntime& runtime, const Identity& identity);
  void SampleEarly(const AgentRuntime& runtime);
  void SampleWithoutHooks(AgentRuntime& runtime, const Identity& identity, bool last);
  void NoteKind(const Identity& identity, AgentKind kind);
  void RecordSample(AgentRuntime& runtime, bool active);
  bool ActOnSuspicion(AgentRuntime& runtime, const Identity& identity, const SuspicionStep& step);
  bool ActOnHung(AgentRuntime& runtime, const Identity& identity);
  Result<void> EndHung(const AgentId& agent);
  void EndProcesses(AgentRuntime& runtime);
  void ForceEnd(const AgentId& agent, Force force);
  void CaptureThenEnd(AgentRuntime& runtime);
  Result<void> SetStatus(const AgentId& agent, AgentStatus status, std::string_view why);

  // work_capture.cc: snapshots of agents' work, and what is known about it
  void Capture(AgentRuntime& runtime, std::string message);
  void OnCaptured(const AgentId& agent, const Result<SnapshotOutcome>& outcome);
  void CaptureAgainIfNeeded(AgentRuntime& runtime);
  Result<void> NoteWork(AgentRuntime& runtime, const SnapshotOutcome& outcome);
  void OnHooks();

  // agent_events.cc: events from agents' hooks
  void WatchEvents();
  void OnEventFile(const std::string& name);
  void ProcessEventsSoon(const IdentityName& name);
  void ProcessAllEvents();
  void ProcessEvents(AgentRuntime& runtime);
  void StartProcessingEvents(AgentRuntime& runtime);
  bool CatchUpOnEvents(AgentRuntime& runtime);
  void ActOnEvents(AgentRuntime& runtime, const EventSummary& before);
  void NoteConversation(const AgentRuntime& runtime);
  void NoteSession(const AgentId& agent, const std::string& session, SeenKind seen);
  void RecordEvents(AgentRuntime& runtime, const std::string& why, std::optional<WorkPhase> phase);
  void ActOnWaiting(AgentRuntime& runtime);
  void CopySummary(const AgentRuntime& runtime, Hook& hook) const;

  // agent_events.cc: how full an agent's context is
  void ReadContextSoon(const AgentRuntime& runtime);
  void ReadContext(AgentRuntime& runtime, const Identity& identity);
  void UpdateResumption(const Identity& identity, Trigger trigger, std::string_view what, Json set);
  void UpdateResumptionAfter(const AgentRuntime& runtime, const EventSummary& before);
  void NoteTier(const Identity& identity, double before, double now);

  // agent_events.cc: sessions that were started without belay
  void RegisterExternal(const IdentityName& name);
  void ReconcileExternal(AgentRuntime& runtime, const Identity& identity);
  void OnExternalGone(const AgentId& agent);

  // housekeeping.cc: messages to the person, also printed on the guardian's terminal
  void WatchPersonsInbox();
  void ShowNewToPerson();

  // inbox.cc: signals and requests to the guardian
  void OnSignals();
  void RetrySignals(const Error& error);
  SignalBox BoxOf(const Recipient& who);
  enum class Handled { kDone, kGoesOn };  // kGoesOn: acknowledged when that is done
  Result<Handled> Handle(const Signal& signal);
  Result<void> HandleKill(const Signal& signal);
  Result<Handled> HandleAgents(const Signal& signal, const AgentId& from);
  Result<void> MoveToCompletion(const AgentId& agent);
  Result<void> StopByRequest(const AgentId& agent, std::string_view by);
  Result<void> RequestStop(const AgentId& agent, const Intent& intent, const std::string& why);
  Result<Json> Answer(const Json& request, const Peer& peer);
  Result<Json> TakeSignal(const Json& request, const Peer& peer);

  // message_delivery.cc: messages to agents
  void WatchOutbox();
  void DeliverToAll();
  bool HasInbox(const IdentityName& name) const;
  void DeliverSoon(const IdentityName& name);
  void ReviewSoon(const IdentityName& name);
  void DeliverAgain(const IdentityName& name, Duration wait);
  void Deliver(const IdentityName& name);
  void ReportIfLate(const Identity& identity, const std::vector<Delivery>& waiting);
  void ReportUndelivered(const Identity& identity, const std::vector<Delivery>& late);

  // inbox.cc: finished work
  void OnMergeQueue();
  void TakeMergeReady(const Signal& signal);
  void SendMergeFailed(const IdentityName& agent, const std::string& reason);

  // deadlines.cc: deadlines of agents and tasks
  void OnTasks();
  void CheckDeadlinesSoon();
  void NoteForDeadlines(const IdentityName& name);
  void CheckDeadlines();
  void CheckDeadlinesAfterSleep();
  void HeedDeadline(const Task* task, const Identity* agent, std::string& to_sweep,
                    std::vector<std::function<void()>>& actions);
  DeadlineFacts DeadlineFactsOf(const Task* task, const Identity* agent);
  void ScheduleDeadlines();
  void Warn(const AgentId& agent, WallTime deadline, const std::string& text);
  void StopAtDeadline(const AgentId& agent, WallTime deadline);

  // Writes hold the journal's lock, which the guardian waits for only briefly.
  Result<IdentityLock> LockIdentities() const;
  void Note(const AgentId& agent, std::string_view why);

  // housekeeping.cc: clean-up, so that nothing grows for ever
  void NoticeSettings();
  void CleanUp();
  void DropOldNews();

  // housekeeping.cc: renderings for people and scripts, after all other work
  void RenderLater(std::string what, std::function<void()> render);
  void RenderNow();
  void RenderSoon(std::vector<RenderJob> jobs);
  void RenderSoon(const IdentityName& name) { RenderSoon(identities_.RenderJobsOf(name)); }
  void RenderHookSoon(const IdentityName& name) { RenderSoon({hooks_.RenderJobOf(name)}); }
  void RenderEverything();
  void WatchRenderings();
  bool LacksRenderings() const;

  SessionEnv env_;
  EventLoop& loop_;
  ServiceNotice& service_;
  GuardianOptions options_;
  StateLock lock_;  // held by the only guardian of the project
  Json lease_;      // of this project's own agents
  Ledgers ledgers_;
  IdentityLedger& identities_ = ledgers_.Get<IdentityFamily>();
  HookLedger& hooks_ = ledgers_.Get<HookFamily>();
  TaintLedger& taints_ = ledgers_.Get<TaintFamily>();
  MergeLedger& merges_ = ledgers_.Get<MergeFamily>();
  TaskLedger& tasks_ = ledgers_.Get<TaskFamily>();
  SignalBox inbox_;
  Dispatcher messages_;
  std::map<IdentityName, TimerId> message_timers_;  // when to look at an agent's messages again
  TimerId signals_again_ = {};
  std::set<std::string> shown_to_person_;  // ids of waiting signals that were printed
  DeferredWork deferred_work_;
  Snapshotter snapshots_;
  MergeDriver merging_;
  CheckoutWatch checkout_watch_;
  TaskSweeper sweeper_;
  DeadlineClock deadline_clock_;
  std::set<IdentityName> deadline_agents_;  // that have one, at the last check
  std::set<std::string> warned_;            // ids of messages
  std::optional<BootTime> next_deadline_;   // or the time of a warning
  TimerId deadline_timer_ = {};
  std::unique_ptr<StateWatch> state_;
  std::unique_ptr<ControlServer> control_;
  std::uint64_t socket_inode_ = 0;  // of its file; not reused while it listens
  std::optional<AgentId> self_;
  std::map<IdentityName, AgentRuntime> runtimes_;
  std::vector<AgentEnd> ends_;
  std::map<std::string, MonotonicTime> complaints_;         // printed lately, and when
  std::map<std::string, std::function<void()>> to_render_;  // soon, by name
  Duration flush_again_ = {};  // the wait before recording ends_ again, if that failed
  bool flushing_ = false;
  unsigned render_checks_ = 0;  // in a row that found renderings missing or failing
  bool not_rendered_ = false;   // a rendering failed since the last RenderEverything
  TimerId look_again_ = {};
  bool cold_ = true;  // the first round: no other process is about to launch an unstarted agent
  WallTime since_ = {};
  unsigned cleanups_ = 0;        // how many so far
  std::uint64_t oom_kills_ = 0;  // the kernel's count when last read
};

}  // namespace belay

#endif  // BELAY_GUARDIAN_GUARDIAN_H_
