// Compaction of a journal on a simulated disk that crashes at every step.

#include "ledger/ledger_journal.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "ledger/test_ledgers.h"
#include "store/archive.h"
#include "store/durable_file.h"
#include "testing/crash_matrix.h"

namespace belay {
namespace {

constexpr std::string_view kJournal = "numbers";
constexpr std::uint64_t kSmallest = 400;  // bytes

// Follows a journal in which the last number counts.
class World {
 public:
  explicit World(FileCalls& calls) : files_(calls) {}

  Result<StateLock> Lock() { return LockJournalUnchecked(files_, layout_, kJournal, Duration(0)); }
  Result<void> Add(std::int64_t number) {
    BELAY_TRY_ASSIGN(const StateLock lock, Lock());
    const Json record = MakeObject({{"number", number}});
    return journal_.Append(lock, {&record, 1}, Follower());
  }
  Result<bool> Compact() {
    BELAY_TRY_ASSIGN(const StateLock lock, Lock());
    return journal_.CompactIfLarge(lock, Follower(), [&] {
      return std::vector<Json>{MakeObject({{"number", number_}})};
    });
  }
  std::int64_t Number() {
    EXPECT_TRUE(journal_.CatchUp(Follower()).ok());
    return number_;
  }
  Result<void> CatchUp() { return journal_.CatchUp(Follower()); }
  std::int64_t Known() const { return number_; }
  std::uint64_t Bytes() const { return files_.Inspect(layout_.JournalFile(kJournal))->bytes; }
  std::vector<std::string> Archived() const { return *ArchivedJournals(files_, layout_, kJournal); }

  FileSystem files_;
  Layout layout_{"/r", "/r/.git"};

 private:
  JournalFollower Follower() {
    return {[this] { number_ = 0; },
            [this](std::uint64_t, const Json& record) {
              number_ = *record.Find("number")->AsInteger();
            }};
  }

  LedgerJournal journal_{files_, layout_, kJournal, kSmallest};
  std::int64_t number_ = 0;
};

TEST(LedgerJournalTest, OnlyALargeOneIsMadeShort) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  std::int64_t last = 0;
  while (true) {
    ASSERT_TRUE(world.Add(++last).ok());
    const bool large = world.Bytes() >= kSmallest;
    ASSERT_EQ(*world.Compact(), large) << last;
    ASSERT_EQ(world.Archived().size(), large ? 1u : 0u) << last;
    if (large) break;
  }
  EXPECT_LT(world.Bytes(), kSmallest);
  EXPECT_EQ(world.Number(), last);
  EXPECT_EQ(World(disk).Number(), last);
}

TEST(LedgerJournalTest, OneThatWasCutIsDamagedAndWhatIsKnownOfItStays) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  for (int i = 1; i <= 3; ++i) ASSERT_TRUE(world.Add(i).ok());
  const std::string path = world.layout_.JournalFile(kJournal);
  const std::string text = *world.files_.Read(path, 1 << 20);
  // After the header, and after each record but the last.
  for (std::size_t end = text.find('\n'); end + 1 < text.size(); end = text.find('\n', end + 1)) {
    ASSERT_TRUE(ReplaceFile(world.files_, path, text.substr(0, end + 1)).ok());
    EXPECT_EQ(world.CatchUp().error().code, ErrorCode::kDamaged) << end;
    EXPECT_EQ(world.Known(), 3) << end;
    EXPECT_EQ(world.Add(4).error().code, ErrorCode::kDamaged) << end;
    EXPECT_EQ(World(disk).CatchUp().error().code, ErrorCode::kDamaged) << end;
  }
  ASSERT_TRUE(ReplaceFile(world.files_, path, text).ok());
  EXPECT_TRUE(world.Add(4).ok());
  EXPECT_EQ(world.Number(), 4);
}

TEST(LedgerJournalTest, KeepsTheLatestOfWhatItWas) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  for (std::int64_t i = 1; i <= 200; ++i) {
    ASSERT_TRUE(world.Add(i).ok());
    ASSERT_TRUE(world.Compact().ok());
  }
  const std::vector<std::string> archived = world.Archived();
  ASSERT_EQ(archived.size(), kMostArchived);
  EXPECT_EQ(world.Number(), 200);
  // By their numbers, not by their names.
  std::uint64_t before = 0;
  for (const std::string& path : archived) {
    const std::uint64_t number = std::stoull(path.substr(path.rfind('-') + 1));
    EXPECT_LT(before, number);
    before = number;
  }
  EXPECT_GT(before, 190u);
}

TEST(CrashMatrix, AJournalIsMadeShortAndKeptWhateverStepIsTheLast) {
  SimulatedDisk disk;
  MakeFolders(disk);
  World world(disk);
  std::int64_t acknowledged = 0;
  std::int64_t tried = 0;
  std::size_t compactions = 0;
  const auto act = [&] {
    while (compactions < 2) {
      tried = acknowledged + 1;
      ASSERT_TRUE(world.Add(tried).ok());
      acknowledged = tried;
      const Result<bool> compacted = world.Compact();
      ASSERT_TRUE(compacted.ok());
      compactions += *compacted ? 1 : 0;
    }
  };
  const auto judge = [&](SimulatedDisk& crashed) {
    World after(crashed);
    const std::int64_t found = after.Number();
    ASSERT_TRUE(found == acknowledged || found == tried) << found;
    ASSERT_GE(after.Archived().size(), compactions);
    for (std::int64_t i = 1; i <= 12; ++i) {
      ASSERT_TRUE(after.Add(found + i).ok());
      ASSERT_TRUE(after.Compact().ok());
    }
    ASSERT_EQ(World(crashed).Number(), found + 12);
    // Nothing half copied is left.
    const auto names = after.files_.List(after.layout_.ArchiveFolder());
    ASSERT_TRUE(names.ok());
    for (const std::string& name : *names) ASSERT_TRUE(name.ends_with(kJournalEnd)) << name;
  };
  const CrashCount count = RunThroughCrashes(disk, {.states_a_moment = 16}, act, judge);
  EXPECT_EQ(compactions, 2u);
  fmt::print("crash matrix: {} moments, {} crash states\n", count.moments, count.states);
}

}  // namespace
}  // namespace belay
