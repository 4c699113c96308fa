#include "os/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

namespace belay {
namespace {

TEST(RandomTest, NeverGivesTheSameNumberTwice) {
  SystemRandom random;
  std::set<std::uint64_t> numbers;
  for (int i = 0; i < 1000; ++i) numbers.insert(random.Next64());
  EXPECT_EQ(numbers.size(), 1000u);
}

TEST(RandomTest, FillsAllOfALargeBuffer) {
  std::vector<std::byte> bytes(1'000'000);
  SystemRandom().Fill(bytes);
  const auto zeros = std::count(bytes.end() - 1000, bytes.end(), std::byte{0});
  EXPECT_LT(zeros, 100);
}

TEST(RandomTest, WritesAsManyHexadecimalDigitsAsAsked) {
  SystemRandom random;
  for (const std::size_t digits : {0, 1, 7, 32}) EXPECT_EQ(random.Hex(digits).size(), digits);
  const std::string text = random.Hex(4096);
  EXPECT_EQ(text.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(std::set<char>(text.begin(), text.end()).size(), 16u);
}

}  // namespace
}  // namespace belay
