#include "store/state_lock.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "testing/simulated_disk.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using std::chrono::seconds;

// A disk on which another process removes the lock file as soon as it is created, up to `times`
// times.
class RemovingDisk {
 public:
  explicit RemovingDisk(int times) : left_(times) {
    disk_.AfterEachChange([this](const SimulatedDisk&) {
      if (left_ == 0 || !disk_.Content("/lock")) return;
      --left_;
      EXPECT_EQ(disk_.Remove("/lock"), 0);
    });
  }
  Result<StateLock> Acquire() { return StateLock::Acquire(files_, "/lock", seconds(0)); }
  bool HasLockFile() const { return disk_.Content("/lock").has_value(); }

 private:
  int left_;
  SimulatedDisk disk_;
  FileSystem files_{disk_};
};

TEST(StateLockTest, OfARemovedFileIsNoLock) {
  RemovingDisk disk(1);
  const Result<StateLock> held = disk.Acquire();
  ASSERT_TRUE(held.ok());
  EXPECT_TRUE(disk.HasLockFile());
  EXPECT_EQ(disk.Acquire().error().code, ErrorCode::kBusy);
}

TEST(StateLockTest, GivesUpAfterTheLimitWhenTheFileIsRemovedAgainAndAgain) {
  RemovingDisk disk(1000);
  EXPECT_EQ(disk.Acquire().error().code, ErrorCode::kBusy);
}

TEST(StateLockTest, HasOneHolderAtATimeAlsoWhenHoldersRemoveTheFile) {
  constexpr int kThreads = 8;
  constexpr int kEach = 100;
  const TempFolder folder;
  RealFileCalls calls;
  FileSystem files(calls);
  std::atomic<int> inside = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) {
        const Result<StateLock> held = StateLock::Acquire(files, folder / "lock", seconds(30));
        ASSERT_TRUE(held.ok()) << held.error().message;
        EXPECT_EQ(++inside, 1);
        --inside;
        const bool remove = i % 2 == 0;
        EXPECT_TRUE(!remove || files.RemoveFile(folder / "lock").ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(StateLockTest, WritesItsNumberOverTheOneBefore) {
  const TempFolder folder;
  RealFileCalls calls;
  FileSystem files(calls);
  folder.Write("lock", "4194303   \n");
  ASSERT_TRUE(StateLock::Acquire(files, folder / "lock", seconds(0)).ok());
  const std::string text = folder.Read("lock");
  EXPECT_EQ(text.size(), 11u);
  EXPECT_EQ(std::stol(text), getpid());
}

}  // namespace
}  // namespace belay
