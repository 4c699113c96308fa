// A restore is killed at every single change that it makes: each file is either old or new, and
// restoring again continues.

#include <gtest/gtest.h>

#include <algorithm>

#include "snapshot/restore.h"
#include "snapshot/test_place.h"
#include "testing/killing_calls.h"
#include "testing/real_process.h"

namespace belay {
namespace {

using Files = std::map<std::string, SeenFile>;

class RestoreKillTest : public RestoreTestBase {
 protected:
  // A copy of the repository for one trial.
  std::string Copy(const std::string& name) {
    const std::string to = repository_.outside() / name;
    (void)RunReal({"rm", "-rf", to});
    EXPECT_EQ(RunReal({"cp", "-a", repository_.path(), to}).exit_code, 0);
    return to;
  }
  static bool RestoreIn(const std::string& folder, const SavedSnapshot& snapshot,
                        FileCalls* calls = nullptr, Programs* programs = nullptr) {
    UnsyncedCalls unsynced;
    TestPlace place(folder, calls != nullptr ? calls : &unsynced, programs);
    const Result<Restored> restored = RestoreSnapshot(
        place.worktree(), {.snapshot = snapshot, .keep = place.keep(), .merge = true});
    return restored.ok() && restored->conflicts.empty();
  }
  static bool LeftBehind(const std::string& folder, std::string_view start) {
    RealFileCalls calls;
    const auto names = FileSystem(calls).List(folder);
    return std::any_of(names->begin(), names->end(),
                       [&](const std::string& name) { return name.starts_with(start); });
  }
  static bool IsStaging(const std::string& path) { return path.starts_with(".belay-restore-"); }

  // Every file that exists before and after also exists in between, in the old or the new state.
  static void ExpectOldOrNew(const Files& now, const Files& before, const Files& after) {
    for (const auto& [path, file] : now) {
      if (IsStaging(path)) continue;
      const auto old = before.find(path);
      const auto fresh = after.find(path);
      EXPECT_TRUE((old != before.end() && old->second == file) ||
                  (fresh != after.end() && fresh->second == file))
          << path;
    }
    for (const auto& [path, file] : before) {
      EXPECT_TRUE(now.contains(path) || !after.contains(path)) << path;
    }
  }
  // Kills restores of `snapshot`, starting from the current state of the repository.
  std::size_t KillEverywhere(const SavedSnapshot& snapshot) {
    const Files before = repository_.Files();
    const std::string whole = Copy("whole");
    EXPECT_TRUE(RestoreIn(whole, snapshot));
    const Files after = GitRepository::FilesOf(whole);
    const std::string index = repository_.IndexOf(whole);
    for (std::size_t n = 1;; ++n) {
      SCOPED_TRACE("killed at change " + std::to_string(n));
      const std::string folder = Copy("killed");
      const KilledRun run = RunKilledAtChange(n, [&](FileCalls& calls, Programs& programs) {
        return RestoreIn(folder, snapshot, &calls, &programs);
      });
      EXPECT_NE(run, KilledRun::kFailed);
      ExpectOldOrNew(GitRepository::FilesOf(folder), before, after);
      EXPECT_TRUE(RestoreIn(folder, snapshot));
      EXPECT_EQ(GitRepository::FilesOf(folder), after);
      EXPECT_EQ(repository_.IndexOf(folder), index);
      EXPECT_FALSE(LeftBehind(folder, ".belay-restore-"));
      EXPECT_FALSE(LeftBehind(folder + "/.git", "belay-restore-"));
      if (run != KilledRun::kKilled || HasFailure()) return n;
    }
  }
};

TEST_F(RestoreKillTest, EveryFileIsAsItWasOrAsItWillBe) {
  for (const char* name : {"deleted", "to-folder", "folder/inside", "missing", "other"}) {
    repository_.Write(name, "base\n");
  }
  repository_.Write("to-merge", "1\n2\n3\n4\n5\n");
  repository_.CommitAll("base");
  repository_.Write("to-merge", "1\n2\n3\n4\nfive\n");
  repository_.Write("tracked.txt", "changed\n");
  repository_.Git({"add", "tracked.txt"});
  repository_.Remove("deleted");
  repository_.Remove("to-folder");
  repository_.Write("to-folder/new", "untracked\n");
  repository_.Remove("folder");
  repository_.MakeLink("nowhere", "folder");
  repository_.Write("intent", "content\n");
  repository_.Git({"add", "-N", "intent"});
  repository_.SetMode("intent", 0600);
  const SavedSnapshot snapshot = Take();
  Wipe();
  repository_.Remove("missing");
  repository_.Write("to-merge", "one\n2\n3\n4\n5\n");
  repository_.Write("other", "changed since\n");
  repository_.Write("later", "untracked\n");
  EXPECT_GT(KillEverywhere(snapshot), 50U);
}

TEST_F(RestoreKillTest, ANewFolderIsCompleteOrNotThere) {
  repository_.Write("a/b", "base\n");
  repository_.CommitAll("base");
  repository_.Write("tracked.txt", "changed\n");
  repository_.Write("new", "untracked\n");
  const Files files = repository_.Files();
  const SavedSnapshot snapshot = Take();
  for (std::size_t n = 1;; ++n) {
    SCOPED_TRACE("killed at change " + std::to_string(n));
    const std::string parent = repository_.outside() / std::to_string(n);
    repository_.outside().MakeFolder(std::to_string(n));
    const KilledRun run = RunKilledAtChange(n, [&](FileCalls& calls, Programs& programs) {
      TestPlace place(repository_.path(), &calls, &programs);
      return RestoreInto(place.worktree(), snapshot, parent + "/into").ok();
    });
    ASSERT_NE(run, KilledRun::kFailed);
    const bool there = place_.files().Inspect(parent + "/into").ok();
    if (!there) {
      const auto restored = RestoreInto(place_.worktree(), snapshot, parent + "/into");
      ASSERT_TRUE(restored.ok()) << restored.error().message;
      ASSERT_EQ(place_.files().List(parent)->size(), 1U);
    }
    ASSERT_EQ(GitRepository::FilesOf(parent + "/into"), files);
    if (run == KilledRun::kEnded) break;
  }
}

}  // namespace
}  // namespace belay
