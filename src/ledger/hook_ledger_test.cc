// The ledger of hooks on a simulated disk that crashes at every step.

#include "ledger/hook_ledger.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ledger/test_ledgers.h"
#include "store/archive.h"
#include "store/durable_file.h"
#include "store/rendering.h"
#include "testing/crash_matrix.h"

namespace belay {
namespace {

const IdentityName kName = *IdentityName::Parse("worker-a");

Hook HookOf(std::uint32_t incarnation, std::string_view summary) {
  Hook hook{.identity = kName, .incarnation = incarnation};
  hook.work_summary = summary;
  return hook;
}

class World : public LedgerWorld<HookLedger> {
 public:
  explicit World(FileCalls& calls) : LedgerWorld(calls) {}

  Result<void> Record(const Hook& hook, std::string_view kind = "created") {
    BELAY_TRY_ASSIGN(const HookLock lock, Lock());
    return ledger_.Record(lock, kind, "test", hook);
  }
  Result<Hook> Summarise(std::optional<std::uint32_t> incarnation, std::string_view summary) {
    BELAY_TRY_ASSIGN(const HookLock lock, Lock());
    return ledger_.Change(lock, kName, incarnation, "note", "test",
                          [&](Hook& hook) { hook.work_summary = summary; });
  }
  Result<void> RenderAll() {
    BELAY_TRY_ASSIGN(const HookLock lock, Lock());
    return ledger_.Render(lock);
  }
  std::string File() const { return layout_.HookRendering(kName); }
  void ExpectRendered() {
    ASSERT_TRUE(ledger_.CatchUp().ok());
    EXPECT_EQ(Read(File()), RenderingText(ToJson(*ledger_.book().Find(kName))));
    EXPECT_EQ(CountIn(layout_.EditedFolder()), 0u);
    const auto names = files_.List(layout_.HooksFolder());
    ASSERT_TRUE(names.ok());
    for (const std::string& name : *names) EXPECT_FALSE(IsTemporaryName(name)) << name;
  }
};

class HookLedgerTest : public ::testing::Test {
 protected:
  void SetUp() override { MakeFolders(disk_); }

  SimulatedDisk disk_;
  World world_{disk_};
};

TEST_F(HookLedgerTest, AChangeIsRecordedAndKnownToOthers) {
  EXPECT_EQ(world_.Summarise(1, "x").error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(world_.Record(HookOf(1, "")).ok());
  EXPECT_EQ(world_.Summarise(1, "half done")->work_summary, "half done");
  World other(disk_);
  EXPECT_EQ(other.Summarise({}, "done")->incarnation, 1u);
  ASSERT_TRUE(world_.ledger_.CatchUp().ok());
  EXPECT_EQ(world_.ledger_.book().Find(kName)->work_summary, "done");
}

TEST_F(HookLedgerTest, AChangeThatChangesNothingIsNotRecorded) {
  ASSERT_TRUE(world_.Record(HookOf(1, "same")).ok());
  EXPECT_EQ(world_.Summarise(1, "same")->work_summary, "same");
  EXPECT_EQ(world_.Kinds(), "created|");
}

TEST_F(HookLedgerTest, AnEarlierIncarnationIsRefusedAndALaterOneTakesOver) {
  ASSERT_TRUE(world_.Record(HookOf(2, "two")).ok());
  EXPECT_EQ(world_.Record(HookOf(1, "late")).error().code, ErrorCode::kRefused);
  EXPECT_EQ(world_.Summarise(1, "late").error().code, ErrorCode::kRefused);
  EXPECT_EQ(world_.Summarise(3, "three")->incarnation, 3u);
  EXPECT_EQ(world_.Summarise(2, "late").error().code, ErrorCode::kRefused);
  EXPECT_EQ(world_.Kinds(), "created|note|");
}

TEST_F(HookLedgerTest, KeepsTheVersionBeforeAndIsRestoredAfterAWipe) {
  ASSERT_TRUE(world_.Record(HookOf(1, "one")).ok());
  ASSERT_TRUE(world_.RenderAll().ok());
  const std::string first = world_.Read(world_.File());
  ASSERT_TRUE(world_.Summarise(1, "two").ok());
  ASSERT_TRUE(world_.ledger_.Render(*world_.Lock(), kName).ok());
  world_.ExpectRendered();
  EXPECT_EQ(world_.Read(world_.File() + ".prev"), first);
  Wipe(disk_);
  ASSERT_TRUE(world_.ledger_.Render(*world_.Lock(), kName).ok());
  world_.ExpectRendered();
  EXPECT_EQ(world_.ledger_.Render(*world_.Lock(), *IdentityName::Parse("worker-b")).error().code,
            ErrorCode::kNotFound);
}

TEST_F(HookLedgerTest, AnEditIsKeptAndIsNoVersionOfOurs) {
  ASSERT_TRUE(world_.Record(HookOf(1, "one")).ok());
  ASSERT_TRUE(world_.RenderAll().ok());
  ASSERT_TRUE(ReplaceFile(world_.files_, world_.File(), "mine").ok());
  ASSERT_TRUE(world_.RenderAll().ok());
  EXPECT_EQ(world_.Read(world_.layout_.EditedFolder() + "/worker-a.json-1"), "mine");
  EXPECT_FALSE(world_.files_.Inspect(world_.File() + ".prev").ok());
  EXPECT_EQ(world_.Read(world_.File()), RenderingText(ToJson(*world_.ledger_.book().Find(kName))));
}

TEST_F(HookLedgerTest, CompactingKeepsTheBookAndTheOldJournal) {
  const std::string text(1000, 'x');
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(world_.Record(HookOf(1, fmt::format("{}{}", text, i))).ok());
  }
  const HookBook before = world_.ledger_.book();
  EXPECT_TRUE(*world_.ledger_.CompactIfLarge(*world_.Lock()));
  EXPECT_FALSE(*world_.ledger_.CompactIfLarge(*world_.Lock()));
  EXPECT_EQ(world_.Kinds(), "compacted|");
  World other(disk_);
  ASSERT_TRUE(other.ledger_.CatchUp().ok());
  EXPECT_EQ(other.ledger_.book().hooks(), before.hooks());
  EXPECT_EQ(ArchivedJournals(world_.files_, world_.layout_, HookFamily::kJournal)->size(), 1u);
}

TEST(CrashMatrix, TheLedgerOfHooksSurvivesACrashAtEveryStep) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  std::string acknowledged;
  const std::string all = "created|note|note|";
  const auto act = [&] {
    ASSERT_TRUE(world.Record(HookOf(1, "")).ok());
    acknowledged = world.Kinds();
    ASSERT_TRUE(world.RenderAll().ok());
    ASSERT_TRUE(world.Summarise(1, "one").ok());
    acknowledged = world.Kinds();
    ASSERT_TRUE(world.RenderAll().ok());
    ASSERT_TRUE(World(disk).Summarise(2, "two").ok());
    acknowledged = world.Kinds();
    ASSERT_TRUE(world.RenderAll().ok());
  };
  const auto judge = [&](SimulatedDisk& crashed) {
    World after(crashed);
    const std::string found = after.Kinds();
    ASSERT_TRUE(found.starts_with(acknowledged)) << found;
    ASSERT_TRUE(all.starts_with(found)) << found;
    ASSERT_TRUE(after.Record(HookOf(3, "three"), "last").ok());
    ASSERT_EQ(after.Kinds(), found + "last|");
    ASSERT_TRUE(after.RenderAll().ok());
    after.ExpectRendered();
  };
  const CrashCount count = RunThroughCrashes(disk, {}, act, judge);
  EXPECT_EQ(acknowledged, all);
  fmt::print("crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

}  // namespace
}  // namespace belay
