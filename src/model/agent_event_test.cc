#include "model/agent_event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "codec/json_lines.h"
#include "testing/golden.h"

namespace belay {
namespace {

AgentEvent Full() {
  return {.kind = EventKind::kToolFinished,
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
          .window = 200'000,
          .agent_kind = AgentKind::kClaude};
}

std::vector<Json> LinesOfVersion1() {
  std::ifstream file(SourceFile("tests/golden/event-v1.jsonl"));
  std::vector<Json> records;
  for (std::string line; std::getline(file, line);) records.push_back(*ParseJsonLine(line));
  return records;
}

// What a belay before version 2 wrote, with all of its events.
TEST(AgentEventTest, LinesOfVersion1AreReadInOwnNames) {
  const std::vector<Json> records = LinesOfVersion1();
  ASSERT_GT(records.size(), 20U);
  std::string text;
  for (const Json& record : records) {
    const Result<AgentEvent> event = AgentEventFromJson(record);
    ASSERT_TRUE(event.ok()) << WriteJson(record) << ": " << event.error().message;
    ASSERT_TRUE(AppendJsonLine(ToJson(*event), text).ok());
  }
  ExpectGolden("event-v2.jsonl", text);
}

TEST(AgentEventTest, WhatIsOfVersion2StaysAsItIs) {
  const Json record = ToJson(Full());
  EXPECT_EQ(ToJson(*AgentEventFromJson(record)), record);
}

TEST(AgentEventTest, ANewerVersionAndAnUnknownKindAreRefused) {
  Json newer = ToJson(Full());
  newer.Set("schema_version", 3);
  EXPECT_EQ(AgentEventFromJson(newer).error().code, ErrorCode::kDamaged);
  Json unknown = ToJson(Full());
  unknown.Set("event", "PreToolUse");
  EXPECT_EQ(AgentEventFromJson(unknown).error().code, ErrorCode::kDamaged);
  Json former = LinesOfVersion1().front();
  former.Set("event", "Nonsense");
  EXPECT_EQ(AgentEventFromJson(former).error().code, ErrorCode::kDamaged);
  EXPECT_FALSE(AgentEventFromJson(Json(Json::Array{})).ok());
}

TEST(AgentEventTest, EveryKindHasAName) {
  for (int i = 0; i <= static_cast<int>(EventKind::kStatusShown); ++i) {
    const auto kind = static_cast<EventKind>(i);
    EXPECT_EQ(ParseEventKind(EventKindName(kind)), kind);
  }
}

TEST(AgentEventTest, SurvivesARoundTrip) {
  EXPECT_EQ(*AgentEventFromJson(ToJson(Full())), Full());
  const AgentEvent little{.kind = EventKind::kTurnEnded};
  EXPECT_EQ(*AgentEventFromJson(ToJson(little)), little);
}

TEST(AgentEventTest, WritesOnlyKnownValues) {
  const Json record = ToJson(AgentEvent{.kind = EventKind::kTurnEnded});
  EXPECT_EQ(record.AsObject()->size(), 4U);
}

TEST(AgentEventTest, MembersOfTheWrongTypeAreRefusedAndUnknownOnesIgnored) {
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
