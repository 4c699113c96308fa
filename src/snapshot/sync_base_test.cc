#include <gtest/gtest.h>

#include "snapshot/take.h"
#include "snapshot/test_place.h"
#include "testing/faulty_calls.h"

namespace belay {
namespace {

class SyncBaseTest : public ::testing::Test {
 protected:
  SyncBaseTest() : counted_(real_), place_(repository_.path(), &counted_) {}

  ObjectId Head() { return *ObjectId::Parse(repository_.Git({"rev-parse", "HEAD"}).substr(0, 40)); }

  GitRepository repository_;
  RealFileCalls real_;
  FaultyCalls counted_;
  TestPlace place_;
};

TEST_F(SyncBaseTest, SyncsTheWholeDiskWhenNothingIsKnown) {
  ASSERT_TRUE(SyncBase(place_.worktree(), Head(), {}).ok());
  EXPECT_EQ(counted_.count(CallKind::kSyncDisk), 1U);
}

TEST_F(SyncBaseTest, SyncsOnlyWhatIsNew) {
  const ObjectId before = Head();
  repository_.Write("a/b", "new\n");
  repository_.CommitAll("second");
  counted_.Restart();
  ASSERT_TRUE(SyncBase(place_.worktree(), Head(), before).ok());
  EXPECT_EQ(counted_.count(CallKind::kSyncDisk), 0U);
  EXPECT_GE(counted_.count(CallKind::kSync), 4U + 1U);  // commit, two trees, blob; their folders
}

TEST_F(SyncBaseTest, SyncsNothingWhenAllIsKnown) {
  counted_.Restart();
  ASSERT_TRUE(SyncBase(place_.worktree(), Head(), Head()).ok());
  EXPECT_EQ(counted_.count(), 0U);
}

TEST_F(SyncBaseTest, ReportsAFailingSync) {
  const ObjectId before = Head();
  repository_.Write("new", "new\n");
  repository_.CommitAll("second");
  counted_.Restart();
  counted_.Plan({.kind = CallKind::kSync, .number = 2, .error = EIO});
  EXPECT_FALSE(SyncBase(place_.worktree(), Head(), before).ok());
}

}  // namespace
}  // namespace belay
