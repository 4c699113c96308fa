#include "snapshot/work_folder.h"

#include <gtest/gtest.h>

#include "os/file_calls.h"
#include "testing/temp_folder.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

// Another process sweeps before each single call of the folder's creator: it makes another one, and
// the folder it gets exists and is its own.
TEST(WorkFolderTest, OneThatIsSweptWhileItIsMadeIsMadeAnew) {
  for (int moment = 0; moment < 12; ++moment) {
    const TempFolder folder;
    RealFileCalls real;
    FileSystem others(real);
    int calls = 0;
    WatchedCalls watched(real, [&](const WatchedCall&) {
      if (calls++ == moment) WorkFolder::Sweep(others, folder / "belay-", {});
    });
    FileSystem files(watched);
    const Result<WorkFolder> made = WorkFolder::Create(files, folder / "belay-");
    ASSERT_TRUE(made.ok()) << moment << ": " << made.error().message;
    EXPECT_TRUE(others.Inspect(made->path()).ok()) << moment;
    WorkFolder::Sweep(others, folder / "belay-", {});
    EXPECT_TRUE(others.CreateFolder(made->path() + "/refs", 0700).ok()) << moment;
  }
}

}  // namespace
}  // namespace belay
