#include "adapters/agent/agent_adapter.h"

#include "adapters/agent/agent_hooks.h"

namespace belay {

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

std::vector<std::string> AgentAdapter::LastWords(const FileSystem&, const std::string&,
                                                 std::size_t) const {
  return {};
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

std::string_view HooksPlan::What() const {
  if (!ChangesFile()) return "unchanged";
  return !old_text ? "created" : !text ? "removed" : "changed";
}

}  // namespace belay
