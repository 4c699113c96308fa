#include <algorithm>
#include <charconv>
#include <optional>

#include "adapters/claude/hooks.h"
#include "base/text.h"
#include "codec/json.h"
#include "codec/json_skim.h"
#include "model/json_fields.h"

namespace belay {
namespace {

constexpr std::size_t kSmall = std::size_t{64} << 10U;  // parsed as a whole
// of a larger input: parsed up to this size
constexpr std::size_t kMember = std::size_t{16} << 10U;
constexpr JsonLimits kForgiving = {.forgiving = true};

constexpr std::string_view kReaders[] = {"Read",         "Grep",     "Glob",      "LS",
                                         "NotebookRead", "WebFetch", "WebSearch", "LSP"};
constexpr std::string_view kPlanners[] = {"TodoWrite",     "TodoRead",     "TaskCreate",
                                          "TaskUpdate",    "TaskList",     "TaskGet",
                                          "EnterPlanMode", "ExitPlanMode", "exit_plan_mode"};
constexpr std::string_view kEditors[] = {"Edit", "MultiEdit", "Write", "NotebookEdit"};
// The input members that hold the subject of a call; the first one present counts.
constexpr std::string_view kSubjects[] = {"command", "file_path",   "notebook_path",
                                          "path",    "pattern",     "url",
                                          "query",   "description", "subject"};

// The member with the detail of an event.
struct Detail {
  EventKind event;
  std::string_view member;
};
constexpr Detail kDetails[] = {
    {EventKind::kSessionStarted, "source"},      {EventKind::kSessionEnded, "reason"},
    {EventKind::kCompactionStarting, "trigger"}, {EventKind::kCompactionFinished, "trigger"},
    {EventKind::kTurnFailed, "error"},           {EventKind::kNotified, "notification_type"},
    {EventKind::kSubAgentEnded, "agent_type"},
};

// belay's words for values of such a member. Other values stay as they are.
struct Meaning {
  EventKind event;
  std::string_view word;
  std::string_view means;
};
constexpr Meaning kMeanings[] = {
    {EventKind::kSessionStarted, "resume", EventDetail::kResumed},
    {EventKind::kSessionStarted, "fork", EventDetail::kForked},
    {EventKind::kSessionStarted, "compact", EventDetail::kCompacted},
    {EventKind::kSessionEnded, "prompt_input_exit", EventDetail::kPersonLeft},
    {EventKind::kSessionEnded, "logout", EventDetail::kPersonLeft},
    {EventKind::kNotified, "permission_prompt", EventDetail::kPermission},
    {EventKind::kNotified, "idle_prompt", EventDetail::kInput},
    {EventKind::kNotified, "elicitation_dialog", EventDetail::kInput},
    {EventKind::kTurnFailed, "billing_error", "auth"},
    {EventKind::kTurnFailed, "oauth_org_not_allowed", "auth"},
    {EventKind::kTurnFailed, "prompt_too_long", "context_exhausted"},
    {EventKind::kTurnFailed, "context_window_exceeded", "context_exhausted"},
};

bool IsTrue(const Json* value) {
  return value != nullptr && value->AsBool() != nullptr && *value->AsBool();
}

// The small members of a large object, and the same for objects in it.
std::optional<Json> Skim(std::string_view text, int depth) {
  JsonSkimmer skimmer(text);
  Json found = Json::EmptyObject();
  while (skimmer.Next()) {
    const std::string key(skimmer.key());
    const std::string_view value = skimmer.Value();
    if (value.empty()) return std::nullopt;
    found.Remove(key);  // the last duplicate counts
    if (value.size() <= kMember) {
      const Result<Json> parsed = ParseJson(value, kForgiving);
      if (parsed) found.Set(key, *parsed);
    } else if (value.starts_with('{') && depth > 0) {
      if (std::optional<Json> inner = Skim(value, depth - 1)) found.Set(key, *std::move(inner));
    }
  }
  return skimmer.Ended() ? std::optional(std::move(found)) : std::nullopt;
}

Result<Json> ParseInput(std::string_view input) {
  if (input.size() <= kSmall) return ParseJson(input, kForgiving);
  const std::size_t start = input.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && input[start] == '{') {
    if (std::optional<Json> skimmed = Skim(input.substr(start), 1)) return *std::move(skimmed);
  }
  return ParseJson(input);  // unusual spelling, or invalid
}

ToolKind ToolNamed(std::string_view name) {
  if (name == "Bash") return ToolKind::kShell;
  if (IsIn(kEditors, name)) return ToolKind::kEdit;
  if (IsIn(kPlanners, name)) return ToolKind::kPlan;
  return IsIn(kReaders, name) ? ToolKind::kRead : ToolKind::kOther;
}

std::string SubjectOf(const Json& input) {
  for (const std::string_view key : kSubjects) {
    std::string text = TextIn(input, key);
    if (!text.empty()) return text;
  }
  return {};
}

// Tools of MCP servers that only read, by their names.
constexpr std::string_view kReadingWords[] = {"read", "get",   "list", "search", "view",
                                              "find", "query", "show", "stat",   "info"};

bool MayWrite(std::string_view tool) {
  if (!tool.starts_with("mcp__")) return false;
  const std::string_view verb = tool.substr(std::min(tool.rfind("__") + 2, tool.size()));
  return std::ranges::none_of(kReadingWords,
                              [&](std::string_view word) { return verb.starts_with(word); });
}

// The texts in a call that can be paths or commands.
void AddTexts(const Json& value, int depth, std::vector<std::string>& texts) {
  constexpr std::size_t kMostTexts = 100;
  constexpr std::size_t kLongestText = 4096;
  if (texts.size() >= kMostTexts) return;
  if (const std::string* text = value.AsString(); text != nullptr) {
    if (text->size() <= kLongestText) texts.push_back(*text);
  } else if (const Json::Array* list = value.AsArray(); list != nullptr && depth > 0) {
    for (const Json& one : *list) AddTexts(one, depth - 1, texts);
  } else if (value.AsObject() != nullptr && depth > 0) {
    for (const JsonMember& member : *value.AsObject()) AddTexts(member.value, depth - 1, texts);
  }
}

// "Exit code 7\n..." is the error of a shell command; the rest is its output.
std::string HowItFailed(const Json& input) {
  constexpr std::string_view kCode = "Exit code ";
  const std::string error = TextIn(input, "error");
  if (!error.starts_with(kCode)) return "failed";
  int code = 0;
  const char* digits = error.data() + kCode.size();
  const auto end = std::from_chars(digits, error.data() + error.size(), code);
  return end.ec == std::errc() ? "exit code " + std::to_string(code) : "failed";
}

void AddTool(const Json& input, EventReport& report) {
  AgentEvent& event = report.event;
  event.tool = TextIn(input, "tool_name");
  event.call = TextIn(input, "tool_use_id");
  if (event.tool.empty()) return;
  report.tool = ToolNamed(event.tool);
  report.planning = TextIn(input, "permission_mode") == "plan";
  if (const Json* given = input.Find("tool_input")) {
    event.subject = report.tool == ToolKind::kShell ? TextIn(*given, "command") : SubjectOf(*given);
    report.background = IsTrue(given->Find("run_in_background"));
    constexpr int kDeepestTexts = 4;
    if (MayWrite(event.tool)) AddTexts(*given, kDeepestTexts, report.texts);
  }
  const Json* response = input.Find("tool_response");
  if (event.kind == EventKind::kToolFinished && response != nullptr) {
    report.interrupted = IsTrue(response->Find("interrupted"));
  }
  if (event.kind == EventKind::kToolFailed) {
    report.interrupted = IsTrue(input.Find("is_interrupt"));
    event.detail = report.interrupted ? std::string(EventDetail::kInterrupted) : HowItFailed(input);
  }
}

// Older versions only have a sentence for people.
std::string NotificationType(const Json& input) {
  const std::string message = TextIn(input, "message");
  if (message.find("permission") != std::string::npos) return std::string(EventDetail::kPermission);
  const bool waits = message.find("waiting for your input") != std::string::npos;
  return std::string(waits ? EventDetail::kInput : "");
}

std::string MeaningOf(EventKind event, const std::string& word) {
  for (const Meaning& meaning : kMeanings) {
    if (meaning.event == event && meaning.word == word) return std::string(meaning.means);
  }
  const bool login = event == EventKind::kTurnFailed && word.starts_with("authentication");
  return login ? "auth" : word;
}

void AddDetail(const Json& input, AgentEvent& event) {
  for (const Detail& detail : kDetails) {
    if (detail.event == event.kind) {
      event.detail = MeaningOf(event.kind, TextIn(input, detail.member));
    }
  }
  if (event.kind == EventKind::kNotified && event.detail.empty()) {
    event.detail = NotificationType(input);
  }
  if (event.kind == EventKind::kTaskCreated || event.kind == EventKind::kTaskCompleted) {
    event.subject = TextIn(input, "task_subject");
  }
}

void AddContext(const Json& input, AgentEvent& event) {
  const Json* context = input.Find("context_window");
  if (context == nullptr || context->AsObject() == nullptr) return;
  JsonFields fields(*context, "context_window");
  event.window = fields.LargeCount("context_window_size");
  event.fill = fields.Number("used_percentage");
}

}  // namespace

EventReport DigestClaudeHook(EventKind kind, std::string_view input) {
  EventReport report{.event = {.kind = kind, .agent_kind = AgentKind::kClaude}};
  const Result<Json> parsed = ParseInput(input);
  if (!parsed || parsed->AsObject() == nullptr) {
    report.problem = parsed ? "it isn't an object" : parsed.error().message;
    return report;
  }
  AgentEvent& event = report.event;
  event.session = TextIn(*parsed, "session_id");
  event.transcript = TextIn(*parsed, "transcript_path");
  event.folder = TextIn(*parsed, "cwd");
  event.sub_agent = TextIn(*parsed, "agent_id");
  event.nested = !event.sub_agent.empty();
  AddTool(*parsed, report);
  AddDetail(*parsed, event);
  AddContext(*parsed, event);
  return report;
}

namespace {

FileEdit::Replacement ReplacementIn(const Json& edit) {
  return {TextIn(edit, "old_string"), TextIn(edit, "new_string"), IsTrue(edit.Find("replace_all"))};
}

}  // namespace

std::optional<FileEdit> ReadClaudeEdit(std::string_view input) {
  const Result<Json> parsed = ParseJson(input, kForgiving);
  const Json* given =
      parsed && parsed->AsObject() != nullptr ? parsed->Find("tool_input") : nullptr;
  if (given == nullptr || given->AsObject() == nullptr) return std::nullopt;
  const std::string tool = TextIn(*parsed, "tool_name");
  FileEdit edit;
  if (ToolNamed(tool) == ToolKind::kShell) {
    edit.command = TextIn(*given, "command");
    return edit.command.empty() ? std::nullopt : std::optional(std::move(edit));
  }
  if (ToolNamed(tool) != ToolKind::kEdit) return std::nullopt;
  edit.path = SubjectOf(*given);
  const Json* content = given->Find("content");
  if (content != nullptr && content->AsString() != nullptr) edit.content = *content->AsString();
  if (given->Find("old_string") != nullptr) edit.replacements.push_back(ReplacementIn(*given));
  const Json* edits = given->Find("edits");
  if (edits != nullptr && edits->AsArray() != nullptr) {
    for (const Json& one : *edits->AsArray()) {
      if (one.AsObject() != nullptr) edit.replacements.push_back(ReplacementIn(one));
    }
  }
  return edit;
}

}  // namespace belay
