// What the hooks of agents tell, as soon as they do: an event log that grows wakes us.

#include <fmt/core.h>

#include <utility>

#include "adapters/agents.h"
#include "app/agent_adapters.h"
#include "app/incarnation.h"
#include "app/register_session.h"
#include "engine/context/context_tier.h"
#include "engine/events/whose_event.h"
#include "guardian/guardian.h"
#include "store/durable_file.h"

namespace belay {
namespace {

// One that has finished a turn may be about to end, or be told something at once.
constexpr Duration kWaitsAfter = std::chrono::seconds(2);

}  // namespace

// Agents are guarded also where nobody can be listened to. A folder that is taken away is made
// anew.
void Guardian::WatchEvents() {
  const std::string folder = doors_.project.EventsFolder();
  const Result<void> there = EnsureFolder(doors_.files, folder);
  if (!there) return Complain(there.error());
  const Result<WatchId> watch = loop_.WatchFolderContent(folder, [this](const FolderEvent& event) {
    if (event.change == FolderChange::kWritten) OnEventFile(event.name);
    if (event.change == FolderChange::kGone) WatchEvents();
    const bool look = event.change == FolderChange::kOverflow;
    if (look || event.change == FolderChange::kGone) ListenToEverybody();
  });
  if (!watch) Complain(watch.error());
}

// "orchestrator-login.jsonl"
void Guardian::OnEventFile(const std::string& name) {
  if (!name.ends_with(kJournalEnd)) return;
  const Result<IdentityName> agent =
      IdentityName::Parse(name.substr(0, name.size() - kJournalEnd.size()));
  if (agent) ListenSoon(*agent);
}

void Guardian::ListenSoon(const IdentityName& name) {
  chores_.Add("events " + name.text(), [this, name] {
    if (name.role() == kExternalRole) RegisterExternal(name);
    const auto found = wards_.find(name);
    if (found != wards_.end()) ListenTo(found->second);
  });
}

// Also to those that nobody has registered yet.
void Guardian::ListenToEverybody() {
  const Result<std::vector<std::string>> names = doors_.files.List(doors_.project.EventsFolder());
  if (!names) return Complain(names.error());
  for (const std::string& name : *names) OnEventFile(name);
}

// From where the hook has it on.
void Guardian::BeginToListen(Ward& ward) {
  if (ward.hearing) return;
  const Hook* hook = hooks_.book().Find(ward.id.identity());
  ward.hearing = hook != nullptr ? HearingOf(*hook) : Hearing{};
  if (hook != nullptr) ward.heard = {hook->heard.inode, hook->heard.offset, hook->heard.first};
  const Identity* identity = identities_.book().Find(ward.id.identity());
  if (identity == nullptr || identity->id != ward.id) return;
  if (identity->process) ward.hearing->owner = identity->process->pid;
  ward.hearing->session = identity->session_id;
  // One before us has heard those, and only their sum is in the hook.
  Hearing told{.owner = ward.hearing->owner};
  for (const AgentEvent& event : LastEvents(doors_.files, doors_.project, ward.id.identity())) {
    if (WhoseEvent(event, *identity) == EventOwner::kItself) Hear(told, event);
  }
  TakeUp(*ward.hearing, told);
}

// Whether there was something new. Events of an incarnation that has ended change nothing.
bool Guardian::CatchUpOnEvents(Ward& ward) {
  BeginToListen(ward);
  const IdentityName& name = ward.id.identity();
  const Result<std::vector<AgentEvent>> events =
      ReadEvents(doors_.files, doors_.project, name, ward.heard);
  if (!events) {
    Complain(events.error());
    return false;
  }
  const Identity* identity = identities_.book().Find(name);
  if (identity == nullptr || identity->id != ward.id) return false;
  bool news = false;
  std::string passed_over;
  for (const AgentEvent& event : *events) {
    const EventOwner owner = WhoseEvent(event, *identity);
    if (owner == EventOwner::kItself) Hear(*ward.hearing, event);
    news = news || owner == EventOwner::kItself;
    if (owner == EventOwner::kFormer) {
      passed_over = fmt::format("a hook of {}, which has ended, told {}: passed over", event.agent,
                                EventKindName(event.kind));
    } else if (owner == EventOwner::kStranger) {
      passed_over = fmt::format("{} was told in its name by a process that isn't its: passed over",
                                EventKindName(event.kind));
    }
  }
  if (!passed_over.empty() && !std::exchange(ward.passed_over_noted, true)) {
    Note(ward.id, passed_over);
  }
  return news;
}

void Guardian::ListenTo(Ward& ward) {
  if (!ward.agent.runs()) return;  // its end catches up by itself
  BeginToListen(ward);
  const Hearing before = *ward.hearing;
  if (!CatchUpOnEvents(ward)) return;
  ward.told = true;
  ActOnHearing(ward, before);
}

void Guardian::ActOnHearing(Ward& ward, const Hearing& before) {
  const Hearing& now = *ward.hearing;
  if (now.session != before.session) NoteConversation(ward);
  const bool moved = now.phase != before.phase;
  const bool tests = now.tests_status != before.tests_status;
  const bool fill = now.fill != before.fill || now.window != before.window;
  if (moved || tests || fill || now.transcript != before.transcript) {
    const std::string why = moved ? fmt::format("phase {}, by its hooks", WorkPhaseName(now.phase))
                            : tests ? fmt::format("tests {}", now.tests_status)
                                    : std::string("by its hooks");
    NoteHearing(ward, why, moved ? std::optional(now.phase) : std::nullopt);
  }
  if (now.compactions != before.compactions) Capture(ward, "before its context is compacted");
  if (moved) Capture(ward, fmt::format("phase {}", WorkPhaseName(now.phase)));
  ActOnWaiting(ward);
  ReadContextSoon(ward);
  ReviewSoon(ward.id.identity());
}

// Which conversation it is in, so that a successor can go on with it.
void Guardian::NoteConversation(const Ward& ward) {
  const AgentKind kind = ward.hearing->kind.value_or(AgentKind::kGeneric);
  NoteSession(ward.id, ward.hearing->session, {kind, KindSource::kHooks});
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
             : fmt::format("{}'s own files say which one it is in", AdapterFor(seen.kind).title()),
         std::move(changed)});
    return identities_.Record(lock, changes);
  }();
  if (!noted) Complain(noted.error());
  RenderSoon(agent.identity());
}

void Guardian::TakeHearing(const Ward& ward, Hook& hook) const {
  if (!ward.HasHooks()) return;
  NoteIn(hook, *ward.hearing);
  hook.heard = {ward.heard.inode, ward.heard.offset, ward.heard.first};
}

void Guardian::NoteHearing(Ward& ward, const std::string& why, std::optional<WorkPhase> phase) {
  const Result<void> noted = [&]() -> Result<void> {
    BELAY_TRY_ASSIGN(const HookLock lock,
                     HookLedger::Lock(doors_.files, doors_.project, doors_.lock_limit));
    BELAY_TRY(hooks_.Change(lock, ward.id.identity(), ward.id.incarnation(), "heard", why,
                            [&](Hook& hook) {
                              TakeHearing(ward, hook);
                              if (phase) SetPhase(hook, *phase, doors_.clock.Wall(), "hooks");
                            }));
    return {};
  }();
  if (!noted) return Complain(noted.error());
  if (phase) ward.phase = phase;  // what was said meanwhile is for OnHooks to notice
  RenderHookSoon(ward.id.identity());
}

void Guardian::ActOnWaiting(Ward& ward) {
  loop_.CancelTimer(ward.waits_timer);
  const Identity* identity = identities_.book().Find(ward.id.identity());
  if (identity == nullptr || identity->id != ward.id) return;
  if (ward.hearing->waits.empty()) {
    if (identity->status != AgentStatus::kWaiting) return;
    const Result<void> set = SetStatus(ward.id, AgentStatus::kAlive, "it works again");
    if (!set) Complain(set.error());
    return;
  }
  ward.waits_timer = loop_.StartTimer(kWaitsAfter, [this, id = ward.id] {
    const auto found = wards_.find(id.identity());
    if (found == wards_.end() || found->second.id != id || !found->second.agent.runs()) return;
    const std::string& waits = found->second.hearing->waits;
    if (waits.empty()) return;
    const Result<void> set =
        SetStatus(id, AgentStatus::kWaiting, fmt::format("it waits for {}", waits));
    if (!set) Complain(set.error());
  });
}

// Sessions that were started without belay, and whose hooks tell of them: registered by the first
// thing they tell, watched, kept in snapshots, never ended and never started again.

void Guardian::RegisterExternal(const IdentityName& name) {
  const Identity* known = identities_.book().Find(name);
  if (known != nullptr && IsRunning(known->status)) return;
  const Result<bool> registered = RegisterSession(doors_, name);
  if (!registered) return Complain(registered.error());
  if (!*registered) return;
  OnJournals();  // which attends to it
}

void Guardian::AttendExternal(Ward& ward, const Identity& identity) {
  if (!IsRunning(identity.status)) return AttendFinished(ward, identity);
  if (ward.end_reported) return;
  if (ward.agent.runs()) {
    if (ward.timer_at <= loop_.Now()) LookSoon(ward);
    return;
  }
  if (!ward.agent.process && !ward.agent.gone && identity.process) {
    const ProcessIdentity process{static_cast<pid_t>(identity.process->pid),
                                  identity.process->start, identity.boot_id};
    const Result<void> watched =
        WatchOne(ward.agent, process, [this, id = ward.id] { OnExternalGone(id); });
    if (!watched) return TryAgainLater(ward, watched.error());
    if (ward.agent.runs()) {
      return LookAt(ward, Schedule().First(loop_.Now(), doors_.random.Next64()));
    }
  }
  AddEnd(ward, EndOf(identity, Found{Truth::kEnded}));
}

// Nobody but its parent is told how it ended.
void Guardian::OnExternalGone(const AgentId& agent) {
  const auto found = wards_.find(agent.identity());
  if (found == wards_.end() || found->second.id != agent) return;
  found->second.agent.gone = true;
  found->second.agent.process.reset();
  Attend(agent.identity());
}

// How full the context of an agent is: read from the end of its transcript whenever its hooks tell
// that there is something new in it.

namespace {

constexpr std::uint64_t kLargeWindow = 1'000'000;

// What the agent's status line said counts. Without it the settings do, unless there is more in it
// than they say it could hold.
std::uint64_t WindowFor(const Hearing& hearing, const ContextSettings& settings,
                        std::uint64_t tokens) {
  if (hearing.window != 0) return hearing.window;
  return tokens > settings.window ? std::max(tokens, kLargeWindow) : settings.window;
}

}  // namespace

void Guardian::ReadContextSoon(const Ward& ward) {
  chores_.Add("context " + ward.id.text(), [this, id = ward.id] {
    const auto found = wards_.find(id.identity());
    const Identity* identity = identities_.book().Find(id.identity());
    if (found == wards_.end() || found->second.id != id || identity == nullptr) return;
    ReadContext(found->second, *identity);
  });
}

void Guardian::ReadContext(Ward& ward, const Identity& identity) {
  if (!ward.HasHooks() || ward.hearing->transcript.empty()) return;
  const std::optional<ContextUse> use =
      AdapterFor(identity.agent_kind).ReadContext(doors_.files, ward.hearing->transcript);
  if (!use) return;
  const ContextSettings& settings = doors_.settings.context;
  const int percent = FillPercent(use->tokens, WindowFor(*ward.hearing, settings, use->tokens));
  if (ward.hearing->fill == percent) return;
  ward.hearing->fill = percent;
  const ContextTier tier = TierOf(percent, settings.limits);
  NoteHearing(ward, fmt::format("context {} %, {}", percent, ContextTierName(tier)), std::nullopt);
}

}  // namespace belay
