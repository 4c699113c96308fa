#include "engine/task/timeout_context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

WallTime Moment(int second) {
  return *ParseUtc("2026-11-18T14:00:00Z") + std::chrono::seconds(second);
}

Hook Worker() {
  Hook hook{.identity = *IdentityName::Parse("worker-a"), .work_phase = WorkPhase::kTesting};
  hook.tests_status = "failed";
  hook.tests_detail = "npm test: exit code 7";
  hook.notes = {{"the lexer is done", Moment(1), 1, "worker-a#1"}};
  hook.last_actions = {{"Edit src/a.cc", Moment(2), true},
                       {"Bash npm test", Moment(3), false},
                       {"Bash make all", Moment(4), {}}};
  return hook;
}

TEST(TimeoutContextTest, SaysWhatIsKnownLatestFirst) {
  const Hook hook = Worker();
  const TimeoutContext context = DescribeTimeout({.worker = "worker-a#1",
                                                  .deadline = Moment(60),
                                                  .hook = &hook,
                                                  .words = {"I run make now.", "Three tests fail."},
                                                  .screen = {"make: entering", "cc a.c"}});
  EXPECT_EQ(context.last_action, "Bash make all (its end is unknown)");
  EXPECT_EQ(context.state,
            "belay put this together, because worker-a#1 had not suspended its task by its "
            "deadline, 2026-11-18T14:01:00Z.\n"
            "Its phase was testing; its tests: failed (npm test: exit code 7).\n"
            "\nWhat it said last, latest first:\n"
            "- I run make now.\n- Three tests fail.\n"
            "\nWhat it did last, latest first:\n"
            "- 2026-11-18T14:00:04Z Bash make all (its end is unknown)\n"
            "- 2026-11-18T14:00:03Z Bash npm test (failed)\n"
            "- 2026-11-18T14:00:02Z Edit src/a.cc\n"
            "\nIts notes, latest first:\n"
            "- 2026-11-18T14:00:01Z worker-a#1: the lexer is done\n"
            "\nThe end of its screen:\nmake: entering\ncc a.c\n");
}

TEST(TimeoutContextTest, OfAWorkerThatReportedNothingTheScreenIsLeft) {
  const TimeoutContext context = DescribeTimeout({.worker = "worker-a#1", .screen = {"$ make"}});
  EXPECT_EQ(context.last_action, "");
  EXPECT_THAT(context.state, HasSubstr("by its deadline.\n\nThe end of its screen:\n$ make\n"));
}

TEST(TimeoutContextTest, SecretsAreMasked) {
  const Hook hook = Worker();
  const TimeoutContext context = DescribeTimeout(
      {.worker = "worker-a#1",
       .words = {"I use the token ghp_abcdefghijklmnopqrstuvwxyz0123456789"},
       .screen = {"curl -u me:hunter2 https://example.org", "API_KEY=abcdef123456"}});
  EXPECT_THAT(context.last_action, Not(HasSubstr("abcdefghij")));
  EXPECT_THAT(context.state, Not(HasSubstr("abcdefghij")));
  EXPECT_THAT(context.state, Not(HasSubstr("abcdef123456")));
}

}  // namespace
}  // namespace belay
