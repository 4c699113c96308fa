#include "engine/events/action.h"

#include <algorithm>

#include "base/is_in.h"
#include "codec/json_member.h"
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
constexpr std::string_view kLookers[] = {"awk",  "cat",  "cd",   "diff", "du",   "echo", "file",
                                         "find", "fd",   "grep", "head", "jq",   "less", "ls",
                                         "nl",   "pwd",  "rg",   "sed",  "sort", "stat", "tail",
                                         "tree", "uniq", "wc",   "which"};
constexpr std::string_view kLookingGit[] = {"blame",    "diff", "grep",   "log",
                                            "ls-files", "show", "status", "rev-parse"};
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

std::string_view ProgramOf(const ShellCommand& command) {
  const std::string_view path = command.words.front();
  return path.substr(path.rfind('/') + 1);
}

// `git -C x commit` is a commit.
std::string_view GitVerb(const ShellCommand& command) {
  if (ProgramOf(command) != "git") return {};
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string& word = command.words[i];
    if (word == "-C" || word == "-c") {
      ++i;
    } else if (!word.starts_with('-')) {
      return word;
    }
  }
  return {};
}

bool OnlyLooks(const ShellCommand& command) {
  const bool in_place =
      ProgramOf(command) == "sed" && command.words.size() > 1 && command.words[1].starts_with("-i");
  if (in_place) return false;
  return IsIn(kLookers, ProgramOf(command)) || IsIn(kLookingGit, GitVerb(command));
}

Action ShellAction(const std::string& text) {
  Action action{.subject = text};
  const ShellLine line = ParseShellLine(text);
  for (std::size_t i = 0; i < line.commands.size(); ++i) {
    const ShellCommand& command = line.commands[i];
    if (GitVerb(command) == "commit") action.kind = ActionKind::kCommit;
    if (!IsTestCommand(command.words)) continue;
    if (action.kind != ActionKind::kCommit) action.kind = ActionKind::kTest;
    action.success_tells = line.SuccessIsOf(i);
    action.failure_tells = line.FailureIsOf(i);
  }
  const bool looks =
      !line.commands.empty() && std::all_of(line.commands.begin(), line.commands.end(), OnlyLooks);
  if (action.kind == ActionKind::kOther && looks) action.kind = ActionKind::kRead;
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
