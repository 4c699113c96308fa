#include "store/vault.h"

#include <gtest/gtest.h>
#include <linux/magic.h>
#include <sys/statvfs.h>

#include "testing/temp_folder.h"

namespace belay {
namespace {

// A fake: everything is on a disk of this type.
class OtherDisk final : public RealFileCalls {
 public:
  int InspectMount(const std::string& path, struct statfs& info) override {
    const int result = RealFileCalls::InspectMount(path, info);
    if (type_ != 0) info.f_type = type_;
    info.f_flags |= flags_;
    return result;
  }
  decltype(statfs::f_type) type_ = 0;
  decltype(statfs::f_flags) flags_ = 0;
};

class VaultTest : public ::testing::Test {
 protected:
  VaultTest() {
    folder_.MakeFolder("git/belay");
    folder_.MakeFolder("root/.claude/state");
  }
  ErrorCode CodeOf(VaultUse use) {
    const Result<void> checked = CheckVault(files_, layout_, use);
    message_ = checked ? "" : checked.error().message;
    return checked ? ErrorCode::kBusy : checked.error().code;
  }

  TempFolder folder_;
  OtherDisk calls_;
  FileSystem files_{calls_};
  Layout layout_{folder_ / "root", folder_ / "git"};
  std::string message_;
};

TEST_F(VaultTest, AGoodOneMayBeReadAndWritten) {
  EXPECT_TRUE(CheckVault(files_, layout_, VaultUse::kWrite).ok());
  EXPECT_TRUE(CheckCanSetUp(files_, layout_).ok());
  folder_.Write("git/belay/format", VaultFormatText());
  EXPECT_TRUE(CheckVault(files_, layout_, VaultUse::kRead).ok());
}

TEST_F(VaultTest, OneWithoutAFormatIsFineAsLongAsItHoldsNoJournal) {
  EXPECT_TRUE(CheckFormat(files_, Layout(folder_ / "root", folder_ / "nowhere")).ok());
  EXPECT_TRUE(CheckFormat(files_, layout_).ok());
  folder_.Write("git/belay/journals/hooks.jsonl", "");
  EXPECT_EQ(CodeOf(VaultUse::kRead), ErrorCode::kDamaged);
  EXPECT_EQ(message_, folder_ / "git/belay/format is missing, and the vault holds records");
}

TEST_F(VaultTest, RefusesADiskThatMachinesShare) {
  for (const auto type : {NFS_SUPER_MAGIC, V9FS_MAGIC, SMB_SUPER_MAGIC}) {
    calls_.type_ = type;
    EXPECT_EQ(CodeOf(VaultUse::kRead), ErrorCode::kUsage);
    EXPECT_NE(message_.find(folder_ / "git/belay is on a disk shared over the network"),
              std::string::npos)
        << message_;
    EXPECT_EQ(CheckCanSetUp(files_, layout_).error().code, ErrorCode::kUsage);
  }
}

TEST_F(VaultTest, ReadsButDoesNotWriteOnAReadOnlyDisk) {
  calls_.flags_ = ST_RDONLY;
  EXPECT_TRUE(CheckVault(files_, layout_, VaultUse::kRead).ok());
  EXPECT_EQ(CodeOf(VaultUse::kWrite), ErrorCode::kUsage);
}

TEST_F(VaultTest, WhatIsNotSetUpIsNotFound) {
  const Layout other(folder_ / "root", folder_ / "nowhere");
  EXPECT_EQ(CheckVault(files_, other, VaultUse::kRead).error().code, ErrorCode::kNotFound);
}

TEST_F(VaultTest, RefusesEveryVersionButItsOwn) {
  for (const std::string_view text :
       {"2\n", "99999999999999999999\n", "", "\n", "1", "-1\n", "0\n", "1 \n", "1\n\n", "one\n",
        "+1\n", "01\n", " 1\n", "18446744073709551617\n"}) {
    folder_.Write("git/belay/format", text);
    EXPECT_EQ(CodeOf(VaultUse::kRead), ErrorCode::kDamaged) << text;
    EXPECT_EQ(CheckFormat(files_, layout_).error().code, ErrorCode::kDamaged) << text;
  }
}

}  // namespace
}  // namespace belay
