// Invariants of the restart policy.

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "engine/supervise/exit_cause.h"
#include "engine/supervise/restart_policy.h"
#include "engine/supervise/test_identity.h"

namespace belay {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

ExitCause AnyCause() {
  return static_cast<ExitCause>(*rc::gen::inRange(0, static_cast<int>(ExitCause::kUnknown) + 1));
}

RestartLimits AnyLimits() {
  RestartLimits limits;
  limits.most_crashes = *rc::gen::inRange<std::size_t>(1, 12);
  limits.first_backoff = std::chrono::milliseconds(*rc::gen::inRange(10, 5'000));
  limits.longest_backoff = seconds(*rc::gen::inRange(1, 600));
  for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
    limits.policies[AnyCause()] = static_cast<Policy>(*rc::gen::inRange(0, 4));
  }
  return limits;
}

TEST(RestartPolicyProperty, WhatWasStoppedOrTerminatedIsNeverStartedAgain) {
  EXPECT_TRUE(rc::check([] {
    const RestartLimits limits = AnyLimits();
    const WallTime now = NoonPlus({});
    Identity ended = AgentNamed("worker-a#1", now - seconds(*rc::gen::inRange(-100, 10'000)));
    ended.exit = AgentExit{.cause = AnyCause(), .at = now};
    ended.status = StatusAfter(ended.exit->cause);
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        ended.intent = Intent{.what = "stop", .by = "person"};
        break;
      case 1:
        ended.status = AgentStatus::kTerminated;
        break;
      default:
        ended.exit->cause = *rc::gen::element(ExitCause::kClean, ExitCause::kStopped);
    }
    const RestartDecision decision = DecideAfterEnd(limits, ended, now);
    RC_ASSERT(decision.step == NextStep::kNothing);
    RC_ASSERT(!decision.restart.due);
    RC_ASSERT(decision.status == AgentStatus::kTerminated);
  }));
}

// An agent that crashes repeatedly, each time before it is healthy, until it is quarantined.
struct Life {
  std::vector<WallTime> respawns = {};  // when they were decided on
  std::vector<Duration> waits = {};
};

Life Crashing(const RestartLimits& limits) {
  Life life;
  WallTime now = NoonPlus({});
  Identity agent = AgentNamed("worker-a#1", now);
  for (int i = 0; i < 60; ++i) {
    now += seconds(*rc::gen::inRange(0, 599));
    agent.exit = AgentExit{.cause = ExitCause::kCrash, .at = now};
    agent.status = AgentStatus::kCrashed;
    const RestartDecision decision = DecideAfterEnd(limits, agent, now);
    if (decision.step != NextStep::kRespawn) break;
    life.respawns.push_back(now);
    life.waits.push_back(decision.restart.wait);
    agent.restart = decision.restart;
    now = *decision.restart.due;
    agent.started_at = now;
  }
  return life;
}

TEST(RestartPolicyProperty, WithoutHealthWaitsNeverShrinkNorExceedTheLongest) {
  EXPECT_TRUE(rc::check([] {
    RestartLimits limits = AnyLimits();
    limits.policies.clear();
    const Life life = Crashing(limits);
    RC_ASSERT(std::ranges::is_sorted(life.waits));
    for (const Duration wait : life.waits) RC_ASSERT(wait <= limits.longest_backoff);
  }));
}

TEST(RestartPolicyProperty, WithoutHealthAWindowHoldsFewerRespawnsThanTheMostCrashes) {
  EXPECT_TRUE(rc::check([] {
    RestartLimits limits = AnyLimits();
    limits.policies.clear();
    const Life life = Crashing(limits);
    for (const WallTime from : life.respawns) {
      const auto within = std::ranges::count_if(
          life.respawns, [&](WallTime at) { return at >= from && at - from < limits.window; });
      RC_ASSERT(static_cast<std::size_t>(within) < limits.most_crashes);
    }
  }));
}

TEST(RestartPolicyProperty, WhatIsRememberedStaysSmall) {
  EXPECT_TRUE(rc::check([] {
    const RestartLimits limits = AnyLimits();
    Identity agent = AgentNamed("worker-a#1", NoonPlus({}));
    for (int i = 1; i < 200; ++i) {
      const WallTime now = NoonPlus(minutes(9 * i));
      agent.exit = AgentExit{.cause = ExitCause::kCrash, .at = now};
      agent.status = AgentStatus::kCrashed;
      agent.restart = DecideAfterEnd(limits, agent, now).restart;
      agent.started_at = now;
      RC_ASSERT(agent.restart.crashes.size() <= 40u);
    }
  }));
}

}  // namespace
}  // namespace belay
