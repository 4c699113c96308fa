#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/doctor_checks.h"

namespace belay {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr WallTime kCheckedAt{std::chrono::hours(24 * 365 * 50)};

TEST(DoctorLastEventsTest, ShowsTheLastEventOfEachAgent) {
  const Check check = JudgeLastEvents(AgentKind::kClaude,
                                      {{"worker-a#1", kCheckedAt - 2h, kCheckedAt - 3s},
                                       {"worker-b#2", kCheckedAt - 3h, kCheckedAt - 2h}},
                                      kCheckedAt);
  EXPECT_EQ(check.verdict, Verdict::kFine);
  EXPECT_EQ(check.found, "worker-a#1 3s ago; worker-b#2 2h ago");
}

TEST(DoctorLastEventsTest, OneThatHasJustStartedMayBeSilent) {
  const Check check =
      JudgeLastEvents(AgentKind::kClaude, {{"worker-a#1", kCheckedAt - 60s}}, kCheckedAt);
  EXPECT_EQ(check.verdict, Verdict::kFine);
  EXPECT_EQ(check.found, "worker-a#1 not yet, started 60s ago");
}

TEST(DoctorLastEventsTest, AnAgentWithoutEventsComesFirstWithTheNextStep) {
  const Check check = JudgeLastEvents(
      AgentKind::kClaude,
      {{"worker-a#1", kCheckedAt - 2h, kCheckedAt - 3s}, {"worker-mute#2", kCheckedAt - 61s}},
      kCheckedAt);
  EXPECT_EQ(check.verdict, Verdict::kLacking);
  EXPECT_EQ(check.found, "worker-mute#2 never, started 61s ago; worker-a#1 3s ago");
  EXPECT_THAT(check.fix, HasSubstr("belay init --agent claude"));
  EXPECT_THAT(check.fix, HasSubstr("belay stop worker-mute"));
}

TEST(DoctorLastEventsTest, OfManyOnlySomeAreNamed) {
  std::vector<HookedAgent> agents(20, {"worker-a#1", kCheckedAt, kCheckedAt});
  agents.push_back({"worker-mute#1", kCheckedAt - 1h});
  const Check check = JudgeLastEvents(AgentKind::kClaude, agents, kCheckedAt);
  EXPECT_THAT(check.found, HasSubstr("worker-mute#1 never"));
  EXPECT_THAT(check.found, HasSubstr("; and 13 more"));
}

}  // namespace
}  // namespace belay
