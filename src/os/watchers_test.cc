#include "os/watchers.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "testing/temp_folder.h"

namespace belay {
namespace {

// How many events the kernel keeps for a reader.
int QueueLength() {
  int length = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> length;
  return length;
}

TEST(FolderWatcherTest, NotifiesEveryWatchWhenTheKernelLostEvents) {
  const int length = QueueLength();
  if (length <= 0 || length > 100'000) GTEST_SKIP() << "the queue has " << length;
  const TempFolder folder;
  folder.MakeFolder("quiet");
  folder.MakeFolder("busy");
  auto watcher = FolderWatcher::Create();
  ASSERT_TRUE(watcher.ok());
  std::vector<FolderEvent> quiet;
  bool overflow = false;
  ASSERT_TRUE(watcher
                  ->Add(WatchId{1}, folder / "quiet", FolderDetail::kNames,
                        [&](const FolderEvent& event) { quiet.push_back(event); })
                  .ok());
  ASSERT_TRUE(watcher
                  ->Add(WatchId{2}, folder / "busy", FolderDetail::kNames,
                        [&](const FolderEvent& event) {
                          overflow = overflow || event.change == FolderChange::kOverflow;
                        })
                  .ok());
  const std::string names[] = {folder / "busy/a", folder / "busy/b"};
  std::ofstream(names[0]).flush();
  for (int i = 0; i <= length / 2; ++i) {
    ASSERT_EQ(std::rename(names[i % 2].c_str(), names[1 - i % 2].c_str()), 0);
  }
  while (!overflow) watcher->Dispatch();
  EXPECT_EQ(quiet, (std::vector<FolderEvent>{{FolderChange::kOverflow, ""}}));
}

}  // namespace
}  // namespace belay
