#include "model/resumption_log.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

constexpr std::string_view kPath = "/r/ORCHESTRATION.yaml";

WallTime At(int minute) { return *ParseUtc("2026-03-01T10:00:00Z") + std::chrono::minutes(minute); }

UnsureEvent Update(std::string id, std::string trigger, int minute, std::string before,
                   std::string after) {
  static std::int64_t number = 0;
  return {.number = ++number,
          .event = {.id = std::move(id), .trigger = std::move(trigger), .at = At(minute)},
          .agent = "worker-a#1",
          .before = std::move(before),
          .after = std::move(after)};
}

void Begin(ResumptionBook& book, const UnsureEvent& update) {
  book.Apply(UpdateRecord(At(0), kPath, update));
}

void Finish(ResumptionBook& book, const UnsureEvent& update) {
  Begin(book, update);
  book.Apply(AppliedRecord(kPath, update.Applied()));
}

std::vector<std::string> PendingIds(const ResumptionBook& book) {
  std::vector<std::string> ids;
  for (const StoredEvent& event : book.Find(kPath)->Pending()) ids.push_back(event.id);
  return ids;
}
using Ids = std::vector<std::string>;

TEST(ResumptionLogTest, AnEventIsAppliedOnce) {
  ResumptionBook book;
  Finish(book, Update("e-1", "T1", 0, "x", "y"));
  Finish(book, Update("e-2", "T4", 1, "y", "z"));
  const DocumentLog* log = book.Find(kPath);
  ASSERT_NE(log, nullptr);
  EXPECT_TRUE(log->WasApplied("e-1", "z"));
  EXPECT_TRUE(log->WasApplied("e-2", "z"));
  EXPECT_TRUE(log->WasApplied("e-2", "edited by hand"));
  EXPECT_FALSE(log->WasApplied("e-3", "z"));
  EXPECT_EQ(log->phase_began, At(0));
  EXPECT_EQ(book.Find("/other"), nullptr);
}

TEST(ResumptionLogTest, AnEventThatWasRevertedIsNotApplied) {
  ResumptionBook book;
  Finish(book, Update("e-1", "T1", 0, "x", "y"));
  EXPECT_FALSE(book.Find(kPath)->WasApplied("e-1", "x"));
}

TEST(ResumptionLogTest, AnUpdateThatWasOnlyBegunIsUnsureAndGoesFirst) {
  ResumptionBook book;
  book.Apply(WaitingRecord(At(0), kPath, {.id = "w", .trigger = "T5", .at = At(0)}));
  const UnsureEvent update = Update("e-1", "T1", 1, "x", "y");
  Begin(book, update);
  const DocumentLog* log = book.Find(kPath);
  EXPECT_FALSE(log->WasApplied("e-1", "y"));
  EXPECT_EQ(log->phase_began, std::nullopt);
  EXPECT_EQ(log->unsure, update);
  EXPECT_EQ(PendingIds(book), (Ids{"e-1", "w"}));
  EXPECT_TRUE(log->unsure->IsIn(Resumption{}, "y"));
  EXPECT_FALSE(log->unsure->IsIn(Resumption{}, "x"));
}

TEST(ResumptionLogTest, AnotherUpdateDoesNotHideTheUnsureOne) {
  ResumptionBook book;
  Begin(book, Update("e-1", "T1", 0, "x", "y"));
  Finish(book, Update("e-2", "T4", 1, "x", "z"));
  EXPECT_EQ(PendingIds(book), Ids{"e-1"});
  EXPECT_FALSE(book.Find(kPath)->WasApplied("e-1", "z"));
}

TEST(ResumptionLogTest, WhatWaitedIsKeptUntilItIsInTheFile) {
  ResumptionBook book;
  const UnsureEvent update = Update("cx", "T5", 0, "x", "y");
  book.Apply(WaitingRecord(At(0), kPath, update.event));
  book.Apply(WaitingRecord(At(0), kPath, update.event));
  EXPECT_EQ(PendingIds(book), Ids{"cx"});
  Begin(book, update);
  EXPECT_EQ(PendingIds(book), Ids{"cx"});  // killed before the file was replaced
  book.Apply(WaitingRecord(At(0), kPath, update.event));
  EXPECT_EQ(PendingIds(book), Ids{"cx"});
  EXPECT_EQ(book.Find(kPath)->unsure, std::nullopt);
  Finish(book, update);
  EXPECT_EQ(PendingIds(book), Ids{});
  book.Apply(WaitingRecord(At(2), kPath, update.event));
  EXPECT_EQ(PendingIds(book), Ids{});
}

TEST(ResumptionLogTest, WhatFailedAndWasReportedDoesNotHappenLater) {
  ResumptionBook book;
  Begin(book, Update("e-1", "T4", 0, "x", "y"));
  book.Apply(WithdrawnRecord(At(0), kPath, "e-1"));
  EXPECT_EQ(PendingIds(book), Ids{});
  EXPECT_FALSE(book.Find(kPath)->WasApplied("e-1", "y"));
}

TEST(ResumptionLogTest, AStateOfTheFirstVaultsIsRead) {
  const Json event = ToJson(StoredEvent{.id = "e-1", .trigger = "T5", .at = At(0)});
  Json ids = Json::EmptyArray();
  ids.Append("e-1");
  ResumptionBook book;
  book.Apply(MakeObject({{"at", FormatUtcMicros(At(0))},
                         {"kind", "document"},
                         {"document", kPath},
                         {"state", MakeObject({{"ids", std::move(ids)}, {"unsure", event}})}}));
  EXPECT_EQ(book.unreadable(), 0U);
  EXPECT_EQ(PendingIds(book), Ids{});
  EXPECT_TRUE(book.Find(kPath)->WasApplied("e-1", "y"));
}

TEST(ResumptionLogTest, ASnapshotHasTheSameContent) {
  ResumptionBook book;
  Finish(book, Update("e-1", "T1", 0, "x", "y"));
  book.Apply(WaitingRecord(At(1), kPath, {.id = "w", .trigger = "T5", .at = At(1)}));
  book.Apply(WaitingRecord(At(1), kPath, {.id = "v", .trigger = "T5", .at = At(1)}));
  UnsureEvent begun = Update("w", "T5", 2, "y", "z");
  begun.traces = {"0123456789ab"};
  Begin(book, begun);
  ResumptionBook again;
  for (const Json& record : book.Snapshot(At(3))) again.Apply(record);
  EXPECT_EQ(*again.Find(kPath), *book.Find(kPath));
  EXPECT_EQ(again.Find(kPath)->updates, begun.number);
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
