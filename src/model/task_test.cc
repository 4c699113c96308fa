#include "model/task.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr WallTime kNow{std::chrono::microseconds(1'700'000'000'123'456)};

Task TaskNamed(std::string_view id) { return Task{.id = *TaskId::Parse(id)}; }

Task Full() {
  Task task = TaskNamed("bd-3.1");
  task.title = "title";
  task.description = "text";
  task.status = TaskStatus::kFailed;
  task.owner = "worker-a";
  task.worktree = "/w";
  task.files = {"a", "b c"};
  task.depends_on = {"t1"};
  task.arc = *ArcId::Parse("arc");
  task.wave = "w";
  task.deadline = task.created_at = task.changed_at = kNow;
  task.run = "20261118-120000";
  task.suspended = task.resuming = task.permanently_failed = true;
  task.resume_count = 2;
  task.context_path = "tmp/work/x";
  task.failure = "why";
  task.work = {SuspendReason::kSignal,
               "worker-a#1",
               "/w",
               "base",
               "commit",
               "id",
               "message",
               true,
               true,
               true};
  task.kept = {"older"};
  task.reopened_at = kNow;
  return task;
}

std::vector<std::string> Ids(const std::vector<const Task*>& tasks) {
  std::vector<std::string> ids;
  for (const Task* task : tasks) ids.push_back(task->id.text());
  return ids;
}

TEST(TaskTest, SurvivesARoundTripWithWhatANewerBelayAdded) {
  EXPECT_EQ(*TaskFromJson(ToJson(Full())), Full());
  EXPECT_EQ(*TaskFromJson(ToJson(TaskNamed("t1"))), TaskNamed("t1"));
  Json record = ToJson(Full());
  record.Set("new", 1);
  record.Find("metadata")->Set("newer", 2);
  EXPECT_EQ(ToJson(*TaskFromJson(record)), record);
}

TEST(TaskTest, RefusesWhatMakesNoSense) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, Json>>{
           {"status", "flying"},
           {"id", "../x"},
           {"arc", "a/b"},
           {"files", 1},
           {"schema_version", 2},
           {"metadata", MakeObject({{"reason", "boredom"}})}}) {
    Json wrong = ToJson(Full());
    wrong.Set(key, value);
    EXPECT_EQ(TaskFromJson(wrong).error().code, ErrorCode::kDamaged) << key;
  }
}

TEST(TaskTest, AnIdIsSafeInAPath) {
  for (const char* good : {"7", "t1", "bd-3.1.2", "A_b-C"}) EXPECT_TRUE(TaskId::Parse(good).ok());
  for (const char* bad : {"", ".", "..", "a..b", ".a", "a.", "a/b", "a b", "a\n", "\xff"}) {
    EXPECT_FALSE(TaskId::Parse(bad).ok()) << bad;
  }
  EXPECT_FALSE(TaskId::Parse(std::string(65, 'a')).ok());
  EXPECT_FALSE(ArcId::Parse("a.b").ok());
}

TEST(TaskTest, ARunIsNamedByItsStart) {
  EXPECT_EQ(RunName(*ParseUtc("2026-11-18T12:34:56Z")), "20261118-123456");
  EXPECT_TRUE(IsRunName("20261118-123456"));
  for (const char* bad : {"", "20261118-12345", "20261118x123456", "2026111a-123456"}) {
    EXPECT_FALSE(IsRunName(bad)) << bad;
  }
}

TEST(TaskBookTest, TheEarlierDeadlineCounts) {
  TaskBook book;
  Task task = TaskNamed("t1");
  task.wave = "w";
  EXPECT_EQ(book.DeadlineOf(task), std::nullopt);
  book.Apply(WaveRecord(kNow, "", "w", kNow));
  EXPECT_EQ(book.DeadlineOf(task), kNow);
  task.deadline = kNow + std::chrono::hours(1);
  EXPECT_EQ(book.DeadlineOf(task), kNow);
  task.deadline = kNow - std::chrono::hours(1);
  EXPECT_EQ(book.DeadlineOf(task), task.deadline);
  book.Apply(WaveRecord(kNow, "", "w", std::nullopt));
  task.deadline.reset();
  EXPECT_EQ(book.DeadlineOf(task), std::nullopt);
}

TEST(TaskBookTest, FindsDependenciesAndDependents) {
  TaskBook book;
  Task first = TaskNamed("t1");
  Task second = TaskNamed("t2");
  Task third = TaskNamed("t3");
  second.depends_on = {"t1"};
  third.depends_on = {"t2", "long-gone"};
  for (const Task& task : {third, second, first}) book.Apply(TaskRecord(kNow, "", task));
  EXPECT_THAT(Ids(book.Waiting(third)), ElementsAre("t2"));
  EXPECT_THAT(Ids(book.DependentsOf(first)), ElementsAre("t2", "t3"));
  second.status = TaskStatus::kCompleted;
  book.Apply(TaskRecord(kNow, "", second));
  EXPECT_THAT(Ids(book.Waiting(third)), IsEmpty());
  EXPECT_EQ(book.NextId(), "t4");
}

TEST(TaskBookTest, AWorktreeIsOccupiedByTheTaskWhoseWorkIsInIt) {
  Task task = TaskNamed("t1");
  const auto occupied = [&](std::string_view worktree = "/w") {
    TaskBook book;
    book.Apply(TaskRecord(kNow, "", task));
    EXPECT_EQ(book.OccupantOf(worktree, task.id), nullptr) << "never by itself";
    return book.OccupantOf(worktree, *TaskId::Parse("t2")) != nullptr;
  };
  task.worktree = task.work.worktree = "/w";
  EXPECT_FALSE(occupied()) << "pending";
  task.status = TaskStatus::kInProgress;
  EXPECT_TRUE(occupied());
  EXPECT_FALSE(occupied("/other"));
  task.suspended = true;
  EXPECT_TRUE(occupied()) << "suspended with its work left in the tree";
  task.work.snapshot = "commit";
  EXPECT_FALSE(occupied());
  task.work.cleaning = true;
  EXPECT_TRUE(occupied());
  task.suspended = task.work.cleaning = false;
  task.status = TaskStatus::kPending;
  task.resuming = true;
  EXPECT_FALSE(occupied()) << "resumed, but its work could not be put back";
  task.work.restored = true;
  EXPECT_TRUE(occupied());
  task.status = TaskStatus::kCompleted;
  EXPECT_FALSE(occupied());
}

TEST(TaskTest, OnlyWorkThatWasNotPutBackIsKept) {
  Task task = TaskNamed("t1");
  KeepUnrestored(task);
  EXPECT_THAT(task.kept, IsEmpty());
  task.work.snapshot = "commit";
  KeepUnrestored(task);
  KeepUnrestored(task);
  EXPECT_THAT(task.kept, ElementsAre("commit"));
  task.work = {.snapshot = "other", .restored = true};
  KeepUnrestored(task);
  EXPECT_THAT(task.kept, ElementsAre("commit"));
}

TEST(TaskBookTest, IsTheSameAfterCompaction) {
  TaskBook book;
  book.Apply(TaskRecord(kNow, "", Full()));
  book.Apply(TaskRecord(kNow, "", TaskNamed("t9")));
  book.Apply(WaveRecord(kNow, "", "w", kNow));
  TaskBook again;
  for (const Json& record : book.Snapshot(kNow)) again.Apply(record);
  EXPECT_EQ(again.tasks(), book.tasks());
  EXPECT_EQ(again.waves(), book.waves());
  EXPECT_EQ(again.NextId(), "t10");
  EXPECT_EQ(TaskRendering(again), TaskRendering(book));
}

TEST(TaskBookTest, ForgetsOnlyOldCompletedTasksThatNoneWaitsFor) {
  TaskBook book;
  const std::size_t count = TaskBook::kKeptCompleted + 3;
  for (std::size_t i = 1; i <= count; ++i) {
    Task task = TaskNamed("t" + std::to_string(i));
    task.status = TaskStatus::kCompleted;
    task.changed_at = kNow + std::chrono::seconds(i);
    book.Apply(TaskRecord(kNow, "", task));
  }
  Task waiting = TaskNamed("x");
  waiting.depends_on = {"t1"};
  book.Apply(TaskRecord(kNow, "", waiting));
  TaskBook again;
  for (const Json& record : book.Snapshot(kNow)) again.Apply(record);
  EXPECT_NE(again.Find("t1"), nullptr);
  EXPECT_EQ(again.Find("t2"), nullptr);
  EXPECT_EQ(again.Find("t3"), nullptr);
  EXPECT_NE(again.Find("t4"), nullptr);
  EXPECT_NE(again.Find("x"), nullptr);
  EXPECT_EQ(again.NextId(), book.NextId());
}

TEST(TaskBookTest, CountsWhatItCannotRead) {
  TaskBook book;
  for (const Json& record :
       {MakeObject({{"kind", "task"}}), MakeObject({{"kind", "wave"}}), MakeObject({})}) {
    book.Apply(record);
  }
  EXPECT_EQ(book.unreadable(), 3U);
  EXPECT_TRUE(book.tasks().empty());
}

}  // namespace
}  // namespace belay
