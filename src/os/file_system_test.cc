#include "os/file_system.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>

#include "os/this_process.h"
#include "testing/faulty_calls.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

class FileSystemTest : public ::testing::Test {
 protected:
  TempFolder folder_;
  RealFileCalls calls_;
  FileSystem files_{calls_};
};

TEST_F(FileSystemTest, DistinguishesFilesFoldersAndLinks) {
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

void MakeSocket(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  ASSERT_LT(path.size(), sizeof(address.sun_path));
  path.copy(address.sun_path, path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(close(fd), 0);
}

TEST_F(FileSystemTest, RefusesASocketLikeAnythingThatIsNoRegularFile) {
  MakeSocket(folder_ / "s");
  EXPECT_EQ(files_.Read(folder_ / "s", 9).error().code, ErrorCode::kRefused);
  EXPECT_EQ(files_.OpenForWriting(folder_ / "s", 0600).error().code, ErrorCode::kRefused);
  EXPECT_EQ(files_.OpenForAppending(folder_ / "s").error().code, ErrorCode::kRefused);
}

TEST_F(FileSystemTest, GoesThroughNoLinkToAFolder) {
  folder_.MakeFolder("d");
  folder_.Write("f", "");
  ASSERT_EQ(symlink("d", (folder_ / "l").c_str()), 0);
  EXPECT_EQ(files_.List(folder_ / "l").error().code, ErrorCode::kRefused);
  EXPECT_EQ(files_.SyncFolder(folder_ / "l").error().code, ErrorCode::kRefused);
  EXPECT_EQ(files_.List(folder_ / "l").error().message, "list " + folder_ / "l" + ": it is a link");
  EXPECT_EQ(files_.SyncFolder(folder_ / "f").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(files_.SyncFolder(folder_ / "d").ok());
}

TEST_F(FileSystemTest, AppendsOnlyToWhatIsThere) {
  EXPECT_EQ(files_.OpenForAppending(folder_ / "f").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(folder_.Read("f"), "(missing)");
  folder_.Write("f", "abc");
  ASSERT_TRUE(files_.OpenForAppending(folder_ / "f")->Write("d").ok());
  EXPECT_EQ(folder_.Read("f"), "abcd");
}

TEST_F(FileSystemTest, MakesAFileThatItsOwnerCanUseWhateverTheUmask) {
  const mode_t before = umask(0777);
  const bool made = files_.OpenForWriting(folder_ / "f", 0640).ok();
  umask(before);
  ASSERT_TRUE(made);
  EXPECT_EQ(files_.Inspect(folder_ / "f")->mode, 0600u);
}

TEST_F(FileSystemTest, OpensAFileThatIsThereForWritingAsItIsWithOneCall) {
  folder_.Write("f", "abc");
  ASSERT_EQ(chmod((folder_ / "f").c_str(), 0604), 0);
  FaultyCalls counted(calls_);
  FileSystem files(counted);
  ASSERT_TRUE(files.OpenForWriting(folder_ / "f", 0700).ok());
  EXPECT_EQ(counted.count(CallKind::kOpen), 1u);
  EXPECT_EQ(counted.count(), 3u);  // with its kind, and the close
  EXPECT_EQ(files_.Inspect(folder_ / "f")->mode, 0604u);
}

// Another process creates the file whenever it was found missing, and then removes it, `times`
// times.
class RacedCalls final : public RealFileCalls {
 public:
  explicit RacedCalls(int times) : left_(times) {}
  int Open(const std::string& path, int flags, mode_t mode) override {
    if ((flags & O_EXCL) == 0 || left_ == 0) return RealFileCalls::Open(path, flags, mode);
    --left_;
    return -EEXIST;
  }

 private:
  int left_;
};

TEST_F(FileSystemTest, OpensAFileThatOthersCreateAndRemoveAtTheSameTime) {
  RacedCalls few(2);
  EXPECT_TRUE(FileSystem(few).OpenForWriting(folder_ / "f", 0600).ok());
  RacedCalls many(1'000'000);
  EXPECT_EQ(FileSystem(many).OpenForWriting(folder_ / "g", 0600).error().code,
            ErrorCode::kNotFound);
}

TEST_F(FileSystemTest, NamesTheFileThatIsReplacedAndNotTheTemporaryOne) {
  FaultyCalls calls(calls_);
  FileSystem files(calls);
  for (const auto& [kind, name] :
       {std::pair(CallKind::kOpen, "create"), std::pair(CallKind::kChangeMode, "chmod"),
        std::pair(CallKind::kWrite, "write"), std::pair(CallKind::kSync, "fsync")}) {
    calls.Restart();
    calls.Plan({.kind = kind, .error = ENOSPC});
    const Error error = files.CreateTemporary(folder_ / "f", "1", 0600).error();
    EXPECT_EQ(error.message, fmt::format("{} {}: No space left on device", name, folder_ / "f"));
    EXPECT_EQ(error.hint, "free some space, then try again");
    EXPECT_TRUE(files_.List(folder_.path())->empty());
  }
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

// A fake: everything is on one disk of this type, which the list of mounts describes.
class OtherDisk final : public RealFileCalls {
 public:
  OtherDisk(std::uint32_t magic, std::string mounts) : magic_(magic), mounts_(std::move(mounts)) {}
  int Open(const std::string& path, int flags, mode_t mode) override {
    return RealFileCalls::Open(path == "/proc/self/mountinfo" ? mounts_ : path, flags, mode);
  }
  int InspectMount(const std::string& path, struct statfs& info) override {
    const int result = RealFileCalls::InspectMount(path, info);
    info.f_type = magic_;
    return result;
  }

 private:
  std::uint32_t magic_;
  std::string mounts_;
};

TEST_F(FileSystemTest, NamesWhatFuseServesFromElsewhere) {
  const dev_t device = files_.Inspect(folder_.path())->device;
  folder_.Write("mounts", fmt::format("41 36 {}:{} / / rw - fuse.sshfs me@host: rw\n",
                                      major(device), minor(device)));
  OtherDisk sshfs(FUSE_SUPER_MAGIC, folder_ / "mounts");
  const auto mount = FileSystem(sshfs).InspectMount(folder_.path());
  ASSERT_TRUE(mount.ok());
  EXPECT_EQ(mount->type, "fuse.sshfs");
  EXPECT_TRUE(mount->network);
}

TEST_F(FileSystemTest, TakesFuseForLocalWhenTheMountsDontTell) {
  OtherDisk unknown(FUSE_SUPER_MAGIC, folder_ / "none");
  const auto mount = FileSystem(unknown).InspectMount(folder_.path());
  ASSERT_TRUE(mount.ok());
  EXPECT_EQ(mount->type, "fuse");
  EXPECT_FALSE(mount->network);
}

TEST_F(FileSystemTest, KnowsTheDisksThatMachinesShare) {
  for (const auto& [magic, name] :
       {std::pair(0x6969U, "nfs"), std::pair(0x01021997U, "9p"), std::pair(0x19830326U, "beegfs"),
        std::pair(0x47504653U, "gpfs"), std::pair(0x20030528U, "orangefs"),
        std::pair(0x564CU, "ncpfs"), std::pair(0x786F4256U, "vboxsf")}) {
    OtherDisk disk(magic, "");
    const auto mount = FileSystem(disk).InspectMount(folder_.path());
    ASSERT_TRUE(mount.ok());
    EXPECT_EQ(mount->type, name);
    EXPECT_TRUE(mount->network) << name;
  }
}

TEST_F(FileSystemTest, RenamesOnlyWhereThereIsNothing) {
  folder_.Write("a", "1");
  folder_.Write("b", "2");
  EXPECT_EQ(files_.RenameNew(folder_ / "a", folder_ / "b").error().code, ErrorCode::kRefused);
  EXPECT_EQ(folder_.Read("b"), "2");
  ASSERT_TRUE(files_.RenameNew(folder_ / "a", folder_ / "c").ok());
  EXPECT_EQ(folder_.Read("c"), "1");
}

TEST_F(FileSystemTest, LetsTwoChangePlaces) {
  folder_.Write("a", "1");
  folder_.Write("b/inside", "2");
  ASSERT_TRUE(files_.RenameSwap(folder_ / "a", folder_ / "b").ok());
  EXPECT_EQ(folder_.Read("a/inside"), "2");
  EXPECT_EQ(folder_.Read("b"), "1");
  EXPECT_EQ(files_.RenameSwap(folder_ / "b", folder_ / "c").error().code, ErrorCode::kNotFound);
}

TEST_F(FileSystemTest, KnowsWhetherAProcessHasAFileOpenForWriting) {
  folder_.Write("a", "1");
  const Result<File> reader = files_.OpenForReading(folder_ / "a");
  const Result<File> other = files_.OpenForReading(folder_ / "a");
  EXPECT_FALSE(reader->IsBeingWritten());
  {
    const Result<File> writer = files_.OpenForAppending(folder_ / "a");
    EXPECT_TRUE(reader->IsBeingWritten());
  }
  EXPECT_FALSE(reader->IsBeingWritten());
  Result<File> late = files_.OpenForAppending(folder_ / "a");
  EXPECT_TRUE(late->Write("2").ok()) << "nothing holds up a writer afterwards";
}

TEST_F(FileSystemTest, ReadsTheTargetOfALinkThatPointsToNothing) {
  ASSERT_TRUE(files_.MakeLink("no/where\n", folder_ / "link").ok());
  EXPECT_EQ(*files_.ReadLink(folder_ / "link"), "no/where\n");
  EXPECT_FALSE(files_.ReadLink(folder_.path()).ok());
}

TEST_F(FileSystemTest, RemovesATreeButNotWhatItsLinksPointTo) {
  folder_.Write("tree/a/b", "1");
  folder_.Write("kept/c", "2");
  ASSERT_TRUE(files_.MakeLink(folder_ / "kept", folder_ / "tree/link").ok());
  ASSERT_TRUE(files_.RemoveTree(folder_ / "tree").ok());
  EXPECT_FALSE(files_.Inspect(folder_ / "tree").ok());
  EXPECT_EQ(folder_.Read("kept/c"), "2");
  EXPECT_TRUE(files_.RemoveTree(folder_ / "tree").ok());
}

TEST_F(FileSystemTest, CreatesUniqueFolders) {
  const auto first = files_.CreateUniqueFolder(folder_ / "x-", 0700);
  const auto second = files_.CreateUniqueFolder(folder_ / "x-", 0700);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE(*first, *second);
  EXPECT_EQ(files_.Inspect(*first)->kind, FileKind::kFolder);
}

TEST_F(FileSystemTest, SyncsAWholeDisk) {
  EXPECT_TRUE(files_.SyncDisk(folder_.path()).ok());
  EXPECT_EQ(files_.SyncDisk(folder_ / "none").error().code, ErrorCode::kNotFound);
}

TEST_F(FileSystemTest, KnowsThePermissionsThatNewFilesDontGet) {
  const mode_t before = umask(027);
  EXPECT_EQ(FileCreationMask(files_), 027U);
  umask(before);
}

}  // namespace
}  // namespace belay
