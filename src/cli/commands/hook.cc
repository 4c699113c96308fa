#include <fmt/core.h>
#include <fmt/format.h>

#include "app/hook_record.h"
#include "cli/commands/commands.h"
#include "cli/text.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr std::size_t kShownNotes = 10;
constexpr std::size_t kShownFiles = 10;

class HookText {
 public:
  explicit HookText(const Screen& screen) : screen_(screen) {}

  void Line(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    text_ += fmt::format("{}{}\n",
                         screen_.style.Paint(Tone::kDim, fmt::format("{:<{}}", name, kNameWidth)),
                         Printable(value));
  }
  // One line of a terminal, as a summary; the whole value is shown elsewhere.
  void ShortLine(std::string_view name, std::string_view value) {
    if (!screen_.columns) return Line(name, value);
    Line(name, Ellipsize(Printable(value), RoomAfter(kNameWidth, *screen_.columns)));
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kNameWidth = 13;

  Screen screen_;
  std::string text_;
};

void AddFiles(const Hook& hook, HookText& text) {
  for (std::size_t i = 0; i < std::min(hook.files_modified.size(), kShownFiles); ++i) {
    text.Line(i == 0 ? "files" : "", hook.files_modified[i]);
  }
  const std::uint64_t count =
      std::max<std::uint64_t>(hook.files_modified_count, hook.files_modified.size());
  if (count > kShownFiles) text.Line("", fmt::format("and {} more", count - kShownFiles));
}

void AddNotes(const Hook& hook, HookText& text) {
  const std::size_t first = hook.notes.size() - std::min(hook.notes.size(), kShownNotes);
  for (std::size_t i = first; i < hook.notes.size(); ++i) {
    const HookNote& note = hook.notes[i];
    text.Line(i == first ? "notes" : "",
              fmt::format("{}  {}: {}", TimeText(note.at), note.by, note.text));
  }
}

std::string Text(const Hook& hook, const Screen& screen) {
  HookText text(screen);
  text.Line("agent", fmt::format("{}#{}", hook.identity.text(), hook.incarnation));
  text.Line("status", HookStatusName(hook.status));
  text.Line("phase", WorkPhaseName(hook.work_phase));
  text.ShortLine("summary", hook.work_summary);
  text.Line("node", hook.current_node);
  text.Line("bead", hook.current_bead);
  text.Line("tests", hook.tests_status);
  text.Line("snapshot", hook.snapshot);
  if (hook.last_checkpoint_at) text.Line("checkpoint", TimeText(*hook.last_checkpoint_at));
  if (hook.context_fill) text.Line("context", fmt::format("{:.0f} %", *hook.context_fill));
  if (hook.tainted) text.Line("taint", fmt::format("{}", fmt::join(hook.taint_sources, ", ")));
  text.Line("instructions", hook.resumption_instructions);
  AddFiles(hook, text);
  AddNotes(hook, text);
  return text.text();
}

int ShowChange(Services& services, const HookChangeOutcome& outcome, std::string_view said) {
  services.io.Show(HookJson(outcome.hook), "");
  services.io.Say(said);
  return 0;
}

}  // namespace

Result<int> RunHookShow(const Invocation& invocation, Services& services) {
  BELAY_TRY_ASSIGN(const Hook hook, ReadHook(services, invocation.operands()[0]));
  services.io.Show(HookJson(hook), Text(hook, services.io.screen));
  return 0;
}

Result<int> RunHookNote(const Invocation& invocation, Services& services) {
  const std::string& text = invocation.operands()[1];
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error{ErrorCode::kUsage, "the note is empty", "write one line about the work"};
  }
  BELAY_TRY_ASSIGN(const auto outcome, AddHookNote(services, invocation.operands()[0], text));
  return ShowChange(services, outcome, fmt::format("noted for {}", outcome.agent.text()));
}

Result<int> RunHookPhase(const Invocation& invocation, Services& services) {
  // The table of commands allows nothing else.
  const WorkPhase phase = ParseWorkPhase(invocation.operands()[1]).value();
  BELAY_TRY_ASSIGN(const auto outcome, SetHookPhase(services, invocation.operands()[0], phase));
  return ShowChange(
      services, outcome,
      fmt::format("{} is now in phase {}", outcome.agent.text(), WorkPhaseName(phase)));
}

}  // namespace belay
