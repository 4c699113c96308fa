#include "engine/events/judge_report.h"

#include "base/utf8.h"
#include "engine/events/action.h"
#include "engine/events/mask_secrets.h"

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

}  // namespace belay
