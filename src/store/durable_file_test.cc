#include "store/durable_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>

#include "testing/crash_matrix.h"
#include "testing/simulated_disk.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

class DurableFileTest : public ::testing::Test {
 protected:
  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

TEST_F(DurableFileTest, ReplacesTheContentAndKeepsTheMode) {
  folder_.Write("f", "old");
  ASSERT_EQ(chmod((folder_ / "f").c_str(), 0644), 0);
  ASSERT_TRUE(ReplaceFile(files_, folder_ / "f", "new").ok());
  EXPECT_EQ(folder_.Read("f"), "new");
  EXPECT_EQ(files_.Inspect(folder_ / "f")->mode, 0644u);
}

TEST_F(DurableFileTest, MakesANewFilePrivate) {
  ASSERT_TRUE(ReplaceFile(files_, folder_ / "f", "new").ok());
  EXPECT_EQ(files_.Inspect(folder_ / "f")->mode, 0600u);
}

TEST_F(DurableFileTest, LeavesLinksAndFoldersAlone) {
  folder_.Write("f", "old");
  ASSERT_EQ(symlink("f", (folder_ / "l").c_str()), 0);
  EXPECT_EQ(ReplaceFile(files_, folder_ / "l", "new").error().code, ErrorCode::kRefused);
  EXPECT_EQ(ReplaceFile(files_, folder_.path(), "new").error().code, ErrorCode::kRefused);
  EXPECT_EQ(folder_.Read("f"), "old");
}

TEST_F(DurableFileTest, LeavesNoTemporaryFileWhenTheFolderIsMissing) {
  EXPECT_EQ(ReplaceFile(files_, folder_ / "no/f", "new").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(files_.List(folder_.path())->empty());
}

TEST_F(DurableFileTest, RemovesLeftoversButNoFolderThatIsNamedLikeOne) {
  folder_.MakeFolder(".d.0123456789abcdef.tmp");
  folder_.Write(".f.0123456789abcdef.tmp", "half");
  ASSERT_TRUE(RemoveLeftovers(files_, folder_.path()).ok());
  EXPECT_EQ(*files_.List(folder_.path()), std::vector<std::string>{".d.0123456789abcdef.tmp"});
}

TEST_F(DurableFileTest, RemovesTheLeftoversOfAFileAndOfWhatIsNamedAfterIt) {
  const std::string tail = ".0123456789abcdef.tmp";
  for (const std::string name :
       {".a.jsonl", ".a.jsonl.prev", ".a.jsonl.damaged-12", ".a.jsonl-3"}) {
    folder_.Write(name + tail, "half");
  }
  const std::vector<std::string> others = {".a" + tail, ".a.jsonl-x" + tail,
                                           ".a.jsonl.other" + tail, ".b.jsonl" + tail};
  for (const std::string& name : others) folder_.Write(name, "not ours");
  ASSERT_TRUE(RemoveLeftoversOf(files_, folder_ / "a.jsonl").ok());
  std::vector<std::string> left = *files_.List(folder_.path());
  EXPECT_TRUE(std::is_permutation(left.begin(), left.end(), others.begin(), others.end()));
}

TEST_F(DurableFileTest, TakesAFolderThatIsThere) {
  EXPECT_TRUE(EnsureFolder(files_, folder_ / "d").ok());
  EXPECT_TRUE(EnsureFolder(files_, folder_ / "d").ok());
  folder_.Write("f", "");
  EXPECT_EQ(EnsureFolder(files_, folder_ / "f").error().code, ErrorCode::kRefused);
}

// Two files that are there, are replaced by `act`, and may each be old or new after a crash.
void ExpectWholeAfterEveryCrash(const std::function<Result<void>(FileSystem&)>& act, bool is_safe) {
  SimulatedDisk disk;
  ASSERT_EQ(disk.MakeFolder("/v", 0700), 0);
  FileSystem files(disk);
  for (const char* path : {"/v/a", "/v/b"}) ASSERT_TRUE(ReplaceFile(files, path, "old").ok());
  disk.SyncEverything();
  bool done = false;
  const CrashCount count = RunThroughCrashes(
      disk, {},
      [&] {
        ASSERT_TRUE(act(files).ok());
        done = true;
      },
      [&](SimulatedDisk& crashed) {
        FileSystem left(crashed);
        for (const char* path : {"/v/a", "/v/b"}) {
          const Result<std::string> text = left.Read(path, 100);
          ASSERT_TRUE(text.ok());
          EXPECT_TRUE(*text == "new" || (*text == "old" && !(done && is_safe))) << *text;
        }
      });
  EXPECT_GT(count.states, 4u);
}

TEST(DurableFileCrash, SeveralFilesAreEachOldOrNewAndNewOnceItIsDone) {
  ExpectWholeAfterEveryCrash(
      [](FileSystem& files) {
        return ReplaceFiles(files, {{"/v/a", "new"}, {"/v/b", "new"}});
      },
      true);
}

TEST(DurableFileCrash, WhatIsReplacedLazilyIsWholeAllTheSame) {
  ExpectWholeAfterEveryCrash(
      [](FileSystem& files) -> Result<void> {
        BELAY_TRY(ReplaceFileLazily(files, "/v/a", "new"));
        return ReplaceFileKeepingPrevious(files, "/v/b", "new");
      },
      false);
}

}  // namespace
}  // namespace belay
