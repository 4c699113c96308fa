#include "engine/events/event_summary.h"

#include <fmt/core.h>

#include <algorithm>

namespace belay {
namespace {

constexpr int kAgainstSaid = 8;

int CallsToGoBack(WorkPhase phase) { return phase == WorkPhase::kInvestigation ? 8 : 3; }

int CallsNeeded(const ActionMemory& memory, WorkPhase present, WorkPhase guess) {
  if (memory.is_set) return kAgainstSaid;
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
bool IsAnothers(const EventSummary& summary, const AgentEvent& event) {
  if (summary.owner != 0 && event.pid == summary.owner) return false;
  if (summary.pid != 0 && event.pid != 0) {
    if (summary.pid == event.pid) return false;
    const bool next = StartsSession(event) && summary.pid != summary.owner &&
                      !event.above.empty() && !IsBelow(event, summary.pid);
    return !next;
  }
  // Without known processes: a conversation that begins while another is open.
  return !summary.session.empty() && !event.session.empty() && event.session != summary.session &&
         !StartsSession(event);
}

// The command started another program, and the previous one never reported its end: kill -9, or the
// kernel ran out of memory. Its unfinished turn is kept as left, unless the new program resumes it.
void KeepUnfinishedTurn(EventSummary& summary, const AgentEvent& event) {
  if (!StartsSession(event)) return;
  std::erase_if(summary.left, [&](const LeftTurn& left) { return left.session == event.session; });
  const bool next = summary.pid != 0 && event.pid != 0 && event.pid != summary.pid;
  const bool cut_off = summary.session_end.empty() && IsUnfinished(summary.work, {}, false);
  if (!next || !cut_off || event.session == summary.session) return;
  if (summary.left.size() == EventSummary::kMostLeft) summary.left.erase(summary.left.begin());
  summary.left.push_back({summary.session, summary.transcript, summary.work});
}

void TakeConversation(EventSummary& summary, const AgentEvent& event) {
  if (event.pid != 0) summary.pid = event.pid;
  if (!event.session.empty()) {
    summary.session = event.session;
    summary.kind = event.agent_kind;
  }
  if (!event.transcript.empty() && !event.nested) summary.transcript = event.transcript;
  if (!event.folder.empty()) summary.folder = event.folder;
}

void AddTests(EventSummary& summary, const AgentEvent& event) {
  if (event.action != ActionKind::kTest || event.kind == EventKind::kToolStarting) return;
  summary.tests_status = !event.passed ? "unknown" : *event.passed ? "passed" : "failed";
  const std::string how = event.passed && *event.passed ? "exit code 0" : event.detail;
  summary.tests_detail = how.empty() ? event.subject : fmt::format("{}: {}", event.subject, how);
}

void AddCall(EventSummary& summary, const AgentEvent& event) {
  const std::string what =
      event.subject.empty() ? event.tool : fmt::format("{} {}", event.tool, event.subject);
  if (event.kind == EventKind::kToolStarting) {
    ++summary.calls;
    AddAction(summary.actions, {.what = what, .at = event.at});
    if (event.nested) return;
    if (const auto next = ConsiderAction(summary.memory, summary.phase, event.action)) {
      summary.phase = *next;
    }
    return;
  }
  // Joins the end of a call to its beginning, if that is still in the list.
  for (auto action = summary.actions.rbegin(); action != summary.actions.rend(); ++action) {
    if (action->what != what || action->passed) continue;
    action->passed = event.passed;
    break;
  }
  AddTests(summary, event);
}

std::string WaitsFor(const std::string& failure) {
  const std::optional<ExitCause> cause = CauseOfFailure(failure);
  if (cause == ExitCause::kRateLimit) return "rate limit";
  return cause == ExitCause::kAuth ? "login" : "input";
}

void AddSessionEnd(EventSummary& summary, const AgentEvent& event) {
  if (StartsSession(event)) summary.session_end.clear();
  if (event.kind != EventKind::kSessionEnded) return;
  summary.session_end = event.detail.empty() ? "other" : event.detail;
}

void AddTurn(EventSummary& summary, std::string waits, std::optional<ExitCause> reported = {}) {
  summary.waits = std::move(waits);
  summary.reported = reported;
}

void AddKind(EventSummary& summary, const AgentEvent& event) {
  switch (event.kind) {
    case EventKind::kToolStarting:
    case EventKind::kToolFinished:
    case EventKind::kToolFailed:
      AddTurn(summary, "");
      return AddCall(summary, event);
    case EventKind::kPromptSubmitted:
    case EventKind::kTurnGoesOn:
      return AddTurn(summary, "");
    case EventKind::kTurnEnded:
      return AddTurn(summary, "input");
    case EventKind::kTurnFailed:
      return AddTurn(summary, WaitsFor(event.detail), CauseOfFailure(event.detail));
    case EventKind::kNotified:
      if (event.detail == EventDetail::kPermission || event.detail == EventDetail::kInput)
        summary.waits = event.detail;
      return;
    case EventKind::kCompactionStarting:
      ++summary.compactions;
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
  const bool reported = cause == ExitCause::kRateLimit || cause == ExitCause::kAuth ||
                        cause == ExitCause::kContextExhausted;
  return reported ? cause : std::nullopt;
}

EventSummary EventSummaryOf(const Hook& hook) {
  EventSummary summary;
  summary.phase = hook.work_phase;
  summary.actions = hook.last_actions;
  summary.tests_status = hook.tests_status;
  summary.tests_detail = hook.tests_detail;
  summary.window = hook.context_window;
  return summary;
}

void CopyUnrecorded(EventSummary& summary, const EventSummary& all) {
  summary.pid = all.pid;
  summary.folder = all.folder;
  summary.waits = all.waits;
  summary.reported = all.reported;
  summary.session_end = all.session_end;
  summary.work = all.work;
  summary.left = all.left;
}

void SetReportedPhase(EventSummary& summary, WorkPhase phase) {
  summary.phase = phase;
  summary.memory = {.is_set = true};
}

void CopyTo(Hook& hook, const EventSummary& summary) {
  hook.last_actions = summary.actions;
  hook.tests_status = summary.tests_status;
  hook.tests_detail = summary.tests_detail;
  hook.context_window = summary.window;
  if (summary.fill) hook.context_fill = summary.fill;
  if (!summary.transcript.empty()) hook.transcript_path = summary.transcript;
}

void AddEvent(EventSummary& summary, const AgentEvent& event) {
  ++summary.events;
  if (IsAnothers(summary, event)) return;
  KeepUnfinishedTurn(summary, event);
  TakeConversation(summary, event);
  if (event.window != 0) summary.window = event.window;
  if (event.fill) summary.fill = event.fill;
  AddSessionEnd(summary, event);
  AddWork(summary.work, event);
  AddKind(summary, event);
}

}  // namespace belay
