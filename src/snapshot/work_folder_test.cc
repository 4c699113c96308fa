#include "snapshot/work_folder.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "os/file_calls.h"
#include "testing/temp_folder.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

// Another process sweeps before each single call of the folder's creator: it makes another one, and
// the folder it gets exists and is its own.
TEST(WorkFolderTest, AFolderThatIsSweptWhileItIsCreatedIsCreatedAgain) {
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

// mkdir and the check of the folder's mode are two steps of one call: a sweeper comes between them.
class SweptInMkdir final : public RealFileCalls {
 public:
  int MakeFolder(const std::string& path, mode_t mode) override {
    const int made = RealFileCalls::MakeFolder(path, mode);
    if (made != 0 || times_++ > 0) return made;
    EXPECT_EQ(RemoveFolder(path), 0);
    return -ENOENT;
  }
  int times_ = 0;
};

TEST(WorkFolderTest, OneThatIsSweptInsideMkdirIsMadeAgain) {
  const TempFolder folder;
  SweptInMkdir calls;
  FileSystem files(calls);
  const Result<WorkFolder> made = WorkFolder::Create(files, folder / "belay-");
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(calls.times_, 2);
}

TEST(WorkFolderTest, AMissingParentIsAnError) {
  const TempFolder folder;
  RealFileCalls calls;
  FileSystem files(calls);
  const Result<WorkFolder> made = WorkFolder::Create(files, folder / "missing/belay-");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace belay
