#include "app/caller.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

constexpr const char* kBoot = "boot";

Identity Agent(const char* id, std::int64_t pid, AgentHost host = AgentHost::kProcess) {
  Identity identity{.id = *AgentId::Parse(id)};
  identity.status = AgentStatus::kAlive;
  identity.host = host;
  identity.process = ProcessMark{pid, 10};
  identity.parent = ProcessMark{pid + 1000, 5};
  identity.boot_id = kBoot;
  return identity;
}

class CallerTest : public ::testing::Test {
 protected:
  void Know(const Identity& identity) {
    book_.Apply(IdentityRecord(WallTime(), "alive", "", identity));
  }
  Result<Caller> Judge(const std::vector<ProcessIdentity>& ancestors,
                       const std::optional<std::string>& claim = std::nullopt) {
    Ancestry ancestry{.end = Ancestry::End::kFirst};
    for (const ProcessIdentity& process : ancestors) ancestry.chain.push_back({process});
    return JudgeCaller(book_, ancestry, claim);
  }
  void ExpectRefused(const Result<Caller>& caller, const std::string& says) {
    ASSERT_FALSE(caller.ok());
    EXPECT_EQ(caller.error().code, ErrorCode::kRefused);
    EXPECT_NE(caller.error().message.find(says), std::string::npos) << caller.error().message;
  }

  IdentityBook book_;
};

const ProcessIdentity kSelf{7, 70, kBoot};
const ProcessIdentity kInit{1, 1, kBoot};

TEST_F(CallerTest, APersonHasNoAgentAboveAndClaimsNothing) {
  Know(Agent("worker-a#1", 100));
  EXPECT_EQ(*Judge({kSelf, kInit}), Caller{});
  EXPECT_EQ(Judge({kSelf, kInit})->Name(), "person");
}

TEST_F(CallerTest, AnAgentIsKnownByItsProcessOrByTheOneAboveIt) {
  Know(Agent("worker-a#2", 100));
  const Caller expected{Party::kAgent, *AgentId::Parse("worker-a#2"), true};
  EXPECT_EQ(*Judge({kSelf, {100, 10, kBoot}, kInit}), expected);
  EXPECT_EQ(*Judge({kSelf, {1100, 5, kBoot}, kInit}), expected);
  EXPECT_EQ(*Judge({kSelf, {100, 10, kBoot}, kInit}, "worker-a#2"), expected);
}

TEST_F(CallerTest, AReusedPidIsNobody) {
  Know(Agent("worker-a#1", 100));
  EXPECT_EQ(*Judge({kSelf, {100, 11, kBoot}}), Caller{});
  EXPECT_EQ(*Judge({kSelf, {100, 10, "another boot"}}), Caller{});
}

TEST_F(CallerTest, TheNearestAgentCounts) {
  Know(Agent("worker-a#1", 100));
  Know(Agent("worker-b#1", 200));
  const auto caller = Judge({kSelf, {200, 10, kBoot}, {100, 10, kBoot}});
  EXPECT_EQ(caller->Name(), "worker-b#1");
}

TEST_F(CallerTest, AProcessOfAFormerIncarnationStaysThat) {
  Know(Agent("worker-a#1", 100));
  Know(Agent("worker-a#2", 200));
  EXPECT_EQ(Judge({kSelf, {100, 10, kBoot}})->Name(), "worker-a#1");
}

TEST_F(CallerTest, AClaimInsideATreeMustAgree) {
  Know(Agent("worker-a#2", 100));
  ExpectRefused(Judge({{100, 10, kBoot}}, "worker-b#1"), "BELAY_AGENT_ID says worker-b#1");
  ExpectRefused(Judge({{100, 10, kBoot}}, "worker-a#1"), "BELAY_AGENT_ID says worker-a#1");
}

TEST_F(CallerTest, AClaimOutsideIsAnAgentThoughNotProven) {
  const Caller expected{Party::kAgent, *AgentId::Parse("worker-x#9"), false};
  EXPECT_EQ(*Judge({kSelf}, "worker-x#9"), expected);
}

TEST_F(CallerTest, AClaimThatIsNoAgentIdIsRefused) {
  ExpectRefused(Judge({kSelf}, "worker-a"), "BELAY_AGENT_ID");
  ExpectRefused(Judge({kSelf}, "../x#1"), "BELAY_AGENT_ID");
}

TEST_F(CallerTest, AChildOfTheGuardianSaysForWhom) {
  Know(Agent("belay-guardian#1", 300, AgentHost::kSelf));
  ExpectRefused(Judge({kSelf, {300, 10, kBoot}}), "the guardian started this");
  EXPECT_EQ(Judge({kSelf, {300, 10, kBoot}}, "worker-a#1")->Name(), "worker-a#1");
}

// A shell of a person, or what is below one of an agent that isn't on record yet.
Ancestry Shell(const std::optional<std::string>& started_with = std::nullopt) {
  return {.chain = {{kSelf}, {{6, 60, kBoot}, started_with}, {kInit}},
          .end = Ancestry::End::kFirst,
          .at_terminal = true};
}

TEST_F(CallerTest, WhoWasStartedForAnAgentIsThatAgentWhateverItUnsets) {
  Identity agent = Agent("worker-a#1", 100);
  agent.process.reset();
  agent.parent.reset();
  agent.status = AgentStatus::kSpawning;
  Know(agent);
  const Caller expected{Party::kAgent, agent.id, false};
  EXPECT_EQ(*JudgeCaller(book_, Shell("worker-a#1"), std::nullopt), expected);
  ExpectRefused(JudgeCaller(book_, Shell("worker-a#1"), "worker-b#1"), "says worker-b#1");
}

TEST_F(CallerTest, APersonIsProvenByATerminalAndAllAncestors) {
  EXPECT_TRUE(JudgeCaller(book_, Shell(), std::nullopt)->proven);
  Ancestry script = Shell();
  script.at_terminal = false;
  EXPECT_EQ(*JudgeCaller(book_, script, std::nullopt), Caller{});
  Ancestry hidden = Shell();
  hidden.end = Ancestry::End::kHidden;
  EXPECT_EQ(*JudgeCaller(book_, hidden, std::nullopt), Caller{});
  // An agent of another project is no agent here, and no person either.
  EXPECT_EQ(*JudgeCaller(book_, Shell("worker-x#1"), std::nullopt), Caller{});
}

TEST_F(CallerTest, WhoseAncestorsAreLostIsNoPerson) {
  Ancestry lost = Shell();
  lost.end = Ancestry::End::kLost;
  ExpectRefused(JudgeCaller(book_, lost, std::nullopt), "can't be told");
  EXPECT_EQ(JudgeCaller(book_, lost, "worker-a#1")->Name(), "worker-a#1");
}

}  // namespace
}  // namespace belay
