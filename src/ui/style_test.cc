#include "ui/style.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

constexpr Style kColorStyle{.color = true};

TEST(StyleTest, IsPlainUnlessColorIsWanted) { EXPECT_EQ(Style{}.Paint(Tone::kBad, "no"), "no"); }

TEST(StyleTest, PaintsEachToneAndEndsIt) {
  EXPECT_EQ(kColorStyle.Paint(Tone::kBold, "x"), "\x1b[1mx\x1b[0m");
  EXPECT_EQ(kColorStyle.Paint(Tone::kDim, "x"), "\x1b[2mx\x1b[0m");
  EXPECT_EQ(kColorStyle.Paint(Tone::kGood, "x"), "\x1b[32mx\x1b[0m");
  EXPECT_EQ(kColorStyle.Paint(Tone::kWarning, "x"), "\x1b[33mx\x1b[0m");
  EXPECT_EQ(kColorStyle.Paint(Tone::kBad, "x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(kColorStyle.Paint(Tone::kAccent, "x"), "\x1b[36mx\x1b[0m");
}

TEST(StyleTest, AddsNothingToPlainOrEmptyText) {
  EXPECT_EQ(kColorStyle.Paint(Tone::kPlain, "x"), "x");
  EXPECT_EQ(kColorStyle.Paint(Tone::kBold, ""), "");
}

}  // namespace
}  // namespace belay
