#include "model/resumption_log.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

constexpr std::string_view kPath = "/r/ORCHESTRATION.yaml";

WallTime At(int minute) { return *ParseUtc("2026-03-01T10:00:00Z") + std::chrono::minutes(minute); }

Json Applied(std::string id, std::string trigger, int minute, std::string before,
             std::string after) {
  return AppliedRecord(kPath, {.id = std::move(id),
                               .trigger = std::move(trigger),
                               .at = At(minute),
                               .agent = "worker-a#1",
                               .before = std::move(before),
                               .after = std::move(after)});
}

TEST(ResumptionLogTest, AnEventIsAppliedOnce) {
  ResumptionBook book;
  book.Apply(Applied("e-1", "T1", 0, "x", "y"));
  book.Apply(Applied("e-2", "T4", 1, "y", "z"));
  const DocumentLog* log = book.Find(kPath);
  ASSERT_NE(log, nullptr);
  EXPECT_TRUE(log->WasApplied("e-1", "z"));
  EXPECT_TRUE(log->WasApplied("e-2", "z"));
  EXPECT_TRUE(log->WasApplied("e-2", "edited by hand"));
  EXPECT_FALSE(log->WasApplied("e-3", "z"));
  EXPECT_EQ(log->phase_began, At(0));
  EXPECT_EQ(book.Find("/other"), nullptr);
}

TEST(ResumptionLogTest, AnEventThatNeverReachedTheFileIsNotApplied) {
  ResumptionBook book;
  book.Apply(Applied("e-1", "T1", 0, "x", "y"));
  EXPECT_FALSE(book.Find(kPath)->WasApplied("e-1", "x"));
}

TEST(ResumptionLogTest, WhatWaitedIsKeptUntilItIsInTheFile) {
  ResumptionBook book;
  const StoredEvent event{.id = "cx", .trigger = "T5", .at = At(0)};
  book.Apply(WaitingRecord(At(0), kPath, event));
  book.Apply(WaitingRecord(At(0), kPath, event));
  EXPECT_EQ(book.Find(kPath)->Pending("x").size(), 1);
  book.Apply(Applied("cx", "T5", 1, "x", "y"));
  EXPECT_EQ(book.Find(kPath)->Pending("x").size(), 1);  // killed before the file was replaced
  EXPECT_EQ(book.Find(kPath)->Pending("y").size(), 0);
  book.Apply(WaitingRecord(At(2), kPath, event));
  EXPECT_EQ(book.Find(kPath)->Pending("y").size(), 0);
}

TEST(ResumptionLogTest, ASnapshotSaysTheSame) {
  ResumptionBook book;
  book.Apply(Applied("e-1", "T1", 0, "x", "y"));
  book.Apply(WaitingRecord(At(1), kPath, {.id = "w", .trigger = "T5", .at = At(1)}));
  book.Apply(WaitingRecord(At(1), kPath, {.id = "v", .trigger = "T5", .at = At(1)}));
  book.Apply(Applied("w", "T5", 2, "y", "z"));
  ResumptionBook again;
  for (const Json& record : book.Snapshot(At(3))) again.Apply(record);
  EXPECT_EQ(*again.Find(kPath), *book.Find(kPath));
  EXPECT_EQ(again.unreadable(), 0);
}

TEST(ResumptionLogTest, CountsWhatItCannotRead) {
  ResumptionBook book;
  book.Apply(MakeObject({{"kind", "of a later belay"}, {"document", kPath}}));
  book.Apply(MakeObject({{"kind", "waiting"}, {"document", kPath}, {"event", 5}}));
  EXPECT_EQ(book.unreadable(), 2);
}

}  // namespace
}  // namespace belay
