#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "base/utf8.h"
#include "merge/gate_run.h"

namespace belay {
namespace {

std::string LineOf(std::string_view output) {
  LastLine line;
  line.Add(output);
  return line.Text();
}

TEST(LastLineTest, IsTheLastThatShowsSomething) {
  EXPECT_EQ(LineOf(""), "");
  EXPECT_EQ(LineOf("\n\r\n \n"), "");
  EXPECT_EQ(LineOf("one\ntwo\n"), "two");
  EXPECT_EQ(LineOf("one\ntwo\n\n \t\n\x1b[0m\n"), "two");
  EXPECT_EQ(LineOf("one\r\n"), "one");
}

TEST(LastLineTest, NeedsNoEnd) { EXPECT_EQ(LineOf("one\n[2/9] comp"), "[2/9] comp"); }

TEST(LastLineTest, IsWhatAProgressBarShowsNow) { EXPECT_EQ(LineOf("10%\r20%\r30%"), "30%"); }

TEST(LastLineTest, GrowsPieceByPiece) {
  LastLine line;
  for (const char c : std::string("first\nsecond")) line.Add({&c, 1});
  EXPECT_EQ(line.Text(), "second");
}

TEST(LastLineTest, LeavesOutWhatCommandsATerminal) {
  EXPECT_EQ(LineOf("\x1b[1;31mred\x1b[0m and \x1b[?25lplain"), "red and plain");
  EXPECT_EQ(LineOf("\x1b]0;title\x07text"), "text");
  EXPECT_EQ(LineOf("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "link");
  EXPECT_EQ(LineOf("\x1b(Bcharset\x1b"
                   "7\x1b=x"),
            "charsetx");
  EXPECT_EQ(LineOf("\xc2\x9b"
                   "31mone byte"),
            "one byte");
  EXPECT_EQ(LineOf("a\x08"
                   "b\x07"
                   "c\x7f\xc2\x85"),
            "abc");
  EXPECT_EQ(LineOf("a\tb"), "a b");
  EXPECT_EQ(LineOf("\xe2\x80\xae"
                   "txt.exe"),
            "txt.exe");
  EXPECT_EQ(LineOf("cut \x1b[3"), "cut");
  EXPECT_EQ(LineOf("cut \x1b]0;tit"), "cut");
  EXPECT_EQ(LineOf("cut \x1b"), "cut");
}

TEST(LastLineTest, MakesInvalidBytesVisible) {
  EXPECT_EQ(LineOf("a\xff"
                   "b"),
            "a\xef\xbf\xbd"
            "b");
  EXPECT_EQ(LineOf(std::string_view("a\0b", 3)), "ab");
}

TEST(LastLineTest, IsNotTooLong) {
  EXPECT_EQ(CountCodePoints(LineOf(std::string(1'000'000, 'x'))), 200U);
}

TEST(LastLineTest, IsHarmlessWhateverWasPrinted) {
  EXPECT_TRUE(rc::check([](const std::vector<std::string>& pieces) {
    LastLine line;
    for (const std::string& piece : pieces) line.Add(piece + "\x1b");
    const std::string text = line.Text();
    RC_ASSERT(FindInvalidUtf8(text) == std::string::npos);
    for (std::string_view rest = text; !rest.empty();) {
      const CodePoint point = DecodeUtf8(rest);
      RC_ASSERT(point.value >= 0x20 && (point.value < 0x7F || point.value >= 0xA0));
      rest.remove_prefix(point.bytes);
    }
  }));
}

}  // namespace
}  // namespace belay
