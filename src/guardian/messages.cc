#include "guardian/messages.h"

#include <fmt/core.h>

#include <algorithm>

#include "codec/json_member.h"
#include "engine/events/whose_event.h"
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

// The end of a file; nothing when it can't be read.
std::string EndOf(const FileSystem& files, const std::string& path) {
  constexpr std::uint64_t kMost = std::uint64_t{8} << 20U;
  const Result<File> file = files.OpenForReading(path);
  const Result<FileInfo> info = file ? file->Inspect() : file.error();
  if (!info) return {};
  const std::uint64_t begin = info->bytes > kMost ? info->bytes - kMost : 0;
  std::string text(info->bytes - begin, '\0');
  const Result<std::size_t> count = file->ReadAt(begin, text.data(), text.size());
  text.resize(count ? *count : 0);
  return text;
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
    return young && identity.agent_kind == AgentKind::kClaude ? Reach::kNotYet : Reach::kNoHooks;
  }
  const bool idle = identity.status == AgentStatus::kWaiting || last->name == "Stop";
  return idle ? Reach::kAtPrompt : Reach::kHooks;
}

std::vector<Signal> MessagesForResume(const SessionDoors& doors, const Identity& predecessor,
                                      const std::string& transcript) {
  Dispatcher dispatcher = DispatcherOf(doors);
  const std::string conversation = EndOf(doors.files, transcript);
  // If it fails, they count as read.
  (void)dispatcher.Reconsider(predecessor, [&](const Signal& signal) {
    return conversation.find(MessageMark(signal)) != std::string::npos;
  });
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
                   std::span<const std::string> ids) {
  if (ids.empty()) return;
  // If it fails, its first hook delivers them once more.
  (void)DispatcherOf(doors).Settle(
      next, DeliveryState::kDelivered, "resume text", "",
      [&](const Signal& signal) { return std::ranges::find(ids, signal.id) != ids.end(); });
}

Result<std::size_t> DropMessages(const SessionDoors& doors, const Identity& before,
                                 std::string_view why) {
  Dispatcher dispatcher = DispatcherOf(doors);
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
