#include "app/taint.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

const TaintSession kManual{.name = std::string(kManualSession)};
const TaintSession kAgentSession{.name = "worker-a#1", .agent = *AgentId::Parse("worker-a#1")};

TEST(EffectiveTaint, PeopleWithoutARecordAreClean) {
  EXPECT_EQ(EffectiveTaint(TaintBook(), kManual).state, TaintState::kClean);
}

TEST(EffectiveTaint, AnAgentWithoutARecordIsTainted) {
  const Taint taint = EffectiveTaint(TaintBook(), kAgentSession);
  EXPECT_EQ(taint.state, TaintState::kTainted);
  EXPECT_NE(taint.because, "");
}

TEST(EffectiveTaint, AnAgentThatBeganIsClean) {
  TaintBook book;
  book.Apply(BeganRecord(WallTime(), kAgentSession.name));
  EXPECT_EQ(EffectiveTaint(book, kAgentSession).state, TaintState::kClean);
}

TEST(EffectiveTaint, UnreadableRecordsTaintEverySession) {
  TaintBook book;
  book.Apply(BeganRecord(WallTime(), kAgentSession.name));
  book.Apply(MakeObject({{"kind", "of a later belay"}}));
  EXPECT_EQ(EffectiveTaint(book, kAgentSession).state, TaintState::kTainted);
  EXPECT_EQ(EffectiveTaint(book, kManual).state, TaintState::kTainted);
}

}  // namespace
}  // namespace belay
