#include <gtest/gtest.h>
#include <unistd.h>

#include "adapters/agent/agent_program.h"
#include "adapters/claude/hooks.h"

namespace belay {
namespace {

AncestorId Ourselves() {
  // As a child process would see its parent.
  const std::vector<AncestorId> above = AncestorIds(getpid(), 1);
  EXPECT_EQ(above.size(), 1U);
  return above.at(0);
}

TEST(ProcessAboveTest, AClaimCountsOnlyForProcessesAbove) {
  const std::vector<AncestorId> above = {{90, 900}, {70, 700}, {60, 600}};
  EXPECT_EQ(ClaudeAbove(above, "70"), (AncestorId{70, 700}));
  for (const char* wrong : {"71", "", "70x", "-70", "99999999999999"}) {
    EXPECT_EQ(ClaudeAbove(above, wrong), std::nullopt) << wrong;
  }
}

TEST(ProcessAboveTest, OneThatDoesNotSayIsFoundOnlyByItsProgram) {
  const std::vector<AncestorId> above = {Ourselves()};  // the shell or the runner of this test
  EXPECT_EQ(ClaudeAbove(above, std::nullopt), std::nullopt);
  EXPECT_EQ(ClaudeAbove({}, std::nullopt), std::nullopt);
}

TEST(ProcessAboveTest, InsideAnotherMeansTheSameProgramFurtherUp) {
  const AncestorId runner = Ourselves();
  const AncestorId other{1, 0};
  EXPECT_TRUE(RunsInsideAnother(std::vector{runner, runner}, runner));
  EXPECT_FALSE(RunsInsideAnother(std::vector{runner}, runner));
  EXPECT_FALSE(RunsInsideAnother(std::vector{other, runner}, runner));
  EXPECT_FALSE(RunsInsideAnother(std::vector{runner, runner}, other)) << "not above";
}

TEST(ProcessAboveTest, WhatIsAboveABelayIsNotAroundIt) {
  const AncestorId runner = Ourselves();
  const AncestorId belay{getpid(), 0};  // the same file as ours
  EXPECT_FALSE(RunsInsideAnother(std::vector{runner, belay, runner}, runner));
}

}  // namespace
}  // namespace belay
