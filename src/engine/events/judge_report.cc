#include "engine/events/judge_report.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "engine/events/mask_secrets.h"
#include "engine/events/shell_line.h"
#include "engine/supervise/phase_inference.h"

namespace belay {
namespace {

constexpr std::size_t kMostDetail = 100;
constexpr std::size_t kLongestFilePath = 4096;  // the kernel's limit

std::string OneLine(const std::string& text, std::size_t most = AgentEvent::kLongestText) {
  std::string line(CutCodePoints(ReplaceInvalidUtf8(text), most));
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return line;
}

std::optional<bool> HowItEnded(const EventReport& report, const Action& action) {
  if (report.interrupted) return std::nullopt;
  const bool tests = action.kind == ActionKind::kTest;
  if (report.event.kind == EventKind::kToolFinished && (!tests || action.success_tells)) {
    return true;
  }
  if (report.event.kind == EventKind::kToolFailed && (!tests || action.failure_tells)) return false;
  return std::nullopt;
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
  Action action{.kind = KindOf(line)};
  if (action.kind != ActionKind::kTest) return action;
  action.success_tells = true;
  for (std::size_t i = 0; i < line.commands.size(); ++i) {
    if (!IsTestCommand(line.commands[i].words)) continue;
    action.success_tells = action.success_tells && line.SuccessIsOf(i);
    action.failure_tells = line.FailureIsOf(i);
  }
  return action;
}

Action ActionBy(ToolKind tool, const std::string& subject) {
  switch (tool) {
    case ToolKind::kShell:
      return ShellAction(subject);
    case ToolKind::kRead:
      return {ActionKind::kRead};
    case ToolKind::kPlan:
      return {ActionKind::kPlan};
    case ToolKind::kEdit:
      return {ActionKind::kEdit};
    case ToolKind::kOther:
      return {};
  }
  __builtin_unreachable();
}

}  // namespace

AgentEvent JudgeReport(EventReport report) {
  AgentEvent& event = report.event;
  if (!event.tool.empty()) {
    const Action action = ActionOf(report);
    event.action = action.kind;
    event.passed = HowItEnded(report, action);
  }
  for (std::string* text : {&event.session, &event.sub_agent, &event.tool, &event.call}) {
    *text = OneLine(*text);
  }
  for (std::string* path : {&event.transcript, &event.folder}) {
    if (path->size() > kLongestFilePath) path->clear();
  }
  event.subject = OneLine(MaskSecrets(event.subject));
  event.detail = OneLine(event.detail, kMostDetail);
  return std::move(event);
}

Action ActionOf(const EventReport& report) {
  Action action = ActionBy(report.tool, report.event.subject);
  // In plan mode it only describes what it will do.
  if (report.planning && action.kind != ActionKind::kEdit) action.kind = ActionKind::kPlan;
  // A background command may still run when the call has ended.
  if (report.background) action.success_tells = action.failure_tells = false;
  return action;
}

namespace {

using Words = std::span<const std::string>;

constexpr std::string_view kLookers[] = {"awk",  "cat",  "cd",   "command", "diff", "du",   "echo",
                                         "fd",   "file", "find", "gawk",    "grep", "head", "jq",
                                         "less", "ls",   "nl",   "pwd",     "rg",   "sed",  "sort",
                                         "stat", "tail", "tree", "uniq",    "wc",   "which"};
constexpr std::string_view kEditingCommands[] = {"cp", "ln",    "mv",      "patch",
                                                 "rm", "touch", "truncate"};
constexpr std::string_view kLookingGit[] = {"blame",    "diff", "grep",   "log",
                                            "ls-files", "show", "status", "rev-parse"};
constexpr std::string_view kEditingGit[] = {"apply", "mv", "rm"};
constexpr std::string_view kRunners[] = {"-exec", "-execdir", "-ok",    "-okdir",
                                         "-x",    "-X",       "--exec", "--exec-batch"};

std::string_view ProgramOf(Words words) {
  const std::string_view path = words.front();
  return path.substr(path.rfind('/') + 1);
}

// Whether the words contain the option `letter`, alone, with a value (-i.bak) or after others
// (-Ei). After one of `takes_value` the rest of a word is its value.
bool HasOption(Words words, char letter, std::string_view takes_value, std::string_view name) {
  return std::any_of(words.begin() + 1, words.end(), [&](std::string_view word) {
    if (!name.empty() && word.starts_with(name)) return true;
    if (!word.starts_with('-') || word.starts_with("--")) return false;
    const std::size_t value = word.find_first_of(takes_value);
    return word.substr(0, value).find(letter) != std::string_view::npos;
  });
}

bool EditsInPlace(std::string_view program, Words words) {
  if (program == "sed") return HasOption(words, 'i', "efl", "--in-place");
  if (program == "perl") return HasOption(words, 'i', "eEFIMmx", "");
  if (program == "sort") return HasOption(words, 'o', "kStT", "--output");
  if (program != "awk" && program != "gawk") return false;
  return IsIn(std::vector<std::string_view>(words.begin(), words.end()), "inplace") ||
         HasOption(words, 'i', "Ffv", "--include=inplace");
}

// tee with a regular file.
bool WritesFile(Words words) {
  return std::any_of(words.begin() + 1, words.end(), [](std::string_view word) {
    return !word.starts_with('-') && !word.starts_with("/dev/");
  });
}

// What find and fd do with their results.
CommandEffect EffectOfSearch(Words words) {
  CommandEffect effect = CommandEffect::kLooks;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == "-delete" || words[i].starts_with("-fprint")) return CommandEffect::kEdits;
    if (!IsIn(kRunners, words[i])) continue;
    const std::size_t start = i + 1;
    for (i = start; i < words.size() && words[i] != ";" && words[i] != "+";) ++i;
    const CommandEffect run = EffectOf(words.subspan(start, i - start));
    if (run == CommandEffect::kEdits) return run;
    if (run != CommandEffect::kLooks) effect = run;
  }
  return effect;
}

}  // namespace

std::string_view GitVerb(Words words) {
  if (words.empty() || ProgramOf(words) != "git") return {};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-C" || word == "-c") {
      ++i;
    } else if (!word.starts_with('-')) {
      return word;
    }
  }
  return {};
}

CommandEffect EffectOf(Words words) {
  words = words.subspan(WordsBeforeCommand(words));
  if (words.empty()) return CommandEffect::kUnknown;
  const std::string_view program = ProgramOf(words);
  const std::string_view verb = GitVerb(words);
  const bool edits = IsIn(kEditingCommands, program) || IsIn(kEditingGit, verb) ||
                     EditsInPlace(program, words) || (program == "tee" && WritesFile(words));
  if (edits) return CommandEffect::kEdits;
  if (program == "find" || program == "fd") return EffectOfSearch(words);
  const bool looks = IsIn(kLookers, program) || IsIn(kLookingGit, verb) || program == "tee";
  return looks ? CommandEffect::kLooks : CommandEffect::kUnknown;
}

}  // namespace belay
