#include "kills/judge.h"

#include <gtest/gtest.h>

#include "base/path.h"
#include "kills/worker.h"
#include "store/durable_file.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using std::chrono::seconds;

// A folder in which one worker has done one of everything, and what it reported of that. The tests
// then let it tell of something that isn't so.
class JudgeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    Say(Deed::kReplace, "shared", 1);
    ASSERT_TRUE(ReplaceFile(files_, folder_ / "shared", Seal({1, 1})).ok());
    Say(Deed::kAppend, "1.0", 1, 1, 1);
    Say(Deed::kAppend, "1.0", 2, 1, 2);
    const std::vector<Json> records = {StreamRecord("1.0", 1), StreamRecord("1.0", 2)};
    const auto lock = StateLock::Acquire(files_, folder_ / "journal.lock", seconds(0));
    ASSERT_TRUE(journal_.Append(*lock, records, {}).ok());
    for (const std::string_view key : {"w1/1", "w1/2"}) {
      Say(Deed::kDeliver, key);
      ASSERT_TRUE(inbox_.Deliver("w1", MessageBody(key)).ok());
    }
    HandleFirst();
  }

  void HandleFirst() {
    const auto message = inbox_.Take(kLease);
    Say(Deed::kTake, "w1/1");
    Say(Deed::kAcknowledge, "w1/1");
    ASSERT_TRUE(inbox_.Acknowledge((*message)->id).ok());
  }

  // An acknowledged operation; a nanosecond for its begin, one for its end.
  void Say(Deed deed, std::string_view object, std::uint64_t number = 0, std::uint64_t count = 0,
           std::uint64_t seq = 0) {
    Report report{.deed = deed, .writer = 1, .nanos = ++now_, .number = number};
    report.count = count;
    report.seq = seq;
    SetObject(report, object);
    ledger_.Add(report);
    report.nanos = ++now_;
    report.step = Step::kDone;
    ledger_.Add(report);
  }

  // The kinds of what was found, each as its first letter.
  std::string Verdict() {
    std::string kinds;
    for (const Problem& problem : Judge(files_, folder_.path(), ledger_)) {
      kinds += "ltw"[static_cast<std::size_t>(problem.kind)];
    }
    return kinds;
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  SystemClock clock_;
  SystemRandom random_;
  Journal journal_{files_, folder_ / "journal", std::string(kJournalName)};
  Inbox inbox_{files_, clock_, random_, folder_ / "inbox", seconds(0)};
  Ledger ledger_;
  std::int64_t now_ = 0;
};

TEST_F(JudgeTest, AcceptsAFolderThatMatchesTheReports) {
  EXPECT_EQ(Verdict(), "");
  EXPECT_EQ(ledger_.acknowledged_writes(), 6u);
}

TEST_F(JudgeTest, MissesAnAcknowledgedVersion) {
  Say(Deed::kReplace, "shared", 2);
  EXPECT_EQ(Verdict(), "l");
}

TEST_F(JudgeTest, SeesATornFile) {
  folder_.Write("shared", Seal({1, 1}).substr(0, 20));
  EXPECT_EQ(Verdict(), "t");
}

TEST_F(JudgeTest, SeesAFileThatIsHalfOldHalfNew) {
  folder_.Write("shared", Seal({1, 1}) + Seal({3, 1}).substr(100));
  EXPECT_EQ(Verdict(), "t");
}

TEST_F(JudgeTest, SeesAnUnannouncedVersion) {
  folder_.Write("shared", Seal({2, 1}));
  EXPECT_EQ(Verdict(), "w");
}

TEST_F(JudgeTest, MissesAnAcknowledgedRecord) {
  Say(Deed::kAppend, "1.0", 3, 1, 3);
  EXPECT_EQ(Verdict(), "l");
}

TEST_F(JudgeTest, SeesARecordUnderAnotherNumberThanReported) {
  Say(Deed::kAppend, "1.0", 2, 1, 7);
  EXPECT_EQ(Verdict(), "l");
}

TEST_F(JudgeTest, SeesAnUnannouncedRecord) {
  const std::vector<Json> records = {StreamRecord("1.0", 3)};
  const auto lock = StateLock::Acquire(files_, folder_ / "journal.lock", seconds(0));
  ASSERT_TRUE(journal_.Append(*lock, records, {}).ok());
  EXPECT_EQ(Verdict(), "w");
}

TEST_F(JudgeTest, MissesADeliveredMessage) {
  Say(Deed::kDeliver, "w1/3");
  EXPECT_EQ(Verdict(), "l");
}

TEST_F(JudgeTest, SeesAMessageThatIsStillThereAlthoughAcknowledged) {
  Say(Deed::kAcknowledge, "w1/2");
  EXPECT_EQ(Verdict(), "l");
}

TEST_F(JudgeTest, SeesAMessageThatWasHandedOutAgain) {
  now_ += std::chrono::nanoseconds(seconds(1)).count();
  Say(Deed::kTake, "w1/1");
  EXPECT_EQ(Verdict(), "w");
}

TEST_F(JudgeTest, SeesAMessageThatWasHandedOutTwiceAtTheSameTime) {
  Say(Deed::kTake, "w1/2");
  Say(Deed::kTake, "w1/2");
  EXPECT_EQ(Verdict(), "w");
}

TEST_F(JudgeTest, SeesALockThatIsStillHeld) {
  const auto lock = StateLock::Acquire(files_, folder_ / "journal.lock", seconds(0));
  EXPECT_EQ(Verdict(), "w");
}

TEST_F(JudgeTest, PassesOnWhatAWorkerFoundTorn) {
  ledger_.Fail("worker 1: shared is torn");
  EXPECT_EQ(Verdict(), "t");
}

}  // namespace
}  // namespace belay
