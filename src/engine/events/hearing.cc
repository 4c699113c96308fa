#include "engine/events/hearing.h"

#include <fmt/core.h>

#include <algorithm>

namespace belay {
namespace {

constexpr int kAgainstSaid = 8;

int CallsToGoBack(WorkPhase phase) { return phase == WorkPhase::kInvestigation ? 8 : 3; }

int CallsNeeded(const ActionMemory& memory, WorkPhase present, WorkPhase guess) {
  if (memory.told) return kAgainstSaid;
  return guess > present ? 1 : CallsToGoBack(guess);
}

}  // namespace

std::optional<WorkPhase> PhaseOf(ActionKind kind) {
  switch (kind) {
    case ActionKind::kOther:
      return std::nullopt;
    case ActionKind::kRead:
      return WorkPhase::kInvestigation;
    case ActionKind::kPlan:
      return WorkPhase::kPlanning;
    case ActionKind::kEdit:
      return WorkPhase::kImplementation;
    case ActionKind::kTest:
      return WorkPhase::kTesting;
    case ActionKind::kCommit:
      return WorkPhase::kCompletion;
  }
  __builtin_unreachable();
}

std::optional<WorkPhase> ConsiderAction(ActionMemory& memory, WorkPhase present, ActionKind kind) {
  const std::optional<WorkPhase> guess = PhaseOf(kind);
  if (!guess) return std::nullopt;
  if (*guess == present) {
    memory.calls = {};
    return std::nullopt;
  }
  const int calls = ++memory.calls[static_cast<std::size_t>(*guess)];
  if (calls < CallsNeeded(memory, present, *guess)) return std::nullopt;
  memory = {};
  return guess;
}

namespace {

bool StartsSession(const AgentEvent& event) { return event.kind == EventKind::kSessionStarted; }

bool IsBelow(const AgentEvent& event, std::int64_t pid) {
  return std::ranges::find(event.above, pid, &ProcessMark::pid) != event.above.end();
}

// From another program of the same kind that the agent started. A program that begins beside the
// current one, or after it, was started next by the agent's command: it counts from then on.
bool IsAnothers(const Hearing& hearing, const AgentEvent& event) {
  if (hearing.owner != 0 && event.pid == hearing.owner) return false;
  if (hearing.pid != 0 && event.pid != 0) {
    if (hearing.pid == event.pid) return false;
    const bool next = StartsSession(event) && hearing.pid != hearing.owner &&
                      !event.above.empty() && !IsBelow(event, hearing.pid);
    return !next;
  }
  // Without known processes: a conversation that begins while another is open.
  return !hearing.session.empty() && !event.session.empty() && event.session != hearing.session &&
         !StartsSession(event);
}

// The command started another program, and the previous one never reported its end: kill -9, or the
// kernel ran out of memory. Its unfinished turn is kept as left, unless the new program resumes it.
void KeepWhatWasLeft(Hearing& hearing, const AgentEvent& event) {
  if (!StartsSession(event)) return;
  std::erase_if(hearing.left, [&](const LeftTurn& left) { return left.session == event.session; });
  const bool next = hearing.pid != 0 && event.pid != 0 && event.pid != hearing.pid;
  const bool cut_off = hearing.goodbye.empty() && IsUnfinished(hearing.work, {}, false);
  if (!next || !cut_off || event.session == hearing.session) return;
  if (hearing.left.size() == Hearing::kMostLeft) hearing.left.erase(hearing.left.begin());
  hearing.left.push_back({hearing.session, hearing.transcript, hearing.work});
}

void TakeConversation(Hearing& hearing, const AgentEvent& event) {
  if (event.pid != 0) hearing.pid = event.pid;
  if (!event.session.empty()) {
    hearing.session = event.session;
    hearing.kind = event.agent_kind;
  }
  if (!event.transcript.empty() && !event.nested) hearing.transcript = event.transcript;
  if (!event.folder.empty()) hearing.folder = event.folder;
}

void HearTests(Hearing& hearing, const AgentEvent& event) {
  if (event.action != ActionKind::kTest || event.kind == EventKind::kToolStarting) return;
  hearing.tests_status = !event.passed ? "unknown" : *event.passed ? "passed" : "failed";
  const std::string how = event.passed && *event.passed ? "exit code 0" : event.detail;
  hearing.tests_detail = how.empty() ? event.subject : fmt::format("{}: {}", event.subject, how);
}

void HearCall(Hearing& hearing, const AgentEvent& event) {
  const std::string what =
      event.subject.empty() ? event.tool : fmt::format("{} {}", event.tool, event.subject);
  if (event.kind == EventKind::kToolStarting) {
    ++hearing.calls;
    AddAction(hearing.actions, {.what = what, .at = event.at});
    if (event.nested) return;
    if (const auto next = ConsiderAction(hearing.memory, hearing.phase, event.action)) {
      hearing.phase = *next;
    }
    return;
  }
  // Joins the end of a call to its beginning, if that is still in the list.
  for (auto action = hearing.actions.rbegin(); action != hearing.actions.rend(); ++action) {
    if (action->what != what || action->passed) continue;
    action->passed = event.passed;
    break;
  }
  HearTests(hearing, event);
}

std::string WaitsFor(const std::string& failure) {
  const std::optional<ExitCause> cause = CauseOfFailure(failure);
  if (cause == ExitCause::kRateLimit) return "rate limit";
  return cause == ExitCause::kAuth ? "login" : "input";
}

void HearGoodbye(Hearing& hearing, const AgentEvent& event) {
  if (StartsSession(event)) hearing.goodbye.clear();
  if (event.kind != EventKind::kSessionEnded) return;
  hearing.goodbye = event.detail.empty() ? "other" : event.detail;
}

void HearTurn(Hearing& hearing, std::string waits, std::optional<ExitCause> told = {}) {
  hearing.waits = std::move(waits);
  hearing.told = told;
}

void HearKind(Hearing& hearing, const AgentEvent& event) {
  switch (event.kind) {
    case EventKind::kToolStarting:
    case EventKind::kToolFinished:
    case EventKind::kToolFailed:
      HearTurn(hearing, "");
      return HearCall(hearing, event);
    case EventKind::kPromptSubmitted:
    case EventKind::kTurnGoesOn:
      return HearTurn(hearing, "");
    case EventKind::kTurnEnded:
      return HearTurn(hearing, "input");
    case EventKind::kTurnFailed:
      return HearTurn(hearing, WaitsFor(event.detail), CauseOfFailure(event.detail));
    case EventKind::kNotified:
      if (event.detail == EventDetail::kPermission || event.detail == EventDetail::kInput)
        hearing.waits = event.detail;
      return;
    case EventKind::kCompactionStarting:
      ++hearing.compactions;
      return;
    case EventKind::kSessionStarted:
    case EventKind::kSessionEnded:
    case EventKind::kCompactionFinished:
    case EventKind::kSubAgentEnded:
    case EventKind::kTaskCreated:
    case EventKind::kTaskCompleted:
    case EventKind::kStatusShown:
      return;
  }
}

}  // namespace

std::optional<ExitCause> CauseOfFailure(std::string_view error) {
  const std::optional<ExitCause> cause = ParseExitCause(error);
  const bool told = cause == ExitCause::kRateLimit || cause == ExitCause::kAuth ||
                    cause == ExitCause::kContextExhausted;
  return told ? cause : std::nullopt;
}

Hearing HearingOf(const Hook& hook) {
  Hearing hearing;
  hearing.phase = hook.work_phase;
  hearing.actions = hook.last_actions;
  hearing.tests_status = hook.tests_status;
  hearing.tests_detail = hook.tests_detail;
  hearing.window = hook.context_window;
  return hearing;
}

void TakeUp(Hearing& hearing, const Hearing& told) {
  hearing.pid = told.pid;
  hearing.folder = told.folder;
  hearing.waits = told.waits;
  hearing.told = told.told;
  hearing.goodbye = told.goodbye;
  hearing.work = told.work;
  hearing.left = told.left;
}

void HearPhase(Hearing& hearing, WorkPhase phase) {
  hearing.phase = phase;
  hearing.memory = {.told = true};
}

void NoteIn(Hook& hook, const Hearing& hearing) {
  hook.last_actions = hearing.actions;
  hook.tests_status = hearing.tests_status;
  hook.tests_detail = hearing.tests_detail;
  hook.context_window = hearing.window;
  if (hearing.fill) hook.context_fill = hearing.fill;
  if (!hearing.transcript.empty()) hook.transcript_path = hearing.transcript;
}

void Hear(Hearing& hearing, const AgentEvent& event) {
  ++hearing.events;
  if (IsAnothers(hearing, event)) return;
  KeepWhatWasLeft(hearing, event);
  TakeConversation(hearing, event);
  if (event.window != 0) hearing.window = event.window;
  if (event.fill) hearing.fill = event.fill;
  HearGoodbye(hearing, event);
  HearWork(hearing.work, event);
  HearKind(hearing, event);
}

}  // namespace belay
