#include "engine/events/judge_report.h"

#include <algorithm>
#include <vector>

#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "engine/events/mask_secrets.h"
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

// The git subcommand: `git -C x commit` is a commit. Empty if it isn't git.
std::string_view GitVerb(std::span<const std::string> words) {
  if (words.empty() || FileName(words.front()) != "git") return {};
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

bool IsTestRun(const ShellEffect& effect) {
  return effect.kind == EffectKind::kRun && !effect.starts && IsTestCommand(effect.words);
}

bool IsEdit(const ShellEffect& effect) {
  constexpr std::string_view kMoving[] = {"git checkout",  "git switch",      "git clean",
                                          "git clean -x",  "git stash",       "git stash push",
                                          "git stash pop", "git reset --hard"};
  return effect.kind == EffectKind::kWrite && !IsIn(kMoving, effect.by);
}

bool OnlyReads(const ShellEffect& effect) {
  if (effect.kind == EffectKind::kRead) return true;
  return effect.kind == EffectKind::kRun && effect.certainty != Certainty::kUnknown &&
         (effect.looks || effect.starts);
}

ActionKind KindOf(std::span<const ShellEffect> effects) {
  const auto commits = [](const ShellEffect& effect) { return GitVerb(effect.words) == "commit"; };
  if (std::ranges::any_of(effects, IsTestRun)) return ActionKind::kTest;
  if (std::ranges::any_of(effects, commits)) return ActionKind::kCommit;
  if (std::ranges::any_of(effects, IsEdit)) return ActionKind::kEdit;
  const bool reads = !effects.empty() && std::ranges::all_of(effects, OnlyReads);
  return reads ? ActionKind::kRead : ActionKind::kOther;
}

Action ShellAction(std::span<const ShellEffect> effects) {
  Action action{.kind = KindOf(effects)};
  if (action.kind != ActionKind::kTest) return action;
  action.success_tells = true;
  for (const ShellEffect& effect : effects) {
    if (!IsTestRun(effect)) continue;
    action.success_tells = action.success_tells && effect.success_tells;
    action.failure_tells = effect.failure_tells;
  }
  return action;
}

Action ActionBy(ToolKind tool, std::span<const ShellEffect> effects) {
  switch (tool) {
    case ToolKind::kShell:
      return ShellAction(effects);
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

std::vector<ShellEffect> EffectsOfCall(const EventReport& report) {
  if (report.tool != ToolKind::kShell) return {};
  return EffectsOf(report.event.subject, {.folder = report.event.folder});
}

AgentEvent JudgeReport(EventReport report) {
  const std::vector<ShellEffect> effects = EffectsOfCall(report);
  return JudgeReport(std::move(report), effects);
}

AgentEvent JudgeReport(EventReport report, std::span<const ShellEffect> effects) {
  AgentEvent& event = report.event;
  if (!event.tool.empty()) {
    const Action action = ActionOf(report, effects);
    event.action = action.kind;
    event.passed = HowItEnded(report, action);
  }
  for (std::string* text : {&event.session, &event.sub_agent, &event.tool, &event.call}) {
    *text = OneLine(*text);
  }
  for (std::string* path : {&event.transcript, &event.folder}) {
    if (path->size() > kLongestFilePath) path->clear();
  }
  event.subject = OneLine(WithoutSecrets(MaskSecrets(event.subject), SecretsOf(effects)));
  event.detail = OneLine(event.detail, kMostDetail);
  return std::move(event);
}

Action ActionOf(const EventReport& report) { return ActionOf(report, EffectsOfCall(report)); }

Action ActionOf(const EventReport& report, std::span<const ShellEffect> effects) {
  Action action = ActionBy(report.tool, effects);
  // In plan mode it only describes what it will do.
  if (report.planning && action.kind != ActionKind::kEdit) action.kind = ActionKind::kPlan;
  // A background command may still run when the call has ended.
  if (report.background) action.success_tells = action.failure_tells = false;
  return action;
}

}  // namespace belay
