// Lines of version 1 used Claude Code's names of events and details. This is what those names meant
// when they were written; it never changes.

#include <string_view>

#include "codec/json.h"
#include "model/agent_event.h"
#include "model/stored_record.h"

namespace belay {
namespace {

struct FormerKind {
  std::string_view name;
  EventKind kind;
};
constexpr FormerKind kFormerKinds[] = {
    {"SessionStart", EventKind::kSessionStarted},
    {"UserPromptSubmit", EventKind::kPromptSubmitted},
    {"PreToolUse", EventKind::kToolStarting},
    {"PostToolUse", EventKind::kToolFinished},
    {"PostToolUseFailure", EventKind::kToolFailed},
    {"PreCompact", EventKind::kCompactionStarting},
    {"PostCompact", EventKind::kCompactionFinished},
    {"Stop", EventKind::kTurnEnded},
    {"TurnGoesOn", EventKind::kTurnGoesOn},
    {"StopFailure", EventKind::kTurnFailed},
    {"SubagentStop", EventKind::kSubAgentEnded},
    {"SessionEnd", EventKind::kSessionEnded},
    {"Notification", EventKind::kNotified},
    {"TaskCreated", EventKind::kTaskCreated},
    {"TaskCompleted", EventKind::kTaskCompleted},
    {"StatusLine", EventKind::kStatusShown},
};

struct FormerDetail {
  EventKind kind;
  std::string_view word;
  std::string_view now;
};
constexpr FormerDetail kFormerDetails[] = {
    {EventKind::kSessionStarted, "resume", EventDetail::kResumed},
    {EventKind::kSessionStarted, "fork", EventDetail::kForked},
    {EventKind::kSessionStarted, "compact", EventDetail::kCompacted},
    {EventKind::kSessionEnded, "prompt_input_exit", EventDetail::kPersonLeft},
    {EventKind::kSessionEnded, "logout", EventDetail::kPersonLeft},
    {EventKind::kTurnFailed, "authentication_failed", "auth"},
    {EventKind::kTurnFailed, "authentication_error", "auth"},
    {EventKind::kTurnFailed, "billing_error", "auth"},
    {EventKind::kTurnFailed, "oauth_org_not_allowed", "auth"},
    {EventKind::kTurnFailed, "prompt_too_long", "context_exhausted"},
    {EventKind::kTurnFailed, "context_window_exceeded", "context_exhausted"},
    {EventKind::kNotified, "permission_prompt", EventDetail::kPermission},
    {EventKind::kNotified, "idle_prompt", EventDetail::kInput},
    {EventKind::kNotified, "elicitation_dialog", EventDetail::kInput},
};

}  // namespace

Result<Json> EventFromVersion1(Json record) {
  record.Set("agent_kind", "claude");
  const std::string name = TextIn(record, "event");
  const std::string detail = TextIn(record, "detail");
  for (const FormerKind& former : kFormerKinds) {
    if (former.name != name) continue;
    record.Set("event", EventKindName(former.kind));
    for (const FormerDetail& word : kFormerDetails) {
      if (word.kind == former.kind && word.word == detail) record.Set("detail", word.now);
    }
  }
  return record;
}

}  // namespace belay
