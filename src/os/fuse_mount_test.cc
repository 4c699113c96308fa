#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include "os/mount.h"

namespace belay {
namespace {

const std::string kText =
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "36 27 254:0 / / rw,relatime shared:1 master:2 - ext4 /dev/vda rw,discard\n"
    "41 36 0:50 / /mnt/my\\040disk\\134\\011 rw - fuse.sshfs me@host:/a\\040b rw,user_id=0\n"
    "42 36 0:51 / /mnt/- rw shared:3 - fuseblk.ntfs /dev/sdb1 rw\n"
    "43 36 0:52 / /mnt/dav rw - fuse https://dav.example.com/ rw\n"
    "44 36 0:53 /sub /mnt/host rw - virtiofs share rw\n"
    "45 36 0:54 / /mnt/new rw - fuse.somebodys new rw\n";

std::optional<FuseMount> Find(unsigned major, unsigned minor, std::string_view text = kText) {
  return FindFuseMount(text, makedev(major, minor));
}

TEST(FuseMountTest, DistinguishesRemoteFromLocalMounts) {
  EXPECT_EQ(Find(0, 50), (FuseMount{"fuse.sshfs", true}));
  EXPECT_EQ(Find(0, 51), (FuseMount{"fuseblk.ntfs", false}));
  EXPECT_EQ(Find(0, 52), (FuseMount{"fuse", true}));
  EXPECT_EQ(Find(0, 53), (FuseMount{"virtiofs", true}));
  EXPECT_EQ(Find(0, 54), (FuseMount{"fuse.somebodys", false}));
}

TEST(FuseMountTest, KnowsTheUsualNames) {
  for (const std::string name :
       {"sshfs", "glusterfs", "ceph", "s3fs", "gcsfuse", "rclone", "davfs", "curlftpfs", "hdfs",
        "moosefs", "mfs", "lizardfs", "juicefs", "goofys", "blobfuse"}) {
    const std::string line = "41 36 0:50 / /m rw - fuse." + name + " x rw\n";
    EXPECT_EQ(Find(0, 50, line), (FuseMount{"fuse." + name, true}));
  }
}

TEST(FuseMountTest, FindsNothingForOtherKindsAndOtherDevices) {
  EXPECT_EQ(Find(254, 0), std::nullopt);
  EXPECT_EQ(Find(0, 99), std::nullopt);
  EXPECT_EQ(Find(0, 5), std::nullopt);
}

TEST(FuseMountTest, PassesOverWhatItCannotUnderstand) {
  for (const std::string_view line :
       {"", " ", "41", "41 36 0:50", "41 36 0:50 / /m rw", "41 36 0:50 / /m rw -",
        "41 36 0:50 / /m rw - fuse.sshfs", "41 36 0:50 / /m rw fuse.sshfs x rw",
        "41 36 0x0:50 / /m rw - fuse.sshfs x rw", "41 36 0:50: / /m rw - fuse.sshfs x rw",
        "41 36 050 / /m rw - fuse.sshfs x rw", "41 36 0:99999999999 / /m rw - fuse.sshfs x rw"}) {
    EXPECT_EQ(Find(0, 50, line), std::nullopt) << line;
    EXPECT_EQ(Find(0, 50, std::string(line) + "\n" + kText), (FuseMount{"fuse.sshfs", true}));
  }
}

TEST(FuseMountTest, CutShortNamesNoOtherMount) {
  const FuseMount whole{"fuse.sshfs", true};
  for (std::size_t length = 0; length < kText.size(); ++length) {
    const auto found = Find(0, 50, kText.substr(0, length));
    EXPECT_TRUE(!found || found == whole) << length;
  }
}

}  // namespace
}  // namespace belay
