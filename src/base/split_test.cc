#include <gtest/gtest.h>

#include "base/text.h"

namespace belay {
namespace {

using Parts = std::vector<std::string_view>;

TEST(SplitTest, KeepsEveryPartAlsoEmptyOnes) {
  EXPECT_EQ(Split("a|b|c", '|'), (Parts{"a", "b", "c"}));
  EXPECT_EQ(Split("a", '|'), (Parts{"a"}));
  EXPECT_EQ(Split("a||", '|'), (Parts{"a", "", ""}));
  EXPECT_EQ(Split("", '|'), Parts{});
}

}  // namespace
}  // namespace belay
