#include "agents/hooked_world.h"

#include "base/path.h"

namespace belay {

void HookedWorld::InstallHooks() {
  const std::string program = ClaudeProgram();
  const std::string beside = program.substr(0, program.rfind('/'));
  const RunOutcome outcome = Belay({"init", "--yes", "--agent", "claude"},
                                   {.environment = {{"PATH", beside + ":" + getenv("PATH")}}});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
}

void HookedWorld::Begin(const ModelScript& script, const std::string& prompt) {
  SuperviseWithoutBackoff();
  ASSERT_NO_FATAL_FAILURE(InstallHooks());
  Play(script);
  guardian_ = &StartGuardian();
  SpawnClaude("a", prompt);
}

Process HookedWorld::ProcessOf(const std::string& name) {
  const Identity present = Present(name);
  EXPECT_TRUE(present.process);
  return Open(present.process.value_or(ProcessMark{}));
}

void HookedWorld::SignalAgent(const std::string& name, int signal) {
  const Process process = ProcessOf(name);
  ASSERT_TRUE(process.Signal(signal).ok());
}

std::string HookedWorld::AwaitSession(const std::string& name) {
  EXPECT_TRUE(Await([&] { return !Present(name).session_id.empty(); }))
      << "it never said in which conversation it is";
  return Present(name).session_id;
}

Json HookedWorld::Row(const std::string& name) {
  Json row;
  const Json agents = Agents(true);
  for (const Json& agent : *agents.AsArray()) {
    if (Text(agent, "name") == name) row = agent;
  }
  return row;
}

std::vector<std::string> HookedWorld::SignalsToPerson() {
  std::vector<std::string> types;
  const Json list = BelayJson({"signal", "list", "person"});
  for (const Json& signal : *list.Find("signals")->AsArray()) {
    types.push_back(Text(signal, "type"));
  }
  return types;
}

}  // namespace belay
