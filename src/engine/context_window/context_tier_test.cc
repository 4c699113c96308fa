#include "engine/context_window/context_tier.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

namespace belay {
namespace {

ContextSettings Read(std::string text) {
  const ConfigSource source{"f.yml", std::move(text), false};
  const ConfigOutcome outcome = ReadConfig({&source, 1});
  EXPECT_TRUE(outcome.problems.empty());
  return ReadContextSettings(outcome.config);
}

TEST(ContextTierTest, TheTiersBeginWhereTheTableSays) {
  const std::pair<int, ContextTier> firsts[] = {{0, ContextTier::kNominal},
                                                {55, ContextTier::kLow},
                                                {70, ContextTier::kWarning},
                                                {80, ContextTier::kCritical},
                                                {88, ContextTier::kEmergency}};
  ContextTier before = ContextTier::kNominal;
  for (const auto& [percent, tier] : firsts) {
    EXPECT_EQ(TierOf(percent), tier);
    EXPECT_EQ(TierOf(percent - 1), before);
    before = tier;
  }
  EXPECT_EQ(TierOf(100), ContextTier::kEmergency);
}

// The figures that Claude Code's own status line showed for these.
TEST(ContextTierTest, ThePercentageIsTheAgentsOwn) {
  EXPECT_EQ(FillPercent(89'013, 1'000'000), 9);
  EXPECT_EQ(FillPercent(25'000, 1'000'000), 3);
  EXPECT_EQ(FillPercent(24'999, 1'000'000), 2);
  EXPECT_EQ(FillPercent(995'000, 1'000'000), 100);
  EXPECT_EQ(FillPercent(1'200'000, 1'000'000), 100);
}

TEST(ContextTierTest, ThePercentageIsRoundedWhateverTheNumbers) {
  EXPECT_EQ(FillPercent(0, 200'000), 0);
  EXPECT_EQ(FillPercent(0, 0), 100);
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(FillPercent(kMost, kMost), 100);
  EXPECT_EQ(FillPercent(kMost / 4, kMost), 25);
  EXPECT_TRUE(rc::check([] {
    const auto window = *rc::gen::inRange<std::uint64_t>(1, 2'000'000);
    const auto tokens = *rc::gen::inRange<std::uint64_t>(0, window + 1);
    const double exact = 100.0 * static_cast<double>(tokens) / static_cast<double>(window);
    RC_ASSERT(FillPercent(tokens, window) == static_cast<int>(std::floor(exact + 0.5)));
  }));
}

TEST(ContextTierTest, TheLimitsAreConfigurable) {
  const ContextSettings made;
  const ContextSettings plain = Read("");
  EXPECT_EQ(plain.limits.low, made.limits.low);
  EXPECT_EQ(plain.limits.warning, made.limits.warning);
  EXPECT_EQ(plain.limits.critical, made.limits.critical);
  EXPECT_EQ(plain.limits.emergency, made.limits.emergency);
  EXPECT_EQ(plain.window, made.window);
  const ContextSettings read =
      Read("context: {low: 10, warning: 20, critical: 30, emergency: 40, window: 1000000}\n");
  EXPECT_EQ(TierOf(9, read.limits), ContextTier::kNominal);
  EXPECT_EQ(TierOf(10, read.limits), ContextTier::kLow);
  EXPECT_EQ(TierOf(20, read.limits), ContextTier::kWarning);
  EXPECT_EQ(TierOf(30, read.limits), ContextTier::kCritical);
  EXPECT_EQ(TierOf(40, read.limits), ContextTier::kEmergency);
  EXPECT_EQ(read.window, 1'000'000U);
}

}  // namespace
}  // namespace belay
