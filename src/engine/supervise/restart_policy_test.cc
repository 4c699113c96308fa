#include "engine/supervise/restart_policy.h"

#include <gtest/gtest.h>

#include "engine/supervise/exit_cause.h"
#include "engine/supervise/test_identity.h"

namespace belay {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const WallTime kNow = NoonPlus({});

Identity Ended(ExitCause cause, Duration ran = seconds(1), RestartState restart = {}) {
  Identity ended = AgentNamed("orchestrator-x#3", kNow - ran);
  ended.exit = AgentExit{.cause = cause, .at = kNow};
  ended.status = StatusAfter(cause);
  ended.restart = std::move(restart);
  return ended;
}

RestartDecision Decide(const Identity& ended, const RestartLimits& limits = {}) {
  return DecideAfterEnd(limits, ended, kNow);
}

// With crashes this long ago, oldest first.
RestartState After(std::initializer_list<Duration> ago) {
  RestartState restart;
  for (const Duration each : ago) restart.crashes.push_back(kNow - each);
  return restart;
}

TEST(RestartPolicyTest, WhatEndedAsItWasMeantToStaysEnded) {
  const RestartDecision clean = Decide(Ended(ExitCause::kClean));
  EXPECT_EQ(clean.step, NextStep::kNothing);
  EXPECT_EQ(clean.status, AgentStatus::kTerminated);
  EXPECT_EQ(clean.why, "finished");
  EXPECT_FALSE(clean.restart.due);
  EXPECT_EQ(clean.restart.reason, "");
  EXPECT_EQ(Decide(Ended(ExitCause::kStopped)).why, "stopped as requested");
}

TEST(RestartPolicyTest, AStopThatCameAfterTheCrashCountsToo) {
  Identity ended = Ended(ExitCause::kKilled);
  ended.intent = Intent{.what = "stop", .by = "person"};
  EXPECT_EQ(Decide(ended).step, NextStep::kNothing);
  EXPECT_EQ(Decide(ended).status, AgentStatus::kTerminated);
}

TEST(RestartPolicyTest, EveryCauseHasItsPublishedPolicy) {
  const auto policy = [](ExitCause cause) { return PolicyName(PolicyFor({}, cause)); };
  EXPECT_EQ(policy(ExitCause::kClean), "leave");
  EXPECT_EQ(policy(ExitCause::kStopped), "leave");
  EXPECT_EQ(policy(ExitCause::kCrash), "respawn");
  EXPECT_EQ(policy(ExitCause::kKilled), "respawn");
  EXPECT_EQ(policy(ExitCause::kOom), "respawn");
  EXPECT_EQ(policy(ExitCause::kUnknown), "respawn");
  EXPECT_EQ(policy(ExitCause::kHung), "ask");
  EXPECT_EQ(policy(ExitCause::kContextExhausted), "respawn");
  EXPECT_EQ(policy(ExitCause::kRateLimit), "wait");
  EXPECT_EQ(policy(ExitCause::kAuth), "ask");
  EXPECT_EQ(PolicyFor({.policies = {{ExitCause::kCrash, Policy::kAsk}}}, ExitCause::kCrash),
            Policy::kAsk);
}

TEST(RestartPolicyTest, LeaveDoesNothingMore) {
  const RestartDecision left =
      Decide(Ended(ExitCause::kCrash), {.policies = {{ExitCause::kCrash, Policy::kLeave}}});
  EXPECT_EQ(left.step, NextStep::kNothing);
  EXPECT_EQ(left.status, AgentStatus::kCrashed);
  EXPECT_EQ(left.why, "not restarted");
  EXPECT_EQ(left.restart.reason, left.why);
  EXPECT_FALSE(left.restart.due);
}

TEST(RestartPolicyTest, AskNotifiesAPerson) {
  const RestartDecision asked = Decide(Ended(ExitCause::kHung));
  EXPECT_EQ(asked.step, NextStep::kNotifyPerson);
  EXPECT_EQ(asked.status, AgentStatus::kCrashed);
  EXPECT_EQ(asked.why, "waits for your decision; belay release orchestrator-x restarts it");
  EXPECT_FALSE(asked.restart.due);
}

TEST(RestartPolicyTest, AWaitIsNoCrash) {
  const RestartState before = After({seconds(9), seconds(8), seconds(7), seconds(6)});
  const RestartDecision wait = Decide(Ended(ExitCause::kRateLimit, seconds(1), before));
  EXPECT_EQ(wait.step, NextStep::kRespawn);
  EXPECT_EQ(wait.restart.due, kNow + minutes(15));
  EXPECT_EQ(wait.restart.wait, minutes(15));
  EXPECT_EQ(wait.restart.crashes, before.crashes);
  EXPECT_EQ(wait.why, "restarting in 15m");
  EXPECT_EQ(wait.restart.reason, "");
}

TEST(RestartPolicyTest, BacksOffAndThenQuarantines) {
  const char* const why[] = {
      "1st crash, restarting now",
      "2nd crash within 15m, restarting in 1s",
      "3rd crash within 15m, restarting in 2s",
      "4th crash within 15m, restarting in 4s",
  };
  const int waits[] = {0, 1, 2, 4};
  RestartState restart;
  for (int i = 0; i < 4; ++i) {
    const RestartDecision next = Decide(Ended(ExitCause::kKilled, seconds(1), restart));
    EXPECT_EQ(next.step, NextStep::kRespawn);
    EXPECT_EQ(next.status, AgentStatus::kCrashed);
    EXPECT_EQ(next.restart.due, kNow + seconds(waits[i]));
    EXPECT_EQ(next.restart.wait, seconds(waits[i]));
    EXPECT_EQ(next.why, why[i]);
    EXPECT_TRUE(std::string(why[i]).starts_with(next.restart.reason + ", restarting"));
    restart = next.restart;
  }
  const RestartDecision last = Decide(Ended(ExitCause::kKilled, seconds(1), restart));
  EXPECT_EQ(last.step, NextStep::kQuarantine);
  EXPECT_EQ(last.status, AgentStatus::kQuarantined);
  EXPECT_FALSE(last.restart.due);
  EXPECT_EQ(last.why, "5 crashes within 15m; belay release orchestrator-x continues it");
  EXPECT_EQ(last.restart.reason, "5 crashes within 15m");
  EXPECT_EQ(last.restart.restarts, 0u);  // counted when a successor is prepared
}

TEST(RestartPolicyTest, TheBackoffContinuesToTheLongest) {
  RestartState restart;
  RestartDecision next;
  for (int i = 0; i < 99; ++i) {
    next = Decide(Ended(ExitCause::kCrash, seconds(1), restart), {.most_crashes = 100});
    restart = next.restart;
  }
  EXPECT_EQ(next.restart.wait, minutes(5));
  EXPECT_EQ(next.why, "99th crash within 15m, restarting in 5m");
}

TEST(RestartPolicyTest, SlowCrashesBackOffWithoutQuarantine) {
  const RestartState before = After({minutes(45), minutes(36), minutes(27), minutes(18)});
  const RestartDecision next = Decide(Ended(ExitCause::kCrash, minutes(9), before));
  EXPECT_EQ(next.step, NextStep::kRespawn);
  EXPECT_EQ(next.restart.wait, seconds(8));
  EXPECT_EQ(next.why, "5th crash without 10m of healthy running, restarting in 8s");
}

TEST(RestartPolicyTest, TheWindowIsOpenAtItsFarEnd) {
  const RestartLimits two{.most_crashes = 2};
  const auto step = [&](Duration ago) {
    return Decide(Ended(ExitCause::kCrash, seconds(1), After({ago})), two).step;
  };
  EXPECT_EQ(step(minutes(15)), NextStep::kRespawn);
  EXPECT_EQ(step(minutes(15) - milliseconds(1)), NextStep::kQuarantine);
}

TEST(RestartPolicyTest, HealthMakesOlderCrashesForgotten) {
  const RestartState before = After({minutes(13), minutes(12), minutes(11), minutes(10)});
  const RestartDecision next = Decide(Ended(ExitCause::kCrash, minutes(10), before));
  EXPECT_EQ(next.step, NextStep::kRespawn);
  EXPECT_EQ(next.restart.due, kNow);
  EXPECT_EQ(next.restart.crashes, std::vector<WallTime>{kNow});
  EXPECT_EQ(next.why, "1st crash after 10m of healthy running, restarting now");
  EXPECT_EQ(Decide(Ended(ExitCause::kCrash, minutes(10) - milliseconds(1), before)).step,
            NextStep::kQuarantine);
}

TEST(RestartPolicyTest, HealthEndsWithTheProcessAndNotWhenItIsFound) {
  Identity ended = Ended(ExitCause::kCrash, hours(9), After({hours(10)}));
  ended.exit->at = *ended.started_at + seconds(3);
  EXPECT_EQ(Decide(ended).restart.crashes.size(), 2u);
}

TEST(RestartPolicyTest, OneThatNeverStartedIsJudgedByItsCreation) {
  Identity ended = Ended(ExitCause::kUnknown, hours(1), After({minutes(1)}));
  ended.started_at.reset();
  ended.created_at = kNow - seconds(10);
  EXPECT_EQ(Decide(ended).restart.wait, seconds(1));
}

TEST(RestartPolicyTest, TimesInTheFutureCountAsNow) {
  Identity ended = Ended(ExitCause::kCrash, -hours(2), After({-hours(3), -hours(2)}));
  ended.exit->at = kNow + hours(1);
  const RestartDecision next = Decide(ended);
  EXPECT_EQ(next.restart.crashes, (std::vector<WallTime>{kNow, kNow, kNow}));
  EXPECT_EQ(next.restart.wait, seconds(2));
}

TEST(RestartPolicyTest, WhatBelayMayNotStartIsLeft) {
  Identity ended = Ended(ExitCause::kCrash);
  ended.respawn = false;
  EXPECT_EQ(Decide(ended).step, NextStep::kNothing);
  EXPECT_EQ(Decide(ended).why, "not restarted: it has --no-respawn");
  ended.respawn = true;
  ended.host = AgentHost::kExternal;
  EXPECT_EQ(Decide(ended).step, NextStep::kNothing);
  EXPECT_EQ(Decide(ended).why, "not restarted: it was not started by belay");
  ended.host = AgentHost::kSelf;
  EXPECT_EQ(Decide(ended).step, NextStep::kNothing);
  ended.host = AgentHost::kTmux;
  EXPECT_EQ(Decide(ended).step, NextStep::kRespawn);
}

TEST(RestartPolicyTest, TwoFailedResumesInARowReduceTheText) {
  Identity ended = Ended(ExitCause::kCrash, seconds(29));
  EXPECT_EQ(Decide(ended).restart.failed_resumes, 0u);  // it wasn't resumed
  ended.predecessor_id = "orchestrator-x#2";
  ended.restart = Decide(ended).restart;
  EXPECT_EQ(ended.restart.failed_resumes, 1u);
  Identity killed = ended;
  killed.exit->cause = ExitCause::kKilled;
  EXPECT_EQ(Decide(killed).restart.failed_resumes, 1u);  // the text was not the cause
  killed.exit->cause = ExitCause::kUnknown;
  EXPECT_EQ(Decide(killed).restart.failed_resumes,
            1u);  // its exec was killed, or it was interrupted
  killed.started_at.reset();
  EXPECT_EQ(Decide(killed).restart.failed_resumes, 2u);  // it could not even be started
  EXPECT_FALSE(WantsReducedText(ended.restart));
  ended.restart = Decide(ended).restart;
  EXPECT_TRUE(WantsReducedText(ended.restart));
  ended.started_at = kNow - seconds(30);
  EXPECT_FALSE(WantsReducedText(Decide(ended).restart));
}

TEST(RestartPolicyTest, AReleaseClearsEarlierCrashes) {
  RestartState restart = After({seconds(3), seconds(2)});
  restart.restarts = 7;
  restart.failed_resumes = 4;
  restart.wait = minutes(5);
  restart.reason = "5 crashes";
  const RestartState released = Released(restart, kNow);
  EXPECT_EQ(released, (RestartState{.restarts = 7, .due = kNow}));
}

TEST(RestartPolicyTest, AClockThatWasSetPutsNothingOffForLonger) {
  const RestartState restart{.due = kNow + seconds(4), .wait = seconds(4)};
  EXPECT_EQ(TimeUntil(restart, kNow), seconds(4));
  EXPECT_EQ(TimeUntil(restart, kNow + seconds(1)), seconds(3));
  EXPECT_EQ(TimeUntil(restart, kNow + hours(1)), seconds(0));
  EXPECT_EQ(TimeUntil(restart, kNow - hours(1)), seconds(4));
  EXPECT_EQ(TimeUntil({}, kNow), seconds(0));
}

}  // namespace
}  // namespace belay
