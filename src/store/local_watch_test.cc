#include "store/local_watch.h"

#include <gtest/gtest.h>

#include "os/real_event_loop.h"
#include "store/local_backend.h"
#include "store/test_backend.h"
#include "testing/fake_clock.h"
#include "testing/simulated_disk.h"
#include "testing/simulated_event_loop.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Texts = std::vector<std::string>;

class LocalWatchTest : public ::testing::Test {
 protected:
  LocalWatchTest() { EXPECT_EQ(disk_.MakeFolder("/v", 0700), 0); }
  LocalBackend Open() { return LocalBackend(files_, clock_, boot_, "/v/b", options_); }
  Result<BackendWatchId> Watch(Backend& backend, const BackendListing& since) {
    return backend.Watch(loop_, since, [&](const Result<BackendChanges>& changes) {
      told_.push_back(Show(changes));
    });
  }
  // What inotify would say after a write, or after a compaction.
  void Notify(FolderChange change = FolderChange::kWritten) {
    EXPECT_TRUE(loop_.FireFolder("/v/b", {change, "journal"}));
  }

  FakeClock clock_;
  SimulatedDisk disk_;
  FileSystem files_{disk_};
  std::string boot_ = "boot 1";
  LocalBackend::Options options_;
  SimulatedEventLoop loop_{clock_};
  Texts told_;
};

TEST_F(LocalWatchTest, TellsAWatcherOfEverythingSinceItsListing) {
  LocalBackend one = Open();
  LocalBackend other = Open();
  const Revision a = Put(one, "q/a", "1");
  const Revision b = Put(one, "q/b", "1");
  const BackendListing since = *other.List("q/");
  Put(one, "q/a", "2", a);
  ASSERT_TRUE(one.Remove("q/b", b).ok());
  Put(one, "elsewhere", "1");
  ASSERT_TRUE(Watch(other, since).ok());
  EXPECT_EQ(told_, Texts{}) << "only from the loop";
  loop_.RunFor(Duration(0));
  EXPECT_EQ(told_, Texts{"q/a=2 -q/b"});
  Put(one, "q/c", "1");
  Notify();
  Put(one, "elsewhere2", "1");
  Notify();
  EXPECT_EQ(told_, (Texts{"q/a=2 -q/b", "q/c=1"}));
}

TEST_F(LocalWatchTest, AWatcherWhoKnowsNothingIsToldAll) {
  LocalBackend backend = Open();
  ASSERT_TRUE(Watch(backend, {.prefix = ""}).ok()) << "before there is a journal";
  loop_.RunFor(Duration(0));
  Put(backend, "a", "1");
  Put(backend, "b", "1");
  Notify(FolderChange::kMovedIn);
  EXPECT_EQ(told_, Texts{"a=1 b=1"});
}

TEST_F(LocalWatchTest, AWatcherMissesNoDeletionInACompaction) {
  options_.smallest_compaction = 500;
  LocalBackend one = Open();
  LocalBackend other = Open();
  const Revision a = Put(one, "a", "1");
  ASSERT_TRUE(Watch(other, *other.List("")).ok());
  loop_.RunFor(Duration(0));
  ASSERT_TRUE(one.Remove("a", a).ok());
  Revision b = 0;
  for (int i = 0; i < 100; ++i) b = Put(one, "b", std::to_string(i), b);
  ASSERT_EQ(disk_.Content("/v/b/journal")->find("remove"), std::string::npos);
  Notify(FolderChange::kMovedIn);
  EXPECT_EQ(told_, Texts{"b=99 -a"});
}

TEST_F(LocalWatchTest, AWatcherHearsOfAnExpiryByATimer) {
  LocalBackend one = Open();
  LocalBackend other = Open();
  const LeaseId lease = *one.Grant(seconds(10));
  Put(one, "a", "1", 0, lease);
  Put(one, "b", "1", 0, *one.Grant(seconds(30)));
  ASSERT_TRUE(Watch(other, *other.List("")).ok());
  loop_.RunFor(seconds(9));
  ASSERT_TRUE(one.KeepAlive(lease).ok());
  Notify();
  loop_.RunFor(seconds(9));
  EXPECT_EQ(told_, Texts{});
  loop_.RunFor(seconds(1));
  EXPECT_EQ(told_, Texts{" -a"});
  loop_.RunFor(seconds(11));
  EXPECT_EQ(told_, (Texts{" -a", " -b"}));
  loop_.Run();
  EXPECT_EQ(told_.size(), 2u) << "and no timer is left";
}

TEST_F(LocalWatchTest, AWatchEndsWhenItIsEndedAlsoByItsOwnCallback) {
  LocalBackend backend = Open();
  Put(backend, "a", "1");
  BackendWatchId own{};
  int calls = 0;
  own = *backend.Watch(loop_, {}, [&](const Result<BackendChanges>&) {
    ++calls;
    backend.Unwatch(own);
    EXPECT_NE(Put(backend, "b", "1"), 0u) << "it may call the backend";
  });
  const BackendWatchId early = *Watch(backend, {});
  backend.Unwatch(early);
  loop_.RunFor(Duration(0));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(told_, Texts{});
  EXPECT_FALSE(loop_.FireFolder("/v/b", {FolderChange::kWritten, "journal"}));
}

TEST_F(LocalWatchTest, AWatchEndsWithAnErrorWhenTheTruthIsLost) {
  LocalBackend backend = Open();
  ASSERT_TRUE(Watch(backend, {}).ok());
  loop_.RunFor(Duration(0));
  loop_.FireFolder("/v/b", {FolderChange::kGone, ""});
  EXPECT_EQ(told_, Texts{"error: watch /v/b: it was deleted or moved"});
  told_.clear();
  ASSERT_TRUE(Watch(backend, {}).ok());
  loop_.RunFor(Duration(0));
  AddToJournal(files_, "/v/b", MakeObject({{"kind", "new"}, {"revision", 1}}));
  Notify();
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_NE(told_[0].find("unknown kind"), std::string::npos);
  EXPECT_FALSE(loop_.FireFolder("/v/b", {FolderChange::kWritten, "journal"}));
}

TEST_F(LocalWatchTest, LeavesNothingInTheLoopWhenItGoes) {
  {
    LocalBackend backend = Open();
    Put(backend, "a", "1", 0, *backend.Grant(seconds(1)));
    ASSERT_TRUE(Watch(backend, {}).ok());
    loop_.RunFor(Duration(0));
    ASSERT_TRUE(Watch(backend, {}).ok());
  }
  loop_.RunFor(hours(1));
  EXPECT_EQ(told_, Texts{"a=1"});
  EXPECT_FALSE(loop_.FireFolder("/v/b", {FolderChange::kWritten, "journal"}));
}

// With the kernel's inotify and timers: what another object writes arrives, through appends,
// compactions and expiry. Leases run on a clock that stands until their key was told of, so that a
// slow machine doesn't miss it.
TEST_F(LocalWatchTest, WakesAWatcherThroughTheKernel) {
  const TempFolder folder;
  RealFileCalls calls;
  FileSystem files(calls);
  const std::unique_ptr<RealEventLoop> loop = std::move(*RealEventLoop::Create());
  const LocalBackend::Options options{.smallest_compaction = 500};
  LocalBackend watcher(files, clock_, boot_, folder / "b", options);
  LocalBackend writer(files, clock_, boot_, folder / "b", options);
  constexpr int kWrites = 20;
  Revision version = 0;
  int next = 0;
  const auto write = [&] {
    if (next < kWrites) {
      version = Put(writer, "a", std::to_string(next++), version);
    } else if (next++ == kWrites) {
      Put(writer, "b", "short", 0, *writer.Grant(milliseconds(20)));
    } else {
      clock_.Advance(milliseconds(20));
    }
  };
  ASSERT_TRUE(watcher
                  .Watch(*loop, {},
                         [&](const Result<BackendChanges>& changes) {
                           told_.push_back(Show(changes));
                           if (!changes || !changes->gone.empty()) loop->Stop();
                           write();
                         })
                  .ok());
  loop->Post(write);
  loop->StartTimer(seconds(60), [&] {
    ADD_FAILURE() << "nothing happened";
    loop->Stop();
  });
  loop->Run();
  ASSERT_EQ(told_.size(), kWrites + 2u);
  for (int i = 0; i < kWrites; ++i) {
    EXPECT_EQ(told_[static_cast<std::size_t>(i)], "a=" + std::to_string(i));
  }
  EXPECT_EQ(told_[kWrites], "b=short");
  EXPECT_EQ(told_[kWrites + 1], " -b");
}

}  // namespace
}  // namespace belay
