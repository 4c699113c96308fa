#include "base/utf8.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace belay {
namespace {

TEST(Utf8Test, DecodesWhatItEncodesForEveryCodePoint) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    AppendUtf8(c, text);
    const CodePoint point = DecodeUtf8(text);
    ASSERT_TRUE(point.valid && point.value == c && point.bytes == text.size())
        << static_cast<unsigned>(c);
  }
}

TEST(Utf8Test, RefusesOverlongFormsSurrogatesAndValuesPastTheEnd) {
  for (const std::string_view bad :
       {"\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\x80", "\xFF", "\xE2\x82", "\xF0\x9F\x98"}) {
    EXPECT_EQ(FindInvalidUtf8(bad), 0u) << testing::PrintToString(bad);
  }
}

TEST(Utf8Test, FindsTheFirstInvalidByteBehindLongAscii) {
  std::string text(1000, 'a');
  EXPECT_EQ(FindInvalidUtf8(text), std::string::npos);
  text += "\xC3\xBC\xFF";
  EXPECT_EQ(FindInvalidUtf8(text), 1002u);
}

TEST(Utf8Test, ReplacesEachInvalidSequenceOnce) {
  EXPECT_EQ(ReplaceInvalidUtf8("a\xFFz\xE2\x82"), "a\xEF\xBF\xBDz\xEF\xBF\xBD");
}

TEST(Utf8Test, ReplacedTextIsAlwaysValid) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) {
    RC_ASSERT(FindInvalidUtf8(ReplaceInvalidUtf8(bytes)) == std::string::npos);
  }));
}

TEST(Utf8Test, QuotesTheBeginningOfForeignText) {
  EXPECT_EQ(Quote("a\xFF"), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(Quote(std::string(61, 'a')), "\"" + std::string(60, 'a') + "\xE2\x80\xA6\"");
}

TEST(Utf8Test, CutsByCodePointsWithoutSplittingOne) {
  const std::string_view text = "z\xC3\xBC\xF0\x9F\x98\x80!";
  EXPECT_EQ(CutCodePoints(text, 0), "");
  EXPECT_EQ(CutCodePoints(text, 2), "z\xC3\xBC");
  EXPECT_EQ(CutCodePoints(text, 3), "z\xC3\xBC\xF0\x9F\x98\x80");
  EXPECT_EQ(CutCodePoints(text, 99), text);
}

TEST(Utf8Test, CutsByBytesAtTheLastWholeCodePoint) {
  const std::string_view text = "z\xC3\xBC\xF0\x9F\x98\x80!";
  EXPECT_EQ(CutBytes(text, 2), "z");
  EXPECT_EQ(CutBytes(text, 3), "z\xC3\xBC");
  for (std::size_t n = 3; n < 7; ++n) EXPECT_EQ(CutBytes(text, n), "z\xC3\xBC");
  EXPECT_EQ(CutBytes(text, 7).size(), 7u);
  EXPECT_EQ(CutBytes(text, 0), "");
}

TEST(Utf8Test, CutBytesKeepsValidTextValidAndLosesLessThanOneCodePoint) {
  EXPECT_TRUE(rc::check([](const std::string& bytes, std::uint8_t limit) {
    const std::string text = ReplaceInvalidUtf8(bytes);
    const std::string_view cut = CutBytes(text, limit);
    RC_ASSERT(cut.size() <= limit);
    RC_ASSERT(FindInvalidUtf8(cut) == std::string::npos);
    RC_ASSERT(cut.size() == text.size() || cut.size() + 4 > limit);
  }));
}

TEST(Utf8Test, CountsLinesAndColumnsFromOne) {
  const std::string_view text =
      "a\n\xC3\xBC"
      "b";
  EXPECT_EQ(PositionAt(text, 0).line, 1u);
  EXPECT_EQ(PositionAt(text, 0).column, 1u);
  EXPECT_EQ(PositionAt(text, 4).line, 2u);
  EXPECT_EQ(PositionAt(text, 4).column, 2u);
}

}  // namespace
}  // namespace belay
