#include "testing/simulated_disk.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

namespace belay {
namespace {

using ::testing::ElementsAre;

std::string ReadAll(SimulatedDisk& disk, int fd) {
  std::string buffer(100, '\0');
  const ssize_t count = disk.Read(fd, buffer.data(), buffer.size(), 0);
  return count < 0 ? "(error)" : buffer.substr(0, static_cast<std::size_t>(count));
}

TEST(SimulatedDiskTest, BeginsWithAnEmptyRootFolder) {
  SimulatedDisk disk;
  std::vector<std::string> names;
  EXPECT_EQ(disk.List("/", names), 0);
  EXPECT_TRUE(names.empty());
  EXPECT_TRUE(disk.TakeSnapshot().empty());
}

TEST(SimulatedDiskTest, ReadsBackWhatWasWritten) {
  SimulatedDisk disk;
  const int fd = disk.Open("/a", O_RDWR | O_CREAT, 0644);
  EXPECT_EQ(disk.Write(fd, "hello", 5), 5);
  EXPECT_EQ(ReadAll(disk, fd), "hello");
  EXPECT_EQ(disk.Content("/a"), "hello");
  EXPECT_EQ(disk.Content("/b"), std::nullopt);
}

TEST(SimulatedDiskTest, KeepsTheContentOfARemovedFileUntilItIsClosed) {
  SimulatedDisk disk;
  const int fd = disk.Open("/a", O_RDWR | O_CREAT, 0644);
  disk.Write(fd, "hello", 5);
  EXPECT_EQ(disk.Remove("/a"), 0);
  EXPECT_EQ(ReadAll(disk, fd), "hello");
  EXPECT_EQ(disk.Close(fd), 0);
  EXPECT_EQ(disk.Close(fd), -EBADF);
}

TEST(SimulatedDiskTest, KeepsItsDescriptorsApartFromTheKernels) {
  SimulatedDisk disk;
  EXPECT_GT(disk.Open("/", O_RDONLY | O_DIRECTORY, 0), 100000);
}

TEST(SimulatedDiskTest, RefusesALockThatWouldHaveToWaitForever) {
  SimulatedDisk disk;
  const int first = disk.Open("/a", O_RDWR | O_CREAT, 0644);
  const int second = disk.Open("/a", O_RDWR, 0);
  EXPECT_EQ(disk.Lock(first, LOCK_EX), 0);
  EXPECT_EQ(disk.Lock(second, LOCK_EX | LOCK_NB), -EWOULDBLOCK);
  EXPECT_EQ(disk.Lock(second, LOCK_SH), -EDEADLK);
  EXPECT_EQ(disk.Close(first), 0);
  EXPECT_EQ(disk.Lock(second, LOCK_EX), 0);
}

TEST(SimulatedDiskTest, RefusesNamesThatAreTooLong) {
  SimulatedDisk disk;
  const int flags = O_WRONLY | O_CREAT;
  EXPECT_GE(disk.Open("/" + std::string(255, 'n'), flags, 0644), 0);
  EXPECT_EQ(disk.Open("/" + std::string(256, 'n'), flags, 0644), -ENAMETOOLONG);
  EXPECT_EQ(disk.Open(std::string(4096, '/'), O_RDONLY, 0), -ENAMETOOLONG);
}

TEST(SimulatedDiskTest, RefusesWhatItDoesNotSimulate) {
  SimulatedDisk disk;
  EXPECT_EQ(disk.Open("/a", O_RDWR | O_CREAT | O_DSYNC, 0644), -EINVAL);
  EXPECT_EQ(disk.Open("/", O_RDWR | O_TMPFILE, 0644), -EINVAL);
}

TEST(SimulatedDiskTest, ShowsEverythingByItsPath) {
  SimulatedDisk disk;
  disk.MakeFolder("/d", 0700);
  disk.MakeLink("../a", "/d/link");
  disk.Open("/a", O_WRONLY | O_CREAT, 0600);
  const Snapshot expected{{"/a", {S_IFREG | 0600, ""}},
                          {"/d", {S_IFDIR | 0700, ""}},
                          {"/d/link", {S_IFLNK | 0777, "../a"}}};
  EXPECT_EQ(disk.TakeSnapshot(), expected);
}

TEST(SimulatedDiskTest, ListsInNoHelpfulOrder) {
  SimulatedDisk disk;
  for (const char* name : {"/b", "/a", "/c"}) disk.MakeFolder(name, 0755);
  std::vector<std::string> names;
  disk.List("/", names);
  EXPECT_THAT(names, ElementsAre("c", "b", "a"));
}

TEST(SimulatedDiskTest, CopiesGoTheirOwnWays) {
  SimulatedDisk disk;
  const int fd = disk.Open("/a", O_RDWR | O_CREAT, 0644);
  SimulatedDisk copy = disk;
  disk.Write(fd, "x", 1);
  EXPECT_EQ(disk.Content("/a"), "x");
  EXPECT_EQ(copy.Content("/a"), "");
  copy.Write(fd, "yy", 2);
  EXPECT_EQ(disk.Content("/a"), "x");
}

TEST(SimulatedDiskTest, NotifiesAfterEachChangeAndEachSyncAndNotOtherwise) {
  SimulatedDisk disk;
  std::vector<std::size_t> pending;
  disk.AfterEachChange([&](const SimulatedDisk& now) { pending.push_back(now.pending()); });
  const int fd = disk.Open("/a", O_RDWR | O_CREAT, 0644);
  disk.Write(fd, "hello", 5);
  disk.Open("/a", O_RDONLY, 0);
  disk.Open("/missing", O_RDONLY, 0);
  disk.Sync(fd);
  disk.ChangeMode(fd, 0600);
  disk.Truncate(fd, 2);
  disk.Open("/a", O_WRONLY | O_TRUNC, 0);
  disk.Rename("/a", "/b");
  disk.Rename("/missing", "/b");
  disk.Remove("/b");
  disk.MakeFolder("/d", 0755);
  disk.RemoveFolder("/d");
  EXPECT_THAT(pending, ElementsAre(1, 2, 1, 2, 3, 4, 5, 6, 7, 8));
  EXPECT_EQ(disk.changes(), pending.size());
}

TEST(SimulatedDiskTest, HasNothingPendingAfterSyncingEverything) {
  SimulatedDisk disk;
  disk.MakeFolder("/d", 0755);
  const int fd = disk.Open("/d/a", O_WRONLY | O_CREAT, 0644);
  disk.Write(fd, "hello", 5);
  disk.SyncEverything();
  EXPECT_EQ(disk.pending(), 0u);
  EXPECT_EQ(disk.CrashStates(10, 1).front().TakeSnapshot(), disk.TakeSnapshot());
}

}  // namespace
}  // namespace belay
