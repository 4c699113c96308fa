#include "app/signals.h"

#include <gmock/gmock.h>

namespace belay {
namespace {

using ::testing::HasSubstr;

const Caller kPerson{.proven = true};

class SignalCheckTest : public ::testing::Test {
 protected:
  SignalCheckTest() {
    for (const char* id : {"worker-a#1", "worker-a#2"}) {
      Identity agent{.id = *AgentId::Parse(id)};
      agent.status = AgentStatus::kAlive;
      book_.Apply(IdentityRecord(WallTime(), "alive", "", agent));
    }
  }
  Result<void> Check(SignalType type, Json payload, const Caller& caller = kPerson) {
    const Signal signal{
        .type = type, .from = caller.Name(), .to = "guardian", .payload = std::move(payload)};
    return CheckSent(book_, signal, caller, Recipient::Guardian());
  }
  void ExpectNotEnded(Json target, const std::string& says) {
    const Result<void> sent =
        Check(SignalType::kKillOrchestrator, MakeObject({{"agent_id", std::move(target)}}));
    ASSERT_FALSE(sent.ok());
    EXPECT_EQ(sent.error().code, ErrorCode::kRefused);
    EXPECT_THAT(sent.error().message, HasSubstr(says));
  }

  IdentityBook book_;
};

TEST_F(SignalCheckTest, WhatAgentsMayNotSendNeedsAProvenPerson) {
  const Json node = MakeObject({{"node_id", "n"}, {"head", "h"}});
  EXPECT_TRUE(Check(SignalType::kValidationPassed, node).ok());
  const Result<void> script = Check(SignalType::kValidationPassed, node, Caller{});
  ASSERT_FALSE(script.ok());
  EXPECT_EQ(script.error().code, ErrorCode::kRefused);
  EXPECT_THAT(script.error().hint, HasSubstr("in a terminal"));
  EXPECT_TRUE(Check(SignalType::kNodeComplete, node, Caller{}).ok());
}

TEST_F(SignalCheckTest, AnAgentIsNoPersonHoweverProven) {
  const Caller agent{Party::kAgent, *AgentId::Parse("worker-a#2"), true};
  EXPECT_FALSE(
      Check(SignalType::kValidationPassed, MakeObject({{"node_id", "n"}, {"head", "h"}}), agent)
          .ok());
}

TEST_F(SignalCheckTest, OnlyThePresentIncarnationCanBeEnded) {
  EXPECT_TRUE(Check(SignalType::kKillOrchestrator, MakeObject({{"agent_id", "worker-a#2"}})).ok());
  ExpectNotEnded("worker-a#1", "worker-a#1 is not the current incarnation; worker-a#2 is");
  ExpectNotEnded("worker-a#3", "worker-a#3 is not the current incarnation");
  ExpectNotEnded("worker-b#1", "no agent worker-b");
  ExpectNotEnded("worker-a", "worker-a");
  ExpectNotEnded(7, "not a string");
}

IdentityBook BookWith(std::initializer_list<const char*> agents) {
  IdentityBook book;
  for (const char* agent : agents) {
    book.Apply(IdentityRecord(WallTime(), "alive", "", Identity{.id = *AgentId::Parse(agent)}));
  }
  return book;
}

TEST(FindRecipient, KnowsTheGuardianThePersonAndAgents) {
  const IdentityBook book = BookWith({"worker-a#1"});
  EXPECT_EQ(*FindRecipient(book, "guardian"), Recipient::Guardian());
  EXPECT_EQ(*FindRecipient(book, "person"), Recipient::Person());
  EXPECT_EQ(FindRecipient(book, "a")->text(), "worker-a");
  EXPECT_EQ(FindRecipient(book, "worker-a")->party(), Party::kAgent);
}

TEST(FindRecipient, RefusesWhoIsNotThereOrNotTheOnlyOne) {
  const IdentityBook book = BookWith({"worker-a#1", "scout-a#1"});
  EXPECT_EQ(FindRecipient(book, "b").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(FindRecipient(book, "a").error().code, ErrorCode::kUsage);
  EXPECT_FALSE(FindRecipient(book, "../x").ok());
}

TEST(OwnInbox, IsThePersonsOrTheAgents) {
  EXPECT_EQ(OwnInbox(Caller{}), Recipient::Person());
  const Caller agent{Party::kAgent, *AgentId::Parse("worker-a#3"), false};
  EXPECT_EQ(OwnInbox(agent).text(), "worker-a");
}

}  // namespace
}  // namespace belay
