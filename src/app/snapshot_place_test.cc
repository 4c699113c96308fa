#include <gtest/gtest.h>

#include "app/snapshots.h"
#include "config/config.h"

namespace belay {
namespace {

// Two layers that don't know each other must agree.
TEST(SnapshotPlaceTest, TheDefaultsOfTheSettingsAreThoseOfTheCode) {
  const Config defaults = ReadConfig({}).config;
  EXPECT_EQ(defaults.Patterns("taint.sources"), CaptureRules::DefaultSecrets());
  const CaptureRules rules;
  EXPECT_EQ(defaults.Boolean("snapshot.ignored"), rules.ignored);
  EXPECT_EQ(defaults.Boolean("snapshot.nested"), rules.nested);
  EXPECT_EQ(static_cast<std::uint64_t>(defaults.Integer("snapshot.max_file_mb")) << 20U,
            rules.most_bytes);
  const RetentionLimits limits;
  EXPECT_EQ(static_cast<std::uint64_t>(defaults.Integer("snapshot.keep_count")), limits.count);
  EXPECT_EQ(defaults.Length("snapshot.keep_age"), limits.age);
  EXPECT_EQ(static_cast<std::uint64_t>(defaults.Integer("snapshot.keep_mb")) << 20U, limits.bytes);
}

}  // namespace
}  // namespace belay
