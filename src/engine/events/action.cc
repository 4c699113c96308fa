#include "engine/events/action.h"

#include "base/is_in.h"
#include "codec/json_member.h"
#include "engine/events/command_effect.h"
#include "engine/events/shell_line.h"
#include "engine/supervise/testing_command.h"

namespace belay {
namespace {

constexpr std::string_view kReaders[] = {"Read",         "Grep",     "Glob",      "LS",
                                         "NotebookRead", "WebFetch", "WebSearch", "LSP"};
constexpr std::string_view kPlanners[] = {"TodoWrite",     "TodoRead",     "TaskCreate",
                                          "TaskUpdate",    "TaskList",     "TaskGet",
                                          "EnterPlanMode", "ExitPlanMode", "exit_plan_mode"};
constexpr std::string_view kEditors[] = {"Edit", "MultiEdit", "Write", "NotebookEdit"};
// Which member of its input says what a call is about, the first that is there.
constexpr std::string_view kSubjects[] = {"command", "file_path",   "notebook_path",
                                          "path",    "pattern",     "url",
                                          "query",   "description", "subject"};

std::string SubjectOf(const Json& input) {
  for (const std::string_view key : kSubjects) {
    std::string text = TextIn(input, key);
    if (!text.empty()) return text;
  }
  return {};
}

ActionKind KindOf(const ShellLine& line) {
  bool tests = false;
  bool commits = false;
  bool edits = line.writes;
  bool looks = !line.commands.empty();
  for (const ShellCommand& command : line.commands) {
    const CommandEffect effect = EffectOf(command.words);
    tests = tests || IsTestCommand(command.words);
    commits = commits || GitVerb(command.words) == "commit";
    edits = edits || effect == CommandEffect::kEdits;
    looks = looks && effect == CommandEffect::kLooks;
  }
  if (tests) return ActionKind::kTest;
  if (commits) return ActionKind::kCommit;
  if (edits) return ActionKind::kEdit;
  return looks ? ActionKind::kRead : ActionKind::kOther;
}

Action ShellAction(const std::string& text) {
  const ShellLine line = ParseShellLine(text);
  Action action{.kind = KindOf(line), .subject = text};
  if (action.kind != ActionKind::kTest) return action;
  action.success_tells = true;
  for (std::size_t i = 0; i < line.commands.size(); ++i) {
    if (!IsTestCommand(line.commands[i].words)) continue;
    action.success_tells = action.success_tells && line.SuccessIsOf(i);
    action.failure_tells = line.FailureIsOf(i);
  }
  return action;
}

ActionKind KindOf(std::string_view tool) {
  if (IsIn(kEditors, tool)) return ActionKind::kEdit;
  if (IsIn(kPlanners, tool)) return ActionKind::kPlan;
  if (IsIn(kReaders, tool)) return ActionKind::kRead;
  return ActionKind::kOther;
}

}  // namespace

Action ActionOf(std::string_view tool, const Json& input, bool in_plan_mode) {
  Action action = tool == "Bash" ? ShellAction(TextIn(input, "command"))
                                 : Action{.kind = KindOf(tool), .subject = SubjectOf(input)};
  // It only says what is to be done there.
  if (in_plan_mode && action.kind != ActionKind::kEdit) action.kind = ActionKind::kPlan;
  // One that goes on in the background hasn't ended when the call has.
  const Json* behind = input.Find("run_in_background");
  const bool waits = behind == nullptr || behind->AsBool() == nullptr || !*behind->AsBool();
  if (!waits) action.success_tells = action.failure_tells = false;
  return action;
}

}  // namespace belay
