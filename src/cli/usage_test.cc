#include <gtest/gtest.h>

#include "cli/command.h"

namespace belay {
namespace {

const Command& Named(std::string_view name) {
  for (const Command& command : Commands()) {
    if (command.name == name) return command;
  }
  ADD_FAILURE() << name;
  return Commands().front();
}

TEST(UsageTest, AnotherProgramsCommandComesLast) {
  EXPECT_TRUE(UsageLine(Named("spawn")).ends_with("[--no-wait] [-- COMMAND...]"));
  EXPECT_EQ(UsageLine(Named("stop")), "belay stop AGENT [--now]");
}

TEST(UsageTest, LinesBreakBetweenParts) {
  EXPECT_EQ(UsageLines(Named("stop"), 80), "belay stop AGENT [--now]\n");
  EXPECT_EQ(UsageLines(Named("stop"), 20), "belay stop AGENT\n           [--now]\n");
  EXPECT_EQ(UsageLines(Named("stop"), 1), "belay stop\n           AGENT\n           [--now]\n");
}

}  // namespace
}  // namespace belay
