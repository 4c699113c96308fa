#include "engine/merge/merge_text.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

TEST(MergeTextTest, AShellWordIsQuotedOnlyIfItMustBe) {
  EXPECT_EQ(ShellWord("feature/login-2"), "feature/login-2");
  EXPECT_EQ(ShellWord("it's"), "'it'\\''s'");
  EXPECT_EQ(ShellWord("a b"), "'a b'");
  EXPECT_EQ(ShellWord("a;b"), "'a;b'");
  EXPECT_EQ(ShellWord(""), "''");
}

TEST(MergeTextTest, AMergedEntryHasLandedOrWasThereBefore) {
  EXPECT_EQ(MergedWhy("main", "landed"), "it landed on main");
  EXPECT_EQ(MergedWhy("main", "ancestry"), "main has its commits already");
  EXPECT_EQ(MergedWhy("main", "patches"), "main has its changes already (patches)");
}

TEST(MergeTextTest, TheCommandForARetryApprovesOnlyWhatWaitsForThat) {
  MergeEntry entry{.number = 7, .identity_name = "", .branch = "login", .target = "main"};
  entry.head = "aaaa";
  entry.status = MergeStatus::kGateUnrunnable;
  entry.last_error = "gate test: not found";
  EXPECT_EQ(RetryCommand(entry), "belay merge-queue retry m7");
  entry.last_error = "a person must approve it: belay merge-queue retry m7 --gates-change";
  EXPECT_EQ(RetryCommand(entry), "belay merge-queue retry m7 --gates-change");
  entry.settings_allowed = entry.head;
  EXPECT_EQ(RetryCommand(entry), "belay merge-queue retry m7");
  entry.settings_allowed.clear();
  entry.status = MergeStatus::kConflict;
  EXPECT_EQ(RetryCommand(entry), "belay merge-queue retry m7");
  EXPECT_EQ(AddCommand(entry), "belay merge-queue add login --target main");
}

}  // namespace
}  // namespace belay
