#include "app/agent_adapters.h"

namespace belay {
namespace {

std::optional<ExitCause> CauseOf(ApiFailure failure) {
  switch (failure) {
    case ApiFailure::kRateLimit:
      return ExitCause::kRateLimit;
    case ApiFailure::kAuth:
      return ExitCause::kAuth;
    case ApiFailure::kPromptTooLong:
      return ExitCause::kContextExhausted;
    case ApiFailure::kNone:
    case ApiFailure::kServer:
    case ApiFailure::kOther:
      return std::nullopt;
  }
  __builtin_unreachable();
}

TurnWritten TurnOf(ConversationState state) {
  switch (state) {
    case ConversationState::kEmpty:
      return TurnWritten::kNothing;
    case ConversationState::kWithinTurn:
      return TurnWritten::kWithin;
    case ConversationState::kInterrupted:
      return TurnWritten::kInterrupted;
    case ConversationState::kTurnEnded:
      return TurnWritten::kEnded;
  }
  __builtin_unreachable();
}

}  // namespace

std::optional<ExitCause> CauseByTranscript(const FileSystem& files, AgentKind kind,
                                           const ExitStatus& exit, const std::string& transcript) {
  // What it says may be older than the end: it explains only one that gave up by itself.
  const bool gave_up = exit.how == ExitStatus::How::kExited && !exit.clean();
  if (!gave_up || transcript.empty()) return std::nullopt;
  const std::optional<ConversationEnd> end = AdapterFor(kind).ReadEnd(files, transcript);
  return end ? CauseOf(end->failure) : std::nullopt;
}

ConversationTurn TurnByTranscript(const FileSystem& files, AgentKind kind,
                                  const std::string& transcript) {
  if (transcript.empty()) return {};
  const std::optional<ConversationEnd> end = AdapterFor(kind).ReadEnd(files, transcript);
  return end ? ConversationTurn{TurnOf(end->state), end->state_at} : ConversationTurn{};
}

}  // namespace belay
