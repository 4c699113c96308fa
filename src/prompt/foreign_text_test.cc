#include "prompt/foreign_text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/utf8.h"
#include "testing/hostile_text.h"

namespace belay {
namespace {

std::string Clean(std::string_view bytes) { return ForeignText(bytes).text(); }

TEST(ForeignTextTest, KeepsWhatCanBeSeen) {
  for (const char* text : {"", "plain", "tab\tand\n\nlines", "<<<END 00>>> --- # \"quoted\"",
                           "Grüße, 漢字, e\u0301, 👍, \u00A0, עברית", "\uFFFD"}) {
    EXPECT_EQ(Clean(text), text);
  }
}

TEST(ForeignTextTest, ReplacesInvalidUtf8) {
  EXPECT_EQ(Clean("a\xff"
                  "b\xe6\xbc"),
            "a\uFFFDb\uFFFD");
  EXPECT_EQ(Clean("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate";
  EXPECT_EQ(Clean("\x9b"
                  "31mred"),
            "\uFFFD31mred")
      << "a lone byte is no C1 character";
}

TEST(ForeignTextTest, MakesOneKindOfLineBreakOfAll) {
  EXPECT_EQ(Clean("a\r\nb\rc\vd\fe\u0085f\u2028g\u2029h\ni"), "a\nb\nc\nd\ne\nf\ng\nh\ni");
}

TEST(ForeignTextTest, EndsWithItsLastLine) {
  EXPECT_EQ(Clean("a\n\r\n\u200B"), "a");
  EXPECT_EQ(ForeignText("a\n").length(), 1u);
}

TEST(ForeignTextTest, RemovesEscapeSequencesWhole) {
  EXPECT_EQ(Clean("\x1b[1;31mred\x1b[0m \x1b]0;title\x07text\x1b(B"), "red text");
}

TEST(ForeignTextTest, RemovesControlCharacters) {
  EXPECT_EQ(Clean(std::string_view("a\0b\x07"
                                   "c\bd\x7f"
                                   "e\u0080f\x1c",
                                   12)),
            "abcdef");
}

TEST(ForeignTextTest, RemovesWhatCannotBeSeen) {
  EXPECT_EQ(Clean("a\u202Eb\u2066c\u2069d\u200Fe\u061Cf"), "abcdef") << "bidirectional controls";
  EXPECT_EQ(Clean("a\u200Bb\u200Dc\u2060d\uFEFFe\u00ADf"), "abcdef") << "zero width";
  EXPECT_EQ(Clean("a\U000E0049\U000E0047\U000E004Eb"), "ab") << "tags that spell letters";
  EXPECT_EQ(Clean("a\uFE0F\U000E0101b"), "ab") << "variation selectors";
}

TEST(ForeignTextTest, CleansTheSameTextOnceAndForAll) {
  EXPECT_TRUE(rc::check([] {
    const std::string clean = Clean(*HostileText(""));
    RC_ASSERT(FindInvalidUtf8(clean) == std::string::npos);
    RC_ASSERT(Clean(clean) == clean);
  }));
}

TEST(ForeignTextTest, KeepsABoundedBeginningAndCountsTheRest) {
  const ForeignText text(std::string(10'000'000, 'x') + "\x1b[0m");
  EXPECT_EQ(text.text().size(), ForeignText::kMostKept);
  EXPECT_EQ(text.length(), 10'000'000u);
}

// Each of these would take hours if a byte were read more than a few times.
TEST(ForeignTextTest, TakesTimeInProportionToItsLength) {
  for (const std::string_view piece : {"\x1b]", "\u009D", "\x1b[0", "\x1bP;", "\n", "\xff", "\r"}) {
    std::string bytes;
    while (bytes.size() < 10'000'000) bytes += piece;
    EXPECT_LE(ForeignText(bytes).length(), bytes.size());
  }
}

TEST(ForeignTextTest, ListsOneItemALineWhateverItsName) {
  const std::vector<std::string> names = {"src/a.cc", "two\nlines", "\x1b[31mred", ""};
  const ForeignText list = ForeignText::Lines(names);
  EXPECT_EQ(list.text(), "src/a.cc\ntwo lines\nred\n\n");
  EXPECT_EQ(list.length(), CountCodePoints(list.text()));
}

TEST(ForeignTextTest, BoundsAListToo) {
  const std::vector<std::string> names(50'000, "a name");
  const ForeignText list = ForeignText::Lines(names);
  EXPECT_EQ(list.text().size(), ForeignText::kMostKept);
  EXPECT_EQ(list.length(), 350'000u);
}

}  // namespace
}  // namespace belay
