#include "adapters/codex/adapter.h"

#include "adapters/agent/agent_program.h"
#include "base/path.h"

namespace belay {
namespace {

class Codex final : public AgentAdapter {
 public:
  std::string_view title() const override { return "Codex"; }

  bool IsProgram(std::string_view word) const override {
    return FileName(word) == "codex" || word.ends_with("@openai/codex/bin/codex.js") ||
           IsPackage(word, "@openai/codex");
  }

  bool TextIsArgument(bool given) const override { return given; }
};

}  // namespace

const AgentAdapter& CodexAdapter() {
  static const Codex adapter;
  return adapter;
}

}  // namespace belay
