#include "engine/merge/queue_order.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

using std::chrono::minutes;

constexpr WallTime kStart{std::chrono::hours(1000)};

class QueueOrderTest : public ::testing::Test {
 protected:
  MergeEntry& Add(std::uint64_t number, std::int64_t priority = 0) {
    MergeEntry entry{.number = number, .identity_name = {}, .branch = "b", .target = "main"};
    entry.branch += std::to_string(number);
    entry.requested_at = kStart;
    entry.priority = priority;
    return entries_.emplace_back(std::move(entry));
  }
  // "3 1 2", with a star after entries with open dependencies.
  std::string Order(WallTime now = kStart, std::string_view target = "main") {
    book_.Forget();
    for (const MergeEntry& entry : entries_) book_.Apply(EntryRecord(now, "", entry));
    std::string text;
    for (const QueuePlace& place : QueueOrder(book_, target, now)) {
      text += (text.empty() ? "" : " ") + std::to_string(place.entry->number) +
              (place.waits_for.empty() ? "" : "*");
    }
    return text;
  }
  std::uint64_t Next(WallTime now = kStart) {
    (void)Order(now);
    const MergeEntry* next = NextEntry(book_, "main", now);
    return next != nullptr ? next->number : 0;
  }

  std::string Lost() {
    (void)Order();
    std::string text;
    for (const LostWait& lost : LostWaits(book_, "main")) {
      text += std::to_string(lost.entry->number) + " for " + std::to_string(lost.waits_for);
    }
    return text;
  }

  std::vector<MergeEntry> entries_;
  MergeBook book_;
};

TEST_F(QueueOrderTest, EqualsComeInTheOrderOfAdding) {
  Add(1);
  Add(2);
  EXPECT_EQ(Order(), "1 2");
}

TEST_F(QueueOrderTest, MorePriorityIsSooner) {
  Add(1);
  Add(2, 5);
  Add(3, -1);
  EXPECT_EQ(Order(), "2 1 3");
}

TEST_F(QueueOrderTest, AWaitingEntryIsNotOvertakenForever) {
  Add(1, -3);
  Add(2, 0).requested_at = kStart + minutes(119);
  EXPECT_EQ(Order(kStart + minutes(119)), "1 2") << "three half hours are worth three";
  entries_[0].requested_at = kStart + minutes(60);
  EXPECT_EQ(Order(kStart + minutes(119)), "2 1");
}

TEST_F(QueueOrderTest, WhatWasBegunIsFinishedFirst) {
  Add(1, 9);
  Add(2).status = MergeStatus::kTesting;
  EXPECT_EQ(Order(), "2 1");
  entries_[1].status = MergeStatus::kTargetMoved;
  EXPECT_EQ(Order(), "2 1");
}

TEST_F(QueueOrderTest, WhoDependsOnAnotherIsPassedUntilThatIsMerged) {
  Add(1).status = MergeStatus::kConflict;
  Add(2).depends_on = {1};
  Add(3);
  EXPECT_EQ(Order(), "2* 3");
  EXPECT_EQ(Next(), 3U);
  entries_[0].status = MergeStatus::kMerged;
  EXPECT_EQ(Order(), "2 3");
  EXPECT_EQ(Next(), 2U);
}

TEST_F(QueueOrderTest, ANewEntryForACancelledBranchReplacesIt) {
  Add(1).status = MergeStatus::kCancelled;
  Add(2).depends_on = {1};
  EXPECT_EQ(Order(), "2*");
  EXPECT_EQ(Lost(), "2 for 1");
  Add(3).branch = "b1";
  EXPECT_EQ(Order(), "2* 3");
  EXPECT_EQ(Lost(), "");
  entries_[2].status = MergeStatus::kGateFailed;
  EXPECT_EQ(Lost(), "") << "it may come back";
  entries_[2].status = MergeStatus::kCancelled;
  EXPECT_EQ(Lost(), "2 for 1");
  entries_[2].status = MergeStatus::kMerged;
  EXPECT_EQ(Order(), "2");
  entries_[2].target = "release";
  EXPECT_EQ(Lost(), "2 for 1") << "it has landed elsewhere";
}

TEST_F(QueueOrderTest, ACircleIsSeenOverHoweverManyOthers) {
  Add(1).status = MergeStatus::kCancelled;
  Add(2).depends_on = {1};
  Add(3).depends_on = {2};
  (void)Order();
  EXPECT_TRUE(WaitsForBranch(book_, 3, "b3", "main")) << "itself";
  EXPECT_TRUE(WaitsForBranch(book_, 3, "b2", "main"));
  EXPECT_TRUE(WaitsForBranch(book_, 3, "b1", "main")) << "who comes again would be waited for";
  EXPECT_FALSE(WaitsForBranch(book_, 3, "b1", "release"));
  EXPECT_FALSE(WaitsForBranch(book_, 2, "b3", "main"));
  entries_[0].status = MergeStatus::kMerged;
  (void)Order();
  EXPECT_FALSE(WaitsForBranch(book_, 3, "b1", "main"));
}

TEST_F(QueueOrderTest, ParkedFinishedAndOtherTargetsEntriesAreNotQueued) {
  Add(1).status = MergeStatus::kGateFailed;
  Add(2).status = MergeStatus::kCancelled;
  Add(3).target = "release";
  EXPECT_EQ(Order(), "");
  EXPECT_EQ(Next(), 0U);
  EXPECT_EQ(Order(kStart, "release"), "3");
}

TEST_F(QueueOrderTest, AClockThatWasSetBackMakesNoEntryOlder) {
  Add(1);
  Add(2).requested_at = kStart - minutes(300);
  EXPECT_EQ(Order(kStart - minutes(600)), "1 2");
}

}  // namespace
}  // namespace belay
