#include "engine/supervise/hung_agent.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace belay {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// An agent that is sampled every minute, and a guardian that records the results.
class Watched {
 public:
  Watched() {
    look_.now = MonotonicTime(hours(1));
    look_.boot = BootTime(hours(2));
    look_.planned = minutes(1);
  }

  Sample& next() { return look_; }
  const Suspicion& state() const { return state_; }

  SuspicionStep LookAfter(Duration passed) {
    look_.now += passed;
    look_.boot += passed;
    const SuspicionStep step = Consider(limits_, state_, look_);
    state_ = step.next;
    look_.reported = false;
    if (step.action == SuspicionAction::kSuspect) look_.status = AgentStatus::kSuspect;
    if (step.action == SuspicionAction::kAliveAgain) look_.status = AgentStatus::kAlive;
    return step;
  }
  SuspicionAction Minute() { return LookAfter(minutes(1)).action; }

  // Until it has just become suspect.
  void Suspect() {
    Minute();
    for (int i = 0; i < 5; ++i) ASSERT_EQ(Minute(), SuspicionAction::kNone) << i;
    ASSERT_EQ(Minute(), SuspicionAction::kSuspect);
  }

 private:
  SuspicionLimits limits_;
  Suspicion state_;
  Sample look_;
};

TEST(HungAgentTest, SilenceBecomesSuspicionThenThreeProbesThenHungOnce) {
  Watched agent;
  agent.Suspect();
  EXPECT_EQ(agent.Minute(), SuspicionAction::kProbe);
  EXPECT_EQ(agent.Minute(), SuspicionAction::kHung);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(agent.Minute(), SuspicionAction::kNone);
}

TEST(HungAgentTest, EachWitnessAloneClearsIt) {
  const auto cleared_by = [](void (*happen)(Sample&)) {
    Watched agent;
    agent.Suspect();
    happen(agent.next());
    const SuspicionStep step = agent.LookAfter(minutes(1));
    return step.active && step.action == SuspicionAction::kAliveAgain && step.next.probes == 0;
  };
  EXPECT_TRUE(cleared_by([](Sample& sample) { sample.seen.screen_bytes += 1; }));
  EXPECT_TRUE(cleared_by([](Sample& sample) { sample.seen.work = 7; }));
  EXPECT_TRUE(cleared_by([](Sample& sample) { sample.seen.processor_ticks += 21; }));
  EXPECT_TRUE(cleared_by([](Sample& sample) { sample.reported = true; }));
}

TEST(HungAgentTest, AFewTicksAreNoActivity) {
  Watched agent;
  agent.Suspect();
  agent.next().seen.processor_ticks += 20;
  EXPECT_EQ(agent.Minute(), SuspicionAction::kProbe);
  agent.next().seen.processor_ticks += 2;
  EXPECT_FALSE(agent.LookAfter(seconds(1)).active);
  agent.next().seen.processor_ticks += 3;
  EXPECT_TRUE(agent.LookAfter(seconds(1)).active);
  agent.next().seen.processor_ticks = 0;
  EXPECT_FALSE(agent.LookAfter(minutes(1)).active);
}

TEST(HungAgentTest, OneThatWasHungAndMovesIsAliveAgainAndCanHangAgain) {
  Watched agent;
  agent.Suspect();
  agent.Minute();
  ASSERT_EQ(agent.Minute(), SuspicionAction::kHung);
  agent.next().seen.work = 1;
  EXPECT_EQ(agent.Minute(), SuspicionAction::kAliveAgain);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(agent.Minute(), SuspicionAction::kNone);
  EXPECT_EQ(agent.Minute(), SuspicionAction::kSuspect);
  EXPECT_EQ(agent.Minute(), SuspicionAction::kProbe);
  EXPECT_EQ(agent.Minute(), SuspicionAction::kHung);
}

TEST(HungAgentTest, AWaitingOneIsNeverSuspect) {
  for (const AgentStatus status :
       {AgentStatus::kWaiting, AgentStatus::kSpawning, AgentStatus::kHandingOff}) {
    Watched agent;
    agent.next().status = status;
    for (int i = 0; i < 60; ++i) EXPECT_EQ(agent.Minute(), SuspicionAction::kNone);
    agent.next().status = AgentStatus::kAlive;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(agent.Minute(), SuspicionAction::kNone);
    EXPECT_EQ(agent.Minute(), SuspicionAction::kSuspect);
  }
}

TEST(HungAgentTest, ASuspectThatTurnsOutToWaitStaysWaiting) {
  Watched agent;
  agent.Suspect();
  agent.next().status = AgentStatus::kWaiting;
  EXPECT_EQ(agent.Minute(), SuspicionAction::kNone);
  EXPECT_EQ(agent.state().probes, 0);
}

TEST(HungAgentTest, ASleepOfTheMachineStartsOver) {
  Watched agent;
  agent.Suspect();
  agent.Minute();
  agent.next().boot += seconds(6);
  const SuspicionStep step = agent.LookAfter(minutes(1));
  EXPECT_TRUE(step.clock_jumped);
  EXPECT_FALSE(step.active);
  EXPECT_EQ(step.action, SuspicionAction::kAliveAgain);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(agent.Minute(), SuspicionAction::kNone);
  EXPECT_EQ(agent.Minute(), SuspicionAction::kSuspect);
}

TEST(HungAgentTest, ASampleThatIsMuchTooLateStartsOver) {
  Watched agent;
  agent.Suspect();
  EXPECT_FALSE(agent.LookAfter(minutes(2)).clock_jumped);
  EXPECT_TRUE(agent.LookAfter(minutes(2) + seconds(1)).clock_jumped);
  agent.next().planned = seconds(10);
  EXPECT_FALSE(agent.LookAfter(seconds(40)).clock_jumped);
  EXPECT_TRUE(agent.LookAfter(seconds(41)).clock_jumped);
  EXPECT_TRUE(agent.LookAfter(-seconds(1)).clock_jumped);
}

TEST(HungAgentTest, SmallDifferencesOfTheClocksMeanNothing) {
  Watched agent;
  agent.Suspect();
  agent.next().boot += seconds(5);
  EXPECT_EQ(agent.Minute(), SuspicionAction::kProbe);
}

TEST(HungAgentTest, ANewGuardianTrustsNoSuspicionOfTheOldOne) {
  Watched agent;
  agent.next().status = AgentStatus::kSuspect;
  EXPECT_EQ(agent.Minute(), SuspicionAction::kAliveAgain);
  EXPECT_EQ(agent.Minute(), SuspicionAction::kNone);
}

TEST(SuspicionProperty, NeverHungSoonAfterActivityNorBeforeThreeProbes) {
  EXPECT_TRUE(rc::check([] {
    const SuspicionLimits limits{.silent_after = seconds(*rc::gen::inRange(1, 600))};
    Suspicion state;
    Sample sample;
    sample.planned = minutes(1);
    MonotonicTime active = sample.now;
    int quiet = 0;  // consecutive samples that saw nothing, since the last activity or restart
    for (int i = 0; i < 40; ++i) {
      const Duration passed = seconds(*rc::gen::inRange(1, 130));
      sample.now += passed;
      sample.boot += passed + seconds(*rc::gen::weightedElement<int>({{20, 0}, {1, 60}}));
      sample.status = *rc::gen::weightedElement<AgentStatus>(
          {{20, AgentStatus::kAlive}, {20, AgentStatus::kSuspect}, {1, AgentStatus::kWaiting}});
      sample.seen.work += *rc::gen::weightedElement<std::uint64_t>({{12, 0}, {1, 1}});
      const SuspicionStep step = Consider(limits, state, sample);
      quiet = step.active || step.clock_jumped || sample.status == AgentStatus::kWaiting || i == 0
                  ? 0
                  : quiet + 1;
      if (quiet == 0) active = sample.now;
      if (step.action == SuspicionAction::kHung) {
        RC_ASSERT(sample.now - active > limits.silent_after);
        RC_ASSERT(quiet >= 3);
        RC_ASSERT(!state.acted);
      }
      state = step.next;
    }
  }));
}

}  // namespace
}  // namespace belay
