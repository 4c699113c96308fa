#include <fmt/core.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <utility>

#include "snapshot/prune.h"

namespace belay {
namespace {

using std::chrono::hours;

constexpr WallTime kNow{hours(500'000)};
constexpr RetentionLimits kNoLimits{
    .count = 1'000'000, .age = hours(1'000'000), .bytes = UINT64_MAX};

ObjectId Commit(std::size_t number) { return *ObjectId::Parse(fmt::format("{:040x}", number)); }

SavedSnapshot Snapshot(std::size_t number, int hours_ago, std::uint64_t bytes = 1) {
  SavedSnapshot snapshot{.id = {*KeepName::Parse("main"), number},
                         .commit = Commit(number),
                         .base = Commit(1000),
                         .index = Commit(1001),
                         .untracked = Commit(1002)};
  snapshot.record.at = kNow - hours(hours_ago);
  snapshot.record.bytes = bytes;
  return snapshot;
}

// "1: older than 1h; 2: ..."
std::string Expire(const std::vector<SavedSnapshot>& snapshots, const RetentionLimits& limits,
                   const std::set<ObjectId>& named = {}) {
  std::string text;
  for (const Expired& expired : ChooseExpired(snapshots, kNow, limits, named)) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", expired.snapshot.id.number,
                        expired.reason);
  }
  return text;
}

TEST(RetentionTest, KeepsAllWithinTheLimits) {
  EXPECT_EQ(Expire({}, {}), "");
  EXPECT_EQ(Expire({Snapshot(1, 700), Snapshot(2, 0)}, {}), "");
}

TEST(RetentionTest, DeletesWhatIsOlderThanTheLimit) {
  RetentionLimits limits = kNoLimits;
  limits.age = hours(2);
  EXPECT_EQ(Expire({Snapshot(1, 4), Snapshot(2, 3), Snapshot(3, 2), Snapshot(4, 1)}, limits),
            "1: older than 2h; 2: older than 2h");
}

TEST(RetentionTest, DeletesWhatIsBeyondTheCount) {
  RetentionLimits limits = kNoLimits;
  limits.count = 2;
  EXPECT_EQ(Expire({Snapshot(1, 9), Snapshot(2, 8), Snapshot(5, 7), Snapshot(6, 6)}, limits),
            "1: 3 newer ones; 2: 2 newer ones");
}

TEST(RetentionTest, DeletesWhatIsTooMuchWithTheNewerOnes) {
  RetentionLimits limits = kNoLimits;
  limits.bytes = std::uint64_t{3} << 20U;
  const std::uint64_t mib = std::uint64_t{1} << 20U;
  EXPECT_EQ(Expire({Snapshot(1, 9, 0), Snapshot(2, 8, 2 * mib), Snapshot(3, 7, 2 * mib)}, limits),
            "1: with the newer ones, over 3 MiB; 2: with the newer ones, over 3 MiB");
  EXPECT_EQ(
      Expire({Snapshot(1, 9, UINT64_MAX), Snapshot(2, 8, UINT64_MAX), Snapshot(3, 7, 1)}, limits),
      "1: with the newer ones, over 3 MiB; 2: with the newer ones, over 3 MiB");
}

TEST(RetentionTest, NeverDeletesTheLastOne) {
  EXPECT_EQ(Expire({Snapshot(1, 400'000, UINT64_MAX)}, {.count = 1, .age = {}, .bytes = 0}), "");
}

TEST(RetentionTest, NeverDeletesReferencedOrUnreadableSnapshots) {
  SavedSnapshot newer = Snapshot(2, 400'000);
  newer.readable = false;
  newer.record = {};
  EXPECT_EQ(Expire({Snapshot(1, 9), newer, Snapshot(3, 8), Snapshot(4, 7)},
                   {.count = 1, .age = {}, .bytes = 0}, {Commit(1)}),
            "3: older than 0");
}

TEST(RetentionTest, NeverDeletesTheLastOneThatItCanRead) {
  SavedSnapshot newer = Snapshot(3, 0);
  newer.readable = false;
  EXPECT_EQ(Expire({Snapshot(1, 9), Snapshot(2, 8), newer}, {.count = 1, .age = {}, .bytes = 0}),
            "1: older than 0");
}

TEST(RetentionTest, AClockThatWentBackMakesNothingOld) {
  RetentionLimits limits = kNoLimits;
  limits.age = {};
  EXPECT_EQ(Expire({Snapshot(1, -5), Snapshot(2, -4)}, limits), "");
}

TEST(RetentionTest, WhateverIsThereTheRestIsWithinTheLimitsAndStaysSo) {
  EXPECT_TRUE(rc::check([] {
    std::vector<SavedSnapshot> all;
    std::set<ObjectId> named;
    const auto count = *rc::gen::inRange<std::size_t>(0, 30);
    for (std::size_t number = 1; number <= count; ++number) {
      all.push_back(Snapshot(number, *rc::gen::inRange(-2, 20), *rc::gen::inRange(0U, 50U)));
      all.back().readable = *rc::gen::inRange(0, 8) != 0;
      if (*rc::gen::inRange(0, 8) == 0) named.insert(all.back().commit);
    }
    const RetentionLimits limits{.count = *rc::gen::inRange(1U, 20U),
                                 .age = hours(*rc::gen::inRange(0, 20)),
                                 .bytes = *rc::gen::inRange(0U, 300U)};
    const auto readable = [](const SavedSnapshot& one) { return one.readable; };
    const bool any_readable = std::ranges::any_of(all, readable);
    std::set<ObjectId> gone;
    for (const Expired& expired : ChooseExpired(all, kNow, limits, named)) {
      RC_ASSERT(expired.snapshot.readable);
      RC_ASSERT(!named.contains(expired.snapshot.commit));
      RC_ASSERT(expired.snapshot.commit != all.back().commit);
      gone.insert(expired.snapshot.commit);
    }
    std::erase_if(all, [&](const SavedSnapshot& one) { return gone.contains(one.commit); });
    RC_ASSERT(ChooseExpired(all, kNow, limits, named).empty());
    RC_ASSERT(!any_readable || std::ranges::any_of(all, readable));
    std::uint64_t bytes = 0;
    std::uint64_t kept = 0;
    bool has_last = false;
    for (std::size_t i = all.size(); i > 0; --i) {
      const SavedSnapshot& one = all[i - 1];
      bytes += one.record.bytes;
      ++kept;
      if (!one.readable || !std::exchange(has_last, true) || named.contains(one.commit)) continue;
      RC_ASSERT(kept <= limits.count);
      RC_ASSERT(bytes <= limits.bytes);
      RC_ASSERT(one.record.at + limits.age >= kNow);
    }
  }));
}

}  // namespace
}  // namespace belay
