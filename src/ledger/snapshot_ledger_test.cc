// The ledger of snapshots on a simulated disk that crashes at every step.

#include "ledger/snapshot_ledger.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ledger/project_ledger.h"
#include "testing/crash_matrix.h"
#include "testing/fake_clock.h"
#include "testing/faulty_calls.h"

namespace belay {
namespace {

class World {
 public:
  explicit World(FileCalls& calls) : files_(calls) {}

  Result<void> Take(int number) {
    BELAY_TRY_ASSIGN(const SnapshotLock lock, Lock());
    return ledger_.RecordTaken(lock, Taken(number));
  }
  Result<void> Restore(int number) {
    BELAY_TRY_ASSIGN(const SnapshotLock lock, Lock());
    return ledger_.RecordRestored(
        lock, {.id = Id(number), .commit = "c", .worktree = "/r", .rescue = Id(number + 1)},
        Taken(number + 1));
  }
  Result<void> Prune(std::initializer_list<int> numbers) {
    BELAY_TRY_ASSIGN(const SnapshotLock lock, Lock());
    std::vector<PrunedEvent> events;
    for (const int number : numbers) events.push_back({Id(number), "c", "too many"});
    return ledger_.RecordPruned(lock, events);
  }

  // "taken main/1, pruned main/1", or what is wrong.
  std::string Log() {
    std::string text;
    Journal journal(files_, layout_.JournalFile(SnapshotFamily::kJournal),
                    std::string(SnapshotFamily::kJournal));
    const Result<void> read = journal.CatchUp({.record = [&](std::uint64_t, const Json& record) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", *record.Find("kind")->AsString(),
                          *record.Find("id")->AsString());
    }});
    return read ? text : read.error().message;
  }

 private:
  // A simulated disk can't be asked whether the vault is writable.
  Result<SnapshotLock> Lock() { return SnapshotLedger::LockUnchecked(files_, layout_); }
  static std::string Id(int number) { return fmt::format("main/{}", number); }
  static TakenEvent Taken(int number) { return {Id(number), "c", "/r", "by hand", 1, 2}; }

  FileSystem files_;
  FakeClock clock_;
  Layout layout_{"/r", "/r/.git"};
  SnapshotLedger ledger_{files_, clock_, layout_};
};

constexpr std::string_view kAll =
    "taken main/1, taken main/2, restored main/1, pruned main/1, pruned main/2";

void MakeFolders(SimulatedDisk& disk) {
  for (const char* path : {"/r", "/r/.git", "/r/.git/belay"}) {
    ASSERT_EQ(disk.MakeFolder(path, 0700), 0);
  }
  disk.SyncEverything();
}

TEST(SnapshotLedgerTest, RecordsWhatHappenedInItsOrder) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  ASSERT_TRUE(world.Take(1).ok());
  ASSERT_TRUE(world.Restore(1).ok());
  ASSERT_TRUE(World(disk).Prune({1, 2}).ok());
  EXPECT_EQ(world.Log(), kAll);
}

TEST(CrashMatrix, TheSnapshotsLedgerSurvivesACrashAtEveryStep) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  std::string acknowledged;
  const auto act = [&] {
    ASSERT_TRUE(world.Take(1).ok());
    acknowledged = world.Log();
    ASSERT_TRUE(world.Restore(1).ok());
    acknowledged = world.Log();
    ASSERT_TRUE(World(disk).Prune({1, 2}).ok());
    acknowledged = world.Log();
  };
  const auto judge = [&](SimulatedDisk& crashed) {
    const std::string found = World(crashed).Log();
    ASSERT_TRUE(found.starts_with(acknowledged)) << found;
    ASSERT_TRUE(kAll.starts_with(found)) << found;
    ASSERT_TRUE(World(crashed).Take(9).ok());
    ASSERT_EQ(World(crashed).Log(), found + (found.empty() ? "" : ", ") + "taken main/9");
  };
  const CrashCount count = RunThroughCrashes(disk, {}, act, judge);
  EXPECT_EQ(acknowledged, kAll);
  fmt::print("crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

TEST(FaultMatrix, AFailingCallOfTheSnapshotsLedgerIsAnErrorAndTryingAgainWorks) {
  std::size_t faults = 0;
  for (const int error : {ENOSPC, EIO, EMFILE, EACCES}) {
    for (std::size_t n = 1;; ++n) {
      SimulatedDisk disk;
      MakeFolders(disk);
      ASSERT_TRUE(World(disk).Take(1).ok());
      FaultyCalls calls(disk);
      calls.Plan({.number = n, .error = error});
      const Result<void> pruned = World(calls).Prune({1});
      if (calls.faults() == 0) break;
      ++faults;
      const std::string log = World(disk).Log();
      EXPECT_TRUE(log == "taken main/1, pruned main/1" || (!pruned && log == "taken main/1"))
          << log;
      ASSERT_TRUE(World(disk).Prune({1}).ok());
    }
  }
  fmt::print("fault matrix: {} faults\n", faults);
}

}  // namespace
}  // namespace belay
