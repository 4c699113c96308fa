#include "guardian/messages.h"

#include <fmt/core.h>

#include <algorithm>

#include "codec/json_member.h"
#include "engine/events/whose_event.h"
#include "guardian/hook_sight.h"
#include "guardian/review.h"
#include "host/launch.h"
#include "ledger/dispatcher.h"
#include "ledger/event_log.h"
#include "os/process_identity.h"

namespace belay {
namespace {

// A program that has hooks reports its start within this time.
constexpr Duration kFirstReport = std::chrono::seconds(10);

Dispatcher DispatcherOf(const SessionDoors& doors) {
  return {doors.files, doors.clock, doors.random, doors.project, doors.lock_limit};
}

// Its last event that isn't of a sub-agent; nothing when no hook has reported.
std::optional<AgentEvent> LastEventOf(const SessionDoors& doors, const Identity& identity) {
  std::optional<AgentEvent> last;
  for (AgentEvent& event : LastEvents(doors.files, doors.project, identity.id.identity())) {
    const bool its = WhoseEvent(event, identity) == EventOwner::kItself && !event.nested;
    if (its) last = std::move(event);
  }
  return last;
}

// Of one that has reported nothing yet.
bool MayHaveHooks(const SessionDoors& doors, const Identity& identity) {
  const Result<LaunchSpec> spec =
      ReadLaunchSpec(doors.files, doors.project, identity.id.identity());
  const HookSight sight = FindHookSight(doors.files, doors.project, identity,
                                        spec ? spec->environment : Environment::Variables());
  return sight == HookSight::kInstalled || sight == HookSight::kUnknown;
}

// Its process has ended, and that isn't recorded yet.
bool IsGone(const Identity& identity) {
  return identity.process && !IsAlive({static_cast<pid_t>(identity.process->pid),
                                       identity.process->start, identity.boot_id});
}

bool IsLanding(const Signal& signal) {
  return signal.type == SignalType::kMergeConflict || signal.type == SignalType::kMergeFailed;
}

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
      return "its next hook delivers it: at the next tool call, prompt or end of a turn";
    case Reach::kAtPrompt:
      return fmt::format(
          "{0} waits at its prompt, where no hook runs: it is delivered when somebody types "
          "there (belay attach {0})",
          name);
    case Reach::kNotYet:
      return fmt::format("{} has just started: its first hook delivers it", name);
    case Reach::kNoHooks:
      return fmt::format(
          "{} has no hooks: it can't be delivered while it runs; belay agents shows it, and a "
          "successor gets it",
          name);
    case Reach::kComesBack:
      return fmt::format("{} doesn't run: its successor gets it", name);
    case Reach::kEnded:
      return fmt::format("{} has ended", name);
  }
  __builtin_unreachable();
}

Reach ReachOf(const SessionDoors& doors, const Identity& identity) {
  if (identity.status == AgentStatus::kQuarantined) return Reach::kComesBack;
  if (!IsRunning(identity.status)) {
    return identity.status == AgentStatus::kCrashed && identity.restart.due ? Reach::kComesBack
                                                                            : Reach::kEnded;
  }
  if (IsGone(identity)) {
    return identity.respawn && !IsToStop(identity) ? Reach::kComesBack : Reach::kEnded;
  }
  const std::optional<AgentEvent> last = LastEventOf(doors, identity);
  if (!last) {
    const WallTime start = identity.started_at.value_or(identity.created_at);
    const bool young = doors.clock.Wall() - start < kFirstReport;
    return young && MayHaveHooks(doors, identity) ? Reach::kNotYet : Reach::kNoHooks;
  }
  const bool idle = identity.status == AgentStatus::kWaiting || last->name == "Stop";
  return idle ? Reach::kAtPrompt : Reach::kHooks;
}

Duration TimeUntilLate(const Delivery& delivery, const Identity& identity, Reach reach,
                       const SuperviseSettings& settings, WallTime now) {
  const bool starts = reach == Reach::kNotYet;
  const Duration limit = reach == Reach::kNoHooks ? Duration::zero()
                         : starts                 ? kFirstReport
                                                  : settings.undelivered_after;
  // What has waited for long may be delivered by the first hook of a successor.
  const WallTime start = identity.started_at.value_or(identity.created_at);
  const WallTime from = starts ? std::max(delivery.sent_at, start) : delivery.sent_at;
  return std::min(from + limit - now, limit);
}

std::vector<Signal> MessagesForResume(const SessionDoors& doors, const Identity& predecessor) {
  Dispatcher dispatcher = DispatcherOf(doors);
  (void)ReviewMessages(doors, dispatcher, predecessor);  // if it fails, the next one does it
  Result<std::vector<Signal>> pending = dispatcher.Pending(predecessor.id.identity());
  if (!pending) return {};  // they stay in the inbox
  const bool hooks = LastEventOf(doors, predecessor).has_value();
  std::erase_if(*pending, [&](const Signal& signal) { return hooks && !IsLanding(signal); });
  return *std::move(pending);
}

bool IsInResumeText(const Signal& signal, const Hook& hook) {
  const std::string entry = TextIn(signal.payload, "entry_id");
  return IsLanding(signal) && !entry.empty() && TextIn(hook.landing_problem, "entry_id") == entry;
}

void RecordResumed(const SessionDoors& doors, const Identity& next,
                   const ResumeMessages& messages) {
  if (messages.ids.empty()) return;
  Dispatcher dispatcher = DispatcherOf(doors);
  if (messages.only_in_file) {
    (void)dispatcher.RecordNote(next, messages.ids,
                                fmt::format("it is in the resume file of {}", next.id.text()));
    return;
  }
  // If it fails, its first hook delivers them once more.
  (void)dispatcher.Settle(next, DeliveryState::kGiven, kByResumeText, "",
                          [&](const Signal& signal) {
                            return std::ranges::find(messages.ids, signal.id) != messages.ids.end();
                          });
}

Result<std::size_t> DropMessages(const SessionDoors& doors, const Identity& before,
                                 std::string_view why) {
  Dispatcher dispatcher = DispatcherOf(doors);
  BELAY_TRY(ReviewMessages(doors, dispatcher, before));
  BELAY_TRY_ASSIGN(const std::vector<Signal> pending, dispatcher.Pending(before.id.identity()));
  if (pending.empty()) return std::size_t{0};
  BELAY_TRY_ASSIGN(const std::vector<Delivery> dropped,
                   dispatcher.Settle(before, DeliveryState::kDropped, "", why,
                                     [](const Signal&) { return true; }));
  return dropped.size();
}

Result<void> OfferMessages(const SessionDoors& doors, const Identity& identity) {
  Dispatcher dispatcher = DispatcherOf(doors);
  BELAY_TRY_ASSIGN(const std::vector<Signal> pending, dispatcher.Pending(identity.id.identity()));
  if (pending.empty()) return {};
  BELAY_TRY(dispatcher.Update(identity));
  return {};
}

}  // namespace belay
