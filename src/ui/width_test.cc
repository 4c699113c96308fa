#include "ui/width.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <span>

#include "base/utf8.h"
#include "testing/nasty_text.h"
#include "ui/width_table.h"

namespace belay {
namespace {

bool IsSorted(std::span<const CodePointRange> ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].first > ranges[i].last) return false;
    if (i > 0 && ranges[i - 1].last >= ranges[i].first) return false;
  }
  return true;
}

TEST(WidthTest, TablesAreSortedWithoutOverlaps) {
  EXPECT_TRUE(IsSorted(kZeroWidth));
  EXPECT_TRUE(IsSorted(kDoubleWidth));
}

TEST(WidthTest, LettersTakeOneColumn) {
  EXPECT_EQ(DisplayWidth(""), 0u);
  EXPECT_EQ(DisplayWidth("belay"), 5u);
  EXPECT_EQ(DisplayWidth("größer"), 6u);
  EXPECT_EQ(DisplayWidth("─│…"), 3u);
}

TEST(WidthTest, EastAsianCharactersAndEmojiTakeTwoColumns) {
  EXPECT_EQ(DisplayWidth("漢字"), 4u);
  EXPECT_EQ(DisplayWidth("한글"), 4u);
  EXPECT_EQ(DisplayWidth("ａ"), 2u);
  EXPECT_EQ(DisplayWidth("👍"), 2u);
  EXPECT_EQ(DisplayWidth("✅"), 2u);
}

TEST(WidthTest, MarksAndFormatCharactersTakeNone) {
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);
  EXPECT_EQ(DisplayWidth("\u200b\u200d\ufeff"), 0u);
  EXPECT_EQ(DisplayWidth("\u1112\u1161\u11ab"), 2u);  // a syllable of three conjoining letters
}

TEST(WidthTest, FormatCharactersThatAreDrawnTakeOneColumn) {
  EXPECT_EQ(DisplayWidth("\u00ad\u0600"), 2u);
}

TEST(WidthTest, ControlCharactersTakeNone) { EXPECT_EQ(DisplayWidth("\x01\x7f\n\u0085"), 0u); }

TEST(WidthTest, ASymbolMadeAnEmojiByItsVariationTakesTwoColumns) {
  EXPECT_EQ(DisplayWidth("\u26a0"), 1u);
  EXPECT_EQ(DisplayWidth("\u26a0\ufe0f"), 2u);
  EXPECT_EQ(DisplayWidth(" \ufe0f"), 1u);
}

TEST(WidthTest, AnInvalidSequenceIsAsWideAsItsReplacement) {
  EXPECT_EQ(DisplayWidth("a\xff\xe6\xbc"), 3u);
}

TEST(WidthTest, CutsBeforeACharacterThatDoesNotFitWhole) {
  EXPECT_EQ(CutToWidth("漢字", 3), "漢");
  EXPECT_EQ(CutToWidth("漢字", 4), "漢字");
  EXPECT_EQ(CutToWidth("abc", 0), "");
}

TEST(WidthTest, CutKeepsMarksWithTheirBase) {
  EXPECT_EQ(CutToWidth("ae\u0301\u0302b", 2), "ae\u0301\u0302");
  EXPECT_EQ(CutToWidth("\u26a0\ufe0f!", 1), "");
}

TEST(WidthTest, CutIsNeverWiderThanAskedAndNeverShorterThanNeeded) {
  EXPECT_TRUE(rc::check([] {
    const std::string text = *NastyText();
    const std::size_t columns = *rc::gen::inRange<std::size_t>(0, 40);
    const std::string_view cut = CutToWidth(text, columns);
    const std::size_t width = DisplayWidth(cut);
    RC_ASSERT(text.starts_with(cut));
    RC_ASSERT(width <= columns);
    RC_ASSERT(cut.size() == text.size() || width + 2 > columns);
    RC_ASSERT(width + DisplayWidth(std::string_view(text).substr(cut.size())) ==
              DisplayWidth(text));
  }));
}

TEST(WidthTest, EllipsizeLeavesAloneWhatFits) {
  EXPECT_EQ(Ellipsize("belay", 5), "belay");
  EXPECT_EQ(Ellipsize("", 0), "");
}

TEST(WidthTest, EllipsizeCountsItsOwnMark) {
  EXPECT_EQ(Ellipsize("belay", 4), "bel…");
  EXPECT_EQ(Ellipsize("belay", 1), "…");
  EXPECT_EQ(Ellipsize("belay", 0), "");
  EXPECT_EQ(Ellipsize("漢字漢字", 4), "漢…");
}

TEST(WidthTest, EllipsizeLeavesNoBlankBeforeItsMark) { EXPECT_EQ(Ellipsize("one two", 5), "one…"); }

TEST(WidthTest, EllipsizedTextFits) {
  EXPECT_TRUE(rc::check([] {
    const std::size_t columns = *rc::gen::inRange<std::size_t>(0, 20);
    RC_ASSERT(DisplayWidth(Ellipsize(*NastyText(), columns)) <= columns);
  }));
}

TEST(WidthTest, PrintableLeavesOrdinaryTextAlone) {
  EXPECT_EQ(Printable("C:\\dir größer 漢字 e\u0301 👍"), "C:\\dir größer 漢字 e\u0301 👍");
}

TEST(WidthTest, PrintableShowsControlCharacters) {
  EXPECT_EQ(Printable("a\nb\tc\r"), "a\\nb\\tc\\r");
  EXPECT_EQ(Printable("\x1b[31m"), "\\x1b[31m");
  EXPECT_EQ(Printable(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(Printable("\u009b"), "\\x9b");
}

TEST(WidthTest, PrintableShowsBidirectionalControls) {
  EXPECT_EQ(Printable("\u202e\u2066\u200f\u061c"), "\\u202e\\u2066\\u200f\\u061c");
}

TEST(WidthTest, PrintableShowsLineSeparators) { EXPECT_EQ(Printable("\u2028"), "\\u2028"); }

TEST(WidthTest, PrintableReplacesInvalidUtf8) { EXPECT_EQ(Printable("a\xff"), "a\ufffd"); }

bool HasControl(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = DecodeUtf8(text);
    if (point.value < 0x20 || (point.value >= 0x7F && point.value <= 0x9F)) return true;
    if (point.value >= 0x202A && point.value <= 0x202E) return true;
    text.remove_prefix(point.bytes);
  }
  return false;
}

TEST(WidthTest, PrintableTextIsValidAndHasNoControlCharacter) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    for (const std::string& text : {Printable(bytes), Printable(*NastyText())}) {
      RC_ASSERT(FindInvalidUtf8(text) == std::string::npos);
      RC_ASSERT(!HasControl(text));
      RC_ASSERT(Printable(text) == text);
    }
  }));
}

}  // namespace
}  // namespace belay
