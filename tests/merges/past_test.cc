#include "merges/past.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

// Each commit adds a file; two of them also write one that they share.
void Live(const GitRepository& repository, std::size_t commits) {
  for (std::size_t i = 0; i < commits; ++i) {
    const std::string number = std::to_string(i);
    repository.Write("own" + number, number);
    if (i == 2 || i == 3) repository.Write("shared", number);
    repository.CommitAll("commit " + number);
  }
}

TEST(MergePastTest, IsARowOfTheSameTreesAuthorsAndMessages) {
  const GitRepository lived;
  Live(lived, 12);
  lived.Git({"checkout", "-q", "-b", "side", "HEAD~3"});
  lived.Write("side", "");
  lived.CommitAll("side");
  lived.Git({"checkout", "-q", "main"});
  lived.Git({"merge", "-q", "--no-edit", "side"});
  lived.Git({"commit", "-q", "--allow-empty", "-m", "nothing"});

  const GitRepository repository(GitRepository::Start::kNoCommit);
  const Past past(repository, lived.path(), 100);
  EXPECT_EQ(past.size(), 13U) << "12 and the merge, and where it begins";
  const std::vector<std::string> shown = {"log", "--first-parent", "--format=%T %at %ct %an %B"};
  std::vector<std::string> wanted = shown;
  wanted.emplace_back("HEAD^");
  std::vector<std::string> got = shown;
  got.push_back(past.tip());
  EXPECT_EQ(repository.Git(got), lived.Git(wanted));
  EXPECT_EQ(repository.Git({"rev-list", "--min-parents=2", past.tip()}), "");
}

TEST(MergePastTest, ABranchBeginsEarlierWhereThatFits) {
  const GitRepository lived;
  Live(lived, 12);
  const GitRepository repository(GitRepository::Start::kNoCommit);
  const Past past(repository, lived.path(), 12);
  const std::vector<PastBranch> branches = past.Branches();
  ASSERT_EQ(branches.size(), 5U);
  EXPECT_FALSE(branches[0].is_behind) << "nothing is before it";
  EXPECT_FALSE(branches[2].is_behind) << "it changes what the one before it changed";
  const PastBranch& behind = branches[1];
  ASSERT_TRUE(behind.is_behind);
  EXPECT_EQ(repository.TryGit({"merge-base", "--is-ancestor", behind.tip, past.tip()}), 1);
  repository.Git({"checkout", "-q", "--detach", behind.tip});
  repository.Git({"rebase", "-q", past.tip() + "~11"});
  EXPECT_EQ(repository.Git({"rev-parse", "HEAD^{tree}"}),
            repository.Git({"rev-parse", past.tip() + "~9^{tree}"}));
}

TEST(MergePastTest, ReportsWhyThereIsTooLittleOfIt) {
  const GitRepository lived;
  EXPECT_EQ(Past::WhyNot(lived.path()), "it takes 21 commits, and there are 1");
  Live(lived, Past::kFewest);
  EXPECT_EQ(Past::WhyNot(lived.path()), "");
  const std::string shallow = lived.outside() / "shallow";
  lived.Git({"clone", "-q", "--depth=2", "file://" + lived.path(), shallow});
  EXPECT_EQ(Past::WhyNot(shallow), "the clone is shallow; `git fetch --unshallow` gets the rest");
  EXPECT_TRUE(Past::WhyNot(lived.outside().path()).starts_with("there is no git repository"));
}

}  // namespace
}  // namespace belay
