#include "engine/supervise/agent_color.h"

#include <gtest/gtest.h>

#include "engine/supervise/test_identity.h"

namespace belay {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

std::string_view ColorAfter(AgentStatus status, Duration silence) {
  return AgentColorName(ColorOf(status, NoonPlus({}), NoonPlus(silence)));
}

TEST(AgentColorTest, StatusDecidesBeforeSilence) {
  for (const Duration silence : {Duration(0), Duration(seconds(91)), Duration(hours(24))}) {
    EXPECT_EQ(ColorAfter(AgentStatus::kTerminated, silence), "grey");
    EXPECT_EQ(ColorAfter(AgentStatus::kCrashed, silence), "red");
    EXPECT_EQ(ColorAfter(AgentStatus::kQuarantined, silence), "red");
    EXPECT_EQ(ColorAfter(AgentStatus::kSpawning, silence), "yellow");
    EXPECT_EQ(ColorAfter(AgentStatus::kSuspect, silence), "yellow");
    EXPECT_EQ(ColorAfter(AgentStatus::kWaiting, silence), "yellow");
    EXPECT_EQ(ColorAfter(AgentStatus::kHandingOff, silence), "yellow");
  }
}

TEST(AgentColorTest, SilenceOfOneThatIsAliveTurnsItYellowAndThenRed) {
  EXPECT_EQ(ColorAfter(AgentStatus::kAlive, seconds(0)), "green");
  EXPECT_EQ(ColorAfter(AgentStatus::kAlive, seconds(90)), "green");
  EXPECT_EQ(ColorAfter(AgentStatus::kAlive, seconds(90) + milliseconds(1)), "yellow");
  EXPECT_EQ(ColorAfter(AgentStatus::kAlive, minutes(5)), "yellow");
  EXPECT_EQ(ColorAfter(AgentStatus::kAlive, minutes(5) + milliseconds(1)), "red");
}

TEST(AgentColorTest, AClockThatWasSetBackLeavesItGreen) {
  EXPECT_EQ(ColorAfter(AgentStatus::kAlive, -hours(1)), "green");
}

TEST(AgentColorTest, OneThatWaitsForARateLimitIsShownAsWaiting) {
  Identity identity{*AgentId::Parse("orchestrator-a#1")};
  identity.status = AgentStatus::kCrashed;
  identity.exit = AgentExit{.code = 1, .cause = ExitCause::kRateLimit};
  EXPECT_EQ(ShownStatus(identity), AgentStatus::kCrashed) << "nobody will start it again";
  identity.restart.due = WallTime();
  EXPECT_EQ(ShownStatus(identity), AgentStatus::kWaiting);
  identity.exit->cause = ExitCause::kCrash;
  EXPECT_EQ(ShownStatus(identity), AgentStatus::kCrashed);
}

}  // namespace
}  // namespace belay
