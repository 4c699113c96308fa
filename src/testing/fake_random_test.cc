#include "testing/fake_random.h"

#include <gtest/gtest.h>

#include <string>

namespace belay {
namespace {

TEST(FakeRandomTest, RepeatsItselfForTheSameSeedOnly) {
  FakeRandom first(1);
  FakeRandom again(1);
  FakeRandom other(2);
  const std::string text = first.Hex(16);
  EXPECT_EQ(again.Hex(16), text);
  EXPECT_NE(other.Hex(16), text);
  EXPECT_NE(first.Hex(16), text);
}

}  // namespace
}  // namespace belay
