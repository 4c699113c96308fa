#include <gtest/gtest.h>

#include <string>

#include "prompt/foreign_text.h"

namespace belay {
namespace {

// What is left of a text after the sequence it starts with.
std::string After(std::string_view text) {
  return std::string(text.substr(EscapeSequenceLength(text)));
}

TEST(EscapeSequenceTest, IsNotFoundInOrdinaryText) {
  for (const std::string_view text : {"", "a", "[1m", "\n", "\xC2", "\u00A0", "\x9b", "é"}) {
    EXPECT_EQ(EscapeSequenceLength(text), 0u) << text;
  }
}

TEST(EscapeSequenceTest, EndsAtItsFinalCharacter) {
  EXPECT_EQ(After("\x1b[1;31mred"), "red");
  EXPECT_EQ(After("\x1b[?25lcursor"), "cursor");
  EXPECT_EQ(After("\u009B1mC1"), "C1");
  EXPECT_EQ(After("\x1b(Bcharset"), "charset");
  EXPECT_EQ(After("\x1b"
                  "7saved"),
            "saved");
  EXPECT_EQ(After("\u0090q\u009Cdevice"), "device");
  EXPECT_EQ(After("\u008Dindex"), "index");
}

TEST(EscapeSequenceTest, OfAStringEndsAtItsTerminator) {
  EXPECT_EQ(After("\x1b]0;title\x07text"), "text");
  EXPECT_EQ(After("\x1b]8;;http://x\x1b\\link"), "link");
  EXPECT_EQ(After("\u009D0;title\u009Ctext"), "text");
  EXPECT_EQ(After("\x1b_Gpicture\x1b\\text"), "text");
}

TEST(EscapeSequenceTest, AnUnterminatedStringIsOnlyItsIntroducer) {
  EXPECT_EQ(After("\x1b]0;title"), "0;title");
  EXPECT_EQ(After("\x1b]0;title\nnext\x07"), "0;title\nnext\x07");
  EXPECT_EQ(After("\x1b]\x1b]\x07"), "\x1b]\x07");
}

TEST(EscapeSequenceTest, ThatIsBrokenEndsWhereItBreaks) {
  EXPECT_EQ(After("\x1b"), "");
  EXPECT_EQ(After("\x1b\ntext"), "\ntext");
  EXPECT_EQ(After("\x1b\x1b[1m"), "\x1b[1m");
  EXPECT_EQ(After("\x1b[12\ntext"), "\ntext");
  EXPECT_EQ(After("\x1b[1é"), "é");
}

}  // namespace
}  // namespace belay
