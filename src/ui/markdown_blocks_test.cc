#include <gtest/gtest.h>

#include "ui/markdown.h"

namespace belay {
namespace {

// The only block of a text.
template <class T>
T Only(std::string_view markdown) {
  const std::vector<MarkdownBlock> blocks = ParseMarkdown(markdown);
  EXPECT_EQ(blocks.size(), 1u);
  return std::get<T>(blocks.at(0).content);
}

TEST(MarkdownBlocksTest, ReadsHeadingsOfSixLevels) {
  EXPECT_EQ(Only<HeadingBlock>("# Name").level, 1u);
  EXPECT_EQ(Only<HeadingBlock>("######  Name ").text, "Name");
  EXPECT_EQ(Only<ParagraphBlock>("####### Name").text, "####### Name");
  EXPECT_EQ(Only<ParagraphBlock>("#Name").text, "#Name");
}

TEST(MarkdownBlocksTest, JoinsTheLinesOfAParagraph) {
  EXPECT_EQ(Only<ParagraphBlock>("one\r\n  two\nthree").text, "one two three");
}

TEST(MarkdownBlocksTest, ReadsItemsWithTheLinesThatContinue) {
  const auto item = Only<ItemBlock>("- one\n  two");
  EXPECT_EQ(item.marker, "-");
  EXPECT_EQ(item.text, "one two");
  EXPECT_FALSE(item.nested);
  EXPECT_TRUE(Only<ItemBlock>("  - one").nested);
  EXPECT_EQ(Only<ItemBlock>("12. one").marker, "12.");
  EXPECT_EQ(Only<ParagraphBlock>("2026. was a year").text, "2026. was a year");
}

TEST(MarkdownBlocksTest, KnowsWhereABlankLineStood) {
  const auto blocks = ParseMarkdown("\n- one\n- two\n\n- three");
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_FALSE(blocks[1].after_blank);
  EXPECT_TRUE(blocks[2].after_blank);
}

using Lines = std::vector<std::string>;

TEST(MarkdownBlocksTest, KeepsCodeAsItIs) {
  EXPECT_EQ(Only<CodeBlock>("```sh\n# a\n\n  - b  \n```").lines, (Lines{"# a", "", "  - b"}));
}

TEST(MarkdownBlocksTest, TakesTheIndentOfTheFenceOffTheCode) {
  EXPECT_EQ(Only<CodeBlock>("  ```\n  a\n    b\n c\n  ```").lines, (Lines{"a", "  b", "c"}));
}

TEST(MarkdownBlocksTest, ALongerFenceQuotesAShorterOne) {
  EXPECT_EQ(Only<CodeBlock>("````\n```\n````").lines, (Lines{"```"}));
}

TEST(MarkdownBlocksTest, CodeThatIsNeverClosedContinuesToTheEnd) {
  EXPECT_EQ(Only<CodeBlock>("```\na\n\n# b").lines, (Lines{"a", "", "# b"}));
  EXPECT_TRUE(Only<CodeBlock>("```").lines.empty());
}

TEST(MarkdownBlocksTest, ReadsTables) {
  const auto table = Only<TableBlock>("| a | b |\n|---|--:|\n| `x\\|y` |\n| 1 | 2 | 3 |");
  EXPECT_EQ(table.aligns, (std::vector{Align::kLeft, Align::kRight}));
  EXPECT_EQ(table.rows, (std::vector<Lines>{{"a", "b"}, {"`x|y`"}, {"1", "2", "3"}}));
}

TEST(MarkdownBlocksTest, BarsWithoutDashesAreText) {
  EXPECT_EQ(Only<ParagraphBlock>("| a |\n| b |\n| c |").text, "| a | | b | | c |");
  EXPECT_EQ(Only<ParagraphBlock>("| a |\n|---|").text, "| a | |---|");
}

TEST(MarkdownBlocksTest, ABlockEndsTheParagraphBeforeIt) {
  EXPECT_EQ(ParseMarkdown("a\n# b\nc\n- d\n```\ne\n```\nf\n|a|\n|-|\n|b|\ng").size(), 8u);
}

}  // namespace
}  // namespace belay
