#include "base/time.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace belay {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(TimeTest, WritesUtcInSecondsOrMicroseconds) {
  const WallTime time(seconds(1794724560) + std::chrono::microseconds(42));
  EXPECT_EQ(FormatUtc(time), "2026-11-15T06:36:00Z");
  EXPECT_EQ(FormatUtcMicros(time), "2026-11-15T06:36:00.000042Z");
  EXPECT_EQ(FormatUtc(WallTime{}), "1970-01-01T00:00:00Z");
}

TEST(TimeTest, ReadsBackWhatItWrites) {
  EXPECT_TRUE(rc::check([] {
    const auto micros = *rc::gen::inRange<std::int64_t>(0, 9'000'000'000'000'000);
    const WallTime time{Duration(micros * 1000)};
    const Result<WallTime> read = ParseUtc(FormatUtcMicros(time));
    RC_ASSERT(read.ok());
    RC_ASSERT(*read == time);
  }));
}

TEST(TimeTest, RefusesTimesThatAreNotExactlyUtc) {
  for (const std::string_view bad :
       {"", "now", "2026-11-15", "2026-11-15T06:36:00", "2026-11-15T06:36:00+01:00",
        "2026-11-15 06:36:00Z", "2026-13-15T06:36:00Z", "2026-02-29T06:36:00Z",
        "2026-11-15T24:00:00Z", "2026-11-15T06:60:00Z", "2026-11-15T06:36:60Z",
        "2026-11-15T06:36:00.Z", "2026-11-15T06:36:00.1234567890Z", "1969-12-31T23:59:59Z",
        "9999-01-01T00:00:00Z", "-026-11-15T06:36:00Z", "2026-11-15T06:36:00ZZ"}) {
    EXPECT_FALSE(ParseUtc(bad).ok()) << bad;
  }
  EXPECT_TRUE(ParseUtc("2028-02-29T23:59:59.5Z").ok());
}

TEST(DurationTest, ReadsUnitsFromTheLargestDown) {
  EXPECT_EQ(*ParseDuration("10m"), minutes(10));
  EXPECT_EQ(*ParseDuration("1h30m"), hours(1) + minutes(30));
  EXPECT_EQ(*ParseDuration("2d1ms"), hours(48) + milliseconds(1));
  EXPECT_EQ(*ParseDuration("0"), Duration(0));
}

TEST(DurationTest, RefusesWhatHasNoUnitNoOrderOrNoEnd) {
  for (const std::string_view bad : {"", "10", "m", "-1s", "1.5s", "30m1h", "1s1s", "10 m", "1m ",
                                     "1x", "999999999999d", "9223372036854775807s", "+1s", "00"}) {
    EXPECT_FALSE(ParseDuration(bad).ok()) << bad;
  }
}

TEST(DurationTest, ReadsBackWhatItWrites) {
  EXPECT_TRUE(rc::check([] {
    const Duration duration = milliseconds(*rc::gen::inRange<std::int64_t>(0, 9'000'000'000'000));
    RC_ASSERT(*ParseDuration(FormatDuration(duration)) == duration);
  }));
}

}  // namespace
}  // namespace belay
