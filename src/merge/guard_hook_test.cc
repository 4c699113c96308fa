#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "merge/protect.h"
#include "testing/faulty_calls.h"
#include "testing/temp_folder.h"

namespace belay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kHook = "hooks/reference-transaction";
constexpr std::string_view kAside = "hooks/reference-transaction.before-belay";
constexpr std::string_view kTheirs = "#!/bin/sh\nexit 0\n";

class GuardHookTest : public ::testing::Test {
 protected:
  GuardHook For(const std::string& repository) const {
    return {folder_ / "hooks", "/opt/it's/belay", repository};
  }
  HookChange Install(const std::string& repository = "/a/.git") {
    const Result<HookChange> change = InstallGuardHook(files_, For(repository));
    EXPECT_TRUE(change.ok()) << change.error().message;
    return *change;
  }
  HookChange Remove(const std::string& repository = "/a/.git") {
    const Result<HookChange> change = RemoveGuardHook(files_, For(repository));
    EXPECT_TRUE(change.ok()) << change.error().message;
    return *change;
  }

  TempFolder folder_;
  RealFileCalls real_;
  FileSystem files_{real_};
};

TEST_F(GuardHookTest, ComesAndGoes) {
  EXPECT_EQ(Install(), HookChange::kInstalled);
  EXPECT_EQ(Install(), HookChange::kUnchanged);
  EXPECT_EQ(files_.Inspect(folder_ / kHook)->mode & 0700U, 0700U);
  EXPECT_THAT(folder_.Read(kHook), HasSubstr("belay='/opt/it'\\''s/belay'\n"));
  EXPECT_EQ(Remove(), HookChange::kRemoved);
  EXPECT_EQ(folder_.Read(kHook), "(missing)");
  EXPECT_EQ(Remove(), HookChange::kUnchanged);
}

TEST_F(GuardHookTest, StaysForTheOthersThatShareIt) {
  Install("/a/.git");
  EXPECT_EQ(Install("/b/.git"), HookChange::kInstalled);
  EXPECT_EQ(Remove("/a/.git"), HookChange::kLeft);
  EXPECT_THAT(folder_.Read(kHook), HasSubstr("/b/.git"));
  EXPECT_THAT(folder_.Read(kHook), Not(HasSubstr("/a/.git")));
  EXPECT_EQ(Remove("/b/.git"), HookChange::kRemoved);
}

TEST_F(GuardHookTest, IsMadeExecutableAgain) {
  Install();
  ASSERT_TRUE(files_.OpenForReading(folder_ / kHook)->SetMode(0644).ok());
  EXPECT_EQ(Install(), HookChange::kInstalled);
  EXPECT_TRUE(files_.Inspect(folder_ / kHook)->IsExecutable());
}

TEST_F(GuardHookTest, RefusesWhatIsNoFile) {
  folder_.MakeFolder(kHook);
  EXPECT_EQ(InstallGuardHook(files_, For("/a/.git")).error().code, ErrorCode::kRefused);
  EXPECT_EQ(InstallGuardHook(files_, For("/a\nb/.git")).error().code, ErrorCode::kRefused);
}

// After any failure in between, repeating it succeeds, and the user's hook is never lost.
TEST_F(GuardHookTest, IsFinishedByDoingItAgain) {
  FaultyCalls calls(real_);
  FileSystem faulty(calls);
  for (const bool removing : {false, true}) {
    std::size_t most = 1;
    for (std::size_t n = 0; n <= most; ++n) {
      folder_.Write(kHook, kTheirs);
      if (removing) Install();
      calls.Restart();
      if (n > 0) calls.Plan({.number = n, .error = EIO});
      const auto done = removing ? RemoveGuardHook(faulty, For("/a/.git"))
                                 : InstallGuardHook(faulty, For("/a/.git"));
      if (n == 0) {
        EXPECT_TRUE(done.ok());
        most = calls.count();
      }
      if (!removing) {
        Install();
        EXPECT_THAT(folder_.Read(kHook), HasSubstr("/a/.git")) << n;
        EXPECT_EQ(folder_.Read(kAside), kTheirs) << n;
      }
      Remove();
      EXPECT_EQ(folder_.Read(kHook), kTheirs) << n;
      EXPECT_EQ(folder_.Read(kAside), "(missing)") << n;
    }
    EXPECT_GT(most, 5U);
  }
}

}  // namespace
}  // namespace belay
