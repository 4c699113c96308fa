#include "engine/supervise/exit_cause.h"

#include <fmt/core.h>

#include "model/agent_event.h"

namespace belay {
namespace {

// The Linux signal numbers; <csignal> belongs to the kernel interface (src/os).
constexpr int kHangup = 1;
constexpr int kInterrupt = 2;
constexpr int kKill = 9;
constexpr int kTerminate = 15;

bool Wanted(const EndEvidence& evidence, std::string_view what) {
  return evidence.intent && evidence.intent->what == what;
}

// Causes that only the agent can know, and therefore may report.
bool MayBeReported(ExitCause cause) {
  return cause == ExitCause::kRateLimit || cause == ExitCause::kAuth ||
         cause == ExitCause::kContextExhausted;
}

ExitCause CauseOfSignal(int signal, bool out_of_memory) {
  if (signal == kKill && out_of_memory) return ExitCause::kOom;
  const bool from_outside =
      signal == kKill || signal == kTerminate || signal == kInterrupt || signal == kHangup;
  return from_outside ? ExitCause::kKilled : ExitCause::kCrash;
}

// The exit code of a program that caught the signal and exited as shells report it.
bool NamesSignal(int code) {
  constexpr int kShells = 128;
  return code == kShells + kHangup || code == kShells + kInterrupt || code == kShells + kTerminate;
}

bool EndedWell(const EndEvidence& evidence) {
  if (evidence.unfinished) return false;
  if (evidence.exit.how != ExitStatus::How::kUnknown) return evidence.exit.clean();
  return evidence.session_end == EventDetail::kPersonLeft ||
         (evidence.external && !evidence.session_end.empty());
}

// The cause adds nothing to the exit status, or to the decision about it.
bool IsPlain(ExitCause cause) {
  return cause == ExitCause::kClean || cause == ExitCause::kStopped || cause == ExitCause::kCrash ||
         cause == ExitCause::kKilled || cause == ExitCause::kUnknown;
}

}  // namespace

ExitCause JudgeEnd(const EndEvidence& evidence) {
  if (Wanted(evidence, "stop") || Wanted(evidence, kDeadlineIntent)) return ExitCause::kStopped;
  if (Wanted(evidence, "hung")) return ExitCause::kHung;
  if (EndedWell(evidence)) return ExitCause::kClean;
  const bool exited = evidence.exit.how == ExitStatus::How::kExited;
  // An agent that ends by itself can report why; a killed one could not.
  const bool killed =
      evidence.exit.how == ExitStatus::How::kKilled || (exited && NamesSignal(evidence.exit.value));
  if (!killed && evidence.reported && MayBeReported(*evidence.reported)) return *evidence.reported;
  switch (evidence.exit.how) {
    case ExitStatus::How::kExited:
      if (evidence.exit.clean()) return ExitCause::kUnknown;
      return killed ? ExitCause::kKilled : ExitCause::kCrash;
    case ExitStatus::How::kKilled:
      return CauseOfSignal(evidence.exit.value, evidence.out_of_memory);
    case ExitStatus::How::kUnknown:
      return ExitCause::kUnknown;
  }
  __builtin_unreachable();
}

AgentStatus StatusAfter(ExitCause cause) {
  switch (cause) {
    case ExitCause::kClean:
    case ExitCause::kStopped:
      return AgentStatus::kTerminated;
    case ExitCause::kCrash:
    case ExitCause::kKilled:
    case ExitCause::kOom:
    case ExitCause::kRateLimit:
    case ExitCause::kAuth:
    case ExitCause::kContextExhausted:
    case ExitCause::kHung:
    case ExitCause::kUnknown:
      return AgentStatus::kCrashed;
  }
  __builtin_unreachable();
}

std::string EndText(const EndEvidence& evidence) {
  const ExitCause cause = JudgeEnd(evidence);
  if (cause == ExitCause::kUnknown && evidence.exit.clean()) {
    return fmt::format("{} in the middle of its work", evidence.exit.text());
  }
  if (IsPlain(cause)) return evidence.exit.text();
  return fmt::format("{} ({})", evidence.exit.text(), ExitCauseName(cause));
}

}  // namespace belay
