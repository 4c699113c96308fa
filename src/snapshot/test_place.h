// A real repository with everything that take and restore need, for tests.

#ifndef BELAY_SNAPSHOT_TEST_PLACE_H_
#define BELAY_SNAPSHOT_TEST_PLACE_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adapters/git/git.h"
#include "os/clock.h"
#include "os/program.h"
#include "snapshot/restore.h"
#include "snapshot/take.h"
#include "snapshot/work_folder.h"
#include "store/repository.h"
#include "testing/git_repository.h"

namespace belay {

// One worktree of a test repository, as the code under test sees it. Pass other calls or programs
// to interfere in between.
class TestPlace {
 public:
  explicit TestPlace(const std::string& folder, FileCalls* calls = nullptr,
                     Programs* programs = nullptr)
      : files_(calls != nullptr ? *calls : real_calls_),
        git_(programs != nullptr ? *programs : real_programs_,
             Environment({GitEnvironment().begin(), GitEnvironment().end()}), folder),
        place_(*FindRepository(FileSystem(real_calls_), folder)) {}

  Worktree worktree() { return {files_, git_, clock_, place_}; }
  const Git& git() const { return git_; }
  FileSystem& files() { return files_; }
  KeepName keep() const { return KeepName::OfWorktree(place_); }

  Result<Taken> Take(TakeRequest request) { return TakeSnapshot(worktree(), request); }
  Result<Taken> Take() { return Take({.keep = keep()}); }

 private:
  static const std::map<std::string, std::string>& GitEnvironment() {
    static const auto* const kVariables = [] {
      auto* variables = new std::map(GitRepository::Environment());
      variables->emplace("PATH", getenv("PATH"));
      return variables;
    }();
    return *kVariables;
  }

  RealFileCalls real_calls_;
  PosixPrograms real_programs_;
  SystemClock clock_;
  FileSystem files_;
  Git git_;
  Repository place_;
};

// Shared by the tests of restore.

class RestoreTestBase : public ::testing::Test {
 protected:
  explicit RestoreTestBase(GitRepository::Start start = GitRepository::Start::kOneCommit)
      : repository_(start), place_(repository_.path()) {}

  SavedSnapshot Take() {
    Result<Taken> taken = place_.Take();
    EXPECT_TRUE(taken.ok()) << taken.error().message;
    return taken->snapshot;
  }
  Result<Restored> Try(const SavedSnapshot& snapshot, bool merge = false, bool dry_run = false) {
    return RestoreSnapshot(
        place_.worktree(),
        {.snapshot = snapshot, .keep = place_.keep(), .merge = merge, .dry_run = dry_run});
  }
  // Without conflicts.
  Restored Restore(const SavedSnapshot& snapshot, bool merge = false) {
    Result<Restored> restored = Try(snapshot, merge);
    EXPECT_TRUE(restored.ok()) << restored.error().message;
    if (!restored) return {};
    EXPECT_EQ(Conflicts(*restored), std::vector<std::string>());
    return *std::move(restored);
  }
  static std::vector<std::string> Conflicts(const Restored& restored) {
    std::vector<std::string> paths;
    for (const NotRestored& conflict : restored.conflicts) paths.push_back(conflict.path);
    return paths;
  }
  static std::string WhySkipped(const Restored& restored, const std::string& path) {
    for (const NotRestored& skipped : restored.skipped) {
      if (skipped.path == path) return skipped.why;
    }
    return "(not skipped)";
  }

  // Resets the worktree and the index to the last commit.
  void Wipe() {
    repository_.Git({"reset", "-q", "--hard"});
    repository_.Git({"clean", "-q", "-ffdx"});
  }
  // Takes a snapshot, wipes everything, restores: all must be as before.
  Restored GoThere() {
    const auto files = repository_.Files();
    const std::string index = repository_.Index();
    const SavedSnapshot snapshot = Take();
    Wipe();
    Restored restored = Restore(snapshot);
    EXPECT_EQ(repository_.Files(), files);
    EXPECT_EQ(repository_.Index(), index);
    EXPECT_TRUE(Restore(snapshot).files.empty()) << "once more, there is nothing to do";
    return restored;
  }
  // A restore that finds conflicts changes nothing.
  void ExpectConflicts(const SavedSnapshot& snapshot, const std::vector<std::string>& paths,
                       bool merges_cleanly = false, bool merge = false) {
    const auto files = repository_.Files();
    const std::string index = repository_.Index();
    const Result<Restored> restored = Try(snapshot, merge);
    ASSERT_TRUE(restored.ok()) << restored.error().message;
    EXPECT_EQ(Conflicts(*restored), paths);
    EXPECT_EQ(restored->merges_cleanly, merges_cleanly);
    EXPECT_TRUE(restored->files.empty());
    EXPECT_FALSE(restored->rescue);
    EXPECT_EQ(repository_.Files(), files);
    EXPECT_EQ(repository_.Index(), index);
  }

  GitRepository repository_;
  TestPlace place_;
};

}  // namespace belay

#endif  // BELAY_SNAPSHOT_TEST_PLACE_H_
