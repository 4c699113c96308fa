#include "engine/supervise/settings.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

SuperviseSettings Read(std::string text) {
  const ConfigSource source{"f.yml", std::move(text), false};
  const ConfigOutcome outcome = ReadConfig({&source, 1});
  EXPECT_TRUE(outcome.problems.empty());
  return ReadSuperviseSettings(outcome.config);
}

TEST(SuperviseSettingsTest, DefaultsAreThoseOfTheTypes) {
  const SuperviseSettings read = Read("");
  const SuperviseSettings made;
  EXPECT_EQ(read.restart.most_crashes, made.restart.most_crashes);
  EXPECT_EQ(read.restart.window, made.restart.window);
  EXPECT_EQ(read.restart.healthy, made.restart.healthy);
  EXPECT_EQ(read.restart.first_backoff, made.restart.first_backoff);
  EXPECT_EQ(read.restart.longest_backoff, made.restart.longest_backoff);
  EXPECT_EQ(read.restart.wait_length, made.restart.wait_length);
  EXPECT_EQ(read.suspicion.silent_after, made.suspicion.silent_after);
  EXPECT_EQ(read.resume_via, made.resume_via);
  EXPECT_EQ(read.heartbeat, made.heartbeat);
  EXPECT_EQ(read.snapshot_every, made.snapshot_every);
  EXPECT_EQ(read.spawn_deadline, made.spawn_deadline);
  EXPECT_EQ(read.stop_grace, made.stop_grace);
  EXPECT_EQ(read.undelivered_after, made.undelivered_after);
}

TEST(SuperviseSettingsTest, ByDefaultAgentsAreSeenEveryMinuteAndSuspectAfterFiveOfSilence) {
  const SuperviseSettings read = Read("");
  EXPECT_EQ(read.heartbeat, seconds(60));
  EXPECT_EQ(read.suspicion.silent_after, minutes(5));
  EXPECT_EQ(read.suspicion.probes, 3);
  EXPECT_EQ(read.snapshot_every, seconds(60));
}

TEST(SuperviseSettingsTest, DefaultPoliciesAreThoseOfTheRestartPolicy) {
  const SuperviseSettings read = Read("");
  EXPECT_EQ(read.restart.policies.size(), 8u);
  for (const auto& [cause, policy] : read.restart.policies) {
    EXPECT_EQ(policy, PolicyFor({}, cause)) << ExitCauseName(cause);
  }
}

TEST(SuperviseSettingsTest, EveryPolicyHasAKeyOfItsOwn) {
  for (const ExitCause cause :
       {ExitCause::kCrash, ExitCause::kKilled, ExitCause::kOom, ExitCause::kUnknown,
        ExitCause::kHung, ExitCause::kContextExhausted, ExitCause::kRateLimit, ExitCause::kAuth}) {
    const std::string key = "on_" + std::string(ExitCauseName(cause));
    const SuperviseSettings read = Read("supervise: {" + key + ": leave}\n");
    for (const auto& [other, policy] : read.restart.policies) {
      EXPECT_EQ(policy == Policy::kLeave, other == cause) << key;
    }
  }
}

TEST(SuperviseSettingsTest, TakesTheValuesOfTheFile) {
  const SuperviseSettings read = Read(
      "supervise:\n  most_crashes: 7\n  crash_window: 1m\n  healthy_after: 2m\n"
      "  first_backoff: 3s\n  longest_backoff: 4m\n  wait_length: 5m\n  silent_after: 6m\n"
      "  resume_via: typed\n  heartbeat: 8s\n  snapshot_every: 9s\n  spawn_deadline: 11s\n"
      "  stop_grace: 0\n  undelivered_after: 12s\n");
  EXPECT_EQ(read.restart.most_crashes, 7u);
  EXPECT_EQ(read.restart.window, minutes(1));
  EXPECT_EQ(read.restart.healthy, minutes(2));
  EXPECT_EQ(read.restart.first_backoff, seconds(3));
  EXPECT_EQ(read.restart.longest_backoff, minutes(4));
  EXPECT_EQ(read.restart.wait_length, minutes(5));
  EXPECT_EQ(read.suspicion.silent_after, minutes(6));
  EXPECT_EQ(read.resume_via, ResumeVia::kTyped);
  EXPECT_EQ(read.heartbeat, seconds(8));
  EXPECT_EQ(read.snapshot_every, seconds(9));
  EXPECT_EQ(read.spawn_deadline, seconds(11));
  EXPECT_EQ(read.stop_grace, seconds(0));
  EXPECT_EQ(read.undelivered_after, seconds(12));
}

TEST(SuperviseSettingsTest, HowAnAgentGetsItsTextIsLeftToItsKindUnlessTheSettingsSay) {
  EXPECT_EQ(Read("supervise: {resume_via: auto}\n").resume_via, std::nullopt);
  EXPECT_EQ(Read("supervise: {resume_via: file}\n").resume_via, ResumeVia::kFile);
  EXPECT_EQ(Read("supervise: {resume_via: argument}\n").resume_via, ResumeVia::kArgument);
}

}  // namespace
}  // namespace belay
