#include <gmock/gmock.h>
#include <sys/stat.h>

#include "app/state_files.h"
#include "os/clock.h"
#include "os/random.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using ::testing::ElementsAre;

class CleanupTest : public ::testing::Test {
 protected:
  // Hours after what is written now.
  WallTime Later(int hours) const { return clock_.Wall() + std::chrono::hours(hours); }

  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
  SystemClock clock_;
  SystemRandom random_;
  Layout project_{folder_.path(), folder_ / ".git"};
};

TEST_F(CleanupTest, OldTemporaryFilesAreRemovedAndNothingElse) {
  folder_.Write("run/a.json", "{}");
  const Result<std::string> left = files_.CreateTemporary(folder_ / "run/a.json", "half", 0600);
  ASSERT_TRUE(left.ok());
  RemoveOldTemporaries(files_, folder_ / "run", Later(0));
  EXPECT_EQ(files_.List(folder_ / "run")->size(), 2U);
  RemoveOldTemporaries(files_, folder_ / "run", Later(2));
  EXPECT_THAT(*files_.List(folder_ / "run"), ElementsAre("a.json"));
  RemoveOldTemporaries(files_, folder_ / "nowhere", Later(2));
}

TEST_F(CleanupTest, RemovesOldHookEvents) {
  folder_.Write(".git/belay/events/worker-a.jsonl", "{}\n");
  folder_.Write(".git/belay/events/worker-a.jsonl.1", "{}\n");
  RemoveOldEventLogs(files_, project_, Later(24 * 7 - 1));
  EXPECT_EQ(files_.List(project_.EventsFolder())->size(), 2U);
  RemoveOldEventLogs(files_, project_, Later(24 * 7 + 1));
  EXPECT_TRUE(files_.List(project_.EventsFolder())->empty());
}

TEST_F(CleanupTest, RemovesOldCheckpointsOfCompactions) {
  folder_.Write(".git/belay/checkpoints/worker-a-1.json", "{}");
  RemoveOldCheckpoints(files_, project_, Later(24 * 90 - 1));
  EXPECT_EQ(files_.List(project_.CheckpointFolder())->size(), 1U);
  RemoveOldCheckpoints(files_, project_, Later(24 * 90 + 1));
  EXPECT_TRUE(files_.List(project_.CheckpointFolder())->empty());
}

TEST_F(CleanupTest, TheInboxesAreTidiedToo) {
  folder_.MakeFolder(".git/belay/signals/worker-a");
  EXPECT_THAT(FoldersToCleanUp(files_, project_),
              ::testing::Contains(project_.SignalFolder("worker-a")));
}

TEST_F(CleanupTest, OfNewsTheLatestAreKept) {
  folder_.MakeFolder(".git/belay");
  SignalBox box(files_, clock_, random_, project_, Recipient::Person());
  const auto send = [&](SignalType type, std::size_t number) {
    Signal signal{.type = type, .from = "guardian", .to = "person", .at = clock_.Wall()};
    signal.payload = MakeObject({{"agent_id", number}});
    ASSERT_TRUE(box.Send(signal).ok());
  };
  send(SignalType::kAgentCrashed, 0);
  for (std::size_t i = 1; i <= kMostNews + 5; ++i) send(SignalType::kAgentTerminated, i);
  while (DropOldestNews(box)) continue;
  const std::vector<Signal> left = *box.Peek();
  ASSERT_EQ(left.size(), kMostNews + 1);
  EXPECT_EQ(left[0].type, SignalType::kAgentCrashed);
  EXPECT_EQ(*left[1].payload.Find("agent_id")->AsInteger(), 6);
}

}  // namespace
}  // namespace belay
