#include <gtest/gtest.h>

#include "engine/events/judge_report.h"

namespace belay {
namespace {

struct Line {
  const char* text;
  ActionKind kind;
};

Action ShellCall(const char* text) {
  return ActionOf({.event = {.subject = text}, .tool = ToolKind::kShell});
}

class ShellActionTest : public testing::TestWithParam<Line> {};

TEST_P(ShellActionTest, IsWhatTheLineDoes) {
  const Action action = ShellCall(GetParam().text);
  EXPECT_EQ(action.kind, GetParam().kind) << GetParam().text;
}

constexpr ActionKind kEdit = ActionKind::kEdit;
constexpr ActionKind kRead = ActionKind::kRead;
constexpr ActionKind kTest = ActionKind::kTest;
constexpr ActionKind kOther = ActionKind::kOther;

INSTANTIATE_TEST_SUITE_P(
    Edits, ShellActionTest,
    testing::Values(Line{"cat > f <<EOF\nx\nEOF", kEdit}, Line{"echo a >> f", kEdit},
                    Line{"> f", kEdit}, Line{"cat a | tee f", kEdit}, Line{"tee -a f < a", kEdit},
                    Line{"sed -i s/a/b/ c", kEdit}, Line{"sed -E -i s/a/b/ c", kEdit},
                    Line{"sed -Ei.bak s/a/b/ c", kEdit}, Line{"sed --in-place=.b s/a/b/ c", kEdit},
                    Line{"perl -pi -e s/a/b/ c", kEdit}, Line{"find . -name a -delete", kEdit},
                    Line{"find . -exec rm {} \\;", kEdit},
                    Line{"find . -exec sed -i s/a/b/ {} +", kEdit},
                    Line{"find . -exec cat {} + -exec rm {} +", kEdit}, Line{"fd a -x rm", kEdit},
                    Line{"grep -l a | xargs sed -i s/a/b/", kEdit},
                    Line{"awk -i inplace 1 f", kEdit}, Line{"gawk -iinplace 1 f", kEdit},
                    Line{"sort -o f f", kEdit}, Line{"sort -uo f f", kEdit},
                    Line{"sort --output=f f", kEdit}, Line{"sudo rm a", kEdit},
                    Line{"git mv a b", kEdit}, Line{"make && mv a b", kEdit}));

INSTANTIATE_TEST_SUITE_P(
    Reads, ShellActionTest,
    testing::Values(Line{"cat a | grep b", kRead}, Line{"cat a 2>/dev/null", kRead},
                    Line{"ls >/dev/null 2>&1", kRead}, Line{"ls | tee", kRead},
                    Line{"ls | tee /dev/stderr", kRead}, Line{"sed -n 1,5p -e /i/p a", kRead},
                    Line{"sed -n '/-i/p' a", kRead}, Line{"awk -F i 1 a", kRead},
                    Line{"sort -k2 -to a", kRead},
                    Line{"find . -name inplace -exec grep a {} +", kRead},
                    Line{"find . | xargs grep a", kRead}, Line{"command -v pytest", kRead},
                    Line{"git -C a log", kRead}, Line{"timeout 5 cat a", kRead}));

INSTANTIATE_TEST_SUITE_P(
    Others, ShellActionTest,
    testing::Values(Line{"", kOther}, Line{"make -j2", kOther}, Line{"find . -exec x {} +", kOther},
                    Line{"make 2>&1 | tail", kOther}, Line{"find . -exec", kOther},
                    Line{"git -C a commit -m x > log", ActionKind::kCommit},
                    Line{"npm test && git commit -m x", kTest},
                    Line{"git commit -m x; npm test", kTest}, Line{"npm test > log", kTest},
                    Line{"timeout 60 pytest", kTest},
                    Line{"sudo -E env X=1 nice -n 5 pytest", kTest}));

TEST(ActionTest, ReportsOneResultForAllTests) {
  EXPECT_TRUE(ShellCall("pytest && npm test").success_tells);
  EXPECT_FALSE(ShellCall("pytest; npm test").success_tells) << "the first may have failed";
  EXPECT_TRUE(ShellCall("npm test && git commit -m x").success_tells);
  EXPECT_FALSE(ShellCall("npm test && git commit -m x").failure_tells)
      << "the commit may have failed";
  EXPECT_TRUE(ShellCall("timeout 60 npm test > log").failure_tells);
  const EventReport behind{
      .event = {.subject = "npm test"}, .tool = ToolKind::kShell, .background = true};
  EXPECT_FALSE(ActionOf(behind).success_tells);
}

TEST(ActionTest, WhatIsNoShellIsJudgedByItsTool) {
  EXPECT_EQ(ActionOf({.tool = ToolKind::kEdit}).kind, kEdit);
  EXPECT_EQ(ActionOf({.tool = ToolKind::kRead}).kind, kRead);
  EXPECT_EQ(ActionOf({.tool = ToolKind::kPlan}).kind, ActionKind::kPlan);
  EXPECT_EQ(ActionOf({.event = {.subject = "rm a"}, .tool = ToolKind::kOther}).kind, kOther);
}

TEST(ActionTest, OneThatPlansOnlyPlansUnlessItEdits) {
  EXPECT_EQ(ActionOf({.tool = ToolKind::kRead, .planning = true}).kind, ActionKind::kPlan);
  EXPECT_EQ(ActionOf({.tool = ToolKind::kEdit, .planning = true}).kind, kEdit);
}

}  // namespace
}  // namespace belay
