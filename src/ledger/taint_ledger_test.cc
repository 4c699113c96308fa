// The ledger of taint on a simulated disk that crashes at every step.

#include "ledger/taint_ledger.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ledger/test_ledgers.h"
#include "store/archive.h"
#include "store/durable_file.h"
#include "store/rendering.h"
#include "testing/crash_matrix.h"

namespace belay {
namespace {

TaintSource Source(std::string_view path) {
  return {std::string(path), "Read", FakeClock().Wall(), ""};
}

class World : public LedgerWorld<TaintLedger> {
 public:
  explicit World(FileCalls& calls) : LedgerWorld(calls) {}

  Result<Taint> Begin(std::string_view session, std::optional<std::string_view> before = {}) {
    BELAY_TRY_ASSIGN(const TaintLock lock, Lock());
    return ledger_.Begin(lock, session, before);
  }
  Result<Taint> Mark(std::string_view session, std::string_view path) {
    BELAY_TRY_ASSIGN(const TaintLock lock, Lock());
    return ledger_.Mark(lock, session, Source(path));
  }
  Result<void> Render() {
    BELAY_TRY_ASSIGN(const TaintLock lock, Lock());
    return ledger_.Render(lock);
  }
  void ExpectRendered() {
    ASSERT_TRUE(ledger_.CatchUp().ok());
    EXPECT_EQ(Read(layout_.JournalRendering(TaintFamily::kJournal)),
              RenderingText(TaintRendering(ledger_.book())));
    EXPECT_EQ(CountIn(layout_.EditedFolder()), 0u);
    const auto names = files_.List(layout_.StateRoot());
    ASSERT_TRUE(names.ok());
    for (const std::string& name : *names) EXPECT_FALSE(IsTemporaryName(name)) << name;
  }
};

class TaintLedgerTest : public ::testing::Test {
 protected:
  void SetUp() override { MakeFolders(disk_); }

  SimulatedDisk disk_;
  World world_{disk_};
};

TEST_F(TaintLedgerTest, ANewSessionIsCleanAndBeginsOnce) {
  EXPECT_EQ(*world_.Begin("worker-a#1"), Taint());
  EXPECT_EQ(*world_.Begin("worker-a#1"), Taint());
  EXPECT_EQ(world_.Kinds(), "began|");
}

TEST_F(TaintLedgerTest, ASuccessorIsAsCleanAsItsPredecessor) {
  ASSERT_TRUE(world_.Begin("worker-a#1").ok());
  EXPECT_EQ(*world_.Begin("worker-a#2", "worker-a#1"), Taint());
  ASSERT_TRUE(world_.Mark("worker-a#2", ".env").ok());
  const Taint taint = *World(disk_).Begin("worker-a#3", "worker-a#2");
  EXPECT_EQ(taint.state, TaintState::kTainted);
  EXPECT_EQ(taint.inherited_from, "worker-a#2");
  ASSERT_EQ(taint.sources.size(), 1u);
  EXPECT_EQ(taint.sources[0].path, ".env");
  EXPECT_EQ(taint.sources[0].session, "worker-a#2");
}

TEST_F(TaintLedgerTest, WhatAPredecessorWasMarkedWithSinceItWasBegunIsInheritedToo) {
  ASSERT_TRUE(world_.Begin("worker-a#1").ok());
  ASSERT_TRUE(world_.Begin("worker-a#2", "worker-a#1").ok());
  ASSERT_TRUE(world_.Mark("worker-a#1", ".env").ok());
  EXPECT_EQ(world_.Begin("worker-a#2", "worker-a#1")->state, TaintState::kTainted);
  ASSERT_TRUE(world_.Mark("lead-b#1", "key.pem").ok());
  EXPECT_EQ(world_.Begin("worker-a#2", "lead-b#1")->sources.size(), 2u);
  EXPECT_EQ(world_.Begin("worker-a#2", "lead-b#1")->sources.size(), 2u);
  EXPECT_EQ(world_.Kinds(), "began|began|marked|inherited|marked|inherited|");
}

TEST_F(TaintLedgerTest, ASuccessorOfAnUnknownSessionIsTainted) {
  const Taint taint = *world_.Begin("worker-a#2", "worker-a#1");
  EXPECT_EQ(taint.state, TaintState::kTainted);
  EXPECT_NE(taint.because, "");
  EXPECT_EQ(*World(disk_).Begin("worker-a#2"), taint);
}

TEST_F(TaintLedgerTest, AMarkBeginsASessionAndTheSameOneIsRecordedOnce) {
  EXPECT_EQ(world_.Mark("manual", ".env\xff")->state, TaintState::kTainted);
  EXPECT_EQ(world_.Mark("manual", ".env\xff")->sources.size(), 1u);
  EXPECT_EQ(world_.Mark("manual", "key.pem")->sources.size(), 2u);
  EXPECT_EQ(world_.Begin("manual")->state, TaintState::kTainted);
  EXPECT_EQ(world_.Kinds(), "marked|marked|");
}

TEST_F(TaintLedgerTest, ADamagedJournalIsAnError) {
  ASSERT_TRUE(ReplaceFile(world_.files_, "/r/.git/belay/journals", "").ok());
  EXPECT_FALSE(world_.ledger_.CatchUp().ok() && world_.Begin("worker-a#1").ok());
  ASSERT_TRUE(world_.files_.RemoveFile("/r/.git/belay/journals").ok());
  ASSERT_TRUE(world_.Begin("worker-a#1").ok());
  ASSERT_TRUE(
      ReplaceFile(world_.files_, world_.layout_.JournalFile(TaintFamily::kJournal), "x\n").ok());
  EXPECT_EQ(world_.ledger_.CatchUp().error().code, ErrorCode::kDamaged);
  EXPECT_EQ(world_.ledger_.book().OfKnown("worker-a#1").state, TaintState::kTainted);
}

TEST_F(TaintLedgerTest, RendersAlsoAfterEverythingWasWipedAndKeepsAnEdit) {
  ASSERT_TRUE(world_.Mark("worker-a#1", ".env").ok());
  ASSERT_TRUE(world_.Render().ok());
  world_.ExpectRendered();
  Wipe(disk_);
  ASSERT_TRUE(world_.Render().ok());
  world_.ExpectRendered();
  ASSERT_TRUE(
      ReplaceFile(world_.files_, world_.layout_.JournalRendering(TaintFamily::kJournal), "{}")
          .ok());
  ASSERT_TRUE(world_.Render().ok());
  EXPECT_EQ(world_.Read(world_.layout_.EditedFolder() + "/taint.json-1"), "{}");
}

TEST_F(TaintLedgerTest, CompactingKeepsTheBookAndTheOldJournal) {
  // Several belays that don't know each other's records.
  const std::vector<Json> many(8000,
                               MarkedRecord(FakeClock().Wall(), "worker-a#1", Source(".env")));
  {
    Journal journal(world_.files_, world_.layout_.JournalFile(TaintFamily::kJournal),
                    std::string(TaintFamily::kJournal));
    ASSERT_TRUE(world_.Begin("worker-a#1").ok());
    ASSERT_TRUE(journal.Append(*world_.Lock(), many, {}).ok());
  }
  ASSERT_TRUE(world_.Begin("worker-a#2", "worker-a#1").ok());
  EXPECT_TRUE(*world_.ledger_.CompactIfLarge(*world_.Lock()));
  EXPECT_EQ(world_.Kinds(), "marked|inherited|");
  World other(disk_);
  ASSERT_TRUE(other.ledger_.CatchUp().ok());
  EXPECT_EQ(other.ledger_.book().sessions(), world_.ledger_.book().sessions());
  EXPECT_EQ(ArchivedJournals(world_.files_, world_.layout_, TaintFamily::kJournal)->size(), 1u);
}

TEST(CrashMatrix, TheLedgerOfTaintSurvivesACrashAtEveryStep) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  std::string acknowledged;
  bool marked = false;
  const std::string all = "began|marked|inherited|";
  const auto act = [&] {
    ASSERT_TRUE(world.Begin("worker-a#1").ok());
    acknowledged = world.Kinds();
    ASSERT_TRUE(world.Mark("worker-a#1", ".env").ok());
    marked = true;
    acknowledged = world.Kinds();
    ASSERT_TRUE(world.Render().ok());
    ASSERT_TRUE(World(disk).Begin("worker-a#2", "worker-a#1").ok());
    acknowledged = world.Kinds();
    ASSERT_TRUE(world.Render().ok());
  };
  const auto judge = [&](SimulatedDisk& crashed) {
    World after(crashed);
    const std::string found = after.Kinds();
    ASSERT_TRUE(found.starts_with(acknowledged)) << found;
    ASSERT_TRUE(all.starts_with(found)) << found;
    const Taint next = *after.Begin("worker-a#3", "worker-a#1");
    ASSERT_TRUE(!marked || next.state == TaintState::kTainted);
    ASSERT_TRUE(after.Render().ok());
    after.ExpectRendered();
  };
  const CrashCount count = RunThroughCrashes(disk, {}, act, judge);
  EXPECT_EQ(acknowledged, all);
  fmt::print("crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

}  // namespace
}  // namespace belay
