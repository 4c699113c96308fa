#include "app/messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "adapters/agents.h"
#include "app/agent_facts.h"
#include "base/path.h"
#include "codec/json.h"
#include "engine/events/event_owner.h"
#include "engine/events/event_summary.h"
#include "engine/messages/message_text.h"
#include "host/launch.h"
#include "ledger/event_log.h"
#include "os/process_identity.h"

namespace belay {
namespace {

// A program that has hooks reports its start within this time.
constexpr Duration kFirstReport = std::chrono::seconds(10);

Dispatcher DispatcherOf(const SessionEnv& env) {
  return {env.files, env.clock, env.random, env.project, env.lock_limit};
}

// Its last event that isn't of a sub-agent; nothing when no hook has reported.
std::optional<AgentEvent> LastEventOf(const SessionEnv& env, const Identity& identity) {
  std::optional<AgentEvent> last;
  for (AgentEvent& event : LastEvents(env.files, env.project, identity.id.identity())) {
    const bool its = EventOwnerOf(event, identity) == EventOwner::kItself && !event.nested;
    if (its) last = std::move(event);
  }
  return last;
}

// For an agent that has reported nothing yet.
bool MayHaveHooks(const SessionEnv& env, const Identity& identity) {
  const Result<LaunchSpec> spec = ReadLaunchSpec(env.files, env.project, identity.id.identity());
  const HookVisibility sight = HookVisibilityOf(
      env.files, env.project, identity, spec ? spec->environment : Environment::Variables());
  return sight == HookVisibility::kInstalled || sight == HookVisibility::kUnknown;
}

// Its process has ended, but that isn't recorded yet.
bool IsGone(const Identity& identity) {
  return identity.process && !IsOfAnotherNamespace(identity.boot_id, BootId()) &&
         !IsAlive({static_cast<pid_t>(identity.process->pid), identity.process->start,
                   identity.boot_id});
}

bool IsLanding(const Signal& signal) {
  return signal.type == SignalType::kMergeConflict || signal.type == SignalType::kMergeFailed;
}

class Reviewer {
 public:
  Reviewer(const SessionEnv& env, const Identity& identity)
      : env_(env), identity_(identity), log_(LastEvents(env.files, env.project, Name())) {
    if (identity.process) summary_.owner = identity.process->pid;
    for (const AgentEvent& event : log_) {
      if (EventOwnerOf(event, identity) == EventOwner::kItself) AddEvent(summary_, event);
    }
  }

  Reading Judge(const Delivery& given) const {
    const bool present = given.agent == identity_.id;
    const bool runs = present && IsRunning(identity_.status);
    const std::vector<AgentEvent> events = EventsOf(given.agent);
    const std::optional<NamedEvent> named = FindEvent(given.by);
    const auto by = named ? std::optional(named->kind) : std::nullopt;
    ReadingEvidence evidence{
        .event = EventsShowReading(given, by, events), .ended = !runs, .hooks = !events.empty()};
    evidence.clean = present && identity_.exit && identity_.exit->code == 0;
    const std::string& transcript =
        given.transcript.empty() && present ? summary_.transcript : given.transcript;
    AddTranscript(given, transcript, evidence);
    return JudgeReading(given, by, evidence);
  }

 private:
  const IdentityName& Name() const { return identity_.id.identity(); }

  std::vector<AgentEvent> EventsOf(const AgentId& agent) const {
    std::vector<AgentEvent> events;
    for (const AgentEvent& event : log_) {
      const EventOwner owner = EventOwnerOf(event, identity_);
      const bool its = agent == identity_.id
                           ? owner == EventOwner::kItself
                           : owner == EventOwner::kFormer && event.agent == agent.text();
      if (its) events.push_back(event);
    }
    return events;
  }

  void AddTranscript(const Delivery& given, const std::string& transcript,
                     ReadingEvidence& evidence) const {
    if (transcript.empty()) return;
    const AgentKind kind = KindWithHooks(identity_, summary_.kind);
    const TextTrace trace =
        AdapterFor(kind).FindText(env_.files, transcript, MessageMark(given.id));
    evidence.readable = trace != TextTrace::kUnreadable;
    evidence.answered = trace == TextTrace::kAnswered;
    evidence.written = evidence.answered || trace == TextTrace::kWritten;
    evidence.last = transcript == summary_.transcript;
  }

  const SessionEnv& env_;
  const Identity& identity_;
  std::vector<AgentEvent> log_;
  EventSummary summary_;
};

}  // namespace

std::string_view ReachName(Reach reach) {
  switch (reach) {
    case Reach::kHooks:
      return "hooks";
    case Reach::kAtPrompt:
      return "at_prompt";
    case Reach::kNotYet:
      return "not_yet";
    case Reach::kNoHooks:
      return "no_hooks";
    case Reach::kComesBack:
      return "comes_back";
    case Reach::kEnded:
      return "ended";
  }
  __builtin_unreachable();
}

std::string ReachText(Reach reach, const IdentityName& agent) {
  const std::string& name = agent.text();
  switch (reach) {
    case Reach::kHooks:
      return "its next hook delivers it: at the next tool call, prompt or turn end";
    case Reach::kAtPrompt:
      return fmt::format(
          "{0} is waiting at its prompt, where no hook runs: its next prompt delivers it (belay "
          "attach {0})",
          name);
    case Reach::kNotYet:
      return fmt::format("{} has just started: its first hook delivers it", name);
    case Reach::kNoHooks:
      return fmt::format(
          "{} has no hooks, so it can't be delivered while the agent is running; belay agents "
          "shows it, and a successor gets it",
          name);
    case Reach::kComesBack:
      return fmt::format("{} isn't running: its successor gets it", name);
    case Reach::kEnded:
      return fmt::format("{} has ended", name);
  }
  __builtin_unreachable();
}

Reach ReachOf(const SessionEnv& env, const Identity& identity) {
  if (identity.status == AgentStatus::kQuarantined) return Reach::kComesBack;
  if (!IsRunning(identity.status)) {
    return identity.status == AgentStatus::kCrashed && identity.restart.due ? Reach::kComesBack
                                                                            : Reach::kEnded;
  }
  if (IsGone(identity)) {
    return identity.respawn && !StopIsRequested(identity) ? Reach::kComesBack : Reach::kEnded;
  }
  const std::optional<AgentEvent> last = LastEventOf(env, identity);
  if (!last) {
    const WallTime start = identity.started_at.value_or(identity.created_at);
    const bool young = env.clock.Wall() - start < kFirstReport;
    return young && MayHaveHooks(env, identity) ? Reach::kNotYet : Reach::kNoHooks;
  }
  const bool idle = identity.status == AgentStatus::kWaiting || last->kind == EventKind::kTurnEnded;
  return idle ? Reach::kAtPrompt : Reach::kHooks;
}

Duration TimeUntilLate(const Delivery& delivery, const Identity& identity, Reach reach,
                       const SuperviseSettings& settings, WallTime now) {
  const bool starts = reach == Reach::kNotYet;
  const Duration limit = reach == Reach::kNoHooks ? Duration::zero()
                         : starts                 ? kFirstReport
                                                  : settings.undelivered_after;
  // A message that has waited for long may be delivered by the first hook of a successor.
  const WallTime start = identity.started_at.value_or(identity.created_at);
  const WallTime from = starts ? std::max(delivery.sent_at, start) : delivery.sent_at;
  return std::min(from + limit - now, limit);
}

namespace {

struct CountedMessages {
  std::set<std::string> waiting = {};
  std::set<std::string> given = {};  // by a hook, and not recorded yet
};

void CountInOutbox(const DeliveryBook& book, const OutboxName& name, const GivenBatch& batch,
                   CountedMessages& counted) {
  const bool done = name.state == OutboxName::State::kDone;
  const bool offered =
      name.state == OutboxName::State::kWaiting || name.state == OutboxName::State::kTaken;
  const std::vector<Signal>& messages = batch.batch.messages;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const std::string& id = messages[i].id;
    const Delivery* known = book.Find(id);
    // One that was given and not read waits again.
    const bool again = known != nullptr && known->lost_at && name.at <= *known->lost_at;
    if (done && i < batch.receipt.given && !again) counted.given.insert(id);
    if (offered && (known == nullptr || known->waits())) counted.waiting.insert(id);
  }
}

}  // namespace

std::map<IdentityName, std::size_t> CountWaitingMessages(const SessionEnv& env) {
  std::map<IdentityName, CountedMessages> counted;
  DeliveryLedger ledger(env.files, env.clock, env.project);
  (void)ledger.CatchUp();
  for (const auto& [id, delivery] : ledger.book().all()) {
    if (delivery.waits()) counted[delivery.agent.identity()].waiting.insert(id);
  }
  const auto names = ListOutbox(env.files, env.project);
  for (const OutboxName& name : names ? *names : std::vector<OutboxName>()) {
    const auto batch = ReadGiven(env.files, JoinPath(env.project.OutboxFolder(), name.name));
    if (batch) CountInOutbox(ledger.book(), name, *batch, counted[name.agent]);
  }
  std::map<IdentityName, std::size_t> counts;
  for (auto& [agent, messages] : counted) {
    for (const std::string& id : messages.given) messages.waiting.erase(id);
    if (!messages.waiting.empty()) counts.emplace(agent, messages.waiting.size());
  }
  return counts;
}

std::vector<Signal> MessagesForResume(const SessionEnv& env, const Identity& predecessor) {
  Dispatcher dispatcher = DispatcherOf(env);
  (void)ReviewMessages(env, dispatcher, predecessor);  // if it fails, the next one does it
  Result<std::vector<Signal>> pending = dispatcher.Pending(predecessor.id.identity());
  if (!pending) return {};  // they stay in the inbox
  const bool hooks = LastEventOf(env, predecessor).has_value();
  std::erase_if(*pending, [&](const Signal& signal) { return hooks && !IsLanding(signal); });
  return *std::move(pending);
}

bool IsInResumeText(const Signal& signal, const Hook& hook) {
  const std::string entry = TextIn(signal.payload, "entry_id");
  return IsLanding(signal) && !entry.empty() && TextIn(hook.landing_problem, "entry_id") == entry;
}

void RecordResumed(const SessionEnv& env, const Identity& next, const ResumeMessages& messages) {
  if (messages.ids.empty()) return;
  Dispatcher dispatcher = DispatcherOf(env);
  if (messages.only_in_file) {
    (void)dispatcher.RecordNote(next, messages.ids,
                                fmt::format("it is in the resume file of {}", next.id.text()));
    return;
  }
  // If it fails, its first hook delivers them again.
  (void)dispatcher.Finalize(
      next, DeliveryState::kGiven, kByResumeText, "", [&](const Signal& signal) {
        return std::ranges::find(messages.ids, signal.id) != messages.ids.end();
      });
}

Result<std::size_t> DropMessages(const SessionEnv& env, const Identity& before,
                                 std::string_view why) {
  Dispatcher dispatcher = DispatcherOf(env);
  BELAY_TRY(ReviewMessages(env, dispatcher, before));
  BELAY_TRY_ASSIGN(const std::vector<Signal> pending, dispatcher.Pending(before.id.identity()));
  if (pending.empty()) return std::size_t{0};
  BELAY_TRY_ASSIGN(const std::vector<Delivery> dropped,
                   dispatcher.Finalize(before, DeliveryState::kDropped, "", why,
                                       [](const Signal&) { return true; }));
  return dropped.size();
}

Result<void> OfferMessages(const SessionEnv& env, const Identity& identity) {
  Dispatcher dispatcher = DispatcherOf(env);
  BELAY_TRY_ASSIGN(const std::vector<Signal> pending, dispatcher.Pending(identity.id.identity()));
  if (pending.empty()) return {};
  BELAY_TRY(dispatcher.Update(identity));
  return {};
}

Result<std::vector<Delivery>> ReviewMessages(const SessionEnv& env, Dispatcher& dispatcher,
                                             const Identity& identity) {
  std::optional<Reviewer> reviewer;
  return dispatcher.Review(identity, [&](const Delivery& given) {
    if (!reviewer) reviewer.emplace(env, identity);
    return reviewer->Judge(given);
  });
}

}  // namespace belay
