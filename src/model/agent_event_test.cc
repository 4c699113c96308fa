#include "model/agent_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

AgentEvent Full() {
  return {.name = "PostToolUse",
          .at = WallTime(std::chrono::microseconds(1'700'000'000'123'456)),
          .agent = "orchestrator-login#3",
          .session = "5f0c",
          .transcript = "/home/me/.claude/projects/p/5f0c.jsonl",
          .folder = "/home/me/p",
          .pid = 4711,
          .pid_start = 99,
          .above = {{4712, 100}, {4711, 99}, {60, 1}},
          .nested = true,
          .sub_agent = "a1b2c3",
          .tool = "Bash",
          .call = "toolu_1",
          .action = ActionKind::kTest,
          .subject = "make test",
          .detail = "exit code 2",
          .passed = false,
          .fill = 41.5,
          .window = 200'000};
}

TEST(AgentEventTest, SurvivesARoundTrip) {
  EXPECT_EQ(*AgentEventFromJson(ToJson(Full())), Full());
  const AgentEvent little{.name = "Stop"};
  EXPECT_EQ(*AgentEventFromJson(ToJson(little)), little);
}

TEST(AgentEventTest, SaysOnlyWhatIsKnown) {
  const Json record = ToJson(AgentEvent{.name = "Stop"});
  EXPECT_EQ(record.AsObject()->size(), 2U);
}

TEST(AgentEventTest, MembersOfTheWrongTypeAreRefusedAndUnknownOnesPassedOver) {
  Json record = ToJson(Full());
  record.Set("new_member", 1);
  EXPECT_EQ(*AgentEventFromJson(record), Full());
  for (const char* above : {"x", "1", "1@", "@1", " 1@2"}) {
    record.Set("above", above);
    EXPECT_TRUE(AgentEventFromJson(record)->above.empty()) << above;
  }
  record.Set("above", "1@2 3@x");
  EXPECT_EQ(AgentEventFromJson(record)->above, (std::vector<ProcessMark>{{1, 2}}));
  record.Set("pid", "one");
  EXPECT_FALSE(AgentEventFromJson(record).ok());
}

}  // namespace
}  // namespace belay
