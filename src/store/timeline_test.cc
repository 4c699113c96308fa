#include "store/timeline.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "testing/temp_folder.h"

namespace belay {
namespace {

using std::chrono::seconds;
using Told = std::vector<std::string>;

class TimelineTest : public ::testing::Test {
 protected:
  void Append(const std::string& journal, std::string_view what, int second) {
    const WallTime at = WallTime(seconds(second));
    const std::vector<Json> records = {MakeObject({{"at", FormatUtc(at)}, {"kind", what}})};
    Journal file(files_, folder_ / (journal + ".jsonl"), journal);
    const StateLock lock = *StateLock::Acquire(files_, folder_ / "lock", seconds(30));
    ASSERT_TRUE(file.Append(lock, records, {}).ok());
  }
  Told CatchUp() {
    Told told;
    outcome_ = timeline_.CatchUp([&](const TimelineEntry& entry) -> Result<void> {
      told.push_back(fmt::format("{} {} {}", entry.journal, entry.seq,
                                 *entry.record.Find("kind")->AsString()));
      return {};
    });
    return told;
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  Timeline timeline_{files_, folder_.path()};
  Result<void> outcome_;
};

TEST_F(TimelineTest, TellsAllJournalsInTheOrderOfTime) {
  Append("a", "first", 1);
  Append("a", "fourth", 4);
  Append("b", "second", 2);
  Append("b", "third", 3);
  EXPECT_EQ(CatchUp(), (Told{"a 1 first", "b 1 second", "b 2 third", "a 2 fourth"}));
  EXPECT_TRUE(outcome_.ok());
}

TEST_F(TimelineTest, TellsOnlyWhatIsNewAlsoOfNewJournals) {
  Append("a", "old", 1);
  CatchUp();
  Append("a", "new", 2);
  Append("c", "other", 3);
  EXPECT_EQ(CatchUp(), (Told{"a 2 new", "c 1 other"}));
  EXPECT_EQ(CatchUp(), Told{});
}

TEST_F(TimelineTest, OneDamagedJournalDoesNotSilenceTheOthers) {
  for (int i = 1; i <= 3; ++i) Append("a", "good", i);
  Append("b", "late", 9);
  std::string text = folder_.Read("a.jsonl");
  text[text.find("\"seq\":2") + 8] ^= 1;
  folder_.Write("a.jsonl", text);
  EXPECT_EQ(CatchUp(), (Told{"a 1 good", "b 1 late"}));
  EXPECT_EQ(outcome_.error().code, ErrorCode::kDamaged);
}

TEST_F(TimelineTest, StopsWhenNobodyListensAnyMore) {
  Append("a", "x", 1);
  const Result<void> outcome = timeline_.CatchUp([](const TimelineEntry&) -> Result<void> {
    return Error{ErrorCode::kFailed, "write: Broken pipe"};
  });
  EXPECT_EQ(outcome.error().message, "write: Broken pipe");
}

}  // namespace
}  // namespace belay
