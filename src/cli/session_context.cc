#include "cli/session_context.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "adapters/claude/process_above.h"
#include "base/utf8.h"
#include "ledger/event_log.h"

namespace belay {
namespace {

// Claude Code puts more than 10,000 characters of a hook's output into a file of its own.
constexpr std::size_t kMostText = 9'000;

constexpr std::string_view kContinuation =
    "Your prompt may be the one that the first of these agents got, because it was started by the "
    "same command. It is not a new task: you continue work that has begun. Do not repeat steps "
    "that are done.";

// The text itself, or where it is if that is too long.
std::string TextOf(const Services& services, const RecordedEvent& recorded) {
  const std::string path = recorded.project.ResumeFile(recorded.agent);
  const Result<std::string> text = services.files.Read(path, kMostText);
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
    return one.agent == event.agent && one.name != "StatusLine";
  });
  return first == log.end() || (first->name == event.name && first->pid == event.pid &&
                                first->pid_start == event.pid_start &&
                                FormatUtcMicros(first->at) == FormatUtcMicros(event.at));
}

std::string SessionContext(const Services& services, const RecordedEvent& recorded) {
  const AgentEvent& event = recorded.event;
  const std::optional<std::string> file = services.environment.Get("BELAY_RESUME_FILE");
  if (event.agent.empty() || !file || IsNested(event)) return {};
  const std::string who = fmt::format("You work under belay as {}.", event.agent);
  const std::optional<std::string> carries = services.environment.Get("BELAY_RESUME_CONTEXT");
  const bool first =
      carries &&
      IsFirstOfIncarnation(event, LastEvents(services.files, recorded.project, recorded.agent));
  if (!first) {
    return fmt::format("{} What you were told at your start is in the file {}.", who,
                       ReplaceInvalidUtf8(*file));
  }
  const std::string words = *carries == "continuation" ? fmt::format(" {}", kContinuation) : "";
  return who + words + TextOf(services, recorded);
}

}  // namespace belay
