#include "os/file_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <future>
#include <optional>

#include "testing/temp_folder.h"

namespace belay {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The kernel's locks, but a signal ends the first wait immediately, and the lock is free then.
class InterruptedCalls final : public RealFileCalls {
 public:
  int Lock(int fd, int operation) override {
    const bool waits = (operation & LOCK_NB) == 0;
    if (!waits || !holder_) return RealFileCalls::Lock(fd, operation);
    holder_.reset();
    return -EINTR;
  }
  void HoldWith(File file) { holder_.emplace(std::move(file)); }

 private:
  std::optional<File> holder_;
};

bool IsBlocked(int signal) {
  sigset_t mask;
  EXPECT_EQ(pthread_sigmask(SIG_SETMASK, nullptr, &mask), 0);
  return sigismember(&mask, signal) == 1;
}

void Block(int signal) {
  sigset_t only;
  EXPECT_EQ(sigemptyset(&only), 0);
  EXPECT_EQ(sigaddset(&only, signal), 0);
  EXPECT_EQ(pthread_sigmask(SIG_BLOCK, &only, nullptr), 0);
}

TEST(FileLockTest, WaitsNoLongerThanItsLimitAlsoWhenItsSignalIsBlocked) {
  const TempFolder folder;
  RealFileCalls calls;
  FileSystem files(calls);
  std::optional<File> holder = *OpenLocked(files, folder / "lock", 0600, seconds(0));
  // In a thread of its own: the mask is that thread's.
  auto waiter = std::async(std::launch::async, [&] {
    Block(SIGRTMAX - 1);
    const Result<File> locked = OpenLocked(files, folder / "lock", 0600, milliseconds(20));
    EXPECT_TRUE(IsBlocked(SIGRTMAX - 1));
    return locked ? std::nullopt : std::optional(locked.error().code);
  });
  if (waiter.wait_for(seconds(10)) == std::future_status::timeout) holder.reset();
  EXPECT_EQ(waiter.get(), ErrorCode::kBusy);
}

TEST(FileLockTest, KeepsWaitingAfterAnotherSignal) {
  const TempFolder folder;
  InterruptedCalls calls;
  FileSystem files(calls);
  calls.HoldWith(*OpenLocked(files, folder / "lock", 0600, seconds(0)));
  const Result<File> locked = OpenLocked(files, folder / "lock", 0600, seconds(60));
  EXPECT_TRUE(locked.ok()) << locked.error().message;
}

TEST(FileLockTest, CanBeTakenAgainWhateverTheUmaskItsFileWasMadeWith) {
  const TempFolder folder;
  RealFileCalls calls;
  FileSystem files(calls);
  const mode_t before = umask(0777);
  const bool made = OpenLocked(files, folder / "lock", 0640, seconds(0)).ok();
  umask(before);
  ASSERT_TRUE(made);
  EXPECT_EQ(files.Inspect(folder / "lock")->mode, 0600u);
  EXPECT_TRUE(OpenLocked(files, folder / "lock", 0640, seconds(0)).ok());
}

}  // namespace
}  // namespace belay
