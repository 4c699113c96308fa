#include "app/session_context.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "adapters/agent/agent_program.h"
#include "base/utf8.h"
#include "host/launch.h"
#include "ledger/event_log.h"

namespace belay {
namespace {

// An agent program may put more than 10,000 characters of a hook's output into a file of its own.
constexpr std::size_t kMostText = 9'000;

constexpr std::string_view kContinuation =
    "Your prompt may be the one that the first of these agents got, because it was started by the "
    "same command. It is not a new task: you continue work that has begun. Do not repeat steps "
    "that are done.";

constexpr std::string_view kNotTheFirst =
    " Another session that the same command started was given this text before you and may have "
    "done part of the work: check what is there.";

bool IsSameProcess(const AgentEvent& one, const AgentEvent& other) {
  return one.pid == other.pid && one.pid_start == other.pid_start;
}

bool IsSameEvent(const AgentEvent& one, const AgentEvent& other) {
  return one.kind == other.kind && IsSameProcess(one, other) &&
         FormatUtcMicros(one.at) == FormatUtcMicros(other.at);
}

// As belay started it: its command may have cleared its environment.
Environment EnvironmentOf(const Env& env, const RecordedEvent& recorded) {
  if (env.environment.Get("BELAY_AGENT_ID")) return env.environment;
  Result<LaunchSpec> spec = ReadLaunchSpec(env.files, recorded.project, recorded.agent);
  const bool its = spec && spec->agent.text() == recorded.event.agent;
  return its ? Environment(std::move(spec->environment)) : env.environment;
}

// The text itself, or where it is if that is too long.
std::string TextOf(const Env& env, const RecordedEvent& recorded) {
  const std::string path = recorded.project.ResumeFile(recorded.agent);
  const Result<std::string> text = env.files.Read(path, kMostText);
  if (text) return "\n\n" + ReplaceInvalidUtf8(*text);
  return fmt::format(
      " Read the file {} before you do anything else: it says where the work stands.",
      ReplaceInvalidUtf8(path));
}

}  // namespace

bool IsNested(const AgentEvent& event) {
  std::vector<ProcessAbove> above;
  for (const ProcessMark& one : event.above) {
    above.push_back({static_cast<pid_t>(one.pid), one.start});
  }
  return event.pid != 0 &&
         RunsInsideAnother(above, {static_cast<pid_t>(event.pid), event.pid_start});
}

bool IsFirstOfIncarnation(const AgentEvent& event, std::span<const AgentEvent> log) {
  const auto first = std::ranges::find_if(log, [&](const AgentEvent& one) {
    return one.agent == event.agent && one.kind != EventKind::kStatusShown;
  });
  return first == log.end() || IsSameEvent(*first, event);
}

bool IsFirstOfProcess(const AgentEvent& event, std::span<const AgentEvent> log) {
  if (event.pid == 0) return IsFirstOfIncarnation(event, log);
  const auto first = std::ranges::find_if(log, [&](const AgentEvent& one) {
    return one.agent == event.agent && one.kind != EventKind::kStatusShown &&
           IsSameProcess(one, event);
  });
  return first == log.end() || IsSameEvent(*first, event);
}

std::string SessionContext(const Env& env, const RecordedEvent& recorded) {
  const AgentEvent& event = recorded.event;
  if (event.agent.empty()) return {};
  const Environment environment = EnvironmentOf(env, recorded);
  const std::optional<std::string> file = environment.Get("BELAY_RESUME_FILE");
  if (!file || IsNested(event)) return {};
  const std::string who = fmt::format("You work under belay as {}.", event.agent);
  const std::string carries = environment.Get("BELAY_RESUME_CONTEXT").value_or("");
  std::vector<AgentEvent> log;
  if (!carries.empty()) log = LastEvents(env.files, recorded.project, recorded.agent);
  const bool first = IsFirstOfIncarnation(event, log);
  if (carries == "continuation" && IsFirstOfProcess(event, log)) {
    return fmt::format("{} {}{}{}", who, kContinuation, first ? "" : kNotTheFirst,
                       TextOf(env, recorded));
  }
  if (!carries.empty() && first) return who + TextOf(env, recorded);
  return fmt::format("{} What you were told at your start is in the file {}.", who,
                     ReplaceInvalidUtf8(*file));
}

}  // namespace belay
