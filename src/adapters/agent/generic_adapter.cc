#include "adapters/agent/generic_adapter.h"

namespace belay {
namespace {

class Generic final : public AgentAdapter {
 public:
  std::string_view name() const override { return "generic"; }
  TextVia text_via() const override { return TextVia::kFile; }

  std::vector<std::string> StartCommand(const StartRequest& request) const override {
    std::vector<std::string> words = request.command;
    if (!request.text.empty()) words.push_back(request.text);
    return words;
  }
  bool TakesSettings(const std::vector<std::string>&) const override { return false; }
  bool TakesArguments(const std::vector<std::string>&) const override { return true; }
  bool TakesText(const std::vector<std::string>&) const override { return true; }
  bool EndsWithItsTurn(const std::vector<std::string>&) const override { return false; }

  Continuation Continue(const FileSystem&, const ContinueRequest& request) const override {
    return {false, "", StartCommand({request.command, request.text})};
  }

  std::optional<ConversationEnd> ReadEnd(const FileSystem&, const std::string&) const override {
    return std::nullopt;
  }
  TextTrace FindText(const FileSystem&, const std::string&, std::string_view) const override {
    return TextTrace::kUnreadable;
  }
};

}  // namespace

const AgentAdapter& GenericAdapter() {
  static const Generic adapter;
  return adapter;
}

}  // namespace belay
