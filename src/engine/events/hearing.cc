#include "engine/events/hearing.h"

#include <fmt/core.h>

#include <algorithm>

namespace belay {
namespace {

bool IsCall(const AgentEvent& event) {
  return event.name == "PreToolUse" || event.name == "PostToolUse" ||
         event.name == "PostToolUseFailure";
}

bool IsBelow(const AgentEvent& event, std::int64_t pid) {
  return std::ranges::find(event.above, pid, &ProcessMark::pid) != event.above.end();
}

// Of another program of its kind that it started. One that begins beside it, or after it, is what
// the agent's command started next: that one counts from then on.
bool IsAnothers(const Hearing& hearing, const AgentEvent& event) {
  if (hearing.owner != 0 && event.pid == hearing.owner) return false;
  if (hearing.pid != 0 && event.pid != 0) {
    if (hearing.pid == event.pid) return false;
    const bool next = event.name == "SessionStart" && hearing.pid != hearing.owner &&
                      !event.above.empty() && !IsBelow(event, hearing.pid);
    return !next;
  }
  // Without processes to go by: a conversation that begins while another is open.
  return !hearing.session.empty() && !event.session.empty() && event.session != hearing.session &&
         event.name != "SessionStart";
}

// The command started another program, and the one before never said goodbye: a kill -9, or the
// kernel for lack of memory. What it was in the middle of is left, unless the new one resumes it.
void KeepWhatWasLeft(Hearing& hearing, const AgentEvent& event) {
  if (event.name != "SessionStart") return;
  std::erase_if(hearing.left, [&](const LeftTurn& left) { return left.session == event.session; });
  const bool next = hearing.pid != 0 && event.pid != 0 && event.pid != hearing.pid;
  const bool cut_off = hearing.goodbye.empty() && IsUnfinished(hearing.work, {}, false);
  if (!next || !cut_off || event.session == hearing.session) return;
  if (hearing.left.size() == Hearing::kMostLeft) hearing.left.erase(hearing.left.begin());
  hearing.left.push_back({hearing.session, hearing.transcript, hearing.work});
}

void TakeConversation(Hearing& hearing, const AgentEvent& event) {
  if (event.pid != 0) hearing.pid = event.pid;
  if (!event.session.empty()) hearing.session = event.session;
  if (!event.transcript.empty() && !event.nested) hearing.transcript = event.transcript;
  if (!event.folder.empty()) hearing.folder = event.folder;
}

void HearTests(Hearing& hearing, const AgentEvent& event) {
  if (event.action != ActionKind::kTest || event.name == "PreToolUse") return;
  hearing.tests_status = !event.passed ? "unknown" : *event.passed ? "passed" : "failed";
  const std::string how = event.passed && *event.passed ? "exit code 0" : event.detail;
  hearing.tests_detail = how.empty() ? event.subject : fmt::format("{}: {}", event.subject, how);
}

void HearCall(Hearing& hearing, const AgentEvent& event) {
  hearing.waits.clear();
  hearing.told.reset();
  const std::string what =
      event.subject.empty() ? event.tool : fmt::format("{} {}", event.tool, event.subject);
  if (event.name == "PreToolUse") {
    ++hearing.calls;
    AddAction(hearing.actions, {.what = what, .at = event.at});
    if (event.nested) return;
    if (const auto next = ConsiderAction(hearing.memory, hearing.phase, event.action)) {
      hearing.phase = *next;
    }
    return;
  }
  // Its end belongs to its beginning, if that is still there.
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
  if (event.name == "SessionStart") hearing.goodbye.clear();
  if (event.name == "SessionEnd") hearing.goodbye = event.detail.empty() ? "other" : event.detail;
}

void HearNotification(Hearing& hearing, const std::string& type) {
  if (type == "permission_prompt") hearing.waits = "permission";
  if (type == "idle_prompt" || type == "elicitation_dialog") hearing.waits = "input";
}

}  // namespace

std::optional<ExitCause> CauseOfFailure(std::string_view error) {
  if (error == "rate_limit") return ExitCause::kRateLimit;
  if (error.starts_with("authentication") || error == "billing_error" ||
      error == "oauth_org_not_allowed") {
    return ExitCause::kAuth;
  }
  const bool too_long = error == "prompt_too_long" || error == "context_window_exceeded";
  return too_long ? std::optional(ExitCause::kContextExhausted) : std::nullopt;
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
  if (IsCall(event)) return HearCall(hearing, event);
  if (event.name == "UserPromptSubmit" || event.name == kTurnGoesOn) {
    hearing.waits.clear();
    hearing.told.reset();
  } else if (event.name == "Stop") {
    hearing.waits = "input";
    hearing.told.reset();
  } else if (event.name == "StopFailure") {
    hearing.waits = WaitsFor(event.detail);
    hearing.told = CauseOfFailure(event.detail);
  } else if (event.name == "Notification") {
    HearNotification(hearing, event.detail);
  } else if (event.name == "PreCompact") {
    ++hearing.compactions;
  }
}

}  // namespace belay
