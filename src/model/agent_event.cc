#include "model/agent_event.h"

#include <fmt/core.h>

#include <charconv>

#include "base/utf8.h"
#include "model/json_fields.h"
#include "model/stored_record.h"

namespace belay {
namespace {

constexpr std::string_view kEventKinds[] = {
    "session_started", "prompt_submitted",    "tool_starting",       "tool_finished",
    "tool_failed",     "compaction_starting", "compaction_finished", "turn_ended",
    "turn_goes_on",    "turn_failed",         "sub_agent_ended",     "session_ended",
    "notified",        "task_created",        "task_completed",      "status_shown"};
constexpr std::string_view kActions[] = {"other", "read", "plan", "edit", "test", "commit"};

void AddText(std::string_view key, const std::string& text, Json::Object& members) {
  if (!text.empty()) members.push_back({std::string(key), ReplaceInvalidUtf8(text)});
}

// "812@55120 700@55001": faster to write and read than a list of objects, which counts at every
// tool call.
std::string TextOf(const std::vector<ProcessMark>& marks) {
  std::string text;
  for (const ProcessMark& mark : marks) {
    text += fmt::format("{}{}@{}", text.empty() ? "" : " ", mark.pid, mark.start);
  }
  return text;
}

// Stops at the first malformed one.
std::vector<ProcessMark> ParseMarks(std::string_view text) {
  std::vector<ProcessMark> marks;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    ProcessMark mark;
    const auto pid = std::from_chars(at, end, mark.pid);
    if (pid.ec != std::errc() || pid.ptr == end || *pid.ptr != '@') break;
    const auto start = std::from_chars(pid.ptr + 1, end, mark.start);
    if (start.ec != std::errc()) break;
    marks.push_back(mark);
    at = start.ptr + 1;  // after the space
  }
  return marks;
}

}  // namespace

std::string_view EventKindName(EventKind kind) { return NameIn(kEventKinds, kind); }
std::optional<EventKind> ParseEventKind(std::string_view name) {
  return FindIn<EventKind>(kEventKinds, name);
}

bool IsToolCall(EventKind kind) {
  return kind == EventKind::kToolStarting || kind == EventKind::kToolFinished ||
         kind == EventKind::kToolFailed;
}

std::string_view ActionKindName(ActionKind kind) { return NameIn(kActions, kind); }
std::optional<ActionKind> ParseActionKind(std::string_view name) {
  return FindIn<ActionKind>(kActions, name);
}

Json ToJson(const AgentEvent& event) {
  Json::Object members;
  members.push_back({std::string(kVersionKey), NewestVersion(StoredRecord::kAgentEvent)});
  members.push_back({"event", std::string(EventKindName(event.kind))});
  members.push_back({"at", FormatUtcMicros(event.at)});
  members.push_back({"agent_kind", std::string(AgentKindName(event.agent_kind))});
  AddText("agent_id", event.agent, members);
  AddText("session_id", event.session, members);
  AddText("transcript_path", event.transcript, members);
  AddText("folder", event.folder, members);
  if (event.pid != 0) members.push_back({"pid", event.pid});
  if (event.pid_start != 0) members.push_back({"pid_start", LargeNumber(event.pid_start)});
  if (!event.above.empty()) members.push_back({"above", TextOf(event.above)});
  if (event.nested) members.push_back({"nested", true});
  AddText("sub_agent", event.sub_agent, members);
  AddText("tool", event.tool, members);
  AddText("call", event.call, members);
  if (event.action != ActionKind::kOther) {
    members.push_back({"action", std::string(ActionKindName(event.action))});
  }
  AddText("subject", event.subject, members);
  AddText("detail", event.detail, members);
  if (event.passed) members.push_back({"passed", *event.passed});
  if (event.fill) members.push_back({"fill", NumberOrNull(event.fill)});
  if (event.window != 0) members.push_back({"window", LargeNumber(event.window)});
  return members;
}

namespace {

Result<AgentEvent> ReadNewestEvent(const Json& record) {
  JsonFields fields(record, "event");
  AgentEvent event{.kind = fields.Name("event", ParseEventKind), .at = fields.TimeOrZero("at")};
  event.agent_kind = fields.Name("agent_kind", ParseAgentKind);
  event.agent = fields.Text("agent_id");
  event.session = fields.Text("session_id");
  event.transcript = fields.Text("transcript_path");
  event.folder = fields.Text("folder");
  event.pid = fields.Integer("pid", 0).value_or(0);
  event.pid_start = fields.LargeCount("pid_start");
  event.above = ParseMarks(fields.Text("above"));
  event.nested = fields.Bool("nested", false);
  event.sub_agent = fields.Text("sub_agent");
  event.tool = fields.Text("tool");
  event.call = fields.Text("call");
  event.action = ParseActionKind(fields.Text("action")).value_or(ActionKind::kOther);
  event.subject = fields.Text("subject");
  event.detail = fields.Text("detail");
  if (record.Find("passed") != nullptr) event.passed = fields.Bool("passed", false);
  event.fill = fields.Number("fill");
  event.window = fields.LargeCount("window");
  BELAY_TRY(fields.Check());
  return event;
}

}  // namespace

Result<AgentEvent> AgentEventFromJson(const Json& record) {
  return ReadRecord(FormatOf(StoredRecord::kAgentEvent), record, ReadNewestEvent);
}

// Lines of version 1 used Claude Code's names of events and details. This is what those names meant
// when they were written; it never changes.

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
