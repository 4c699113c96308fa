// Restoring while other processes work in the same tree, or while the disk fails.

#include <gmock/gmock.h>

#include "base/path.h"
#include "snapshot/restore.h"
#include "snapshot/test_place.h"
#include "snapshot/work_folder.h"
#include "testing/faulty_calls.h"
#include "testing/watched_calls.h"

namespace belay {
namespace {

class RestoreRaceTest : public RestoreTestBase {
 protected:
  // Calls the function right before each rename of a restore, with that call.
  Result<Restored> RestoreWhileRenaming(const SavedSnapshot& snapshot,
                                        const std::function<void(const WatchedCall&)>& meanwhile) {
    WatchedCalls calls(real_calls_, [&](const WatchedCall& call) {
      const bool renames = call.kind == CallKind::kRename || call.kind == CallKind::kRenameNew ||
                           call.kind == CallKind::kRenameSwap;
      if (renames) meanwhile(call);
    });
    TestPlace place(repository_.path(), &calls);
    return RestoreSnapshot(place.worktree(), {.snapshot = snapshot, .keep = place.keep()});
  }
  // Calls the function right before the first rename to `path` during a restore.
  Result<Restored> RestoreWhile(const SavedSnapshot& snapshot, const std::string& path,
                                const std::function<void()>& meanwhile) {
    bool done = false;
    return RestoreWhileRenaming(snapshot, [&](const WatchedCall& call) {
      if (done || call.path != repository_ / path) return;
      done = true;
      meanwhile();
    });
  }
  static bool MovesAway(const WatchedCall& call) {
    return call.path.find(kStagingStart) != std::string::npos;
  }
  // Calls the function during a restore, right before git delivers the content of the files.
  Result<Restored> RestoreWhileStaging(const SavedSnapshot& snapshot,
                                       const std::function<void()>& meanwhile) {
    PosixPrograms real;
    WatchedPrograms programs(real, [&](const ProgramRequest& request) {
      if (request.command[1] == "cat-file") meanwhile();
    });
    TestPlace place(repository_.path(), nullptr, &programs);
    return RestoreSnapshot(place.worktree(), {.snapshot = snapshot, .keep = place.keep()});
  }
  static void ExpectChangedDuringRestore(const Result<Restored>& restored) {
    ASSERT_FALSE(restored.ok());
    EXPECT_EQ(restored.error().code, ErrorCode::kFailed);
    EXPECT_THAT(restored.error().message,
                testing::HasSubstr("another process changed it during the restore"));
  }

  RealFileCalls real_calls_;
};

TEST_F(RestoreRaceTest, OverwritesNothingThatChangesDuringTheRestore) {
  repository_.Write("tracked.txt", "changed\n");
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  ExpectChangedDuringRestore(
      RestoreWhileStaging(snapshot, [&] { repository_.Write("tracked.txt", "meanwhile\n"); }));
  EXPECT_EQ(repository_.Read("tracked.txt"), "meanwhile\n");
  EXPECT_EQ(repository_.Read("new"), "(missing)") << "nothing at all was changed";
  EXPECT_THAT(repository_.Files(), testing::SizeIs(1)) << "nothing is left behind";
}

TEST_F(RestoreRaceTest, RemovesNothingThatChangesDuringTheRestore) {
  repository_.Remove("tracked.txt");
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  ExpectChangedDuringRestore(
      RestoreWhileStaging(snapshot, [&] { repository_.Write("tracked.txt", "meanwhile\n"); }));
  EXPECT_EQ(repository_.Read("tracked.txt"), "meanwhile\n");
}

TEST_F(RestoreRaceTest, OverwritesNothingThatChangesInTheLastInstant) {
  repository_.Write("tracked.txt", "changed\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  ExpectChangedDuringRestore(RestoreWhile(
      snapshot, "tracked.txt", [&] { repository_.Write("tracked.txt", "meanwhile\n"); }));
  EXPECT_EQ(repository_.Read("tracked.txt"), "meanwhile\n");
  Wipe();
  ExpectChangedDuringRestore(RestoreWhile(snapshot, "tracked.txt", [&] {
    repository_.Remove("tracked.txt");
    repository_.Write("tracked.txt/inside", "meanwhile\n");
  }));
  EXPECT_EQ(repository_.Read("tracked.txt/inside"), "meanwhile\n");
  EXPECT_THAT(repository_.Files(), testing::SizeIs(1)) << "nothing is left behind";
}

TEST_F(RestoreRaceTest, RemovesNothingThatChangesInTheLastInstant) {
  repository_.Remove("tracked.txt");
  const SavedSnapshot snapshot = Take();
  Wipe();
  bool done = false;
  ExpectChangedDuringRestore(RestoreWhileRenaming(snapshot, [&](const WatchedCall& call) {
    if (!MovesAway(call) || std::exchange(done, true)) return;
    repository_.Write("tracked.txt", "meanwhile\n");
  }));
  EXPECT_EQ(repository_.Read("tracked.txt"), "meanwhile\n");
  EXPECT_THAT(repository_.Files(), testing::SizeIs(1)) << "nothing is left behind";
}

TEST_F(RestoreRaceTest, NamesTheRescuedFileIfItCannotGoBack) {
  repository_.Remove("tracked.txt");
  const SavedSnapshot snapshot = Take();
  Wipe();
  std::string moved;
  const Result<Restored> restored = RestoreWhileRenaming(snapshot, [&](const WatchedCall& call) {
    const bool goes_back = call.path == repository_ / "tracked.txt";
    if (MovesAway(call)) moved = call.path;
    if (MovesAway(call)) repository_.Write("tracked.txt", "first of two\n");
    if (goes_back) repository_.Write("tracked.txt", "second\n");
  });
  ExpectChangedDuringRestore(restored);
  EXPECT_EQ(repository_.Read("tracked.txt"), "second\n");
  EXPECT_EQ(*place_.files().Read(moved, 100), "first of two\n");
  EXPECT_THAT(restored.error().hint, testing::HasSubstr(moved));
}

TEST_F(RestoreRaceTest, WorksWhereADiskCannotLetTwoChangePlaces) {
  repository_.Write("tracked.txt", "changed\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  FaultyCalls calls(real_calls_);
  calls.Plan({.kind = CallKind::kRenameSwap, .error = EINVAL, .lasting = true});
  TestPlace place(repository_.path(), &calls);
  ASSERT_TRUE(RestoreSnapshot(place.worktree(), {.snapshot = snapshot, .keep = place.keep()}).ok());
  EXPECT_EQ(repository_.Read("tracked.txt"), "changed\n");
}

TEST_F(RestoreRaceTest, OverwritesNothingThatAppearsDuringTheRestore) {
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("new");
  ExpectChangedDuringRestore(
      RestoreWhile(snapshot, "new", [&] { repository_.Write("new", "meanwhile\n"); }));
  EXPECT_EQ(repository_.Read("new"), "meanwhile\n");
}

TEST_F(RestoreRaceTest, FollowsNoLinkThatAppearsDuringTheRestore) {
  repository_.Write("a/1", "untracked\n");
  repository_.Write("b/2", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("a");
  repository_.Remove("b");
  repository_.outside().MakeFolder("elsewhere");
  ExpectChangedDuringRestore(
      RestoreWhile(snapshot, "a/1", [&] { repository_.MakeLink("../elsewhere", "b"); }));
  EXPECT_EQ(repository_.outside().Read("elsewhere/2"), "(missing)");
  repository_.Remove("b");
  Restore(snapshot);
  EXPECT_EQ(repository_.Read("a/1"), "untracked\n");
  EXPECT_EQ(repository_.Read("b/2"), "untracked\n");
}

TEST_F(RestoreRaceTest, LeavesAnIndexThatChangesDuringTheRestore) {
  repository_.Write("tracked.txt", "staged\n");
  repository_.Git({"add", "tracked.txt"});
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Write("later", "meanwhile\n");
  const std::string blob = repository_.Git({"hash-object", "-w", "later"}).substr(0, 40);
  ExpectChangedDuringRestore(RestoreWhile(snapshot, "tracked.txt", [&] {
    repository_.Git({"update-index", "--cacheinfo", "100644," + blob + ",tracked.txt"});
  }));
  EXPECT_EQ(repository_.Git({"cat-file", "blob", ":tracked.txt"}), "meanwhile\n");
}

TEST_F(RestoreRaceTest, LeavesTheEntryOfARemovedFileThatIsStagedDuringTheRestore) {
  repository_.Write("removed", "base\n");
  repository_.CommitAll("base");
  repository_.Write("removed", "staged\n");
  repository_.Git({"add", "removed"});
  const SavedSnapshot snapshot = Take();
  repository_.Git({"rm", "-q", "-f", "removed"});
  repository_.Write("later", "meanwhile\n");
  const std::string blob = repository_.Git({"hash-object", "-w", "later"}).substr(0, 40);
  ExpectChangedDuringRestore(RestoreWhile(snapshot, "removed", [&] {
    repository_.Git({"update-index", "--add", "--cacheinfo", "100644," + blob + ",removed"});
  }));
  EXPECT_EQ(repository_.Git({"cat-file", "blob", ":removed"}), "meanwhile\n");
}

TEST_F(RestoreRaceTest, AnIndexThatIsOnlyRefreshedIsTheSame) {
  repository_.Write("tracked.txt", "staged\n");
  repository_.Git({"add", "tracked.txt"});
  const auto files = repository_.Files();
  const std::string index = repository_.Index();
  const SavedSnapshot snapshot = Take();
  Wipe();
  const Result<Restored> restored = RestoreWhile(snapshot, "tracked.txt", [&] {
    repository_.Git({"update-index", "--force-write-index", "--refresh"});
  });
  ASSERT_TRUE(restored.ok()) << restored.error().message;
  EXPECT_EQ(repository_.Files(), files);
  EXPECT_EQ(repository_.Index(), index);
}

TEST_F(RestoreRaceTest, ReportsThatFilesAreRestoredWhenTheIndexIsLocked) {
  repository_.Write("tracked.txt", "staged\n");
  repository_.Git({"add", "tracked.txt"});
  const std::string index = repository_.Index();
  const SavedSnapshot snapshot = Take();
  Wipe();
  const Result<Restored> restored =
      RestoreWhile(snapshot, "tracked.txt", [&] { repository_.Write(".git/index.lock", ""); });
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.error().code, ErrorCode::kFailed);
  EXPECT_THAT(restored.error().hint, testing::HasSubstr("the files are restored"));
  repository_.Remove(".git/index.lock");
  Restore(snapshot);
  EXPECT_EQ(repository_.Index(), index);
}

TEST_F(RestoreRaceTest, AFullDiskChangesNothing) {
  repository_.Write("tracked.txt", "changed\n");
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  Wipe();
  for (const std::size_t write : {1U, 2U}) {
    FaultyCalls calls(real_calls_);
    calls.Plan({.kind = CallKind::kWrite, .number = write, .error = ENOSPC, .bytes = 3});
    TestPlace place(repository_.path(), &calls);
    const Result<Restored> restored =
        RestoreSnapshot(place.worktree(), {.snapshot = snapshot, .keep = place.keep()});
    ASSERT_FALSE(restored.ok());
    EXPECT_THAT(restored.error().message, testing::HasSubstr("No space left"));
    EXPECT_THAT(repository_.Files(), testing::SizeIs(1)) << "nothing is left behind";
    EXPECT_EQ(repository_.Read("tracked.txt"), "first\n");
  }
}

TEST_F(RestoreRaceTest, AnyCallMayFailAndRestoringAgainContinues) {
  repository_.Write("tracked.txt", "staged\n");
  repository_.Git({"add", "tracked.txt"});
  repository_.Write("a/new", "untracked\n");
  const auto files = repository_.Files();
  const std::string index = repository_.Index();
  const SavedSnapshot snapshot = Take();
  for (std::size_t n = 1;; ++n) {
    SCOPED_TRACE(n);
    Wipe();
    FaultyCalls calls(real_calls_);
    calls.Plan({.number = n, .error = EIO});
    TestPlace place(repository_.path(), &calls);
    (void)RestoreSnapshot(place.worktree(), {.snapshot = snapshot, .keep = place.keep()});
    Restore(snapshot);
    ASSERT_EQ(repository_.Files(), files);
    ASSERT_EQ(repository_.Index(), index);
    if (calls.faults() == 0) break;
  }
}

TEST_F(RestoreRaceTest, WorksWhereADiskCannotRefuseToReplace) {
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("new");
  FaultyCalls calls(real_calls_);
  calls.Plan({.kind = CallKind::kRenameNew, .error = EINVAL, .lasting = true});
  TestPlace place(repository_.path(), &calls);
  ASSERT_TRUE(RestoreSnapshot(place.worktree(), {.snapshot = snapshot, .keep = place.keep()}).ok());
  EXPECT_EQ(repository_.Read("new"), "untracked\n");
}

TEST_F(RestoreRaceTest, SweepsWhatAKillLeftButNotWhatIsInUse) {
  repository_.Write("new", "untracked\n");
  const SavedSnapshot snapshot = Take();
  repository_.Remove("new");
  const std::string start = repository_ / std::string(kStagingStart);
  Result<WorkFolder> live = WorkFolder::Create(place_.files(), start);
  ASSERT_TRUE(live.ok());
  repository_.Write(".belay-restore-0123456789abcdef/1", "left by a kill");
  repository_.Write(".belay-restore-mine/1", "no name that belay gives");
  Restore(snapshot);
  EXPECT_TRUE(place_.files().Inspect(live->path()).ok());
  EXPECT_FALSE(place_.files().Inspect(start + "0123456789abcdef").ok());
  EXPECT_TRUE(place_.files().Inspect(start + "mine").ok());
}

}  // namespace
}  // namespace belay
