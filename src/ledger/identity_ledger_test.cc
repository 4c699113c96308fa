// The ledger of identities on a simulated disk that crashes at every step.

#include "ledger/identity_ledger.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ledger/test_ledgers.h"
#include "store/archive.h"
#include "store/durable_file.h"
#include "store/rendering.h"
#include "testing/crash_matrix.h"
#include "testing/faulty_calls.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

const IdentityName kName = *IdentityName::Parse("worker-a");

IdentityChange Change(std::string_view agent, std::string_view kind) {
  Identity identity{.id = *AgentId::Parse(agent)};
  identity.status = *ParseAgentStatus(kind);
  identity.created_at = FakeClock().Wall();
  return {std::string(kind), "test", identity};
}

class World : public LedgerWorld<IdentityLedger> {
 public:
  explicit World(FileCalls& calls) : LedgerWorld(calls) {}

  Result<void> Record(const std::vector<IdentityChange>& changes) {
    BELAY_TRY_ASSIGN(const IdentityLock lock, Lock());
    return ledger_.Record(lock, changes);
  }
  Result<void> Record(std::string_view agent, std::string_view kind) {
    return Record({Change(agent, kind)});
  }
  Result<void> See(std::string_view agent) {
    BELAY_TRY_ASSIGN(const IdentityLock lock, Lock());
    return ledger_.RecordSeen(lock, *AgentId::Parse(agent), clock_.Wall());
  }
  Result<void> RenderAll() {
    BELAY_TRY_ASSIGN(const IdentityLock lock, Lock());
    return ledger_.Render(lock);
  }
  Result<void> Render() {
    BELAY_TRY_ASSIGN(const IdentityLock lock, Lock());
    return ledger_.Render(lock, kName);
  }
  std::string PresentFile() const { return layout_.IdentityRendering(kName); }
  std::string HistoryFile(std::uint32_t number) const {
    return layout_.IdentityHistoryRendering({kName, number});
  }
  // The files match the book, and none is taken for an edited one.
  void ExpectRendered() {
    ASSERT_TRUE(ledger_.CatchUp().ok());
    for (const auto& [name, entry] : ledger_.book().entries()) {
      EXPECT_EQ(Read(layout_.IdentityRendering(name)), RenderingText(ToJson(entry.present)));
      for (const Identity& old : entry.history) {
        EXPECT_EQ(Read(layout_.IdentityHistoryRendering(old.id)), RenderingText(ToJson(old)));
      }
      EXPECT_EQ(CountIn(layout_.IdentityHistoryFolder()), entry.history.size());
    }
    EXPECT_EQ(CountIn(layout_.EditedFolder()), 0u);
  }
};

class IdentityLedgerTest : public ::testing::Test {
 protected:
  void SetUp() override { MakeFolders(disk_); }

  SimulatedDisk disk_;
  World world_{disk_};
};

TEST_F(IdentityLedgerTest, WhatIsRecordedIsKnownAtOnceAndToOthers) {
  ASSERT_TRUE(world_.Record("worker-a#1", "alive").ok());
  EXPECT_EQ(world_.ledger_.book().Find(kName)->status, AgentStatus::kAlive);
  ASSERT_TRUE(world_.See("worker-a#1").ok());
  World other(disk_);
  ASSERT_TRUE(other.ledger_.CatchUp().ok());
  EXPECT_EQ(*other.ledger_.book().Find(kName), *world_.ledger_.book().Find(kName));
  EXPECT_EQ(other.ledger_.book().Find(kName)->last_seen, world_.clock_.Wall());
}

TEST_F(IdentityLedgerTest, AnEarlierIncarnationIsRefusedAlsoIfAnotherProcessRecordedTheLater) {
  ASSERT_TRUE(world_.Record("worker-a#1", "alive").ok());
  ASSERT_TRUE(World(disk_).Record("worker-a#2", "spawning").ok());
  EXPECT_EQ(world_.Record("worker-a#1", "crashed").error().code, ErrorCode::kRefused);
  EXPECT_EQ(world_.See("worker-a#1").error().code, ErrorCode::kRefused);
  EXPECT_EQ(world_.See("worker-a#3").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(world_.See("worker-b#1").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(world_.Kinds(), "alive|spawning|");
}

TEST_F(IdentityLedgerTest, OfSeveralChangesNoneIsRecordedWhenOneIsRefused) {
  const auto late = world_.Record({Change("worker-b#1", "alive"), Change("worker-a#2", "alive"),
                                   Change("worker-a#1", "crashed")});
  EXPECT_EQ(late.error().code, ErrorCode::kRefused);
  EXPECT_EQ(world_.Kinds(), "");
  ASSERT_TRUE(world_.Record({Change("worker-a#1", "crashed"), Change("worker-a#2", "alive")}).ok());
  EXPECT_EQ(world_.ledger_.book().FindEntry(kName)->history.size(), 1u);
}

TEST_F(IdentityLedgerTest, RendersThePresentOneAndHistoryAlsoAfterEverythingWasWiped) {
  for (const char* agent : {"worker-a#1", "worker-a#2", "worker-a#3"}) {
    ASSERT_TRUE(world_.Record(agent, "alive").ok());
  }
  ASSERT_TRUE(world_.RenderAll().ok());
  world_.ExpectRendered();
  Wipe(disk_);
  ASSERT_TRUE(world_.Render().ok());
  world_.ExpectRendered();
  EXPECT_EQ(world_.files_.Inspect(world_.PresentFile())->mode, 0600u);
  EXPECT_EQ(world_.files_.Inspect(world_.layout_.StateRoot())->mode, 0700u);
}

TEST_F(IdentityLedgerTest, HistoryBeyondTheMostLosesItsFile) {
  for (std::uint32_t i = 1; i <= kMostHistory + 1; ++i) {
    ASSERT_TRUE(world_.Record(fmt::format("worker-a#{}", i), "alive").ok());
  }
  ASSERT_TRUE(world_.Render().ok());
  ASSERT_TRUE(world_.files_.Inspect(world_.HistoryFile(1)).ok());
  ASSERT_TRUE(world_.Record(fmt::format("worker-a#{}", kMostHistory + 2), "alive").ok());
  ASSERT_TRUE(world_.Render().ok());
  EXPECT_FALSE(world_.files_.Inspect(world_.HistoryFile(1)).ok());
  world_.ExpectRendered();
}

TEST_F(IdentityLedgerTest, RenderingAllRemovesStraysAndLeavesWhatIsNotOurs) {
  ASSERT_TRUE(world_.Record("worker-a#1", "alive").ok());
  ASSERT_TRUE(world_.Record("worker-a#2", "alive").ok());
  ASSERT_TRUE(world_.RenderAll().ok());
  const std::string folder = world_.layout_.IdentityHistoryFolder();
  const std::string ours = world_.Read(world_.HistoryFile(1));
  ASSERT_TRUE(ReplaceFile(world_.files_, folder + "/worker-gone-7.json", ours).ok());
  ASSERT_TRUE(ReplaceFile(world_.files_, folder + "/worker-a-9.json", "mine").ok());
  ASSERT_TRUE(ReplaceFile(world_.files_, folder + "/README", "mine too").ok());
  ASSERT_TRUE(world_.RenderAll().ok());
  EXPECT_EQ(*world_.files_.List(folder), (std::vector<std::string>{"README", "worker-a-1.json"}));
  EXPECT_EQ(world_.Read(world_.layout_.EditedFolder() + "/worker-a-9.json-1"), "mine");
  EXPECT_EQ(world_.CountIn(world_.layout_.EditedFolder()), 1u);
}

TEST_F(IdentityLedgerTest, AnEditIsKeptOnceAndNoted) {
  ASSERT_TRUE(world_.Record("worker-a#1", "alive").ok());
  ASSERT_TRUE(world_.Render().ok());
  ASSERT_TRUE(ReplaceFile(world_.files_, world_.PresentFile(), "mine").ok());
  ASSERT_TRUE(world_.Render().ok());
  ASSERT_TRUE(world_.Render().ok());
  EXPECT_EQ(world_.Kinds(), "alive|noted|");
  EXPECT_EQ(world_.Read(world_.layout_.EditedFolder() + "/worker-a.json-1"), "mine");
  const Identity& present = *world_.ledger_.book().Find(kName);
  EXPECT_EQ(world_.Read(world_.PresentFile()), RenderingText(ToJson(present)));
}

TEST_F(IdentityLedgerTest, OneThatCanNotBeRenderedKeepsNoneOfTheOthersFromIt) {
  ASSERT_TRUE(world_.Record("worker-a#1", "alive").ok());
  ASSERT_TRUE(world_.Record("worker-b#1", "alive").ok());
  ASSERT_TRUE(world_.RenderAll().ok());
  ASSERT_TRUE(world_.files_.RemoveFile(world_.PresentFile()).ok());
  ASSERT_TRUE(world_.files_.CreateFolder(world_.PresentFile(), 0700).ok());
  ASSERT_TRUE(ReplaceFile(world_.files_, world_.layout_.EditedFolder(), "in the way").ok());
  ASSERT_TRUE(world_.Record("worker-b#1", "waiting").ok());
  EXPECT_EQ(world_.RenderAll().error().code, ErrorCode::kRefused);
  const IdentityName other = *IdentityName::Parse("worker-b");
  EXPECT_EQ(world_.Read(world_.layout_.IdentityRendering(other)),
            RenderingText(ToJson(*world_.ledger_.book().Find(other))));
  EXPECT_EQ(world_.ledger_.Render(*world_.Lock(), *IdentityName::Parse("worker-c")).error().code,
            ErrorCode::kNotFound);
}

TEST_F(IdentityLedgerTest, ALinkInTheStateRootIsNeverFollowed) {
  ASSERT_TRUE(world_.Record("worker-a#1", "alive").ok());
  ASSERT_EQ(disk_.MakeFolder("/r/elsewhere", 0700), 0);
  ASSERT_EQ(disk_.MakeFolder("/r/.claude", 0700), 0);
  ASSERT_EQ(disk_.MakeFolder("/r/.claude/state", 0700), 0);
  ASSERT_EQ(disk_.MakeLink("/r/elsewhere", "/r/.claude/state/identities"), 0);
  EXPECT_EQ(world_.Render().error().code, ErrorCode::kRefused);
  EXPECT_EQ(world_.CountIn("/r/elsewhere"), 0u);
}

TEST_F(IdentityLedgerTest, CompactingKeepsTheBookAndTheOldJournal) {
  ASSERT_TRUE(world_.Record("worker-a#1", "crashed").ok());
  world_.clock_.Advance(kOldestHistory + std::chrono::hours(1));
  ASSERT_TRUE(world_.Record("worker-a#2", "alive").ok());
  EXPECT_FALSE(*world_.ledger_.CompactIfLarge(*world_.Lock()));
  const std::vector<IdentityChange> many(5000, Change("worker-a#2", "waiting"));
  ASSERT_TRUE(world_.Record(many).ok());
  const std::string old = world_.Read(world_.layout_.JournalFile(IdentityFamily::kJournal));
  EXPECT_TRUE(*world_.ledger_.CompactIfLarge(*world_.Lock()));
  EXPECT_EQ(world_.Kinds(), "compacted|");
  EXPECT_TRUE(world_.ledger_.book().FindEntry(kName)->history.empty());
  EXPECT_EQ(world_.ledger_.book().Find(kName)->status, AgentStatus::kWaiting);
  const auto archived = ArchivedJournals(world_.files_, world_.layout_, IdentityFamily::kJournal);
  ASSERT_EQ(archived->size(), 1u);
  EXPECT_EQ(archived->front(), "/r/.git/belay/archive/identities-5002.jsonl");
  EXPECT_EQ(world_.Read(archived->front()), old);
  ASSERT_TRUE(world_.Record("worker-a#2", "alive").ok());
  EXPECT_EQ(world_.Kinds(), "compacted|alive|");
}

TEST_F(IdentityLedgerTest, NothingIsCompactedThatIsNotUnderstood) {
  ASSERT_TRUE(world_.Record(std::vector<IdentityChange>(5000, Change("worker-a#2", "alive"))).ok());
  {
    Journal journal(world_.files_, world_.layout_.JournalFile(IdentityFamily::kJournal),
                    std::string(IdentityFamily::kJournal));
    const Json newer = MakeObject({{"kind", "of a later belay"}});
    ASSERT_TRUE(journal.Append(*world_.Lock(), {&newer, 1}, {}).ok());
  }
  EXPECT_GT(world_.Read(world_.layout_.JournalFile(IdentityFamily::kJournal)).size(),
            LedgerJournal::kSmallestCompacted);
  EXPECT_FALSE(*world_.ledger_.CompactIfLarge(*world_.Lock()));
}

TEST_F(IdentityLedgerTest, OfARecordThatMakesNoSenseTheOneBeforeItCounts) {
  ASSERT_TRUE(world_.Record("worker-a#1", "alive").ok());
  {
    Journal journal(world_.files_, world_.layout_.JournalFile(IdentityFamily::kJournal),
                    std::string(IdentityFamily::kJournal));
    Json strange = IdentityRecord({}, "test", "", Change("worker-a#1", "crashed").identity);
    strange.Find("identity")->Set("status", "levitating");
    ASSERT_TRUE(journal.Append(*world_.Lock(), {&strange, 1}, {}).ok());
  }
  IdentityLedger other(world_.files_, world_.clock_, world_.layout_);
  for (IdentityLedger* ledger : {&other, &world_.ledger_}) {
    ASSERT_TRUE(ledger->CatchUp().ok());
    EXPECT_EQ(ledger->book().Find(kName)->status, AgentStatus::kAlive);
    EXPECT_EQ(ledger->book().unreadable(), 1u);
  }
  ASSERT_TRUE(world_.Record("worker-a#1", "waiting").ok());
  ASSERT_TRUE(other.CatchUp().ok());
  EXPECT_EQ(other.book().Find(kName)->status, AgentStatus::kWaiting);
}

TEST(IdentityLedgerOnDisk, LocksOnlyAVaultThatIsSetUp) {
  TempFolder folder;
  RealFileCalls calls;
  FileSystem files(calls);
  const Layout layout(folder / ".", std::nullopt);
  EXPECT_EQ(IdentityLedger::Lock(files, layout).error().code, ErrorCode::kNotFound);
}

TEST(CrashMatrix, TheLedgerOfIdentitiesSurvivesACrashAtEveryStep) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  std::string acknowledged;
  const std::string all = "spawning|alive|seen|crashed|spawning|";
  const auto act = [&] {
    ASSERT_TRUE(world.Record("worker-a#1", "spawning").ok());
    acknowledged = world.Kinds();
    ASSERT_TRUE(world.Record("worker-a#1", "alive").ok());
    acknowledged = world.Kinds();
    ASSERT_TRUE(world.RenderAll().ok());
    ASSERT_TRUE(world.See("worker-a#1").ok());
    acknowledged = world.Kinds();
    ASSERT_TRUE(World(disk)
                    .Record({Change("worker-a#1", "crashed"), Change("worker-a#2", "spawning")})
                    .ok());
    acknowledged = world.Kinds();
    ASSERT_TRUE(world.RenderAll().ok());
  };
  const auto judge = [&](SimulatedDisk& crashed) {
    World after(crashed);
    const std::string found = after.Kinds();
    ASSERT_TRUE(found.starts_with(acknowledged)) << found;
    ASSERT_TRUE(all.starts_with(found)) << found;
    ASSERT_TRUE(after.Record("worker-a#2", "alive").ok());
    ASSERT_EQ(after.Kinds(), found + "alive|");
    ASSERT_TRUE(after.RenderAll().ok());
    after.ExpectRendered();
  };
  const CrashCount count = RunThroughCrashes(disk, {}, act, judge);
  EXPECT_EQ(acknowledged, all);
  fmt::print("crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

TEST(FaultMatrix, AFailingCallOfTheLedgerOfIdentitiesIsAnErrorAndTryingAgainWorks) {
  std::size_t faults = 0;
  for (const int error : {ENOSPC, EIO, EACCES}) {
    for (std::size_t n = 1;; ++n) {
      SimulatedDisk disk;
      MakeFolders(disk);
      ASSERT_TRUE(World(disk).Record("worker-a#1", "alive").ok());
      FaultyCalls calls(disk);
      calls.Plan({.number = n, .error = error});
      World world(calls);
      const Result<void> recorded = world.Record("worker-a#2", "spawning");
      const Result<void> rendered = world.RenderAll();
      if (calls.faults() == 0) break;
      ++faults;
      const std::string kinds = World(disk).Kinds();
      EXPECT_TRUE(kinds == "alive|spawning|" || (!recorded && kinds == "alive|")) << kinds;
      ASSERT_TRUE(world.Record("worker-a#2", "alive").ok());
      ASSERT_TRUE(world.RenderAll().ok());
      world.ExpectRendered();
    }
  }
  fmt::print("fault matrix: {} faults\n", faults);
}

}  // namespace
}  // namespace belay
