#include "snapshot/prune.h"

#include <gtest/gtest.h>

#include "ledger/snapshot_ledger.h"
#include "snapshot/test_place.h"
#include "store/durable_file.h"
#include "store/vault.h"

namespace belay {
namespace {

constexpr RetentionLimits kOnlyOne{.count = 1};

class PruneTest : public ::testing::Test {
 protected:
  void TakeThree() {
    for (const char* text : {"1", "2", "3"}) {
      repository_.Write("a", text);
      ASSERT_TRUE(place_.Take().ok());
    }
  }
  Result<void> Prune() {
    BELAY_TRY_ASSIGN(const std::vector<Expired> expired,
                     PlanPrune(place_.worktree(), kOnlyOne, {}));
    return DeleteExpired(place_.worktree(), project_, expired);
  }
  std::string Ids() {
    const auto snapshots = ListSnapshots(place_.git(), std::nullopt);
    if (!snapshots) return snapshots.error().message;
    std::string text;
    for (const SavedSnapshot& snapshot : *snapshots) {
      text += (text.empty() ? "" : " ") + snapshot.id.text();
    }
    return text;
  }
  std::string Log() {
    std::string text;
    Journal journal(place_.files(), project_.JournalFile(SnapshotFamily::kJournal),
                    std::string(SnapshotFamily::kJournal));
    EXPECT_TRUE(journal
                    .CatchUp({.record =
                                  [&](std::uint64_t, const Json& record) {
                                    text += *record.Find("kind")->AsString() + " " +
                                            *record.Find("id")->AsString() + "\n";
                                  }})
                    .ok());
    return text;
  }

  GitRepository repository_;
  TestPlace place_{repository_.path()};
  Layout project_{repository_.path(), repository_.path() + "/.git"};
};

TEST_F(PruneTest, DeletesWhatHasExpiredAndNothingElse) {
  TakeThree();
  ASSERT_TRUE(Prune().ok());
  EXPECT_EQ(Ids(), "main/3");
  ASSERT_TRUE(Prune().ok());
  EXPECT_EQ(Ids(), "main/3");
}

TEST_F(PruneTest, DeletesPackedRefsToo) {
  TakeThree();
  repository_.Git({"pack-refs", "--all"});
  ASSERT_TRUE(Prune().ok());
  EXPECT_EQ(Ids(), "main/3");
}

TEST_F(PruneTest, NumbersAreNeverUsedAgain) {
  TakeThree();
  ASSERT_TRUE(Prune().ok());
  repository_.Write("a", "4");
  EXPECT_EQ(place_.Take()->snapshot.id.text(), "main/4");
}

TEST_F(PruneTest, KeepsOneOfEachName) {
  TakeThree();
  ASSERT_TRUE(place_.Take({.keep = *KeepName::Parse("login-fix")}).ok());
  ASSERT_TRUE(Prune().ok());
  EXPECT_EQ(Ids(), "login-fix/1 main/3");
}

TEST_F(PruneTest, RecordsWhatGoesWhereThereIsAVault) {
  repository_.Write(".git/belay/format", VaultFormatText());
  TakeThree();
  ASSERT_TRUE(Prune().ok());
  EXPECT_EQ(Log(), "pruned main/1\npruned main/2\n");
}

TEST_F(PruneTest, DeletesNothingThatCannotBeRecorded) {
  TakeThree();
  repository_.Write(".git/belay", "a file where the vault belongs");
  const Result<void> pruned = Prune();
  ASSERT_FALSE(pruned.ok());
  EXPECT_EQ(Ids(), "main/1 main/2 main/3");
}

TEST_F(PruneTest, WhatWasRecordedAndNotDeletedGoesTheNextTime) {
  repository_.Write(".git/belay/format", VaultFormatText());
  TakeThree();
  repository_.Write(".git/refs/belay/keep/main/1.lock", "");
  const Result<void> pruned = Prune();
  ASSERT_FALSE(pruned.ok());
  EXPECT_EQ(pruned.error().code, ErrorCode::kBusy);
  EXPECT_EQ(Ids(), "main/1 main/2 main/3");
  EXPECT_EQ(Log(), "pruned main/1\npruned main/2\n");
  repository_.Remove(".git/refs/belay/keep/main/1.lock");
  ASSERT_TRUE(Prune().ok());
  EXPECT_EQ(Ids(), "main/3");
}

TEST_F(PruneTest, ARefThatAnotherProcessDeletedIsFine) {
  TakeThree();
  const std::vector<Expired> expired = *PlanPrune(place_.worktree(), kOnlyOne, {});
  repository_.Git({"update-ref", "-d", "refs/belay/keep/main/1"});
  ASSERT_TRUE(DeleteExpired(place_.worktree(), project_, expired).ok());
  EXPECT_EQ(Ids(), "main/3");
  EXPECT_TRUE(DeleteExpired(place_.worktree(), project_, expired).ok());
}

TEST_F(PruneTest, DeletesNothingWhenARefHasChangedSince) {
  TakeThree();
  const std::vector<Expired> expired = *PlanPrune(place_.worktree(), kOnlyOne, {});
  repository_.Git({"update-ref", "refs/belay/keep/main/2", "refs/belay/keep/main/3"});
  const Result<void> deleted = DeleteExpired(place_.worktree(), project_, expired);
  ASSERT_FALSE(deleted.ok());
  EXPECT_EQ(deleted.error().code, ErrorCode::kBusy);
  EXPECT_EQ(Ids(), "main/1 main/2 main/3");
}

}  // namespace
}  // namespace belay
