#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ui/style.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(LiveScreenTest, WritesEachLineOverTheOldOneAndErasesOnlyItsRest) {
  EXPECT_EQ(DrawLiveScreen("one\ntwo\n", 24), "\x1b[Hone\x1b[K\r\ntwo\x1b[K\x1b[J");
}

TEST(LiveScreenTest, NeverErasesTheWholeScreen) {
  EXPECT_THAT(DrawLiveScreen("one\n", 24), Not(HasSubstr("\x1b[2J")));
}

TEST(LiveScreenTest, CountsTheLinesThatDontFit) {
  EXPECT_EQ(DrawLiveScreen("1\n2\n3\n4\n", 3), "\x1b[H1\x1b[K\r\n2\x1b[K\r\n… 2 more\x1b[K\x1b[J");
}

TEST(LiveScreenTest, ShowsAllThatJustFits) {
  EXPECT_THAT(DrawLiveScreen("1\n2\n3\n", 3), Not(HasSubstr("more")));
}

TEST(LiveScreenTest, FitsOnAScreenOfOneLine) {
  EXPECT_EQ(DrawLiveScreen("1\n2\n", 1), "\x1b[H… 2 more\x1b[K\x1b[J");
  EXPECT_EQ(DrawLiveScreen("1\n2\n", 0), DrawLiveScreen("1\n2\n", 1));
}

TEST(LiveScreenTest, GivesTheScreenAndTheCursorBack) {
  EXPECT_THAT(BeginLiveScreen(), HasSubstr("\x1b[?25l"));
  EXPECT_EQ(EndLiveScreen(), "\x1b[?25h\x1b[?1049l");
}

}  // namespace
}  // namespace belay
