#include "app/taint.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

const TaintSession kManual{.name = std::string(kManualSession)};
const TaintSession kAgentSession{.name = "worker-a#1", .agent = *AgentId::Parse("worker-a#1")};

TEST(TaintThatCounts, PeopleWithoutARecordAreClean) {
  EXPECT_EQ(TaintThatCounts(TaintBook(), kManual).state, TaintState::kClean);
}

TEST(TaintThatCounts, AnAgentWithoutARecordIsTainted) {
  const Taint taint = TaintThatCounts(TaintBook(), kAgentSession);
  EXPECT_EQ(taint.state, TaintState::kTainted);
  EXPECT_NE(taint.because, "");
}

TEST(TaintThatCounts, AnAgentThatBeganIsClean) {
  TaintBook book;
  book.Apply(BeganRecord(WallTime(), kAgentSession.name));
  EXPECT_EQ(TaintThatCounts(book, kAgentSession).state, TaintState::kClean);
}

TEST(TaintThatCounts, RecordsThatMakeNoSenseTaintEverybody) {
  TaintBook book;
  book.Apply(BeganRecord(WallTime(), kAgentSession.name));
  book.Apply(MakeObject({{"kind", "of a later belay"}}));
  EXPECT_EQ(TaintThatCounts(book, kAgentSession).state, TaintState::kTainted);
  EXPECT_EQ(TaintThatCounts(book, kManual).state, TaintState::kTainted);
}

}  // namespace
}  // namespace belay
