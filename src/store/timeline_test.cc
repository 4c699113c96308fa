#include "store/timeline.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "store/archive.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using std::chrono::seconds;
using Lines = std::vector<std::string>;

class TimelineTest : public ::testing::Test {
 protected:
  void Append(const std::string& journal, std::string_view what, int second) {
    const WallTime at = WallTime(seconds(second));
    const std::vector<Json> records = {MakeObject({{"at", FormatUtc(at)}, {"kind", what}})};
    folder_.MakeFolder(".git/belay/journals");
    Journal file(files_, project_.JournalFile(journal), journal);
    const StateLock lock = *StateLock::Acquire(files_, folder_ / "lock", seconds(30));
    ASSERT_TRUE(file.Append(lock, records, {}).ok());
  }
  Lines CatchUp() {
    Lines lines;
    outcome_ = timeline_.CatchUp([&](const TimelineEntry& entry) -> Result<void> {
      lines.push_back(fmt::format("{} {} {}", entry.journal, entry.seq,
                                  *entry.record.Find("kind")->AsString()));
      return {};
    });
    return lines;
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  Layout project_{folder_.path(), folder_ / ".git"};
  Timeline timeline_{files_, project_};
  Result<void> outcome_;
};

TEST_F(TimelineTest, ReadsAllJournalsInTheOrderOfTime) {
  Append("a", "first", 1);
  Append("a", "fourth", 4);
  Append("b", "second", 2);
  Append("b", "third", 3);
  EXPECT_EQ(CatchUp(), (Lines{"a 1 first", "b 1 second", "b 2 third", "a 2 fourth"}));
  EXPECT_TRUE(outcome_.ok());
}

TEST_F(TimelineTest, ReadsOnlyNewRecordsEvenOfNewJournals) {
  Append("a", "old", 1);
  CatchUp();
  Append("a", "new", 2);
  Append("c", "other", 3);
  EXPECT_EQ(CatchUp(), (Lines{"a 2 new", "c 1 other"}));
  EXPECT_EQ(CatchUp(), Lines{});
}

TEST_F(TimelineTest, OneDamagedJournalDoesNotSilenceTheOthers) {
  for (int i = 1; i <= 3; ++i) Append("a", "good", i);
  Append("b", "late", 9);
  std::string text = folder_.Read(".git/belay/journals/a.jsonl");
  text[text.find("\"seq\":2") + 8] ^= 1;
  folder_.Write(".git/belay/journals/a.jsonl", text);
  EXPECT_EQ(CatchUp(), (Lines{"a 1 good", "b 1 late"}));
  EXPECT_EQ(outcome_.error().code, ErrorCode::kDamaged);
}

// As LedgerJournal::CompactIfLarge does.
TEST_F(TimelineTest, ReadsTheArchiveAndNothingTwice) {
  for (int i = 1; i <= 3; ++i) Append("a", "old", i);
  EXPECT_EQ(CatchUp().size(), 3u);
  {
    const StateLock lock = *StateLock::Acquire(files_, folder_ / "lock", seconds(30));
    ASSERT_TRUE(ArchiveJournal(files_, lock, project_, "a", 3).ok());
    Json again = MakeObject({{"at", FormatUtc(WallTime(seconds(4)))}, {"kind", "old"}});
    MarkRepeated(again);
    Journal journal(files_, project_.JournalFile("a"), "a");
    ASSERT_TRUE(journal.Compact(lock, {}, [&] { return std::vector<Json>{again}; }).ok());
  }
  Append("a", "new", 5);
  EXPECT_EQ(CatchUp(), Lines{"a 5 new"});  // it was compacted between the calls
  const auto all = [&](const TimelineChoice& choice) {
    Timeline fresh(files_, project_, choice);
    Lines lines;
    EXPECT_TRUE(fresh
                    .CatchUp([&](const TimelineEntry& entry) -> Result<void> {
                      lines.push_back(fmt::format("{}", entry.seq));
                      return {};
                    })
                    .ok());
    return lines;
  };
  EXPECT_EQ(all({}), (Lines{"1", "2", "3", "5"}));
  EXPECT_EQ(all({.journal = "b"}), Lines{});
  // Without the archive only the repeated records are left.
  EXPECT_EQ(all({.since = WallTime(seconds(1) * 9'000'000'000)}), (Lines{"4", "5"}));
}

TEST_F(TimelineTest, StopsWhenItsReaderIsGone) {
  Append("a", "x", 1);
  const Result<void> outcome = timeline_.CatchUp([](const TimelineEntry&) -> Result<void> {
    return Error{ErrorCode::kFailed, "write: Broken pipe"};
  });
  EXPECT_EQ(outcome.error().message, "write: Broken pipe");
}

}  // namespace
}  // namespace belay
