#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "testing/nasty_text.h"
#include "ui/markdown.h"
#include "ui/width.h"

namespace belay {
namespace {

constexpr Style kColor{.color = true};

std::string Plain(std::string_view source) { return ParseInline(source, Tone::kPlain, {}).text; }

std::string Painted(std::string_view source, std::size_t columns = 80) {
  return RenderInline(ParseInline(source, Tone::kPlain, kColor), columns, "", "", kColor);
}

TEST(InlineTextTest, WithoutColourCodeKeepsItsBackticksAndBoldLosesItsStars) {
  EXPECT_EQ(Plain("run `belay ls` **now**"), "run `belay ls` now");
}

TEST(InlineTextTest, WithColourTonesReplaceTheMarks) {
  EXPECT_EQ(Painted("run `belay ls` **now**"), "run \x1b[36mbelay ls\x1b[0m \x1b[1mnow\x1b[0m\n");
}

TEST(InlineTextTest, CodeWithinBoldIsCode) {
  EXPECT_EQ(Painted("**a `b` c**"), "\x1b[1ma \x1b[0m\x1b[36mb\x1b[0m\x1b[1m c\x1b[0m\n");
}

TEST(InlineTextTest, StarsWithinCodeAreText) { EXPECT_EQ(Plain("`**a**`"), "`**a**`"); }

TEST(InlineTextTest, MoreBackticksQuoteBackticks) {
  EXPECT_EQ(Painted("``a`b``"), "\x1b[36ma`b\x1b[0m\n");
}

TEST(InlineTextTest, MarksThatAreNeverClosedAreText) {
  EXPECT_EQ(Painted("a ` b ** c"), "a ` b ** c\n");
}

TEST(InlineTextTest, PaintsEachLineOfAWrappedToneByItself) {
  EXPECT_EQ(Painted("**one two**", 5), "\x1b[1mone\x1b[0m\n\x1b[1mtwo\x1b[0m\n");
}

TEST(InlineTextTest, HasOneToneForEveryByteAndNoDoubleBlanks) {
  EXPECT_TRUE(rc::check([](bool color) {
    const InlineText content = ParseInline(Printable(*NastyText()), Tone::kPlain, {color});
    RC_ASSERT(content.text.size() == content.tones.size());
    RC_ASSERT(content.text.find("  ") == std::string::npos);
    RC_ASSERT(!content.text.starts_with(' ') && !content.text.ends_with(' '));
  }));
}

}  // namespace
}  // namespace belay
