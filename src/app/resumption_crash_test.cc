// Resumption documents, with updaters killed at every call, full disks, and other programs that
// write the document at every moment.

#include <fcntl.h>
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/test_resumption.h"
#include "testing/crash_matrix.h"
#include "testing/faulty_calls.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// A power cut after every change: once acknowledged it is there, and once is what it is.
TEST(ResumptionCrashMatrix, NothingAcknowledgedIsLostAndNothingComesTwice) {
  SimulatedDisk disk;
  MakeProject(disk);
  ResumptionWorld world(disk);
  ASSERT_TRUE(world.Wait(Compaction("cx")).ok());
  disk.SyncEverything();
  bool acknowledged = false;
  const CrashCount count = RunThroughCrashes(
      disk, {.states_a_moment = 24},
      [&] {
        ASSERT_TRUE(world.Update(Decision("e")).ok());
        acknowledged = true;
      },
      [&](SimulatedDisk& left) {
        ResumptionWorld after(left);
        ExpectOutsideIsUntouched(after);
        EXPECT_GE(after.Decisions(), acknowledged ? 1 : 0);
        const Result<UpdateOutcome> again = after.Update(Decision("e"));
        ASSERT_TRUE(again.ok()) << again.error().message;
        EXPECT_EQ(after.Decisions(), 1);
        EXPECT_EQ(after.Compactions(), 1);
        ExpectOutsideIsUntouched(after);
      });
  EXPECT_GT(count.moments, 5);
}

TEST(ResumptionCrashMatrix, AKillAtEveryCallLeavesNothingTwice) {
  for (std::size_t n = 1;; ++n) {
    SimulatedDisk disk;
    MakeProject(disk);
    const bool killed = RunKilledAt(
        disk, n, [](FileCalls& calls) { (void)ResumptionWorld(calls).Update(Decision("e")); });
    ResumptionWorld after(disk);
    ExpectOutsideIsUntouched(after);
    ASSERT_TRUE(after.Update(Decision("e")).ok());
    EXPECT_EQ(after.Decisions(), 1) << n;
    if (!killed || HasFailure()) break;
  }
}

TEST(ResumptionFaultTest, AFullDiskAtEveryStepChangesNothingOrEverything) {
  std::size_t calls_made = 1;
  for (std::size_t n = 1; n <= calls_made; ++n) {
    SimulatedDisk disk;
    MakeProject(disk);
    FaultyCalls calls(disk);
    calls.Plan({.number = n, .error = ENOSPC, .lasting = true});
    (void)ResumptionWorld(calls).Update(Decision("e"));
    calls_made = std::max(calls_made, calls.count());
    ResumptionWorld after(disk);
    ExpectOutsideIsUntouched(after);
    ASSERT_TRUE(after.Update(Decision("e")).ok());
    EXPECT_EQ(after.Decisions(), 1) << n;
    if (HasFailure()) break;
  }
}

// The case that loses events where a journal is believed more than the file.
TEST(ResumptionCrashMatrix, AKilledUpdateIsNotLostWhenAnotherEventComesBeforeItsRetry) {
  for (std::size_t n = 1;; ++n) {
    SimulatedDisk disk;
    MakeProject(disk);
    { ASSERT_TRUE(ResumptionWorld(disk).Update(Decision("first")).ok()); }
    const bool killed = RunKilledAt(
        disk, n, [](FileCalls& calls) { (void)ResumptionWorld(calls).Update(Decision("e")); });
    ResumptionWorld after(disk);
    ASSERT_TRUE(after.Update(Decision("f")).ok());
    ASSERT_TRUE(after.Update(Decision("e")).ok());
    EXPECT_THAT(after.Decided(), UnorderedElementsAre("first", "e", "f")) << n;
    ExpectOutsideIsUntouched(after);
    EXPECT_EQ(after.Waiting(), 0U);
    EXPECT_EQ(after.files_.List("/r")->size(), 2U) << "a file was left behind at call " << n;
    if (!killed || ::testing::Test::HasFailure()) break;
  }
}

TEST(ResumptionCrashMatrix, APowerCutAndAnotherEventLoseNothing) {
  SimulatedDisk disk;
  MakeProject(disk);
  ResumptionWorld world(disk);
  ASSERT_TRUE(world.Update(Decision("first")).ok());
  disk.SyncEverything();
  const CrashCount count = RunThroughCrashes(
      disk, {.states_a_moment = 24}, [&] { ASSERT_TRUE(world.Update(Decision("e")).ok()); },
      [&](SimulatedDisk& left) {
        ResumptionWorld after(left);
        ASSERT_TRUE(after.Update(Decision("f")).ok());
        ASSERT_TRUE(after.Update(Decision("e")).ok());
        EXPECT_THAT(after.Decided(), UnorderedElementsAre("first", "e", "f"));
        ExpectOutsideIsUntouched(after);
      });
  EXPECT_GT(count.moments, 5);
}

// The next updater finds the event in the file, and the power fails then. Names can't be swapped
// there, so that nothing but the file tells what was done.
TEST(ResumptionCrashMatrix, APowerCutAfterAnUnfinishedUpdateLosesNothing) {
  for (std::size_t k = 1; k <= 8; ++k) {
    SimulatedDisk disk;
    MakeProject(disk);
    { ASSERT_TRUE(ResumptionWorld(disk).Update(Decision("first")).ok()); }
    disk.SyncEverything();
    FaultyCalls calls(disk);
    calls.Plan({.kind = CallKind::kRenameSwap, .error = EINVAL, .lasting = true});
    calls.Plan({.kind = CallKind::kSync, .number = k, .error = EIO, .lasting = true});
    (void)ResumptionWorld(calls).Update(Decision("e"));
    ResumptionWorld world(disk);
    RunThroughCrashes(
        disk, {.states_a_moment = 6}, [&] { ASSERT_TRUE(world.Update(Decision("f")).ok()); },
        [&](SimulatedDisk& left) {
          ResumptionWorld after(left);
          ASSERT_TRUE(after.Update(Decision("e")).ok());
          ASSERT_TRUE(after.Update(Decision("f")).ok());
          EXPECT_THAT(after.Decided(), UnorderedElementsAre("first", "e", "f")) << k;
        });
    if (::testing::Test::HasFailure()) break;
  }
}

// Of all pairs of calls, one in kStride: all would take minutes.
constexpr std::size_t kStride = 37;

// Two updaters, each killed anywhere, also while the second finishes what the first one left.
TEST(ResumptionCrashMatrix, TwoKilledUpdatersLoseNothing) {
  bool second_was_killed = true;
  bool first_was_killed = true;
  for (std::size_t n = 1; first_was_killed; ++n) {
    second_was_killed = true;
    for (std::size_t m = 1 + n * 11 % kStride; second_was_killed; m += kStride) {
      SimulatedDisk disk;
      MakeProject(disk);
      first_was_killed = RunKilledAt(
          disk, n, [](FileCalls& calls) { (void)ResumptionWorld(calls).Update(Decision("e")); });
      second_was_killed = RunKilledAt(
          disk, m, [](FileCalls& calls) { (void)ResumptionWorld(calls).Update(Decision("f")); });
      ResumptionWorld after(disk);
      ASSERT_TRUE(after.Update(Decision("g")).ok());
      ASSERT_TRUE(after.Update(Decision("e")).ok());
      ASSERT_TRUE(after.Update(Decision("f")).ok());
      ASSERT_THAT(after.Decided(), UnorderedElementsAre("e", "f", "g")) << n << ", " << m;
      ExpectOutsideIsUntouched(after);
    }
  }
}

TEST(ResumptionCrashMatrix, AKilledUpdateIsFoundAlsoAfterAnEditByHand) {
  for (std::size_t n = 1;; ++n) {
    SimulatedDisk disk;
    MakeProject(disk);
    { ASSERT_TRUE(ResumptionWorld(disk).Update(Decision("first")).ok()); }
    const bool killed = RunKilledAt(
        disk, n, [](FileCalls& calls) { (void)ResumptionWorld(calls).Update(Decision("e")); });
    ResumptionWorld after(disk);
    std::string text = after.Text();
    text.replace(text.find("next_step: \"go\""), 15, "next_step: \"by hand\"");
    ASSERT_TRUE(ReplaceFile(after.files_, kPath, text).ok());
    ASSERT_TRUE(after.Update(Decision("f")).ok());
    ASSERT_TRUE(after.Update(Decision("e")).ok());
    EXPECT_THAT(after.Decided(), UnorderedElementsAre("first", "e", "f")) << n;
    EXPECT_EQ(after.Section().State("next_step"), Json("by hand"));
    if (!killed || ::testing::Test::HasFailure()) break;
  }
}

// What was finished and then undone by a person stays undone; only its own retry applies it again.
TEST(ResumptionUpdateTest, AFileThatWasRevertedStaysSo) {
  SimulatedDisk disk;
  MakeProject(disk);
  ResumptionWorld world(disk);
  ASSERT_TRUE(world.Update(Decision("e")).ok());
  ASSERT_TRUE(ReplaceFile(world.files_, kPath, kFile).ok());
  ASSERT_TRUE(world.Update(Decision("f")).ok());
  EXPECT_THAT(world.Decided(), ElementsAre("f"));
  ASSERT_TRUE(ReplaceFile(world.files_, kPath, kFile).ok());
  EXPECT_TRUE(world.Update(Decision("f"))->applied);
  EXPECT_THAT(world.Decided(), ElementsAre("f"));
}

TEST(ResumptionFaultTest, AFailureThatWasReportedDoesNotHappenLater) {
  std::size_t calls_made = 1;
  for (std::size_t n = 1; n <= calls_made; ++n) {
    SimulatedDisk disk;
    MakeProject(disk);
    { ASSERT_TRUE(ResumptionWorld(disk).Update(Decision("first")).ok()); }
    FaultyCalls calls(disk);
    calls.Plan({.number = n, .error = EIO});
    const bool done = ResumptionWorld(calls).Update(Decision("e")).ok();
    calls_made = std::max(calls_made, calls.count());
    ResumptionWorld after(disk);
    const std::size_t before = after.Decisions();
    EXPECT_TRUE(before == 2 || !done) << n;
    ASSERT_TRUE(after.Update(Decision("f")).ok());
    EXPECT_EQ(after.Decisions(), before + 1) << n;
    if (::testing::Test::HasFailure()) break;
  }
}

// A program without any lock appends a line before any one call of the update.
TEST(ResumptionRaceTest, WhatIsAppendedBeforeAnyCallIsKept) {
  std::size_t most = 1;
  for (std::size_t n = 1; n <= most; ++n) {
    SimulatedDisk disk;
    MakeProject(disk);
    { ASSERT_TRUE(ResumptionWorld(disk).Update(Decision("first")).ok()); }
    std::size_t seen = 0;
    WatchedCalls calls(disk, [&](const WatchedCall&) {
      if (++seen != n) return;
      FileSystem other(disk);
      ASSERT_TRUE(other.OpenForAppending(kPath)->Write("\nmine: too\n").ok());
    });
    ASSERT_TRUE(ResumptionWorld(calls).Update(Decision("e")).ok());
    most = std::max(most, seen);
    ResumptionWorld after(disk);
    const bool appended = seen >= n;
    EXPECT_EQ(after.Text().ends_with("last: 2\nmine: too\n"), appended) << n << after.Text();
    EXPECT_THAT(after.Decided(), ElementsAre("first", "e")) << n;
    if (::testing::Test::HasFailure()) break;
  }
}

// It saves a whole new file, as editors do, until the new text is in place.
TEST(ResumptionRaceTest, WhatIsSavedAtTheLastMomentIsKept) {
  SimulatedDisk disk;
  MakeProject(disk);
  bool saved = false;
  WatchedCalls calls(disk, [&](const WatchedCall& call) {
    if (saved || call.kind != CallKind::kRenameSwap || call.path != kPath) return;
    saved = true;
    FileSystem editor(disk);
    ASSERT_TRUE(ReplaceFile(editor, kPath, "note: by hand\n" + std::string(kFile)).ok());
  });
  ResumptionWorld world(calls);
  ASSERT_TRUE(world.Update(Decision("e")).ok());
  EXPECT_TRUE(saved);
  EXPECT_TRUE(world.Text().starts_with("note: by hand\n# mine\n")) << world.Text();
  EXPECT_THAT(world.Decided(), ElementsAre("e"));
}

// The append comes before any call, and the updater is killed at any later one.
TEST(ResumptionRaceTest, WhatIsAppendedIsKeptAlsoIfTheUpdaterIsKilled) {
  std::size_t most = 1;
  for (std::size_t n = 1; n <= most; ++n) {
    for (std::size_t m = n + n * 11 % kStride;; m += kStride) {
      SimulatedDisk disk;
      MakeProject(disk);
      std::size_t seen = 0;
      WatchedCalls watched(disk, [&](const WatchedCall&) {
        if (++seen != n) return;
        FileSystem other(disk);
        ASSERT_TRUE(other.OpenForAppending(kPath)->Write("\nmine: too\n").ok());
      });
      FaultyCalls calls(watched);
      calls.Plan({.number = m, .error = EIO, .lasting = true});
      (void)ResumptionWorld(calls).Update(Decision("e"));
      most = std::max(most, seen);
      ResumptionWorld after(disk);
      ASSERT_TRUE(after.Update(Decision("f")).ok());
      ASSERT_TRUE(after.Update(Decision("e")).ok());
      const bool appended = seen >= n;
      ASSERT_EQ(after.Text().ends_with("last: 2\nmine: too\n"), appended) << n << ", " << m;
      ASSERT_THAT(after.Decided(), UnorderedElementsAre("e", "f")) << n << ", " << m;
      if (calls.faults() == 0) break;
    }
  }
  EXPECT_GT(most, 20U);
}

// A program has the document open, and writes to it later.
TEST(ResumptionRaceTest, AnOpenDocumentIsNotReplacedAndTheEventWaits) {
  SimulatedDisk disk;
  MakeProject(disk);
  ResumptionWorld world(disk);
  {
    Result<File> open = world.files_.OpenForAppending(kPath);
    const Result<UpdateOutcome> outcome = world.Update(Decision("e"));
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, ErrorCode::kBusy);
    EXPECT_THAT(outcome.error().message, HasSubstr("open for writing"));
    EXPECT_THAT(outcome.error().message, HasSubstr("The event is kept"));
    EXPECT_EQ(world.Waiting(), 1U);
    ASSERT_TRUE(open->Write("\nmine: too\n").ok());
  }
  ASSERT_TRUE(world.Update(Decision("f")).ok());
  EXPECT_THAT(world.Decided(), ElementsAre("e", "f"));
  EXPECT_TRUE(world.Text().ends_with("last: 2\nmine: too\n")) << world.Text();
  EXPECT_EQ(world.Waiting(), 0U);
}

TEST(ResumptionRaceTest, WhatAProgramWritesThatOpenedItBeforeTheSwapIsKept) {
  std::size_t most = 1;
  for (std::size_t n = 1; n <= most; ++n) {
    SimulatedDisk disk;
    MakeProject(disk);
    std::optional<File> open;
    FileSystem other(disk);
    std::size_t seen = 0;
    WatchedCalls calls(disk, [&](const WatchedCall&) {
      if (++seen == n) open = *other.OpenForAppending(kPath);
    });
    (void)ResumptionWorld(calls).Update(Decision("e"));
    most = std::max(most, seen);
    const bool opened = open.has_value();
    ASSERT_TRUE(!opened || open->Write("\nmine: too\n").ok());
    open.reset();
    ResumptionWorld after(disk);
    ASSERT_TRUE(after.Update(Decision("f")).ok());
    EXPECT_EQ(after.Text().ends_with("last: 2\nmine: too\n"), opened) << n << after.Text();
    EXPECT_THAT(after.Decided(), UnorderedElementsAre("e", "f")) << n;
    if (::testing::Test::HasFailure()) break;
  }
}

TEST(ResumptionRaceTest, BesideAProgramThatWritesAllTheTimeTheEventWaitsForTheNextUpdate) {
  SimulatedDisk disk;
  MakeProject(disk);
  int written = 0;
  WatchedCalls calls(disk, [&](const WatchedCall& call) {
    if (call.kind != CallKind::kSync) return;
    FileSystem other(disk);
    ASSERT_TRUE(other.OpenForAppending(kPath)->Write(fmt::format("\n# {}", ++written)).ok());
  });
  const Result<UpdateOutcome> outcome = ResumptionWorld(calls).Update(Decision("e"));
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::kBusy);
  ResumptionWorld after(disk);
  EXPECT_EQ(after.Waiting(), 1U);
  EXPECT_THAT(after.Text(), HasSubstr(fmt::format("\n# {}", written)));
  ASSERT_TRUE(after.Update(Decision("f")).ok());
  EXPECT_THAT(after.Decided(), ElementsAre("e", "f"));
  EXPECT_FALSE(after.Update(Decision("e"))->applied);
}

TEST(ResumptionHoldTest, WhatInfrastructureReportsIsKeptUntilTheFileCanBeRead) {
  SimulatedDisk disk;
  MakeProject(disk);
  ResumptionWorld world(disk);
  const std::string conflict = "a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> x\n";
  ASSERT_TRUE(ReplaceFile(world.files_, kPath, conflict).ok());
  EXPECT_FALSE(world.Update(Decision("of a person")).ok());
  world.holds_ = true;
  EXPECT_THAT(world.Update(Decision("of a hook")).error().message, HasSubstr("is kept"));
  EXPECT_FALSE(world.Update({.id = "tier", .trigger = Trigger::kThreshold}).ok());
  EXPECT_EQ(world.Text(), conflict);
  ASSERT_TRUE(ReplaceFile(world.files_, kPath, kFile).ok());
  EXPECT_EQ(world.Waiting(), 1U);
  ASSERT_TRUE(world.Update(Decision("f")).ok());
  EXPECT_THAT(world.Decided(), ElementsAre("of a hook", "f"));
}

std::size_t LinesOfArchive(const ResumptionWorld& world) {
  const Result<std::string> text = world.files_.Read("/r/ORCHESTRATION.archive.jsonl", 1 << 20);
  return text ? static_cast<std::size_t>(std::ranges::count(*text, '\n')) : 0;
}

TEST(ResumptionCrashMatrix, TheArchiveHoldsEachEntryOnce) {
  const auto agent = [](int i) {
    return ResumptionEvent{.id = fmt::format("a{}", i),
                           .trigger = Trigger::kAgentCompletion,
                           .at = *ParseUtc("2026-03-01T10:00:00Z"),
                           .data = MakeObject({{"agent_id", fmt::format("agent-{}", i)}})};
  };
  SimulatedDisk full;
  MakeProject(full);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(ResumptionWorld(full).Update(agent(i)).ok());
  for (std::size_t n = 1;; ++n) {
    SimulatedDisk disk = full;
    const bool killed = RunKilledAt(
        disk, n, [&](FileCalls& calls) { (void)ResumptionWorld(calls).Update(agent(30)); });
    ResumptionWorld after(disk);
    ASSERT_TRUE(after.Update(agent(31)).ok());
    ASSERT_TRUE(after.Update(agent(30)).ok());
    EXPECT_EQ(LinesOfArchive(after), 2U) << n;
    EXPECT_EQ(after.Section().archive.agents, 2);
    if (!killed || ::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace belay
