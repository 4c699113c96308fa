#include "cli/doctor_heard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr WallTime kNow{std::chrono::hours(24 * 365 * 50)};

TEST(DoctorHeardTest, SaysWhenEachWasHeard) {
  const Check check = JudgeHeard(
      {{"worker-a#1", kNow - 2h, kNow - 3s}, {"worker-b#2", kNow - 3h, kNow - 2h}}, kNow);
  EXPECT_EQ(check.verdict, Verdict::kFine);
  EXPECT_EQ(check.found, "worker-a#1 3s ago; worker-b#2 2h ago");
}

TEST(DoctorHeardTest, OneThatHasJustStartedMayBeSilent) {
  const Check check = JudgeHeard({{"worker-a#1", kNow - 60s}}, kNow);
  EXPECT_EQ(check.verdict, Verdict::kFine);
  EXPECT_EQ(check.found, "worker-a#1 not yet, started 60s ago");
}

TEST(DoctorHeardTest, WhoeverWasNeverHeardComesFirstWithTheNextStep) {
  const Check check =
      JudgeHeard({{"worker-a#1", kNow - 2h, kNow - 3s}, {"worker-mute#2", kNow - 61s}}, kNow);
  EXPECT_EQ(check.verdict, Verdict::kLacking);
  EXPECT_EQ(check.found, "worker-mute#2 never, started 61s ago; worker-a#1 3s ago");
  EXPECT_THAT(check.fix, HasSubstr("belay init --agent claude"));
  EXPECT_THAT(check.fix, HasSubstr("belay stop worker-mute"));
}

TEST(DoctorHeardTest, OfManyOnlySomeAreNamed) {
  std::vector<HookedAgent> agents(20, {"worker-a#1", kNow, kNow});
  agents.push_back({"worker-mute#1", kNow - 1h});
  const Check check = JudgeHeard(agents, kNow);
  EXPECT_THAT(check.found, HasSubstr("worker-mute#1 never"));
  EXPECT_THAT(check.found, HasSubstr("; and 13 more"));
}

}  // namespace
}  // namespace belay
