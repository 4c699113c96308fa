#include <gtest/gtest.h>

#include "adapters/git/status.h"
#include "adapters/git/test_git.h"

namespace belay {
namespace {

using Names = std::vector<std::string>;

Names NamesOf(const std::vector<Overlooked>& files) {
  Names names;
  for (const Overlooked& file : files) names.push_back(file.path);
  return names;
}

class OverlookedTest : public GitTest {
 protected:
  OverlookedTest() {
    for (const char* name : {"a", "assumed", "deep/er/skipped", "z with a longer name"}) {
      repo_.Write(name, "x");
    }
    repo_.CommitAll("files");
    repo_.Git({"update-index", "--assume-unchanged", "assumed"});
    repo_.Git({"update-index", "--skip-worktree", "deep/er/skipped"});
  }
  std::string Index() const { return repo_.Read(".git/index"); }

  const Names both_ = {"assumed", "deep/er/skipped"};
};

TEST_F(OverlookedTest, AreReadFromTheIndex) {
  const auto found = OverlookedInIndex(Index(), ObjectFormat::kSha1);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(NamesOf(*found), both_);
  EXPECT_EQ((*found)[0].id.text(), BlobIdOf(ObjectFormat::kSha1, "x"));
}

TEST_F(OverlookedTest, AreAskedOfGitWhereTheIndexIsNotUnderstood) {
  repo_.Git({"update-index", "--index-version", "4"});
  EXPECT_FALSE(OverlookedInIndex(Index(), ObjectFormat::kSha1));
  const auto found = FindOverlooked(git_, Index(), ObjectFormat::kSha1);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(NamesOf(*found), both_);
  EXPECT_EQ((*found)[0].id.text(), BlobIdOf(ObjectFormat::kSha1, "x"));
  repo_.Git({"update-index", "--index-version", "3"});
  repo_.Git({"update-index", "--split-index"});
  EXPECT_EQ(NamesOf(*FindOverlooked(git_, Index(), ObjectFormat::kSha1)), both_);
}

TEST_F(OverlookedTest, AreNeverReadBeyondTheEnd) {
  const std::string index = Index();
  for (std::size_t length = 0; length < index.size(); ++length) {
    (void)OverlookedInIndex(std::string_view(index).substr(0, length), ObjectFormat::kSha1);
    (void)OverlookedInIndex(std::string_view(index).substr(0, length), ObjectFormat::kSha256);
  }
}

TEST_F(OverlookedTest, AreNoneOfAnIndexThatIsNotThere) {
  EXPECT_TRUE(FindOverlooked(git_, "", ObjectFormat::kSha1)->empty());
}

}  // namespace
}  // namespace belay
