// Doctor says when the hooks of each running agent last reported.

#include <gmock/gmock.h>

#include "hook_sandbox.h"

namespace belay {
namespace {

using ::testing::StartsWith;

class DoctorLastEventsFunctionalTest : public HookSandbox {
 protected:
  std::string LastEvents() {
    const Json report = *ParseJson(Belay({"doctor", "--json"}).out);
    for (const Json& check : *report.Find("checks")->AsArray()) {
      if (Text(check, "name") == "claude events") return Text(check, "detail");
    }
    return "no such check";
  }
};

TEST_F(DoctorLastEventsFunctionalTest, OfAgentsThatHaveHooksAndRun) {
  Spawn("plain", {AgentScript("plain", kWaits)});
  EXPECT_EQ(LastEvents(), "no such check");
  Spawn("login", {AgentScript("login", TellingScript())}, {"--agent", "claude"});
  EXPECT_THAT(LastEvents(), StartsWith("orchestrator-login#1 not yet, started "));
  TellFromOutside("orchestrator-login#1", "UserPromptSubmit", "{}");  // another process did
  EXPECT_THAT(LastEvents(), StartsWith("orchestrator-login#1 not yet, started "));
  Tell("UserPromptSubmit", "{}");
  EXPECT_THAT(LastEvents(), ::testing::MatchesRegex("orchestrator-login#1 [0-9]+s ago"));
  EXPECT_EQ(Belay({"stop", "login"}).exit_code, 0);
  EXPECT_EQ(LastEvents(), "no such check");
}

}  // namespace
}  // namespace belay
