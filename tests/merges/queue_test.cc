// Random work lands as it would by hand: the same tree, the same history, the same outcome for
// each.

#include "merges/queue.h"

#include <gtest/gtest.h>

#include <random>

#include "testing/places.h"

namespace belay {
namespace {

class MergeSurviveProperty : public ::testing::TestWithParam<int> {};

TEST_P(MergeSurviveProperty, LandsWhatLandsByHand) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE(seed);
  const WorkQueue queue(BelayBinary(), MakeWork(seed, 5));
  const Landed wanted = queue.Reference();
  EXPECT_TRUE(queue.ProcessToTheEnd());
  EXPECT_EQ(Difference(wanted, queue.Outcome()), "");
  EXPECT_EQ(queue.Problems(), "");
}

INSTANTIATE_TEST_SUITE_P(, MergeSurviveProperty, ::testing::Range(0, 8));

}  // namespace
}  // namespace belay
