#include "testing/faulty_calls.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "testing/simulated_disk.h"

namespace belay {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class FaultyCallsTest : public ::testing::Test {
 protected:
  FaultyCallsTest() { fd_ = disk_.Open("/file", O_RDWR | O_CREAT | O_APPEND, 0644); }

  ssize_t Write(const std::string& bytes) { return calls_.Write(fd_, bytes.data(), bytes.size()); }
  ssize_t Read() {
    char buffer[100];
    return calls_.Read(fd_, buffer, sizeof(buffer), 0);
  }

  SimulatedDisk disk_;
  FaultyCalls calls_{disk_};
  int fd_;
};

TEST_F(FaultyCallsTest, PassesEverythingOnWithoutAPlan) {
  struct stat info {};
  std::vector<std::string> names;
  const int fd = calls_.Open("/a", O_RDWR | O_CREAT, 0644);
  EXPECT_EQ(calls_.Write(fd, "hello", 5), 5);
  EXPECT_EQ(calls_.Truncate(fd, 4), 0);
  EXPECT_EQ(calls_.ChangeMode(fd, 0600), 0);
  EXPECT_EQ(calls_.Sync(fd), 0);
  EXPECT_EQ(calls_.SyncData(fd), 0);
  EXPECT_EQ(calls_.Inspect(fd, info), 0);
  EXPECT_EQ(calls_.Lock(fd, LOCK_EX), 0);
  EXPECT_EQ(calls_.Close(fd), 0);
  EXPECT_EQ(calls_.Rename("/a", "/b"), 0);
  EXPECT_EQ(calls_.InspectPath("/b", info), 0);
  EXPECT_EQ(calls_.Remove("/b"), 0);
  EXPECT_EQ(calls_.MakeFolder("/d", 0755), 0);
  EXPECT_EQ(calls_.RemoveFolder("/d"), 0);
  EXPECT_EQ(calls_.List("/", names), 0);
  EXPECT_THAT(names, ElementsAre("file"));
  struct statfs mount {};
  EXPECT_EQ(calls_.InspectMount("/", mount), 0);
  EXPECT_EQ(calls_.count(), 16u);
  EXPECT_EQ(calls_.faults(), 0u);
}

TEST_F(FaultyCallsTest, FailsTheCallWithTheGivenNumberOnce) {
  calls_.Plan({.number = 2, .error = EIO});
  EXPECT_EQ(Write("a"), 1);
  EXPECT_EQ(calls_.Sync(fd_), -EIO);
  EXPECT_EQ(calls_.Sync(fd_), 0);
  EXPECT_EQ(calls_.faults(), 1u);
}

TEST_F(FaultyCallsTest, CountsCallsOfOneKindOnTheirOwn) {
  calls_.Plan({.kind = CallKind::kSync, .number = 2, .error = EINTR});
  EXPECT_EQ(calls_.Sync(fd_), 0);
  EXPECT_EQ(Write("a"), 1);
  EXPECT_EQ(calls_.SyncData(fd_), 0);
  EXPECT_EQ(calls_.Sync(fd_), -EINTR);
  EXPECT_EQ(calls_.count(CallKind::kSync), 2u);
  EXPECT_THAT(calls_.log(),
              ElementsAre(CallKind::kSync, CallKind::kWrite, CallKind::kSyncData, CallKind::kSync));
}

TEST_F(FaultyCallsTest, FailsFromThenOnWhenTheFaultLasts) {
  calls_.Plan({.kind = CallKind::kOpen, .number = 2, .error = EMFILE, .lasting = true});
  EXPECT_GE(calls_.Open("/file", O_RDONLY, 0), 0);
  EXPECT_EQ(calls_.Open("/file", O_RDONLY, 0), -EMFILE);
  EXPECT_EQ(calls_.Open("/file", O_RDONLY, 0), -EMFILE);
  EXPECT_EQ(Write("a"), 1);
}

TEST_F(FaultyCallsTest, ShortensAWrite) {
  calls_.Plan({.kind = CallKind::kWrite, .bytes = 2});
  EXPECT_EQ(Write("hello"), 2);
  EXPECT_EQ(Write("llo"), 3);
  EXPECT_EQ(disk_.Content("/file"), "hello");
  EXPECT_EQ(calls_.faults(), 1u);
}

TEST_F(FaultyCallsTest, ShortensEveryReadWhenTheFaultLasts) {
  Write("hello");
  calls_.Plan({.kind = CallKind::kRead, .lasting = true, .bytes = 1});
  EXPECT_EQ(Read(), 1);
  EXPECT_EQ(Read(), 1);
}

TEST_F(FaultyCallsTest, LetsADiskFillUpInTheMiddleOfAWrite) {
  calls_.Plan({.kind = CallKind::kWrite, .error = ENOSPC, .lasting = true, .bytes = 3});
  EXPECT_EQ(Write("hello"), 3);
  EXPECT_EQ(Write("lo"), -ENOSPC);
  EXPECT_EQ(Write("lo"), -ENOSPC);
  EXPECT_EQ(disk_.Content("/file"), "hel");
}

TEST_F(FaultyCallsTest, FailsTheNextCallOfTheSameKindAfterAShortOne) {
  calls_.Plan({.number = 1, .error = ENOSPC, .bytes = 3});
  EXPECT_EQ(Write("hello"), 3);
  EXPECT_EQ(calls_.Sync(fd_), 0);
  EXPECT_EQ(Write("lo"), -ENOSPC);
  EXPECT_EQ(Write("lo"), 2);
}

TEST_F(FaultyCallsTest, FailsAtOnceWhenNothingCanBeWritten) {
  calls_.Plan({.kind = CallKind::kWrite, .error = ENOSPC, .bytes = 0});
  EXPECT_EQ(Write("hello"), -ENOSPC);
  EXPECT_EQ(disk_.Content("/file"), "");
}

TEST_F(FaultyCallsTest, GivesTheErrorToACallThatCantBeShortened) {
  calls_.Plan({.number = 1, .error = EIO, .bytes = 3});
  EXPECT_EQ(calls_.Rename("/file", "/other"), -EIO);
  EXPECT_EQ(disk_.Content("/file"), "");
}

TEST_F(FaultyCallsTest, MakesNothingDurableWhenASyncFails) {
  calls_.Plan({.kind = CallKind::kSync, .error = EIO});
  Write("x");
  const std::size_t before = disk_.pending();
  EXPECT_EQ(calls_.Sync(fd_), -EIO);
  EXPECT_EQ(disk_.pending(), before);
  EXPECT_EQ(calls_.Sync(fd_), 0);
  EXPECT_EQ(disk_.pending(), before - 1);
}

TEST_F(FaultyCallsTest, ClosesEvenWhenCloseFails) {
  calls_.Plan({.kind = CallKind::kClose, .error = EINTR});
  EXPECT_EQ(calls_.Close(fd_), -EINTR);
  EXPECT_EQ(disk_.open_files(), 0u);
}

TEST_F(FaultyCallsTest, TakesSeveralFaults) {
  calls_.Plan({.kind = CallKind::kWrite, .number = 1, .error = EINTR});
  calls_.Plan({.kind = CallKind::kWrite, .number = 2, .bytes = 1});
  EXPECT_EQ(Write("ab"), -EINTR);
  EXPECT_EQ(Write("ab"), 1);
  EXPECT_EQ(Write("b"), 1);
}

TEST_F(FaultyCallsTest, CountsAfreshAfterARestart) {
  calls_.Plan({.number = 2, .error = EIO});
  Write("a");
  calls_.Restart();
  EXPECT_EQ(calls_.count(), 0u);
  EXPECT_EQ(Write("a"), 1);
  EXPECT_EQ(Write("a"), 1);
  EXPECT_THAT(calls_.log(), SizeIs(2));
}

}  // namespace
}  // namespace belay
