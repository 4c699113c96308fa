#include "engine/task/deadline.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "testing/fake_clock.h"

namespace belay {
namespace {

using std::chrono::seconds;

constexpr BootTime kDueAt{seconds(1000)};
constexpr Duration kWarning = seconds(60);

BootTime BootAt(int second) { return BootTime(seconds(second)); }

WallTime DateAt(int second) { return WallTime(seconds(second)); }

struct DeadlineRow {
  std::string_view what;
  DeadlineFacts facts;
  int now;
  DeadlineAction action;
  std::optional<BootTime> next = {};
};

TEST(DeadlineTest, EachRowOfTheTableHolds) {
  const DeadlineFacts runs{.due = kDueAt, .runs = true, .stoppable = true, .unfinished = true};
  const auto with = [](DeadlineFacts facts, bool DeadlineFacts::*member) {
    facts.*member = !(facts.*member);
    return facts;
  };
  const DeadlineFacts warned = with(runs, &DeadlineFacts::warned);
  const DeadlineFacts foreign = with(runs, &DeadlineFacts::stoppable);
  const DeadlineFacts stopping = with(runs, &DeadlineFacts::stopping);
  const DeadlineFacts ended = with(runs, &DeadlineFacts::runs);
  const DeadlineFacts timed_out = with(ended, &DeadlineFacts::timed_out);
  const DeadlineFacts finished = with(ended, &DeadlineFacts::unfinished);
  const std::vector<DeadlineRow> rows = {
      {"runs, early", runs, 939, DeadlineAction::kNothing, BootAt(940)},
      {"runs, warning time", runs, 940, DeadlineAction::kWarn, kDueAt},
      {"runs, just before", runs, 999, DeadlineAction::kWarn, kDueAt},
      {"runs, due", runs, 1000, DeadlineAction::kStop},
      {"runs, long past", runs, 5000, DeadlineAction::kStop},
      {"runs without a task, due", with(runs, &DeadlineFacts::unfinished), 1000,
       DeadlineAction::kStop},
      {"warned", warned, 950, DeadlineAction::kNothing, kDueAt},
      {"warned, due", warned, 1000, DeadlineAction::kStop},
      {"not started by belay, warning time", foreign, 940, DeadlineAction::kWarn, kDueAt},
      {"not started by belay, due", foreign, 1000, DeadlineAction::kNothing},
      {"stopping, early", stopping, 100, DeadlineAction::kNothing},
      {"stopping, warning time", stopping, 950, DeadlineAction::kNothing},
      {"stopping, due", stopping, 1000, DeadlineAction::kNothing},
      {"ended, early", ended, 100, DeadlineAction::kNothing, kDueAt},
      {"ended, warning time", ended, 950, DeadlineAction::kNothing, kDueAt},
      {"ended, due", ended, 1000, DeadlineAction::kSweep},
      {"timed out, and the date was set back", timed_out, 100, DeadlineAction::kSweep},
      {"ended without a task", finished, 2000, DeadlineAction::kNothing},
  };
  for (const DeadlineRow& row : rows) {
    const DeadlineStep step = DecideDeadline(row.facts, BootAt(row.now), kWarning);
    EXPECT_EQ(step.action, row.action) << row.what;
    EXPECT_EQ(step.next, row.next) << row.what;
  }
}

TEST(DeadlineTest, SettingTheDateStopsNoOneEarlyAndTheTimeOfASleepCounts) {
  FakeClock clock;
  DeadlineClock deadlines;
  const WallTime deadline = clock.Wall() + std::chrono::minutes(30);
  const auto action = [&] {
    const DeadlineFacts facts{.due = deadlines.DueAt(deadline, clock.Wall(), clock.Boot()),
                              .runs = true,
                              .stoppable = true,
                              .warned = true};
    return DecideDeadline(facts, clock.Boot(), kWarning).action;
  };
  EXPECT_EQ(action(), DeadlineAction::kNothing);
  clock.JumpWall(std::chrono::hours(2));
  EXPECT_EQ(action(), DeadlineAction::kNothing) << "the date was set forward";
  clock.JumpWall(-std::chrono::hours(24));
  clock.Advance(std::chrono::minutes(29));
  EXPECT_EQ(action(), DeadlineAction::kNothing);
  clock.Advance(std::chrono::minutes(1));
  EXPECT_EQ(action(), DeadlineAction::kStop) << "the date was set back";

  DeadlineClock others;
  const WallTime later = clock.Wall() + std::chrono::minutes(30);
  const auto due = [&] { return others.DueAt(later, clock.Wall(), clock.Boot()) <= clock.Boot(); };
  EXPECT_FALSE(due());
  clock.Suspend(std::chrono::hours(1));
  EXPECT_TRUE(due()) << "it passed while the machine slept";
}

TEST(DeadlineTest, TheEarliestCountsAndGivesTheReason) {
  TaskBook book;
  book.Apply(WaveRecord(DateAt(1), "", "w1", DateAt(500)));
  Task task{.id = *TaskId::Parse("t1")};
  Identity agent{*AgentId::Parse("worker-a#1")};
  EXPECT_EQ(DeadlineFor(book, nullptr, nullptr), std::nullopt);
  EXPECT_EQ(DeadlineFor(book, &task, &agent), std::nullopt);
  task.wave = "w1";
  const EarliestDeadline wave{DateAt(500), SuspendReason::kWaveTimeout};
  EXPECT_EQ(DeadlineFor(book, &task, &agent), wave);
  task.deadline = DateAt(500);
  EXPECT_EQ(DeadlineFor(book, &task, &agent), wave) << "the same time";
  task.deadline = DateAt(400);
  EXPECT_EQ(DeadlineFor(book, &task, nullptr),
            (EarliestDeadline{DateAt(400), SuspendReason::kTurnLimit}));
  agent.deadline = DateAt(300);
  EXPECT_EQ(DeadlineFor(book, &task, &agent),
            (EarliestDeadline{DateAt(300), SuspendReason::kTurnLimit}));
  EXPECT_EQ(DeadlineFor(book, nullptr, &agent),
            (EarliestDeadline{DateAt(300), SuspendReason::kTurnLimit}));
}

}  // namespace
}  // namespace belay
