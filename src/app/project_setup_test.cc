// What happens between the check and the lock, and what is synced: on the real disk, with file
// calls that let another process act at that moment.

#include "app/project_setup.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <functional>
#include <map>

#include "app/repairer.h"
#include "store/vault.h"
#include "testing/fake_clock.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;

class LockWatchingCalls final : public RealFileCalls {
 public:
  int Open(const std::string& path, int flags, mode_t mode) override {
    const int fd = RealFileCalls::Open(path, flags, mode);
    if (fd >= 0) paths_[fd] = path;
    return fd;
  }
  int Sync(int fd) override {
    synced_.insert(paths_[fd]);
    return RealFileCalls::Sync(fd);
  }
  int SyncData(int fd) override {
    synced_.insert(paths_[fd]);
    return RealFileCalls::SyncData(fd);
  }
  int Lock(int fd, int operation) override {
    before_lock_();
    return RealFileCalls::Lock(fd, operation);
  }

  std::function<void()> before_lock_ = [] {};
  std::set<std::string> synced_;

 private:
  std::map<int, std::string> paths_;
};

class ProjectSetupTest : public ::testing::Test {
 protected:
  ProjectSetupTest() {
    folder_.MakeFolder("r/.git/info");
    folder_.Write("r/.git/info/exclude", "*.o\n");
  }
  Result<void> SetUpProject() { return ProjectSetup(files_, clock_, layout_, false).SetUp(); }
  Result<void> Remove() { return ProjectSetup(files_, clock_, layout_, false).Remove(); }
  Result<std::vector<Repair>> RunRepair() { return Repairer(files_, clock_, layout_).Run(); }
  bool IsThere(std::string_view name) { return files_.Inspect(folder_ / name).ok(); }

  TempFolder folder_;
  LockWatchingCalls calls_;
  FileSystem files_{calls_};
  FakeClock clock_;
  Layout layout_{folder_ / "r", folder_ / "r/.git"};
};

TEST_F(ProjectSetupTest, ANewerBelayThatCameFirstIsNoticedUnderTheLock) {
  ASSERT_TRUE(SetUpProject().ok());
  calls_.before_lock_ = [&] { folder_.Write("r/.git/belay/format", "2\n"); };
  const std::string old = VaultFormatText();
  for (const auto& act : std::vector<std::function<Result<void>()>>{[&] { return SetUpProject(); },
                                                                    [&] { return Remove(); },
                                                                    [&]() -> Result<void> {
                                                                      BELAY_TRY(RunRepair());
                                                                      return {};
                                                                    }}) {
    folder_.Write("r/.git/belay/format", old);
    const Result<void> outcome = act();
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().code, ErrorCode::kDamaged);
    EXPECT_EQ(folder_.Read("r/.git/belay/format"), "2\n");
    EXPECT_TRUE(IsThere("r/.claude/state/project.json"));
  }
}

TEST_F(ProjectSetupTest, ALinkPutThereDuringTheWaitIsNotFollowed) {
  ASSERT_TRUE(SetUpProject().ok());
  calls_.before_lock_ = [&] {
    if (!IsThere("other")) {
      ASSERT_EQ(rename((folder_ / "r/.claude").c_str(), (folder_ / "other").c_str()), 0);
      ASSERT_EQ(symlink((folder_ / "other").c_str(), (folder_ / "r/.claude").c_str()), 0);
    }
  };
  EXPECT_EQ(Remove().error().code, ErrorCode::kUsage);
  EXPECT_EQ(RunRepair().error().code, ErrorCode::kUsage);
  EXPECT_TRUE(IsThere("other/state/project.json"));
}

TEST_F(ProjectSetupTest, LinesThatTheUserAddsDuringTheWaitAreKept) {
  ASSERT_TRUE(SetUpProject().ok());
  calls_.before_lock_ = [&] {
    folder_.Write("r/.git/info/exclude", folder_.Read("r/.git/info/exclude") + "mine\n");
  };
  ASSERT_TRUE(Remove().ok());
  EXPECT_EQ(folder_.Read("r/.git/info/exclude"), "*.o\nmine\n");
}

TEST_F(ProjectSetupTest, SettingsThatOthersWriteDuringTheWaitAreKept) {
  calls_.before_lock_ = [&] { folder_.Write("r/.claude/settings.json", "{\"mine\": 1}\n"); };
  ProjectSetup setup(files_, clock_, layout_, false);
  setup.WantHooks(AgentKind::kClaude, {.program = "/usr/bin/belay", .events = {"Stop"}});
  ASSERT_TRUE(setup.SetUp().ok());
  calls_.before_lock_ = [] {};
  EXPECT_THAT(folder_.Read("r/.claude/settings.json"), HasSubstr("{\"mine\": 1, \"hooks\": "));
  ASSERT_TRUE(Remove().ok());
  EXPECT_EQ(folder_.Read("r/.claude/settings.json"), "{\"mine\": 1}\n");
}

TEST_F(ProjectSetupTest, SettingsThatAreSpoiltDuringTheWaitStopIt) {
  calls_.before_lock_ = [&] { folder_.Write("r/.claude/settings.json", "{"); };
  ProjectSetup setup(files_, clock_, layout_, false);
  setup.WantHooks(AgentKind::kClaude, {.program = "/usr/bin/belay", .events = {"Stop"}});
  EXPECT_EQ(setup.SetUp().error().code, ErrorCode::kDamaged);
  EXPECT_EQ(folder_.Read("r/.claude/settings.json"), "{");
}

TEST_F(ProjectSetupTest, RecreatesWhatVanishesAndGivesUpInTheEnd) {
  int times = 1;
  calls_.before_lock_ = [&] {
    if (times-- <= 0) return;
    (void)unlink((folder_ / "r/.git/belay/locks/project.lock").c_str());
    (void)rmdir((folder_ / "r/.git/belay/locks").c_str());
    (void)rmdir((folder_ / "r/.git/belay").c_str());
    (void)rmdir((folder_ / "r/.claude").c_str());
  };
  EXPECT_TRUE(SetUpProject().ok());
  EXPECT_TRUE(IsThere("r/.claude/state/project.json"));
  ASSERT_TRUE(Remove().ok());
  times = 1000;
  const Result<void> busy = SetUpProject();
  ASSERT_FALSE(busy.ok());
  EXPECT_EQ(busy.error().code, ErrorCode::kBusy);
  EXPECT_THAT(busy.error().message,
              HasSubstr("another process is setting up or removing belay here"));
}

// The process that made it may have been killed before its name was on the disk.
TEST_F(ProjectSetupTest, WhatIsThereAlreadyIsMadeDurableAllTheSame) {
  ASSERT_TRUE(SetUpProject().ok());
  calls_.synced_.clear();
  ASSERT_TRUE(SetUpProject().ok());
  EXPECT_THAT(calls_.synced_,
              IsSupersetOf({layout_.Vault(), folder_ / "r/.git/info", layout_.JournalFolder(),
                            layout_.JournalFile(kProjectJournal), layout_.StateRoot(),
                            layout_.ClaudeFolder()}));
}

TEST_F(ProjectSetupTest, ADryRunWritesNothingAndTakesNoLock) {
  calls_.before_lock_ = [] { ADD_FAILURE(); };
  EXPECT_TRUE(ProjectSetup(files_, clock_, layout_, true).SetUp().ok());
  EXPECT_TRUE(ProjectSetup(files_, clock_, layout_, true).Remove().ok());
  EXPECT_TRUE(calls_.synced_.empty());
  EXPECT_THAT(*files_.List(folder_ / "r"), Not(::testing::Contains(".claude")));
}

}  // namespace
}  // namespace belay
