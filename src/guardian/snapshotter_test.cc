#include "guardian/snapshotter.h"

#include <gmock/gmock.h>

#include <string>

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kWhole =
    R"({"schema_version":1,"id":"agent-orchestrator-login/7","new":true,"head":"0123abcd",)"
    R"("paths":["a.txt","\"tab\\there\""],"paths_count":2})";

TEST(SnapshotterTest, UnderstandsWhatTakeSays) {
  const Result<SnapshotOutcome> outcome = ParseSnapshotOutcome(kWhole);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->id, "agent-orchestrator-login/7");
  EXPECT_TRUE(outcome->is_new);
  EXPECT_EQ(outcome->head, "0123abcd");
  EXPECT_THAT(outcome->paths, ElementsAre("a.txt", "\"tab\\there\""));
  EXPECT_EQ(outcome->paths_count, 2U);
}

TEST(SnapshotterTest, ACutAnswerIsNoSnapshot) {
  for (std::size_t length = 0; length < kWhole.size(); ++length) {
    EXPECT_FALSE(ParseSnapshotOutcome(kWhole.substr(0, length)).ok()) << length;
  }
}

TEST(SnapshotterTest, OneThatLacksAFileCountsAllTheSame) {
  const Result<SnapshotOutcome> outcome =
      ParseSnapshotOutcome(R"({"error":{"message":"x: can't be read"},"id":"main/1","new":false})");
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->id, "main/1");
  EXPECT_FALSE(outcome->is_new);
}

TEST(SnapshotterTest, AFailureSaysWhy) {
  const auto failed = ParseSnapshotOutcome(R"({"error":{"message":"git: no such worktree"}})");
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().message, HasSubstr("git: no such worktree"));
  const auto silent = ParseSnapshotOutcome("{}");
  ASSERT_FALSE(silent.ok());
  EXPECT_THAT(silent.error().message, HasSubstr("says nothing"));
}

TEST(SnapshotterTest, MembersOfAnotherKindCountAsMissing) {
  const Result<SnapshotOutcome> outcome = ParseSnapshotOutcome(
      R"({"id":"main/1","new":"yes","head":7,"paths":[1,"a",null],"paths_count":-5})");
  ASSERT_TRUE(outcome.ok());
  EXPECT_FALSE(outcome->is_new);
  EXPECT_EQ(outcome->head, "");
  EXPECT_THAT(outcome->paths, ElementsAre("a"));
  EXPECT_EQ(outcome->paths_count, 0U);
  EXPECT_FALSE(ParseSnapshotOutcome(R"({"id":7})").ok());
  EXPECT_FALSE(ParseSnapshotOutcome("[]").ok());
}

}  // namespace
}  // namespace belay
