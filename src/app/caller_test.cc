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
    return Judge(ancestry, claim);
  }
  Result<Caller> Judge(const Ancestry& ancestry,
                       const std::optional<std::string>& claim = std::nullopt) {
    return JudgeCaller(book_, {"/project", "/project/state", "/bin/tool"}, ancestry, claim);
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

TEST_F(CallerTest, AReusedPidIsNotTheAgent) {
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
  ExpectRefused(Judge({{100, 10, kBoot}}, "worker-b#1"), "BELAY_AGENT_ID is worker-b#1");
  ExpectRefused(Judge({{100, 10, kBoot}}, "worker-a#1"), "BELAY_AGENT_ID is worker-a#1");
}

TEST_F(CallerTest, AClaimOutsideIsAnAgentThoughNotProven) {
  const Caller expected{Party::kAgent, *AgentId::Parse("worker-x#9"), false};
  EXPECT_EQ(*Judge({kSelf}, "worker-x#9"), expected);
}

TEST_F(CallerTest, AClaimThatIsNoAgentIdIsRefused) {
  ExpectRefused(Judge({kSelf}, "worker-a"), "BELAY_AGENT_ID");
  ExpectRefused(Judge({kSelf}, "../x#1"), "BELAY_AGENT_ID");
}

TEST_F(CallerTest, AChildOfTheGuardianNamesItsAgent) {
  Know(Agent("belay-guardian#1", 300, AgentHost::kSelf));
  ExpectRefused(Judge({kSelf, {300, 10, kBoot}}), "the guardian started this");
  EXPECT_EQ(Judge({kSelf, {300, 10, kBoot}}, "worker-a#1")->Name(), "worker-a#1");
}

// A person's shell, or a process below an agent that isn't on record yet.
Ancestry Shell(const std::optional<std::string>& started_with = std::nullopt) {
  Ancestor shell{{6, 60, kBoot}};
  if (started_with) shell.variables["BELAY_AGENT_ID"] = *started_with;
  return {.chain = {{kSelf}, shell, {kInit}}, .end = Ancestry::End::kFirst, .at_terminal = true};
}

TEST_F(CallerTest, WhoWasStartedForAnAgentIsThatAgentWhateverItUnsets) {
  Identity agent = Agent("worker-a#1", 100);
  agent.process.reset();
  agent.parent.reset();
  agent.status = AgentStatus::kSpawning;
  Know(agent);
  const Caller expected{Party::kAgent, agent.id, false};
  EXPECT_EQ(*Judge(Shell("worker-a#1")), expected);
  ExpectRefused(Judge(Shell("worker-a#1"), "worker-b#1"), "is worker-b#1");
}

TEST_F(CallerTest, APersonIsProvenByATerminalAndAllAncestors) {
  EXPECT_TRUE(Judge(Shell())->proven);
  Ancestry script = Shell();
  script.at_terminal = false;
  EXPECT_EQ(*Judge(script), Caller{});
  Ancestry hidden = Shell();
  hidden.end = Ancestry::End::kHidden;
  EXPECT_EQ(*Judge(hidden), Caller{});
}

// The ancestors of the caller, instead of a person's shell.
Ancestry Below(const Ancestor& above) {
  Ancestry ancestry = Shell();
  ancestry.chain.insert(ancestry.chain.begin() + 1, above);
  return ancestry;
}

TEST_F(CallerTest, AnAgentOfAnotherProjectIsAStrangerAlsoUnderTheNameOfOneHere) {
  Know(Agent("worker-a#1", 100));
  const Caller stranger{.party = Party::kAgent, .stranger = "an agent of another project"};
  EXPECT_EQ(*Judge(Shell("worker-x#1")), stranger);
  Ancestor same{{5, 50, kBoot}};
  same.variables = {{"BELAY_AGENT_ID", "worker-a#1"}, {"BELAY_STATE", "/other/state"}};
  EXPECT_EQ(*Judge(Below(same)), stranger);
  EXPECT_EQ(*Judge(Below(same), "worker-a#1"), stranger) << "whatever it claims";
  same.variables["BELAY_STATE"] = "/project/state";
  EXPECT_EQ(Judge(Below(same))->Name(), "worker-a#1");
  // It cleared its environment and left its parent, but it is still below its exec.
  Ancestor exec{.process = {5, 50, kBoot}, .program = "/usr/bin/belay (deleted)"};
  exec.command = {"belay", "exec", "--root", "/other", "worker-a#1"};
  EXPECT_EQ(*Judge(Below(exec)), stranger);
  exec.program = "/usr/bin/renamed";
  EXPECT_EQ(*Judge(Below(exec)), stranger);
  exec.command[3] = "/project";
  EXPECT_EQ(Judge(Below(exec))->Name(), "worker-a#1");
}

TEST_F(CallerTest, WhatBelayStartedIsNoPersonAndNoGuardian) {
  Know(Agent("belay-guardian#1", 300, AgentHost::kSelf));
  Ancestor gate{{5, 50, kBoot}};
  gate.variables = {{"BELAY_GATE", "/scratch"}};
  for (const std::optional<std::string>& claim :
       {std::optional<std::string>(), std::optional<std::string>("belay-guardian#1")}) {
    EXPECT_EQ(Judge(Below(gate), claim)->Name(), "a gate");
    for (const char* program : {"/usr/bin/belay", "/usr/bin/belay-2.0", "/bin/tool"}) {
      const Ancestor lander{.process = {5, 50, kBoot}, .program = program};
      EXPECT_EQ(Judge(Below(lander), claim)->Name(), "a belay program") << program;
      Ancestry guarded = Below(lander);
      guarded.chain[1].variables = {{"BELAY_AGENT_ID", "belay-guardian#1"}};
      guarded.chain.insert(guarded.chain.begin() + 2, Ancestor{{300, 10, kBoot}});
      const Caller caller = *Judge(guarded, claim);
      EXPECT_EQ(caller.Name(), "a belay program") << program;
      EXPECT_FALSE(caller.guardian);
    }
  }
}

TEST_F(CallerTest, TheSpawnThatStartedAnExecMakesNoStrangerOfItsAgent) {
  Identity agent = Agent("worker-a#1", 100);
  agent.process.reset();
  agent.parent.reset();
  Know(agent);
  Ancestry ancestry = Below({.process = {5, 50, kBoot}, .program = "/usr/bin/belay"});
  Ancestor exec{.process = {8, 80, kBoot}, .program = "/usr/bin/belay"};
  exec.command = {"belay", "exec", "--root", "/project", "worker-a#1"};
  ancestry.chain.insert(ancestry.chain.begin() + 1, exec);
  EXPECT_EQ(Judge(ancestry)->Name(), "worker-a#1");
}

// Its arguments are enough to be an exec, but not to hide the belay above it.
TEST_F(CallerTest, AProcessThatOnlyLooksLikeAnExecStaysBelowItsGate) {
  Know(Agent("worker-a#1", 100));
  Ancestry ancestry = Below({.process = {5, 50, kBoot}, .program = "/usr/bin/belay"});
  Ancestor looks{.process = {8, 80, kBoot}, .program = "/bin/sh"};
  looks.command = {"belay", "exec", "--root", "/project", "worker-a#1"};
  ancestry.chain.insert(ancestry.chain.begin() + 1, looks);
  EXPECT_EQ(Judge(ancestry)->Name(), "a belay program");
}

TEST_F(CallerTest, ASessionThatItsHooksRegisteredIsThatAgentAndNoOther) {
  Know(Agent("worker-a#1", 100));
  Identity ended = Agent("external-a#1", 200, AgentHost::kExternal);
  ended.status = AgentStatus::kTerminated;
  Know(ended);
  Know(Agent("external-b#1", 200, AgentHost::kExternal));
  const auto caller = Judge({kSelf, {200, 10, kBoot}, kInit});
  EXPECT_EQ(*caller, (Caller{Party::kAgent, *AgentId::Parse("external-b#1"), false}));
  ExpectRefused(Judge({kSelf, {200, 10, kBoot}, kInit}, "worker-a#1"), "is worker-a#1");
  // What hooks claim about a process that belay launched doesn't count.
  Know(Agent("external-c#1", 100, AgentHost::kExternal));
  EXPECT_EQ(Judge({kSelf, {100, 10, kBoot}})->Name(), "worker-a#1");
}

TEST_F(CallerTest, WhatHooksRegisteredBelowAnAgentOrAGateChangesNothing) {
  Know(Agent("worker-a#1", 100));
  Know(Agent("external-b#1", 200, AgentHost::kExternal));
  const Ancestor session{{200, 10, kBoot}};
  EXPECT_EQ(Judge({kSelf, session.process, {100, 10, kBoot}, kInit})->Name(), "worker-a#1");
  Ancestry gate = Below(session);
  gate.chain[2].variables = {{"BELAY_GATE", "/scratch"}};
  EXPECT_EQ(Judge(gate)->Name(), "a gate");
  Ancestor itself = session;
  itself.variables = {{"BELAY_GATE", "/scratch"}};
  EXPECT_EQ(Judge(Below(itself))->Name(), "a gate");
  Ancestry elsewhere = Below(session);
  elsewhere.chain[2].variables = {{"BELAY_AGENT_ID", "worker-x#1"}};
  EXPECT_EQ(Judge(elsewhere)->Name(), "an agent of another project");
  // Its own processes can't choose who they are.
  Ancestry claims = Below(session);
  claims.chain[0].variables = {{"BELAY_AGENT_ID", "worker-a#1"}};
  ExpectRefused(Judge(claims, "worker-a#1"), "is worker-a#1");
  EXPECT_EQ(Judge(claims)->Name(), "external-b#1");
}

TEST_F(CallerTest, WithUnknownAncestorsIsUnknownWhateverItClaims) {
  Know(Agent("worker-a#1", 100));
  for (const auto& claim :
       {std::optional<std::string>(), std::optional<std::string>("worker-a#1")}) {
    ExpectRefused(Judge(Ancestry{.end = Ancestry::End::kLost}, claim), "has ended");
    ExpectRefused(Judge(Ancestry{.end = Ancestry::End::kDeep}, claim), "more than 1000");
    ExpectRefused(Judge(Ancestry{.end = Ancestry::End::kUnseen}, claim), "/proc");
    ExpectRefused(JudgeCaller(book_, {.out_of_sight = "worker-a#1"}, Shell(), claim),
                  "in another pid namespace than worker-a#1");
  }
}

}  // namespace
}  // namespace belay
