#include "os/file_system.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/temp_folder.h"

namespace belay {
namespace {

class FileSystemTest : public ::testing::Test {
 protected:
  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

TEST_F(FileSystemTest, TellsFilesFoldersAndLinksApart) {
  folder_.Write("f", "abc");
  ASSERT_EQ(symlink("f", (folder_ / "l").c_str()), 0);
  EXPECT_EQ(files_.Inspect(folder_ / "f")->kind, FileKind::kFile);
  EXPECT_EQ(files_.Inspect(folder_ / "f")->bytes, 3u);
  EXPECT_EQ(files_.Inspect(folder_ / "l")->kind, FileKind::kLink);
  EXPECT_EQ(files_.Inspect(folder_.path())->kind, FileKind::kFolder);
  EXPECT_EQ(files_.Inspect(folder_ / "x").error().code, ErrorCode::kNotFound);
}

TEST_F(FileSystemTest, ReadsNoMoreThanAllowed) {
  folder_.Write("f", "abc");
  EXPECT_EQ(*files_.Read(folder_ / "f", 3), "abc");
  EXPECT_EQ(files_.Read(folder_ / "f", 2).error().code, ErrorCode::kDamaged);
}

TEST_F(FileSystemTest, ReadsNeitherThroughLinksNorFromFifosAndFolders) {
  folder_.Write("f", "abc");
  ASSERT_EQ(symlink("f", (folder_ / "l").c_str()), 0);
  ASSERT_EQ(mkfifo((folder_ / "p").c_str(), 0600), 0);
  EXPECT_EQ(files_.Read(folder_ / "l", 9).error().code, ErrorCode::kRefused);
  EXPECT_EQ(files_.Read(folder_ / "p", 9).error().code, ErrorCode::kRefused);
  EXPECT_EQ(files_.Read(folder_.path(), 9).error().code, ErrorCode::kRefused);
}

TEST_F(FileSystemTest, MakesAFolderOnceAndWithItsMode) {
  ASSERT_TRUE(files_.CreateFolder(folder_ / "d", 0700).ok());
  EXPECT_EQ(files_.Inspect(folder_ / "d")->mode, 0700u);
  EXPECT_FALSE(files_.CreateFolder(folder_ / "d", 0700).ok());
}

TEST_F(FileSystemTest, MakesAFolderThatItsOwnerCanUseWhateverTheUmask) {
  const mode_t before = umask(0777);
  const Result<void> made = files_.CreateFolder(folder_ / "d", 0755);
  umask(before);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(files_.Inspect(folder_ / "d")->mode, 0700u);
}

TEST_F(FileSystemTest, GivesEachTemporaryFileItsOwnName) {
  const auto one = files_.CreateTemporary(folder_ / "f", "1", 0600);
  const auto two = files_.CreateTemporary(folder_ / "f", "2", 0640);
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_NE(*one, *two);
  EXPECT_EQ(files_.Inspect(*two)->mode, 0640u);
  EXPECT_EQ(*files_.Read(*one, 9), "1");
}

TEST_F(FileSystemTest, ListsEverythingButTheFolderItself) {
  EXPECT_TRUE(files_.List(folder_.path())->empty());
  folder_.Write(".hidden", "");
  EXPECT_EQ(*files_.List(folder_.path()), std::vector<std::string>{".hidden"});
  EXPECT_FALSE(files_.List(folder_ / ".hidden").ok());
}

TEST_F(FileSystemTest, NamesTheMountOfAPath) {
  const auto mount = files_.InspectMount("/proc");
  ASSERT_TRUE(mount.ok());
  EXPECT_EQ(mount->type, "0x9fa0");
  EXPECT_FALSE(mount->network);
}

}  // namespace
}  // namespace belay
