#include "guardian/state_watch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "ledger/family_table.h"
#include "os/real_event_loop.h"
#include "testing/fake_clock.h"
#include "testing/simulated_event_loop.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

class StateWatchTest : public ::testing::Test {
 protected:
  bool Fire(FolderChange change, const std::string& name = "a.json") {
    return loop_.FireFolder(project_.IdentitiesFolder(), {change, name});
  }
  int LossesAfterAWhile() {
    loop_.RunFor(std::chrono::seconds(1));
    return losses_;
  }

  FakeClock clock_;
  SimulatedEventLoop loop_{clock_};
  Layout project_{"/repo", "/repo/.git"};
  int losses_ = 0;
  StateWatch watch_{loop_, RenderingFolders(project_), [this] { ++losses_; }};
};

TEST_F(StateWatchTest, ALossIsReportedAfterAMoment) {
  ASSERT_TRUE(watch_.Watch());
  ASSERT_TRUE(Fire(FolderChange::kDeleted));
  EXPECT_EQ(losses_, 0);
  EXPECT_EQ(LossesAfterAWhile(), 1);
}

TEST_F(StateWatchTest, ManyLossesAreReportedOnce) {
  ASSERT_TRUE(watch_.Watch());
  for (int i = 0; i < 100; ++i) Fire(FolderChange::kDeleted);
  Fire(FolderChange::kGone, "");
  EXPECT_EQ(LossesAfterAWhile(), 1);
}

TEST_F(StateWatchTest, ALaterLossIsReportedAgain) {
  ASSERT_TRUE(watch_.Watch());
  Fire(FolderChange::kDeleted);
  EXPECT_EQ(LossesAfterAWhile(), 1);
  Fire(FolderChange::kDeleted);
  EXPECT_EQ(LossesAfterAWhile(), 2);
}

TEST_F(StateWatchTest, EveryFolderOfRenderingsIsWatched) {
  ASSERT_TRUE(watch_.Watch());
  for (const std::string& folder : RenderingFolders(project_)) {
    EXPECT_TRUE(loop_.FireFolder(folder, {FolderChange::kGone, ""})) << folder;
  }
}

TEST_F(StateWatchTest, WhatIsWrittenOrComesIsNoLoss) {
  ASSERT_TRUE(watch_.Watch());
  for (const FolderChange change :
       {FolderChange::kCreated, FolderChange::kMovedIn, FolderChange::kWritten}) {
    Fire(change);
  }
  Fire(FolderChange::kDeleted, ".a.json.0123456789abcdef.tmp");
  EXPECT_EQ(LossesAfterAWhile(), 0);
}

TEST_F(StateWatchTest, ANewFolderOfRenderingsIsReported) {
  ASSERT_TRUE(watch_.Watch());
  loop_.FireFolder(project_.StateRoot(), {FolderChange::kCreated, "identities"});
  EXPECT_EQ(LossesAfterAWhile(), 1);
  loop_.FireFolder(project_.StateRoot(), {FolderChange::kCreated, "another"});
  EXPECT_EQ(LossesAfterAWhile(), 1);
}

TEST_F(StateWatchTest, WhenTheKernelLostCountItIsALoss) {
  ASSERT_TRUE(watch_.Watch());
  Fire(FolderChange::kOverflow, "");
  EXPECT_EQ(LossesAfterAWhile(), 1);
}

TEST_F(StateWatchTest, WatchingAgainWatchesOnce) {
  ASSERT_TRUE(watch_.Watch());
  Fire(FolderChange::kGone, "");
  EXPECT_EQ(LossesAfterAWhile(), 1);
  EXPECT_FALSE(Fire(FolderChange::kDeleted));
  ASSERT_TRUE(watch_.Watch());
  EXPECT_TRUE(Fire(FolderChange::kDeleted));
  EXPECT_EQ(LossesAfterAWhile(), 2);
}

TEST_F(StateWatchTest, ALossThatWasNotReadYetIsReportedAlsoWhenWatchingBeginsAgain) {
  const TempFolder folder;
  folder.Write("a.json", "");
  auto loop = RealEventLoop::Create();
  ASSERT_TRUE(loop.ok());
  bool lost = false;
  StateWatch watch(**loop, {folder.path()}, [&] {
    lost = true;
    (*loop)->Stop();
  });
  ASSERT_TRUE(watch.Watch());
  ASSERT_EQ(unlink((folder / "a.json").c_str()), 0);
  ASSERT_TRUE(watch.Watch());
  (*loop)->StartTimer(std::chrono::seconds(20), [&] { (*loop)->Stop(); });
  (*loop)->Run();
  EXPECT_TRUE(lost);
}

TEST_F(StateWatchTest, NothingIsReportedAfterItIsGone) {
  int losses = 0;
  {
    StateWatch watch(loop_, RenderingFolders(project_), [&] { ++losses; });
    ASSERT_TRUE(watch.Watch());
    Fire(FolderChange::kDeleted);
  }
  loop_.RunFor(std::chrono::seconds(1));
  EXPECT_FALSE(Fire(FolderChange::kDeleted));
  EXPECT_EQ(losses, 0);
}

}  // namespace
}  // namespace belay
