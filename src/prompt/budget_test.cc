#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "prompt/prompt_builder.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using Granted = std::optional<std::size_t>;

TEST(BudgetTest, GivesEachDemandAllWhenThereIsRoom) {
  const Demand demands[] = {{2, 5, 10, 100}, {1, 5, 10, 50}};
  EXPECT_THAT(ShareOut(demands, 150), ElementsAre(Granted(100), Granted(50)));
}

TEST(BudgetTest, CutsTheLeastImportantFirst) {
  const Demand demands[] = {{2, 5, 10, 100}, {1, 5, 10, 50}, {3, 5, 10, 100}};
  EXPECT_THAT(ShareOut(demands, 170), ElementsAre(Granted(100), Granted(50), Granted(20)));
  EXPECT_THAT(ShareOut(demands, 100), ElementsAre(Granted(40), Granted(50), Granted(10)));
}

TEST(BudgetTest, LeavesOutTheLeastImportantWhenCuttingIsNotEnough) {
  const Demand demands[] = {{1, 5, 40, 100}, {2, 5, 40, 100}, {2, 5, 40, 100}};
  EXPECT_THAT(ShareOut(demands, 90), ElementsAre(Granted(45), Granted(40), Granted()));
  EXPECT_THAT(ShareOut(demands, 50), ElementsAre(Granted(40), Granted(), Granted()));
  EXPECT_THAT(ShareOut(demands, 0), ElementsAre(Granted(), Granted(), Granted()));
}

TEST(BudgetTest, LetsALesserOneInWhereAGreaterOneCannotFit) {
  const Demand demands[] = {{1, 5, 500, 900}, {2, 5, 40, 60}};
  EXPECT_THAT(ShareOut(demands, 100), ElementsAre(Granted(), Granted(60)));
}

TEST(BudgetTest, KeepsWhatIsShorterThanTheWordsThatItWasLeftOut) {
  const Demand demands[] = {{1, 5, 4, 4}};
  EXPECT_THAT(ShareOut(demands, 0), ElementsAre(Granted(4)));
}

TEST(BudgetTest, StaysWithinItsRoomAndPrefersTheImportant) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Demand> demands(*rc::gen::inRange<std::size_t>(0, 8));
    std::size_t all_left_out = 0;
    for (Demand& demand : demands) {
      demand.rank = *rc::gen::inRange(1, 4);
      demand.left_out = *rc::gen::inRange<std::size_t>(0, 20);
      demand.least = *rc::gen::inRange<std::size_t>(0, 100);
      demand.wanted = demand.least + *rc::gen::inRange<std::size_t>(0, 100);
      all_left_out += demand.left_out;
    }
    const std::size_t room = *rc::gen::inRange<std::size_t>(0, 800);
    const auto granted = ShareOut(demands, room);
    std::size_t sum = 0;
    for (std::size_t i = 0; i < demands.size(); ++i) {
      sum += granted[i].value_or(demands[i].left_out);
      if (!granted[i]) continue;
      RC_ASSERT(*granted[i] >= demands[i].least && *granted[i] <= demands[i].wanted);
      for (std::size_t j = 0; j < demands.size(); ++j) {
        const bool grew = *granted[i] > demands[i].least;
        const bool cut = granted[j] && *granted[j] < demands[j].wanted;
        RC_ASSERT(!(demands[j].rank < demands[i].rank && cut && grew));
      }
    }
    RC_ASSERT(sum <= std::max(room, all_left_out));
  }));
}

}  // namespace
}  // namespace belay
