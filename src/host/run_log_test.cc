#include <gtest/gtest.h>

#include "host/agent_terminal.h"
#include "store/durable_file.h"
#include "testing/fake_clock.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

class RunLogTest : public ::testing::Test {
 protected:
  RunLogTest() { EXPECT_TRUE(files_.CreateFolder(project_.Vault(), 0700).ok()); }

  void MakeFolder() { ASSERT_TRUE(EnsureFolder(files_, project_.RunFolder()).ok()); }
  std::string Read(const std::string& path) {
    const auto text = files_.Read(path, 100'000'000);
    return text.ok() ? *text : "";
  }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  FakeClock clock_;
  Layout project_{folder_.path(), folder_.path()};
  IdentityName agent_ = *IdentityName::Parse("worker-a");
};

TEST_F(RunLogTest, ContinuesWhereTheLastOneEnded) {
  MakeFolder();
  for (const char* text : {"one\n", "two\n"}) {
    RunLog(files_, clock_, project_, agent_).Append(text);
  }
  EXPECT_EQ(Read(project_.RunLog(agent_)), "one\ntwo\n");
  EXPECT_EQ(files_.Inspect(project_.RunLog(agent_))->mode, 0600u);
}

TEST_F(RunLogTest, StaysWithinTwoFilesAndLosesOnlyTheOldest) {
  MakeFolder();
  RunLog log(files_, clock_, project_, agent_);
  const std::string piece(std::size_t{1} << 20U, 'x');
  for (int i = 0; i < 20; ++i) log.Append(std::to_string(i) + "\n" + piece);
  const std::string now = Read(project_.RunLog(agent_));
  const std::string older = Read(project_.OlderRunLog(agent_));
  EXPECT_LE(now.size() + older.size(), 2 * RunLog::kFull + 2 * piece.size());
  EXPECT_GE(now.size() + older.size(), RunLog::kFull);
  EXPECT_NE(now.find("19\n"), std::string::npos);
}

TEST_F(RunLogTest, ReportsWhatIsMissingOnceItCanBeWritten) {
  RunLog log(files_, clock_, project_, agent_);
  log.Append("lost");  // there is no folder
  MakeFolder();
  log.Append("too soon");
  EXPECT_EQ(Read(project_.RunLog(agent_)), "");
  clock_.Advance(std::chrono::seconds(2));
  log.Append("here");
  EXPECT_EQ(Read(project_.RunLog(agent_)),
            "\r\n[belay: 12 bytes are missing here: the log couldn't be written]\r\nhere");
}

TEST_F(RunLogTest, TheTailBeginsWithALine) {
  MakeFolder();
  RunLog log(files_, clock_, project_, agent_);
  EXPECT_EQ(log.Tail(100), "");
  log.Append("first\nsecond\nthird");
  EXPECT_EQ(log.Tail(100), "first\nsecond\nthird");
  EXPECT_EQ(log.Tail(8), "third");
  EXPECT_EQ(log.Tail(3), "ird");
}

}  // namespace
}  // namespace belay
