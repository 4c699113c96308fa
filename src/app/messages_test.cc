#include "app/messages.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

using std::chrono::seconds;

TEST(MessagesTest, WhatWaitedLongIsNotLateWhenASuccessorHasJustStarted) {
  const AgentId id(*IdentityName::Make("orchestrator", "a"), 2);
  const WallTime now(seconds(1000));
  Identity successor{id};
  successor.started_at = now - seconds(1);
  Delivery delivery{.id = "1", .agent = id, .type = SignalType::kGuidance, .from = "person"};
  delivery.sent_at = now - seconds(60);
  SuperviseSettings settings;
  settings.undelivered_after = seconds(300);
  const auto left = [&](Reach reach) {
    return TimeUntilLate(delivery, successor, reach, settings, now);
  };
  EXPECT_EQ(left(Reach::kNotYet), seconds(9));
  EXPECT_EQ(left(Reach::kHooks), seconds(240));
  EXPECT_LE(left(Reach::kNoHooks), Duration::zero());
}

}  // namespace
}  // namespace belay
