#include "engine/events/hook_digest.h"

#include <charconv>
#include <optional>

#include "base/utf8.h"
#include "codec/json_member.h"
#include "codec/json_skim.h"
#include "engine/events/action.h"
#include "engine/events/mask_secrets.h"
#include "model/json_fields.h"

namespace belay {
namespace {

constexpr std::size_t kSmall = std::size_t{64} << 10U;   // parsed as a whole
constexpr std::size_t kMember = std::size_t{16} << 10U;  // of a larger one: parsed if no larger
constexpr JsonLimits kForgiving = {.forgiving = true};
constexpr std::size_t kMostDetail = 100;
constexpr std::size_t kLongestPath = 4096;  // that the kernel takes

// Which member tells more about an event.
struct Detail {
  std::string_view event;
  std::string_view member;
};
constexpr Detail kDetails[] = {
    {"SessionStart", "source"},     {"SessionEnd", "reason"}, {"PreCompact", "trigger"},
    {"PostCompact", "trigger"},     {"StopFailure", "error"}, {"Notification", "notification_type"},
    {"SubagentStop", "agent_type"},
};

std::string OneLine(std::string text) {
  text = std::string(CutCodePoints(ReplaceInvalidUtf8(text), AgentEvent::kLongestText));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return text;
}

std::string PathIn(const Json& input, std::string_view key) {
  std::string path = TextIn(input, key);
  return path.size() <= kLongestPath ? path : std::string();
}

// Members of a large object that are small, and of objects in it the same.
std::optional<Json> Skim(std::string_view text, int depth) {
  JsonSkimmer skimmer(text);
  Json found = Json::EmptyObject();
  while (skimmer.Next()) {
    const std::string key(skimmer.key());
    const std::string_view value = skimmer.Value();
    if (value.empty()) return std::nullopt;
    found.Remove(key);  // of two the last counts
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
  return ParseJson(input);  // spelled otherwise, or wrong
}

// "Exit code 7\n..." is what a shell command failed with; the rest is its output.
std::string HowItFailed(const Json& input) {
  const Json* interrupted = input.Find("is_interrupt");
  if (interrupted != nullptr && interrupted->AsBool() != nullptr && *interrupted->AsBool()) {
    return "interrupted";
  }
  constexpr std::string_view kCode = "Exit code ";
  const std::string error = TextIn(input, "error");
  if (!error.starts_with(kCode)) return "failed";
  int code = 0;
  const char* digits = error.data() + kCode.size();
  const auto end = std::from_chars(digits, error.data() + error.size(), code);
  return end.ec == std::errc() ? "exit code " + std::to_string(code) : "failed";
}

bool WasInterrupted(const Json& input) {
  const Json* response = input.Find("tool_response");
  const Json* cut = response == nullptr ? nullptr : response->Find("interrupted");
  return cut != nullptr && cut->AsBool() != nullptr && *cut->AsBool();
}

void AddTool(const Json& input, AgentEvent& event) {
  event.tool = OneLine(TextIn(input, "tool_name"));
  event.call = OneLine(TextIn(input, "tool_use_id"));
  if (event.tool.empty()) return;
  const Json* given = input.Find("tool_input");
  const bool planning = TextIn(input, "permission_mode") == "plan";
  const Action action =
      ActionOf(event.tool, given != nullptr ? *given : Json::EmptyObject(), planning);
  event.action = action.kind;
  event.subject = OneLine(MaskSecrets(action.subject));
  const bool tests = action.kind == ActionKind::kTest;
  if (event.name == "PostToolUse" && !WasInterrupted(input)) {
    if (!tests || action.success_tells) event.passed = true;
  }
  if (event.name == "PostToolUseFailure") {
    event.detail = HowItFailed(input);
    const bool told = event.detail != "interrupted" && (!tests || action.failure_tells);
    if (told) event.passed = false;
  }
}

// The older ones only have a sentence for people.
std::string NotificationType(const Json& input) {
  const std::string message = TextIn(input, "message");
  if (message.find("permission") != std::string::npos) return "permission_prompt";
  return message.find("waiting for your input") != std::string::npos ? "idle_prompt" : "";
}

void AddDetail(const Json& input, AgentEvent& event) {
  for (const Detail& detail : kDetails) {
    if (detail.event == event.name) event.detail = OneLine(TextIn(input, detail.member));
  }
  if (event.name == "Notification" && event.detail.empty()) event.detail = NotificationType(input);
  if (event.name == "TaskCreated" || event.name == "TaskCompleted") {
    event.subject = OneLine(MaskSecrets(TextIn(input, "task_subject")));
  }
  event.detail = std::string(CutCodePoints(event.detail, kMostDetail));
}

void AddContext(const Json& input, AgentEvent& event) {
  const Json* context = input.Find("context_window");
  if (context == nullptr || context->AsObject() == nullptr) return;
  JsonFields fields(*context, "context_window");
  event.window = static_cast<std::uint64_t>(fields.Integer("context_window_size", 0).value_or(0));
  event.fill = fields.Number("used_percentage");
}

}  // namespace

HookDigest DigestHook(std::string_view name, std::string_view input) {
  HookDigest digest{.event = {.name = OneLine(std::string(name))}, .problem = {}};
  const Result<Json> parsed = ParseInput(input);
  if (!parsed || parsed->AsObject() == nullptr) {
    digest.problem = parsed ? "it is no object" : parsed.error().message;
    return digest;
  }
  AgentEvent& event = digest.event;
  event.session = OneLine(TextIn(*parsed, "session_id"));
  event.transcript = PathIn(*parsed, "transcript_path");
  event.folder = PathIn(*parsed, "cwd");
  event.sub_agent = OneLine(TextIn(*parsed, "agent_id"));
  event.nested = !event.sub_agent.empty();
  AddTool(*parsed, event);
  AddDetail(*parsed, event);
  AddContext(*parsed, event);
  return digest;
}

}  // namespace belay
