#include "ui/style.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

constexpr Style kColor{.color = true};

TEST(StyleTest, IsPlainUnlessColorIsWanted) { EXPECT_EQ(Style{}.Paint(Tone::kBad, "no"), "no"); }

TEST(StyleTest, PaintsEachToneAndEndsIt) {
  EXPECT_EQ(kColor.Paint(Tone::kBold, "x"), "\x1b[1mx\x1b[0m");
  EXPECT_EQ(kColor.Paint(Tone::kDim, "x"), "\x1b[2mx\x1b[0m");
  EXPECT_EQ(kColor.Paint(Tone::kGood, "x"), "\x1b[32mx\x1b[0m");
  EXPECT_EQ(kColor.Paint(Tone::kWarning, "x"), "\x1b[33mx\x1b[0m");
  EXPECT_EQ(kColor.Paint(Tone::kBad, "x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(kColor.Paint(Tone::kAccent, "x"), "\x1b[36mx\x1b[0m");
}

TEST(StyleTest, AddsNothingToPlainOrEmptyText) {
  EXPECT_EQ(kColor.Paint(Tone::kPlain, "x"), "x");
  EXPECT_EQ(kColor.Paint(Tone::kBold, ""), "");
}

}  // namespace
}  // namespace belay
