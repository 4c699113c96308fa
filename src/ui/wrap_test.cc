#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "testing/nasty_text.h"
#include "ui/width.h"

namespace belay {
namespace {

TEST(WrapTest, BreaksBetweenWords) {
  EXPECT_EQ(Wrap("one two three four", 9, 0, 0), "one two\nthree\nfour\n");
}

TEST(WrapTest, FillsALineToItsLastColumn) {
  EXPECT_EQ(Wrap("one two three", 7, 0, 0), "one two\nthree\n");
  EXPECT_EQ(Wrap("one two three", 6, 0, 0), "one\ntwo\nthree\n");
}

TEST(WrapTest, IndentsTheFirstLineAndTheOthersDifferently) {
  EXPECT_EQ(Wrap("one two three", 9, 2, 4), "  one two\n    three\n");
}

TEST(WrapTest, NeverCutsAWord) {
  EXPECT_EQ(Wrap("a incomprehensible b", 5, 0, 0), "a\nincomprehensible\nb\n");
}

TEST(WrapTest, TakesAnyBlanksForOne) { EXPECT_EQ(Wrap(" one\n\t two  ", 80, 0, 0), "one two\n"); }

TEST(WrapTest, MakesNoLineOfNoWords) {
  EXPECT_EQ(Wrap("", 80, 2, 2), "");
  EXPECT_EQ(Wrap(" \n ", 80, 2, 2), "");
}

TEST(WrapTest, CountsDisplayColumns) {
  EXPECT_EQ(Wrap("漢字 漢字", 8, 0, 0), "漢字\n漢字\n");
  EXPECT_EQ(Wrap("漢字 漢字", 9, 0, 0), "漢字 漢字\n");
  EXPECT_EQ(Wrap("e\u0301 e\u0301", 3, 0, 0), "e\u0301 e\u0301\n");
}

TEST(WrapTest, CopesWithIndentsWiderThanTheLine) {
  EXPECT_EQ(Wrap("a b", 2, 4, 4), "    a\n    b\n");
}

TEST(WrapTest, KeepsAllWordsInOrderAndTheLinesNarrow) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *NastyText();
    const std::size_t columns = *rc::gen::inRange<std::size_t>(1, 30);
    const std::string wrapped = Wrap(text, columns, 0, 0);
    RC_ASSERT(CollapseBlanks(wrapped) == CollapseBlanks(text));
    for (const std::string& line : LinesOf(wrapped)) {
      RC_ASSERT(!line.empty() && !line.starts_with(' ') && !line.ends_with(' '));
      RC_ASSERT(DisplayWidth(line) <= columns || line.find(' ') == std::string::npos);
    }
  }));
}

}  // namespace
}  // namespace belay
