// The project's ledger on a simulated disk that crashes at every step.

#include "ledger/project_ledger.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "store/durable_file.h"
#include "testing/crash_matrix.h"
#include "testing/fake_clock.h"
#include "testing/faulty_calls.h"

namespace belay {
namespace {

class World {
 public:
  explicit World(FileCalls& calls) : files_(calls) {}

  Result<ProjectLock> Lock() { return ProjectLedger::Lock(files_, layout_); }
  Result<void> SetUp() {
    BELAY_TRY_ASSIGN(const ProjectLock lock, Lock());
    BELAY_TRY(ledger_.RecordSetUp(lock, "0.1.0"));
    BELAY_TRY(ledger_.RenderNoting(lock));
    return {};
  }
  Result<void> Edit() {
    return ReplaceFile(files_, layout_.JournalRendering(kProjectJournal), "mine");
  }
  Result<Rendered> Repair() {
    BELAY_TRY_ASSIGN(const ProjectLock lock, Lock());
    return ledger_.RenderNoting(lock);
  }
  bool EditIsKept() {
    for (const std::string& path :
         {layout_.JournalRendering(kProjectJournal), layout_.EditedFolder() + "/project.json-1"}) {
      const Result<std::string> text = files_.Read(path, 100000);
      if (text && *text == "mine") return true;
    }
    return false;
  }

  // However often it was tried, and wherever it was interrupted.
  bool EditIsKeptAndRecordedOnce() {
    const auto names =
        KeptEdits(files_, layout_.JournalRendering(kProjectJournal), layout_.EditedFolder());
    const Result<ProjectState> state = ledger_.Load();
    return names && names->size() == 1 && state && state->edits == 1;
  }

  FileSystem files_;
  FakeClock clock_;
  Layout layout_{"/r", "/r/.git"};
  ProjectLedger ledger_{files_, clock_, layout_};
};

void MakeFolders(SimulatedDisk& disk) {
  for (const char* path : {"/r", "/r/.git", "/r/.git/belay"}) {
    ASSERT_EQ(disk.MakeFolder(path, 0700), 0);
  }
  disk.SyncEverything();
}

TEST(ProjectLedgerTest, RecordsASetUpOnceAndAMove) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  ASSERT_TRUE(world.SetUp().ok());
  ASSERT_TRUE(world.SetUp().ok());
  EXPECT_EQ(world.ledger_.Load()->root, "/r");
  ASSERT_EQ(disk.Rename("/r", "/s"), 0);
  const Layout moved("/s", "/s/.git");
  ProjectLedger ledger(world.files_, world.clock_, moved);
  const ProjectLock lock = *ProjectLedger::Lock(world.files_, moved);
  ASSERT_TRUE(ledger.RecordSetUp(lock, "0.1.0").ok());
  EXPECT_EQ(ledger.Load()->root, "/s");
  EXPECT_EQ(*ledger.InspectRendering(), RenderingState::kOutdated);
}

TEST(ProjectLedgerTest, RendersAgainWhateverWasLost) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  ASSERT_TRUE(world.SetUp().ok());
  const std::string text = *disk.Content("/r/.claude/state/project.json");
  ASSERT_EQ(disk.Remove("/r/.claude/state/project.json"), 0);
  ASSERT_EQ(disk.RemoveFolder("/r/.claude/state"), 0);
  ASSERT_EQ(disk.RemoveFolder("/r/.claude"), 0);
  EXPECT_EQ(world.Repair()->before, RenderingState::kMissing);
  EXPECT_EQ(disk.Content("/r/.claude/state/project.json"), text);
}

TEST(ProjectLedgerTest, TheSameEditMadeTwiceIsRecordedTwiceAndKeptOnce) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  ASSERT_TRUE(world.SetUp().ok());
  for (std::uint64_t i = 1; i <= 2; ++i) {
    ASSERT_TRUE(world.Edit().ok());
    EXPECT_EQ(world.Repair()->kept_as, "/r/.git/belay/edited/project.json-1");
    EXPECT_EQ(world.ledger_.Load()->edits, i);
  }
}

TEST(ProjectLedgerTest, OnlyASetUpIsNothingMore) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  EXPECT_TRUE(world.ledger_.RecordsOnlySetUp());
  ASSERT_TRUE(world.SetUp().ok());
  EXPECT_TRUE(world.ledger_.RecordsOnlySetUp());
  const std::string path = world.layout_.JournalFile(kProjectJournal);
  {
    File torn = *world.files_.OpenForAppending(path);
    ASSERT_TRUE(torn.Write("{\"seq\":2,").ok());
  }
  EXPECT_FALSE(World(disk).ledger_.RecordsOnlySetUp());
  Journal journal(world.files_, path, std::string(kProjectJournal));
  const Json future = MakeObject({{"kind", "from the future"}});
  ASSERT_TRUE(journal.Append(*world.Lock(), {&future, 1}, {}).ok());
  EXPECT_FALSE(World(disk).ledger_.RecordsOnlySetUp());
}

// What a crash may leave of setup and of the repair of an edited rendering.
TEST(CrashMatrix, TheProjectsLedgerSurvivesACrashAtEveryStep) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  bool set_up = false;
  bool edited = false;
  const auto act = [&] {
    ASSERT_TRUE(world.SetUp().ok());
    set_up = true;
    ASSERT_TRUE(world.Edit().ok());
    edited = true;
    ASSERT_TRUE(world.Repair().ok());
  };
  const auto judge = [&](SimulatedDisk& crashed) {
    World after(crashed);
    const Result<ProjectState> state = after.ledger_.Load();
    ASSERT_TRUE(state.ok());
    ASSERT_TRUE(state->initialised() || !set_up);
    ASSERT_TRUE(after.EditIsKept() || !edited);
    ASSERT_TRUE(after.SetUp().ok());
    ASSERT_EQ(*after.ledger_.InspectRendering(), RenderingState::kCurrent);
    ASSERT_TRUE(after.EditIsKept() || !edited);
    ASSERT_TRUE(after.EditIsKeptAndRecordedOnce() || !edited);
  };
  const CrashCount count = RunThroughCrashes(disk, {}, act, judge);
  fmt::print("crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

TEST(FaultMatrix, AFailingCallOfTheProjectsLedgerIsAnErrorAndTryingAgainWorks) {
  std::size_t faults = 0;
  for (const int error : {ENOSPC, EIO, EMFILE, EACCES}) {
    for (std::size_t n = 1;; ++n) {
      SimulatedDisk disk;
      MakeFolders(disk);
      ASSERT_TRUE(World(disk).SetUp().ok());
      ASSERT_TRUE(World(disk).Edit().ok());
      FaultyCalls calls(disk);
      calls.Plan({.number = n, .error = error});
      const Result<Rendered> repaired = World(calls).Repair();
      if (calls.faults() == 0) break;
      ++faults;
      EXPECT_TRUE(repaired.ok() || !repaired.error().message.empty());
      World after(disk);
      EXPECT_TRUE(after.EditIsKept());
      ASSERT_TRUE(after.Repair().ok());
      EXPECT_EQ(*after.ledger_.InspectRendering(), RenderingState::kCurrent);
      EXPECT_TRUE(after.EditIsKeptAndRecordedOnce()) << error << " at call " << n;
    }
  }
  fmt::print("fault matrix: {} faults\n", faults);
}

}  // namespace
}  // namespace belay
