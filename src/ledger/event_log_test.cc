#include "ledger/event_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>

#include "codec/json_lines.h"
#include "os/file_calls.h"
#include "testing/faulty_calls.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class EventLogTest : public testing::Test {
 protected:
  EventLogTest() { std::filesystem::create_directories(std::string(folder_ / "r/.git/belay")); }

  Result<void> Add(const std::string& name, std::string subject = "") {
    return AppendEvent(files_, project_, agent_, {.subject = std::move(subject), .detail = name});
  }
  std::vector<std::string> ReadOn() {
    std::vector<std::string> names;
    const auto events = ReadEvents(files_, project_, agent_, place_);
    EXPECT_TRUE(events.ok());
    for (const AgentEvent& event : *events) names.push_back(event.detail);
    return names;
  }

  TempFolder folder_;
  RealFileCalls real_;
  FaultyCalls calls_{real_};
  FileSystem files_{calls_};
  Layout project_{folder_ / "r", folder_ / "r/.git"};
  IdentityName agent_ = *IdentityName::Parse("orchestrator-a");
  EventPlace place_;
};

TEST_F(EventLogTest, IsReadInOrderAndOnlyOnce) {
  EXPECT_THAT(ReadOn(), IsEmpty());
  ASSERT_TRUE(Add("one").ok());
  ASSERT_TRUE(Add("two").ok());
  EXPECT_THAT(ReadOn(), ElementsAre("one", "two"));
  EXPECT_THAT(ReadOn(), IsEmpty());
  ASSERT_TRUE(Add("three").ok());
  EXPECT_THAT(ReadOn(), ElementsAre("three"));
  EXPECT_EQ(LastEvents(files_, project_, agent_).size(), 3U);
}

TEST_F(EventLogTest, LinesOfAFormerVersionAreReadBeforeThoseOfThisOne) {
  ASSERT_TRUE(Add("now").ok());
  std::string former;
  ASSERT_TRUE(AppendJsonLine(MakeObject({{"event", "Stop"}, {"detail", "then"}}), former).ok());
  folder_.Write("r/.git/belay/events/orchestrator-a.jsonl",
                former + folder_.Read("r/.git/belay/events/orchestrator-a.jsonl"));
  EXPECT_THAT(ReadOn(), ElementsAre("then", "now"));
  EXPECT_EQ(LastEvents(files_, project_, agent_).front().kind, EventKind::kTurnEnded);
}

TEST_F(EventLogTest, NeedsAVault) {
  std::filesystem::remove_all(std::string(folder_ / "r/.git/belay"));
  EXPECT_EQ(Add("one").error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(std::string(folder_ / "r/.git/belay")));
}

TEST_F(EventLogTest, StaysBoundedAndLosesNothingThatIsReadInTime) {
  const std::string long_text(1000, 'x');
  std::size_t seen = 0;
  for (int i = 0; i < 1500; ++i) {
    ASSERT_TRUE(Add("e" + std::to_string(i), long_text).ok());
    if (i % 100 == 99) seen += ReadOn().size();
  }
  EXPECT_EQ(seen, 1500U);
  EXPECT_LT(std::filesystem::file_size(project_.EventLog(agent_)), kFullEventLog + 2000);
  EXPECT_LT(std::filesystem::file_size(project_.OlderEventLog(agent_)), kFullEventLog + 2000);
  EXPECT_EQ(LastEvents(files_, project_, agent_).back().detail, "e1499");
}

TEST_F(EventLogTest, AReaderFromTheBeginningGetsEverything) {
  const std::string long_text(1000, 'x');
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(Add("e" + std::to_string(i), long_text).ok());
  EXPECT_EQ(ReadOn().size(), 300U);
}

TEST_F(EventLogTest, ALineThatWasCutOffSpoilsOnlyItself) {
  ASSERT_TRUE(Add("one").ok());
  folder_.Write("r/.git/belay/events/orchestrator-a.jsonl",
                folder_.Read("r/.git/belay/events/orchestrator-a.jsonl") + "{\"event\":\"tw");
  EXPECT_THAT(ReadOn(), ElementsAre("one"));
  ASSERT_TRUE(Add("three").ok());
  EXPECT_THAT(ReadOn(), ElementsAre("three"));
}

TEST_F(EventLogTest, ADiskThatIsFullIsAnErrorAndNoMore) {
  ASSERT_TRUE(Add("one").ok());
  calls_.Plan({.kind = CallKind::kWrite, .number = 2, .error = ENOSPC});
  EXPECT_FALSE(Add("two").ok());
  ASSERT_TRUE(Add("three").ok());
  EXPECT_THAT(ReadOn(), ElementsAre("one", "three"));
}

TEST_F(EventLogTest, AFileThatBecameShorterIsReadAgain) {
  ASSERT_TRUE(Add("one", "a long one").ok());
  ASSERT_TRUE(Add("two").ok());
  EXPECT_EQ(ReadOn().size(), 2U);
  const std::string all = folder_.Read("r/.git/belay/events/orchestrator-a.jsonl");
  std::filesystem::resize_file(project_.EventLog(agent_), all.find('\n') + 1);
  EXPECT_THAT(ReadOn(), ElementsAre("one"));
}

// The inode number of a removed file is given to the next one.
TEST_F(EventLogTest, AnotherFileWithTheSameNumberIsReadFromItsBeginning) {
  ASSERT_TRUE(Add("old").ok());
  EXPECT_THAT(ReadOn(), ElementsAre("old"));
  const EventPlace before = place_;
  std::filesystem::remove(std::string(project_.EventLog(agent_)));
  ASSERT_TRUE(Add("new", std::string(200, 'x')).ok());
  ASSERT_TRUE(Add("newer").ok());
  place_.inode = files_.Inspect(project_.EventLog(agent_))->inode;
  EXPECT_EQ(place_.first, before.first);
  EXPECT_THAT(ReadOn(), ElementsAre("new", "newer"));
}

// A process that finds it full too, but is late, must not move the new log aside.
TEST_F(EventLogTest, OnlyOneOfThoseWhoFindItFullPutsItAside) {
  const std::string subject(280, 's');
  while (!files_.Inspect(project_.EventLog(agent_)) ||
         files_.Inspect(project_.EventLog(agent_))->bytes < kFullEventLog) {
    ASSERT_TRUE(Add("fills", subject).ok());
  }
  const Result<File> somebody = files_.OpenForAppending(project_.EventLog(agent_));
  Result<File> holder = files_.OpenForAppending(project_.EventLog(agent_));
  ASSERT_TRUE(holder->TryLock().ok());  // is just about to
  ASSERT_TRUE(Add("late").ok());
  EXPECT_FALSE(std::filesystem::exists(std::string(project_.OlderEventLog(agent_))));
  holder = files_.OpenForReading(project_.EventLog(agent_));  // lets go of it
  ASSERT_TRUE(Add("next").ok());
  EXPECT_TRUE(std::filesystem::exists(std::string(project_.OlderEventLog(agent_))));
  const std::vector<std::string> names = ReadOn();
  EXPECT_EQ(names.back(), "next");
  EXPECT_EQ(names[names.size() - 2], "late");
}

}  // namespace
}  // namespace belay
