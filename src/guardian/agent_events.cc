// Events that agents' hooks report. A growing event log wakes the guardian.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "adapters/agents.h"
#include "app/agent_facts.h"
#include "app/incarnation.h"
#include "app/register_session.h"
#include "app/resumption.h"
#include "engine/context_window/context_tier.h"
#include "engine/events/event_owner.h"
#include "guardian/guardian.h"
#include "store/durable_file.h"

namespace belay {
namespace {

// An agent that has finished a turn may be about to end, or get new input at once.
constexpr Duration kWaitsAfter = std::chrono::seconds(2);

}  // namespace

// Agents are guarded even if the folder can't be watched. A removed folder is created again.
void Guardian::WatchEvents() {
  const std::string folder = env_.project.EventsFolder();
  const Result<void> there = EnsureFolder(env_.files, folder);
  if (!there) return ReportProblem(there.error());
  const Result<WatchId> watch = loop_.WatchFolderContent(folder, [this](const FolderEvent& event) {
    if (event.change == FolderChange::kWritten) OnEventFile(event.name);
    if (event.change == FolderChange::kGone) WatchEvents();
    const bool look = event.change == FolderChange::kOverflow;
    if (look || event.change == FolderChange::kGone) ProcessAllEvents();
  });
  if (!watch) ReportProblem(watch.error());
}

// "orchestrator-login.jsonl"
void Guardian::OnEventFile(const std::string& name) {
  if (!name.ends_with(kJournalEnd)) return;
  const Result<IdentityName> agent =
      IdentityName::Parse(name.substr(0, name.size() - kJournalEnd.size()));
  if (agent) ProcessEventsSoon(*agent);
}

void Guardian::ProcessEventsSoon(const IdentityName& name) {
  deferred_work_.Add("events " + name.text(), [this, name] {
    if (name.role() == kExternalRole) RegisterExternal(name);
    if (AgentRuntime* runtime = FindRuntime(name)) ProcessEvents(*runtime);
  });
}

// Also those of agents that are not registered yet.
void Guardian::ProcessAllEvents() {
  const Result<std::vector<std::string>> names = env_.files.List(env_.project.EventsFolder());
  if (!names) return ReportProblem(names.error());
  for (const std::string& name : *names) OnEventFile(name);
}

// Continues at the place that the hook record holds.
void Guardian::StartProcessingEvents(AgentRuntime& runtime) {
  if (runtime.summary) return;
  const Hook* hook = hooks_.book().Find(runtime.id.identity());
  runtime.summary = hook != nullptr ? EventSummaryOf(*hook) : EventSummary{};
  if (hook != nullptr)
    runtime.events_read = {hook->events_read.inode, hook->events_read.offset,
                           hook->events_read.first};
  const Identity* identity = identities_.book().Find(runtime.id.identity());
  if (identity == nullptr || identity->id != runtime.id) return;
  if (identity->process) runtime.summary->owner = identity->process->pid;
  runtime.summary->session = identity->session_id;
  // An earlier guardian has read those; the hook record holds only their summary.
  EventSummary all{.owner = runtime.summary->owner};
  for (const AgentEvent& event : LastEvents(env_.files, env_.project, runtime.id.identity())) {
    if (EventOwnerOf(event, *identity) == EventOwner::kItself) AddEvent(all, event);
  }
  CopyUnrecorded(*runtime.summary, all);
}

// Whether there was a new event. Events of an incarnation that has ended change nothing.
bool Guardian::CatchUpOnEvents(AgentRuntime& runtime) {
  StartProcessingEvents(runtime);
  const IdentityName& name = runtime.id.identity();
  const Result<std::vector<AgentEvent>> events =
      ReadEvents(env_.files, env_.project, name, runtime.events_read);
  if (!events) {
    ReportProblem(events.error());
    return false;
  }
  const Identity* identity = identities_.book().Find(name);
  if (identity == nullptr || identity->id != runtime.id) return false;
  bool news = false;
  std::string ignored;
  for (const AgentEvent& event : *events) {
    const EventOwner owner = EventOwnerOf(event, *identity);
    if (owner == EventOwner::kItself) AddEvent(*runtime.summary, event);
    news = news || owner == EventOwner::kItself;
    if (owner == EventOwner::kFormer) {
      ignored = fmt::format("ignored {}: sent by a hook of {}, which has ended",
                            EventKindName(event.kind), event.agent);
    } else if (owner == EventOwner::kStranger) {
      ignored = fmt::format("ignored {}: sent by a process outside this agent's process tree",
                            EventKindName(event.kind));
    }
  }
  if (!ignored.empty() && !std::exchange(runtime.ignored_noted, true)) {
    Note(runtime.id, ignored);
  }
  return news;
}

void Guardian::ProcessEvents(AgentRuntime& runtime) {
  if (!runtime.agent.runs()) return;  // AddReports reads them when it records the end
  StartProcessingEvents(runtime);
  const EventSummary before = *runtime.summary;
  if (!CatchUpOnEvents(runtime)) return;
  runtime.reported = true;
  ActOnEvents(runtime, before);
}

void Guardian::ActOnEvents(AgentRuntime& runtime, const EventSummary& before) {
  const EventSummary& now = *runtime.summary;
  if (now.session != before.session) NoteConversation(runtime);
  const bool moved = now.phase != before.phase;
  const bool tests = now.tests_status != before.tests_status;
  const bool fill = now.fill != before.fill || now.window != before.window;
  if (moved || tests || fill || now.transcript != before.transcript) {
    const std::string why =
        moved   ? fmt::format("phase {}, reported by its hooks", WorkPhaseName(now.phase))
        : tests ? fmt::format("tests {}", now.tests_status)
                : std::string("by its hooks");
    RecordEvents(runtime, why, moved ? std::optional(now.phase) : std::nullopt);
  }
  if (now.compactions != before.compactions) Capture(runtime, "before its context is compacted");
  if (moved) Capture(runtime, fmt::format("phase {}", WorkPhaseName(now.phase)));
  if (moved || fill) UpdateResumptionAfter(runtime, before);
  ActOnWaiting(runtime);
  ReadContextSoon(runtime);
  ReviewSoon(runtime.id.identity());
}

// T1 of its resumption document when its work phase changed, T7 when its context did.
void Guardian::UpdateResumptionAfter(const AgentRuntime& runtime, const EventSummary& before) {
  const EventSummary& now = *runtime.summary;
  const Identity* identity = identities_.book().Find(runtime.id.identity());
  if (identity == nullptr || identity->id != runtime.id) return;
  if (now.phase != before.phase) {
    const std::string_view phase = WorkPhaseName(now.phase);
    UpdateResumption(
        *identity, Trigger::kPhaseStart, fmt::format("work phase {}", phase),
        MakeObject({{"current_activity", fmt::format("{}: {}", runtime.id.text(), phase)}}));
  }
  if (now.fill) NoteTier(*identity, before.fill.value_or(0), *now.fill);
}

// Records its conversation, so that a successor can continue it.
void Guardian::NoteConversation(const AgentRuntime& runtime) {
  const AgentKind kind = runtime.summary->kind.value_or(AgentKind::kGeneric);
  NoteSession(runtime.id, runtime.summary->session, {kind, KindSource::kHooks});
}

void Guardian::NoteSession(const AgentId& agent, const std::string& session, SeenKind seen) {
  const Result<void> noted = [&]() -> Result<void> {
    BELAY_TRY_ASSIGN(const IdentityLock lock, LockIdentities());
    BELAY_TRY(identities_.CatchUp());
    const Identity* present = identities_.book().Find(agent.identity());
    if (present == nullptr || present->id != agent) return {};
    std::vector<IdentityChange> changes;
    std::optional<IdentityChange> kind = CorrectedKind(*present, seen);
    Identity changed = kind ? kind->identity : *present;
    if (kind) changes.push_back(*std::move(kind));
    changed.session_id = session;
    changes.push_back(
        {"conversation",
         seen.by == KindSource::kHooks
             ? std::string("its hook named the conversation")
             : fmt::format("found the conversation in {}'s files", AdapterFor(seen.kind).title()),
         std::move(changed)});
    return identities_.Record(lock, changes);
  }();
  if (!noted) ReportProblem(noted.error());
  RenderSoon(agent.identity());
}

void Guardian::CopySummary(const AgentRuntime& runtime, Hook& hook) const {
  if (!runtime.HasHooks()) return;
  CopyTo(hook, *runtime.summary);
  hook.events_read = {runtime.events_read.inode, runtime.events_read.offset,
                      runtime.events_read.first};
}

void Guardian::RecordEvents(AgentRuntime& runtime, const std::string& why,
                            std::optional<WorkPhase> phase) {
  const Result<void> noted = [&]() -> Result<void> {
    BELAY_TRY_ASSIGN(const HookLock lock,
                     HookLedger::Lock(env_.files, env_.project, env_.lock_limit));
    BELAY_TRY(hooks_.Change(lock, runtime.id.identity(), runtime.id.incarnation(), "events", why,
                            [&](Hook& hook) {
                              CopySummary(runtime, hook);
                              if (phase) SetPhase(hook, *phase, env_.clock.Wall(), "hooks");
                            }));
    return {};
  }();
  if (!noted) return ReportProblem(noted.error());
  if (phase) runtime.phase = phase;  // OnHooks notices what others wrote since
  RenderHookSoon(runtime.id.identity());
}

void Guardian::ActOnWaiting(AgentRuntime& runtime) {
  loop_.CancelTimer(runtime.waits_timer);
  const Identity* identity = identities_.book().Find(runtime.id.identity());
  if (identity == nullptr || identity->id != runtime.id) return;
  if (runtime.summary->waits.empty()) {
    if (identity->status != AgentStatus::kWaiting) return;
    const Result<void> set = SetStatus(runtime.id, AgentStatus::kAlive, "it is working again");
    if (!set) ReportProblem(set.error());
    return;
  }
  runtime.waits_timer = loop_.StartTimer(kWaitsAfter, [this, id = runtime.id] {
    const AgentRuntime* found = FindRuntime(id);
    if (found == nullptr || !found->agent.runs()) return;
    const std::string& waits = found->summary->waits;
    if (waits.empty()) return;
    const Result<void> set =
        SetStatus(id, AgentStatus::kWaiting, fmt::format("waiting for {}", waits));
    if (!set) ReportProblem(set.error());
  });
}

// Sessions that were started without belay and whose hooks report events. The first event registers
// them. The guardian watches them and takes snapshots, but never ends or restarts them.

void Guardian::RegisterExternal(const IdentityName& name) {
  const Identity* known = identities_.book().Find(name);
  if (known != nullptr && IsRunning(known->status)) return;
  const Result<bool> registered = RegisterSession(env_, name);
  if (!registered) return ReportProblem(registered.error());
  if (!*registered) return;
  OnJournals();  // which reconciles it
}

void Guardian::ReconcileExternal(AgentRuntime& runtime, const Identity& identity) {
  if (!IsRunning(identity.status)) return ReconcileFinished(runtime, identity);
  if (runtime.end_reported) return;
  if (runtime.agent.runs()) {
    if (runtime.timer_at <= loop_.Now()) SampleSoon(runtime);
    return;
  }
  if (!runtime.agent.process && !runtime.agent.gone && identity.process) {
    const ProcessIdentity process{static_cast<pid_t>(identity.process->pid),
                                  identity.process->start, identity.boot_id};
    const Result<void> watched =
        WatchOne(runtime.agent, process, [this, id = runtime.id] { OnExternalGone(id); });
    if (!watched) return TryAgainLater(runtime, watched.error());
    if (runtime.agent.runs()) {
      return ScheduleSample(runtime, Schedule().First(loop_.Now(), env_.random.Next64()));
    }
  }
  AddEnd(runtime, AgentEndOf(identity, ProbeResult{ActualState::kEnded}));
}

// The kernel reports only to its parent how it ended.
void Guardian::OnExternalGone(const AgentId& agent) {
  AgentRuntime* runtime = FindRuntime(agent);
  if (runtime == nullptr) return;
  runtime->agent.gone = true;
  runtime->agent.process.reset();
  Reconcile(agent.identity());
}

// How full the context of an agent is: read from the end of its transcript whenever its hooks
// report an event.

namespace {

constexpr std::uint64_t kLargeWindow = 1'000'000;

// The size that the agent's status line reported; without one the size in the settings, unless the
// context already holds more than that.
std::uint64_t WindowFor(const EventSummary& summary, const ContextSettings& settings,
                        std::uint64_t tokens) {
  if (summary.window != 0) return summary.window;
  return tokens > settings.window ? std::max(tokens, kLargeWindow) : settings.window;
}

}  // namespace

void Guardian::ReadContextSoon(const AgentRuntime& runtime) {
  deferred_work_.Add("context " + runtime.id.text(), [this, id = runtime.id] {
    AgentRuntime* found = FindRuntime(id);
    const Identity* identity = identities_.book().Find(id.identity());
    if (found != nullptr && identity != nullptr) ReadContext(*found, *identity);
  });
}

// An update of the agent's resumption document, if it has one.
void Guardian::UpdateResumption(const Identity& identity, Trigger trigger, std::string_view what,
                                Json set) {
  std::optional<std::string> path =
      FindDocumentQuickly(env_.files, env_.project, identity.worktree_path);
  if (!path) return;
  const WallTime now = env_.clock.Wall();
  const ResumptionEvent event{
      .id = fmt::format("{} {} {}", identity.id.text(), what, FormatUtcMicros(now)),
      .trigger = trigger,
      .at = now,
      .set = std::move(set)};
  const DocumentEnv document{env_.files,
                             env_.clock,
                             env_.project,
                             *std::move(path),
                             {identity.id.text(), identity.session_id, identity.created_at},
                             env_.lock_limit,
                             true};
  const Result<UpdateOutcome> updated = UpdateDocument(document, event);
  if (!updated) ReportProblem(updated.error());
}

// Both fills are per cent.
void Guardian::NoteTier(const Identity& identity, double before, double now) {
  const auto tier_of = [&](double fill) {
    return TierOf(static_cast<int>(std::lround(fill)), env_.settings.context.limits);
  };
  const ContextTier tier = tier_of(now);
  if (tier == tier_of(before)) return;
  const double fill = std::clamp(now / 100, 0.0, 1.0);
  UpdateResumption(identity, Trigger::kThreshold, fmt::format("tier {}", ContextTierName(tier)),
                   MakeObject({{"context_fill_at_update", Json::FromDouble(fill)}}));
}

void Guardian::ReadContext(AgentRuntime& runtime, const Identity& identity) {
  if (!runtime.HasHooks() || runtime.summary->transcript.empty()) return;
  const std::optional<ContextUse> use =
      AdapterFor(identity.agent_kind).ReadContext(env_.files, runtime.summary->transcript);
  if (!use) return;
  const ContextSettings& settings = env_.settings.context;
  const int percent = FillPercent(use->tokens, WindowFor(*runtime.summary, settings, use->tokens));
  if (runtime.summary->fill == percent) return;
  const std::optional<double> before = std::exchange(runtime.summary->fill, percent);
  const ContextTier tier = TierOf(percent, settings.limits);
  NoteTier(identity, before.value_or(0), percent);
  RecordEvents(runtime, fmt::format("context {} %, {}", percent, ContextTierName(tier)),
               std::nullopt);
}

}  // namespace belay
