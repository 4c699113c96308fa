// Small random histories with edits, reverts, reverts of reverts and cherry-picks in both
// directions: belay builds the same trees and commits as `git rebase --empty=drop
// --reapply-cherry-picks`, or both find a conflict.
//
// Without --reapply-cherry-picks git drops commits whose patch the target has, even if the target
// reverted it since; belay never does.

#include <gtest/gtest.h>

#include <random>

#include "adapters/git/replay.h"
#include "adapters/git/test_git.h"
#include "base/text.h"

namespace belay {
namespace {

class ReplayRandomTest : public ReplayTest, public ::testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    repo_.Git({"config", "advice.skippedCherryPicks", "false"});
    CommitFile("f", Lines(6));
    CommitFile("x", "1\n");
    repo_.Git({"branch", "work"});
    for (int i = 0; i < 7; ++i) Act(chance_() % 2 == 0 ? "main" : "work");
    OnBranch("main");
  }

  // One more commit, or none if git finds a conflict.
  void Act(const std::string& branch) {
    OnBranch(branch);
    const std::string other = branch == "main" ? "work" : "main";
    switch (chance_() % 6) {
      case 0:
      case 1:
        return Edit();
      case 2:
        return Pick({"cherry-pick", Any(other)});
      default:
        return Pick({"revert", "--no-edit", Any(branch)});
    }
  }
  void Edit() {
    std::string text;
    const std::size_t chosen = chance_() % 6;
    for (std::size_t i = 0; i < 6; ++i) {
      text += "line " + std::to_string(i + 1);
      text += i == chosen ? " " + std::string(1, "abc"[chance_() % 3]) + "\n" : "\n";
    }
    const bool whole = chance_() % 3 == 0;
    repo_.Write(whole ? "f" : "x", whole ? text : std::to_string(chance_() % 3) + "\n");
    if (!repo_.Git({"status", "--porcelain"}).empty()) Commit("edit " + std::to_string(++count_));
  }
  void Pick(std::vector<std::string> words) {
    const std::string word = words[0];
    if (repo_.TryGit(words) == 0) {
      // Makes the same revert on both branches two different commits, most of the time.
      const std::string date = "2020-01-0" + std::to_string(1 + chance_() % 7) + "T00:00:00Z";
      repo_.Git({"commit", "-q", "--amend", "--no-edit", "--allow-empty", "--date=" + date});
      return;
    }
    (void)repo_.TryGit({word, "--abort"});
    (void)repo_.TryGit({"reset", "-q", "--hard"});
  }
  // One of a branch's last commits.
  std::string Any(const std::string& branch) {
    const std::string list = repo_.Git({"rev-list", "-5", branch});
    const std::vector<std::string_view> ids = Split(std::string_view(list), '\n');
    return std::string(ids[chance_() % (ids.size() - 1)]);
  }

  std::mt19937 chance_{static_cast<unsigned>(GetParam())};
  int count_ = 0;
};

TEST_P(ReplayRandomTest, ComesToTheSameAsGit) {
  const Replay replay = Land();
  repo_.Git({"checkout", "-q", "-b", "by-git", "work"});
  const bool fits =
      repo_.TryGit({"rebase", "-q", "--empty=drop", "--reapply-cherry-picks", "main"}) == 0;
  SCOPED_TRACE(repo_.Git({"log", "--oneline", "--graph", "main", "work"}));
  ASSERT_EQ(replay.end == Replay::End::kConflict, !fits);
  if (!fits) return;
  const bool nothing = Resolve("by-git") == Resolve("main") ||
                       repo_.TryGit({"merge-base", "--is-ancestor", "work", "main"}) == 0;
  ASSERT_EQ(replay.end == Replay::End::kBuilt, !nothing);
  if (nothing) return;
  EXPECT_EQ(Resolve(replay.candidate.text() + "^{tree}"), Resolve("by-git^{tree}"));
  EXPECT_EQ(Log(replay.candidate, "%s %T %an %ad"), Log(Resolve("by-git"), "%s %T %an %ad"));
}

INSTANTIATE_TEST_SUITE_P(, ReplayRandomTest, ::testing::Range(1, 31));

}  // namespace
}  // namespace belay
