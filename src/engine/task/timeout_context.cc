#include "engine/task/timeout_context.h"

#include <fmt/core.h>

#include "engine/events/mask_secrets.h"

namespace belay {
namespace {

constexpr std::size_t kMostNotes = 5;
constexpr std::size_t kMostActions = 10;

// One without a result was interrupted by the stop, or nothing is known.
std::string ActionText(const HookAction& action) {
  if (!action.passed) return action.what + " (its end is unknown)";
  return action.what + (*action.passed ? "" : " (failed)");
}

const HookAction* LastAction(const Hook* hook) {
  return hook != nullptr && !hook->last_actions.empty() ? &hook->last_actions.back() : nullptr;
}

void AddSection(std::string_view title, const std::string& lines, std::string& text) {
  if (!lines.empty()) text += fmt::format("\n{}:\n{}", title, lines);
}

std::string ActionsText(const Hook& hook) {
  std::string lines;
  std::size_t count = 0;
  for (auto action = hook.last_actions.rbegin(); action != hook.last_actions.rend(); ++action) {
    if (count++ == kMostActions) break;
    lines += fmt::format("- {} {}\n", FormatUtc(action->at), ActionText(*action));
  }
  return lines;
}

std::string NotesText(const Hook& hook) {
  std::string lines;
  std::size_t count = 0;
  for (auto note = hook.notes.rbegin(); note != hook.notes.rend(); ++note) {
    if (count++ == kMostNotes) break;
    lines += fmt::format("- {} {}: {}\n", FormatUtc(note->at), note->by, note->text);
  }
  return lines;
}

std::string Lines(const std::vector<std::string>& items, std::string_view before) {
  std::string lines;
  for (const std::string& item : items) lines += fmt::format("{}{}\n", before, item);
  return lines;
}

std::string PhaseText(const Hook& hook) {
  const std::string tests = hook.tests_detail.empty()
                                ? hook.tests_status
                                : fmt::format("{} ({})", hook.tests_status, hook.tests_detail);
  return fmt::format("Its phase was {}; its tests: {}.\n", WorkPhaseName(hook.work_phase), tests);
}

}  // namespace

TimeoutContext DescribeTimeout(const TimeoutFacts& facts) {
  TimeoutContext context;
  const std::string at = facts.deadline ? ", " + FormatUtc(*facts.deadline) : std::string();
  std::string& text = context.state;
  text = fmt::format(
      "belay put this together, because {} had not suspended its task by its deadline{}.\n",
      facts.worker, at);
  if (facts.hook != nullptr) text += PhaseText(*facts.hook);
  AddSection("What it said last, latest first", Lines(facts.words, "- "), text);
  if (facts.hook != nullptr) {
    AddSection("What it did last, latest first", ActionsText(*facts.hook), text);
    AddSection("Its notes, latest first", NotesText(*facts.hook), text);
  }
  AddSection("The end of its screen", Lines(facts.screen, ""), text);
  text = MaskSecrets(text);
  const HookAction* last = LastAction(facts.hook);
  if (last != nullptr) {
    context.last_action = MaskSecrets(ActionText(*last));
  } else if (!facts.words.empty()) {
    context.last_action = MaskSecrets(facts.words.front());
  }
  return context;
}

}  // namespace belay
