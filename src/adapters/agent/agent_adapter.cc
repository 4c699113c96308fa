#include "adapters/agent/agent_adapter.h"

namespace belay {

std::string_view ApiFailureName(ApiFailure failure) {
  switch (failure) {
    case ApiFailure::kNone:
      return "none";
    case ApiFailure::kRateLimit:
      return "rate_limit";
    case ApiFailure::kAuth:
      return "auth";
    case ApiFailure::kServer:
      return "server";
    case ApiFailure::kPromptTooLong:
      return "prompt_too_long";
    case ApiFailure::kOther:
      return "other";
  }
  __builtin_unreachable();
}

bool AgentAdapter::IsProgram(std::string_view) const { return false; }
bool AgentAdapter::TextIsArgument(bool) const { return false; }
bool AgentAdapter::TakesAnyText() const { return false; }

std::vector<std::string> AgentAdapter::StartCommand(const StartRequest& request) const {
  std::vector<std::string> words = request.command;
  if (!request.text.empty()) words.push_back(request.text);
  return words;
}

bool AgentAdapter::TakesSettings(const std::vector<std::string>&) const { return false; }
bool AgentAdapter::TakesArguments(const std::vector<std::string>&) const { return true; }
bool AgentAdapter::TakesText(const std::vector<std::string>&) const { return true; }
bool AgentAdapter::EndsWithItsTurn(const std::vector<std::string>&) const { return false; }

Continuation AgentAdapter::Continue(const FileSystem&, const ContinueRequest& request) const {
  return {false, "", StartCommand({request.command, request.text})};
}

std::optional<ConversationEnd> AgentAdapter::ReadEnd(const FileSystem&, const std::string&) const {
  return std::nullopt;
}

TextTrace AgentAdapter::FindText(const FileSystem&, const std::string&, std::string_view) const {
  return TextTrace::kUnreadable;
}

std::string AgentAdapter::SessionOf(const FileSystem&, const AgentPlace&,
                                    const AgentProcess&) const {
  return {};
}

std::string AgentAdapter::TranscriptOf(const FileSystem&, const AgentPlace&,
                                       const std::string&) const {
  return {};
}

const AgentHooks* AgentAdapter::hooks() const { return nullptr; }

}  // namespace belay
