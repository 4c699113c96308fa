// A git is killed while it writes files: the next call continues.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "adapters/git/follow_checkout.h"
#include "adapters/git/scratch_worktree.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

// Kills each `git read-tree` after a number of microseconds.
class KillingPrograms final : public Programs {
 public:
  explicit KillingPrograms(int microseconds) : microseconds_(microseconds) {}

  Result<ProgramResult> Run(const ProgramRequest& request) override {
    ProgramRequest other = request;
    const auto& words = request.command;
    if (std::find(words.begin(), words.end(), "read-tree") != words.end()) {
      const std::string digits = std::to_string(1'000'000 + microseconds_).substr(1);
      other.command.insert(other.command.begin(), {"timeout", "-s", "KILL", "0." + digits});
    }
    Result<ProgramResult> result = programs_.Run(other);
    if (result && result->exit_code == 137) ++killed;
    return result;
  }

  int killed = 0;

 private:
  PosixPrograms programs_;
  int microseconds_;
};

class GitKillTest : public MergeTest {
 protected:
  static constexpr int kFiles = 200;

  GitKillTest() {
    for (int i = 0; i < kFiles; ++i) repo_.Write(Name(i), Lines(100, "old"));
    old_ = Commit("old");
    OnBranch("next");
    for (int i = 0; i < kFiles; ++i) {
      if (i % 3 == 0) repo_.Remove(Name(i));
      if (i % 3 == 1) repo_.Write(Name(i), Lines(100, "new"));
      if (i % 3 == 2) repo_.Write(Name(i) + "x", Lines(100, "new"));
    }
    new_ = Commit("new");
    repo_.Git({"checkout", "-q", "main"});
  }
  static std::string Name(int i) { return "d" + std::to_string(i % 20) + "/f" + std::to_string(i); }

  static bool NeedsAnother(const Followed& followed) {
    EXPECT_NE(followed.end, Followed::End::kLeft) << followed.why;
    return followed.end == Followed::End::kLater || followed.end == Followed::End::kUnfinished;
  }

  ObjectId old_, new_;
};

// The remaining lock blocks it; the user, or a later git, removes the lock.
TEST_F(GitKillTest, ACheckoutFollowsTheNextTime) {
  const GitWorktree worktree{.folder = repo_.path(), .git_folder = CommonFolder()};
  const FollowRequest request{"refs/heads/main", old_, new_};
  int killed = 0;
  for (int delay = 1000; delay <= 40'000; delay += delay / 2) {
    SCOPED_TRACE(delay);
    repo_.Git({"reset", "-q", "--hard", old_.text()});
    repo_.Git({"update-ref", "refs/heads/main", new_.text()});
    KillingPrograms programs(delay);
    const Git git(programs, Environment(TestVariables()), repo_.path());
    const Followed first = FollowCheckout(git, files_, worktree, request);
    EXPECT_EQ(NeedsAnother(first), programs.killed > 0) << first.why;
    killed += programs.killed;
    if (files_.Inspect(repo_ / ".git/index.lock")) {
      EXPECT_TRUE(NeedsAnother(FollowCheckout(git_, files_, worktree, request)));
      repo_.Remove(".git/index.lock");
    }
    const Followed again = FollowCheckout(git_, files_, worktree, request);
    EXPECT_FALSE(NeedsAnother(again)) << again.why;
    EXPECT_EQ(repo_.Git({"status", "--porcelain"}), "");
    if (HasFailure()) break;
  }
  EXPECT_GT(killed, 0);
}

TEST_F(GitKillTest, AScratchWorktreeIsPutInOrderTheNextTime) {
  const ScratchPlace place{CommonFolder(), repo_.outside() / "scratch"};
  int killed = 0;
  for (int delay = 1000; delay <= 40'000; delay += delay / 2) {
    SCOPED_TRACE(delay);
    ASSERT_TRUE(PrepareScratch(git_, files_, place, old_).ok());
    KillingPrograms programs(delay);
    const Git git(programs, Environment(TestVariables()), repo_.path());
    const auto first = PrepareScratch(git, files_, place, new_);
    killed += programs.killed;
    const auto again = PrepareScratch(git_, files_, place, new_);
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(repo_.GitIn(place.folder, {"status", "--porcelain", "--ignored"}), "");
    EXPECT_EQ(repo_.GitIn(place.folder, {"write-tree"}), repo_.Git({"rev-parse", "next^{tree}"}));
    if (HasFailure()) break;
  }
  EXPECT_GT(killed, 0);
}

}  // namespace
}  // namespace belay
