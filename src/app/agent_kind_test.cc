#include <gtest/gtest.h>

#include "app/agent_facts.h"

namespace belay {
namespace {

Identity Agent(AgentKind kind, KindSource source) {
  Identity identity{*AgentId::Parse("worker-a#1")};
  identity.agent_kind = kind;
  identity.kind_source = source;
  return identity;
}

TEST(AgentKindTest, OnlyAGenericAgentThatNoPersonNamedBecomesAClaude) {
  struct Case {
    AgentKind kind;
    KindSource source;
    bool becomes;
  };
  const Case cases[] = {
      {AgentKind::kGeneric, KindSource::kCommand, true},
      {AgentKind::kGeneric, KindSource::kUnknown, true},  // recorded by an older belay
      {AgentKind::kGeneric, KindSource::kGiven, false},
      {AgentKind::kClaude, KindSource::kCommand, false},
      {AgentKind::kClaude, KindSource::kProcesses, false},
      {AgentKind::kCodex, KindSource::kCommand, false},
      {AgentKind::kCodex, KindSource::kGiven, false},
  };
  for (const Case& one : cases) {
    const Identity identity = Agent(one.kind, one.source);
    const auto change = CorrectedKind(identity, {AgentKind::kClaude, KindSource::kHooks});
    EXPECT_EQ(change.has_value(), one.becomes) << AgentKindName(one.kind);
    EXPECT_EQ(KindWithHooks(identity, AgentKind::kClaude),
              one.becomes ? AgentKind::kClaude : one.kind);
    EXPECT_EQ(KindWithHooks(identity, std::nullopt), one.kind);
    if (!change) continue;
    EXPECT_EQ(change->identity.agent_kind, AgentKind::kClaude);
    EXPECT_EQ(change->identity.kind_source, KindSource::kHooks);
    EXPECT_EQ(change->why, "claude, not generic: its hooks reported a session");
  }
}

TEST(AgentKindTest, AClaudeIsSeenAmongProcesses) {
  EXPECT_EQ(HookedKindIn({{"belay", "exec", "a#1"}, {"/bin/sh", "./w.sh"}, {"claude", "-p"}}),
            AgentKind::kClaude);
  EXPECT_EQ(HookedKindIn({{"node", "/x/node_modules/.bin/claude"}}), AgentKind::kClaude);
  EXPECT_EQ(HookedKindIn({{"grep", "claude"}, {"/bin/sh", "./claude.sh"}, {}}), std::nullopt);
  EXPECT_EQ(HookedKindIn({{"codex"}}), std::nullopt) << "it has no hooks yet";
}

}  // namespace
}  // namespace belay
