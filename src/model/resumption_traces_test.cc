#include "model/resumption_traces.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

using enum ResumptionPart;

Resumption WithDecisions(const std::vector<std::string>& decisions) {
  Resumption section = EmptyResumption();
  for (const std::string& decision : decisions) {
    section[kDecisionLog].Append(MakeObject({{"decision", decision}}));
  }
  return section;
}

TEST(ResumptionTracesTest, AreOfWhatTheUpdateBrought) {
  const Resumption before = WithDecisions({"a"});
  const Resumption after = WithDecisions({"a", "b"});
  EXPECT_EQ(TracesOf(before, after).size(), 1U);
  EXPECT_TRUE(HasTraces(after, TracesOf(before, after)));
  EXPECT_FALSE(HasTraces(before, TracesOf(before, after)));
  EXPECT_TRUE(TracesOf(after, after).empty());
}

TEST(ResumptionTracesTest, AreThereAlsoAfterAnEditOfOtherValues) {
  const auto traces = TracesOf(WithDecisions({"a"}), WithDecisions({"a", "b"}));
  EXPECT_TRUE(HasTraces(WithDecisions({"by hand", "a", "b"}), traces));
  EXPECT_TRUE(HasTraces(WithDecisions({"b"}), traces));
  EXPECT_FALSE(HasTraces(WithDecisions({"a", "by hand"}), traces));
}

TEST(ResumptionTracesTest, AValueThatComesTwiceIsTwo) {
  const auto traces = TracesOf(WithDecisions({"a"}), WithDecisions({"a", "a"}));
  EXPECT_FALSE(HasTraces(WithDecisions({"a"}), traces));
  EXPECT_TRUE(HasTraces(WithDecisions({"a", "a"}), traces));
}

TEST(ResumptionTracesTest, AValueThatWasEditedAgainDoesNotHideTheOthers) {
  Resumption before = EmptyResumption();
  Resumption after = WithDecisions({"new"});
  after[kRecoveryState].Set("updated_at", "2026-03-01T10:00:00Z");
  const auto traces = TracesOf(before, after);
  after[kRecoveryState].Set("updated_at", "2027-01-01T00:00:00Z");
  EXPECT_TRUE(HasTraces(after, traces));
  EXPECT_FALSE(HasTraces(before, traces));
}

TEST(ResumptionTracesTest, ThereAreNeverMany) {
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back(std::to_string(i));
  EXPECT_EQ(TracesOf(WithDecisions({}), WithDecisions(many)).size(), kMostTraces);
}

}  // namespace
}  // namespace belay
