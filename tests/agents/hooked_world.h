// The world of real agents with belay's hooks in the project's settings, put there by the real
// `belay init --agent claude`: so belay hears what they do, in which conversation they are, and why
// they end.

#ifndef BELAY_TESTS_AGENTS_HOOKED_WORLD_H_
#define BELAY_TESTS_AGENTS_HOOKED_WORLD_H_

#include <string>
#include <string_view>
#include <vector>

#include "agents/claude_world.h"

namespace belay {

constexpr std::string_view kContinuation = "You are a continuation of";

class HookedWorld : public ClaudeWorld {
 protected:
  void InstallHooks();

  // The hooks, the model, a guardian, and an agent "a" that gets this task.
  void Begin(const ModelScript& script, const std::string& prompt);

  Process* guardian_ = nullptr;  // that Begin started

  // The process of the agent, as its record has it.
  Process ProcessOf(const std::string& name);
  void SignalAgent(const std::string& name, int signal);

  // Until belay has heard in which conversation an agent is; that.
  std::string AwaitSession(const std::string& name);

  // Of the list that `belay agents --all --json` shows.
  Json Row(const std::string& name);
  // What was reported to the person: the types of the signals in the inbox.
  std::vector<std::string> SignalsToPerson();
};

}  // namespace belay

#endif  // BELAY_TESTS_AGENTS_HOOKED_WORLD_H_
