#include "adapters/agent/generic_adapter.h"

namespace belay {
namespace {

class Generic final : public AgentAdapter {
 public:
  std::string_view name() const override { return "generic"; }
  TextVia text_via() const override { return TextVia::kFile; }

  std::vector<std::string> StartCommand(const std::vector<std::string>& command,
                                        const std::string&) const override {
    return command;
  }

  Continuation Continue(const FileSystem&, const ContinueRequest& request) const override {
    return {false, "this kind of agent has no conversations that belay knows of", request.command};
  }

  std::optional<ConversationEnd> ReadEnd(const FileSystem&, const std::string&) const override {
    return std::nullopt;
  }
};

}  // namespace

const AgentAdapter& GenericAdapter() {
  static const Generic adapter;
  return adapter;
}

}  // namespace belay
