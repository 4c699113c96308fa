#include "base/text.h"

#include <gtest/gtest.h>

#include <array>

namespace belay {
namespace {

using Parts = std::vector<std::string_view>;

TEST(SplitTest, KeepsEveryPartAlsoEmptyOnes) {
  EXPECT_EQ(Split("a|b|c", '|'), (Parts{"a", "b", "c"}));
  EXPECT_EQ(Split("a", '|'), (Parts{"a"}));
  EXPECT_EQ(Split("a||", '|'), (Parts{"a", "", ""}));
  EXPECT_EQ(Split("", '|'), Parts{});
}

constexpr std::array<std::string_view, 5> kWords = {"init", "doctor", "config", "completion",
                                                    "version"};

TEST(SuggestTest, CountsEveryKindOfSlip) {
  EXPECT_EQ(EditDistance("init", "init"), 0u);
  EXPECT_EQ(EditDistance("inti", "init"), 1u);
  EXPECT_EQ(EditDistance("int", "init"), 1u);
  EXPECT_EQ(EditDistance("iinit", "init"), 1u);
  EXPECT_EQ(EditDistance("unit", "init"), 1u);
  EXPECT_EQ(EditDistance("", "init"), 4u);
}

TEST(SuggestTest, NamesTheNearestWord) {
  EXPECT_EQ(Nearest("inti", kWords), "init");
  EXPECT_EQ(Nearest("docter", kWords), "doctor");
  EXPECT_EQ(Nearest("comp", kWords), "completion");
}

TEST(SuggestTest, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(Nearest("xyzzy", kWords), std::nullopt);
  EXPECT_EQ(Nearest("", kWords), std::nullopt);
  EXPECT_EQ(Nearest(std::string(100'000, 'i'), kWords), std::nullopt);
}

}  // namespace
}  // namespace belay
