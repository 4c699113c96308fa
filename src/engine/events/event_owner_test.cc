#include "engine/events/event_owner.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

Identity Login() {
  Identity identity{*AgentId::Parse("orchestrator-login#2")};
  identity.process = ProcessMark{70, 700};
  identity.parent = ProcessMark{60, 600};
  return identity;
}

AgentEvent Reported(const std::string& agent, std::vector<ProcessMark> above) {
  return {.kind = EventKind::kTurnEnded, .agent = agent, .above = std::move(above)};
}

TEST(EventOwnerTest, ItsOwnComeFromBelowItsProcessOrItsExec) {
  EXPECT_EQ(
      EventOwnerOf(Reported("orchestrator-login#2", {{90, 900}, {70, 700}, {60, 600}}), Login()),
      EventOwner::kItself);
  // Processes that its program left behind are children of the exec.
  EXPECT_EQ(EventOwnerOf(Reported("orchestrator-login#2", {{60, 600}}), Login()),
            EventOwner::kItself);
}

TEST(EventOwnerTest, ANameAloneIsAClaim) {
  EXPECT_EQ(EventOwnerOf(Reported("orchestrator-login#2", {}), Login()), EventOwner::kStranger);
  EXPECT_EQ(EventOwnerOf(Reported("orchestrator-login#2", {{70, 701}}), Login()),
            EventOwner::kStranger)
      << "another process with the same number";
  Identity begins = Login();
  begins.process.reset();
  begins.parent.reset();
  EXPECT_EQ(EventOwnerOf(Reported("orchestrator-login#2", {}), begins), EventOwner::kItself);
}

TEST(EventOwnerTest, OfAnIncarnationThatEndedItIsTheFormerOnes) {
  EXPECT_EQ(EventOwnerOf(Reported("orchestrator-login#1", {{70, 700}}), Login()),
            EventOwner::kFormer);
  EXPECT_EQ(EventOwnerOf(Reported("orchestrator-login#3", {{70, 700}}), Login()),
            EventOwner::kOther);
  EXPECT_EQ(EventOwnerOf(Reported("orchestrator-other#2", {{70, 700}}), Login()),
            EventOwner::kOther);
  EXPECT_EQ(EventOwnerOf(Reported("", {{70, 700}}), Login()), EventOwner::kOther);
}

TEST(EventOwnerTest, OneThatWasStartedByHandIsKnownByItsProcess) {
  Identity by_hand = Login();
  by_hand.host = AgentHost::kExternal;
  AgentEvent event{.kind = EventKind::kTurnEnded, .pid = 70, .pid_start = 700};
  EXPECT_EQ(EventOwnerOf(event, by_hand), EventOwner::kItself);
  event.pid_start = 701;
  EXPECT_EQ(EventOwnerOf(event, by_hand), EventOwner::kOther);
  event = {
      .kind = EventKind::kTurnEnded, .agent = "orchestrator-login#2", .pid = 70, .pid_start = 700};
  EXPECT_EQ(EventOwnerOf(event, by_hand), EventOwner::kOther);
}

}  // namespace
}  // namespace belay
